"""Calls and responses without ids, paired by their order and names."""

from convotree.replay.gemini.call_ids import CallIds, carries_no_id


def test_responses_without_ids_take_the_calls_of_their_name_in_order() -> None:
    ids = CallIds()
    calls = []
    for number, name in enumerate("fgf"):
        ids.at(f"1_{number}")
        calls.append(ids.of_call(None, name))
    assert calls == ["gemini_no_id_1_0", "gemini_no_id_1_1", "gemini_no_id_1_2"]
    assert ids.order == calls
    assert all(map(carries_no_id, calls))
    assert [ids.of_response(None, name) for name in "ffg"] == [calls[0], calls[2], calls[1]]


def test_an_id_counts_before_a_name() -> None:
    ids = CallIds()
    assert [ids.of_call(one, "f") for one in ("a", "b")] == ["a", "b"]
    assert ids.of_response("b", "f") == "b"
    assert ids.of_response(None, "f") == "a"
    ids.at("2_0")
    assert ids.of_response(None, "f") == "gemini_no_id_2_0"
    assert ids.of_response("b", "f") == "b"


def test_an_id_that_no_call_has_goes_to_a_call_without_one() -> None:
    ids = CallIds()
    ids.at("1_0")
    assert ids.of_call("a", "f") == "a"
    without = ids.of_call(None, "f")
    assert ids.of_response("minted", "f") == without
    assert ids.of_response("other", "f") == "other"


def test_a_response_without_a_name_takes_the_first_call_that_is_open() -> None:
    ids = CallIds()
    ids.of_call("a", "f")
    ids.of_call("b", "g")
    assert [ids.of_response(None, None) for _ in "ab"] == ["a", "b"]


def test_a_new_turn_forgets_what_was_open() -> None:
    ids = CallIds()
    ids.of_call("a", "f")
    ids.begin_turn()
    ids.at("3_0")
    assert ids.of_response(None, "f") == "gemini_no_id_3_0"
    assert ids.order == []


def test_hosted_results_follow_their_calls() -> None:
    ids = CallIds()
    ids.at("1_0")
    first = ids.of_hosted_call(None)
    ids.at("1_1")
    second = ids.of_hosted_call(None)
    assert ids.of_hosted_call("x") == ids.of_hosted_result("x") == "x"
    assert [ids.of_hosted_result(None) for _ in "ab"] == [first, second]
    ids.at("1_9")
    assert ids.of_hosted_result(None) == "gemini_no_id_1_9"
