"""Which result answers which call."""

from convotree.domain.message import Message
from convotree.replay.pairing import pair_results
from convotree.replay.target import ConsecutiveAnswers
from tests.replay.samples import answer, call, result

ONE_TURN, SEPARATE = ConsecutiveAnswers.ONE_TURN, ConsecutiveAnswers.SEPARATE


def paired(
    *messages: Message, rule: ConsecutiveAnswers = ONE_TURN
) -> tuple[dict[int, list[list[int]]], list[int]]:
    """By group: for each call the messages of its results; and the messages of orphans."""
    pairing = pair_results(messages, rule)
    groups = {
        last: [[one.place[0] for one in entry.results] for entry in group.calls]
        for last, group in pairing.groups.items()
    }
    return groups, [one.place[0] for one in pairing.orphans]


def test_a_result_above_its_call_answers_nothing() -> None:
    assert paired(result("c1"), answer(call("c1"))) == ({1: [[]]}, [0])


def test_all_results_of_a_call_are_known() -> None:
    assert paired(answer(call("c1")), result("c1"), Message.user("x"), result("c1")) == ({0: [[1, 3]]}, [])


def test_a_later_call_of_the_same_id_takes_over() -> None:
    path = (answer(call("c1")), result("c1"), Message.user("x"), answer(call("c1")), result("c1"))
    assert paired(*path) == ({0: [[1]], 3: [[4]]}, [])


def test_calls_of_one_id_in_one_turn_take_results_in_turn() -> None:
    path = (answer(call("c1"), call("c1")), result("c1"), result("c1"), result("c1"))
    assert paired(*path) == ({0: [[1], [2, 3]]}, [])


def test_answers_in_a_row_are_one_turn_or_several() -> None:
    path = (answer(call("c1")), answer(call("c2")), result("c2", "c1"))
    assert paired(*path) == ({1: [[2], [2]]}, [])
    assert paired(*path, rule=SEPARATE) == ({0: [[2]], 1: [[2]]}, [])


def test_the_next_answer_is_known() -> None:
    path = (answer(call("c1")), result("c1"), answer(), Message.user("x"))
    pairing = pair_results(path, ONE_TURN)
    assert pairing.groups[0].next_answer == 2
    assert pair_results(path[:2], ONE_TURN).groups[0].next_answer == 2
    assert pairing.holders == {1}
