"""What stands for a missing result; which of several is used is tested with the turns."""

from convotree.domain.message import Message
from convotree.replay.anthropic.target import TARGET
from convotree.replay.notebook import Notebook
from convotree.replay.pairing import pair_results
from convotree.replay.policy import RenderPolicy, UnansweredCalls, UnmatchedResults
from convotree.replay.results import NO_RESULT, Settled, settle_results
from tests.replay.samples import answer, call, result


def settled(*messages: Message, policy: RenderPolicy | None = None) -> Settled:
    pairing = pair_results(messages, TARGET.consecutive_answers)
    return settle_results(pairing, TARGET, policy or RenderPolicy(), Notebook("anthropic", ()))


def test_a_made_result_stands_at_its_call_and_names_the_tool() -> None:
    (made,) = settled(answer(call("c1"))).results[0]
    assert made.place == (0, 0)
    assert (made.part.is_error, made.part.name, made.part.as_string) == (True, "f", True)
    assert made.part.content[0].text == NO_RESULT  # type: ignore[union-attr]  # as_string: it is one text


def test_results_are_in_the_order_of_the_calls() -> None:
    found = settled(answer(call("c1"), call("c2")), result("c2"), result("c1")).results[0]
    assert [one.place for one in found] == [(2, 0), (1, 0)]


def test_what_is_left_out() -> None:
    path = (answer(call("c1")), result("c1"), result("c1"), result("c9"))
    assert settled(*path).left_out == {(2, 0), (3, 0)}
    kept = settled(*path, policy=RenderPolicy(unmatched_results=UnmatchedResults.AS_STORED))
    assert kept.left_out == set()


def test_nothing_is_made_by_choice() -> None:
    policy = RenderPolicy(unanswered_calls=UnansweredCalls.AS_STORED)
    assert settled(answer(call("c1")), policy=policy).results == {0: []}


def test_repeats_are_counted_in_calls_and_results() -> None:
    path = (answer(call("c1"), call("c1"), call("c1")), result("c1", "c1"))
    assert settled(*path).repeats == {(0, 1): 2, (1, 1): 2, (0, 2): 3}
