"""Plans: coordinates and digests that follow from the parent alone, and what is refused."""

import pytest

from convotree.domain.choices import Check
from convotree.domain.encoded import encode_message
from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.lanes import PAGE, ForkPointer, Forks, LaneRange
from convotree.domain.limits import MAX_OPEN_TOOL_CALLS
from convotree.domain.message import Message, Role
from convotree.domain.parts import Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from convotree.domain.planning import (
    check_message,
    open_call,
    open_calls_after,
    prefix_digest,
    prompt_key,
    tool_set_key,
)
from convotree.domain.stored import LaneStart
from convotree.errors import InvalidMessageError, TooManyForksError, UnexpectedToolResultError
from convotree.identity import Key
from tests.domain.stored_values import SCOPE, TIME, Grove, draftsman


def call(name: str) -> ToolCallPart:
    return ToolCallPart(name, "f", ExactJson("{}"))


def result(name: str) -> ToolResultPart:
    return ToolResultPart(name, (TextPart("done"),))


class TestCoordinates:
    def test_a_root_starts_its_lane(self) -> None:
        root = Grove().add("a", None)

        assert (root.point.depth, root.ordinal, root.parent_id) == (0, 0, None)
        assert (root.point.lane_key, root.point.lane_id) == (root.point.key, "a")
        assert root.parent_key == SCOPE.roots_key
        assert root.forks == Forks()

    def test_a_first_child_stays_in_the_lane(self) -> None:
        grove = Grove()
        root, child = grove.add("a", None), grove.add("b", "a")

        assert (child.point.depth, child.ordinal, child.parent_id) == (1, 0, "a")
        assert (child.point.lane_key, child.parent_key) == (root.point.key, root.point.key)
        assert child.forks is None

    def test_a_later_child_starts_a_lane_and_keeps_the_way_to_it(self) -> None:
        grove = Grove()
        root = grove.add("a", None)
        grove.add("b", "a")
        fork = grove.add("c", "a")
        grove.add("d", "c")
        deeper = grove.add("e", "c")

        assert (fork.ordinal, fork.point.lane_id) == (1, "c")
        assert fork.forks == Forks((LaneRange(root.point.key, 0, 0),))
        assert deeper.forks == Forks(
            (LaneRange(root.point.key, 0, 0), LaneRange(fork.point.key, 1, 1)),
        )

    def test_another_root_starts_a_lane_of_its_own(self) -> None:
        grove = Grove()
        grove.add("a", None)
        other = grove.add("z", None)

        assert (other.ordinal, other.point.lane_id, other.forks) == (1, "z", Forks())

    def test_what_the_call_shares_is_kept(self) -> None:
        root = Grove().add("a", None)

        assert (root.moves_seen, root.epoch, root.created_at, root.scope) == (7, 3, TIME, SCOPE)

    def test_too_many_forks_are_refused(self) -> None:
        pointers = tuple(ForkPointer(Key(str(number)), number) for number in range(PAGE))
        tail = tuple(LaneRange(Key(str(number)), number, number) for number in range(PAGE))
        parent = Grove().add("a", None).point
        full = LaneStart(parent.lane_key, 0, Forks(tail, pointers[:-1], pointers))

        with pytest.raises(TooManyForksError) as caught:
            draftsman().later_child(parent, full, 1, "b", encode_message(Message.user("b")))

        assert caught.value.conversation_id == SCOPE.conversation_id


class TestContext:
    def test_an_answer_records_what_is_current(self) -> None:
        grove = Grove()
        grove.add("q", None)
        answer = grove.add("a", "q", Message.assistant("x"))

        assert answer.generation == GenerationRecord(prompt_version="sha256:p")
        assert answer.point.answered
        assert answer.point.prompt_key == prompt_key("tenant", "sha256:p")
        assert answer.point.tool_set_key is None

    def test_a_caller_may_say_otherwise(self) -> None:
        grove = Grove()
        grove.add("q", None)
        said = GenerationRecord(prompt_version="sha256:q", tool_set="sha256:t", model="m")
        answer = grove.add("a", "q", Message.assistant("x"), said)

        assert answer.generation == said
        assert answer.point.prompt_key == prompt_key("tenant", "sha256:q")
        assert answer.point.tool_set_key == tool_set_key("tenant", "sha256:t")

    def test_what_follows_an_answer_inherits_what_it_was_generated_under(self) -> None:
        grove = Grove()
        question = grove.add("q", None)
        answer = grove.add("a", "q", Message.assistant("x"))
        following = grove.add("q2", "a")

        assert not question.point.answered
        assert question.point.prompt_key is None
        assert (following.point.answered, following.point.prompt_key) == (True, answer.point.prompt_key)
        assert (following.generation, following.prefix) == (None, None)

    def test_the_prefix_covers_prompt_tools_and_path(self) -> None:
        digests = {
            prefix_digest(prompt, tools, chain)
            for prompt in (None, "a", "b")
            for tools in (None, "a", "b")
            for chain in (bytes(32), b"\x01" * 32)
        }

        assert len(digests) == 18

    def test_only_an_answer_is_generated(self) -> None:
        with pytest.raises(InvalidMessageError) as caught:
            Grove().add("q", None, Message.user("x"), GenerationRecord())

        assert caught.value.place == "generation"


class TestOpenCalls:
    def test_calls_are_open_until_answered(self) -> None:
        grove = Grove()
        grove.add("q", None)
        calls = grove.add("a", "q", Message.assistant([call("c1"), call("c2")]))
        one = grove.add("r1", "a", Message.tool_result("c2", "x"))
        both = grove.add("r2", "r1", Message.tool_result("c1", "x"))
        other = grove.add("a2", "q", Message.assistant("no call"))

        assert calls.point.open_calls == ("c1", "c2")
        assert one.point.open_calls == ("c1",)
        assert both.point.open_calls == ()
        assert other.point.open_calls == ()

    def test_of_too_many_the_newest_are_remembered(self) -> None:
        many = Message.assistant([call(str(number)) for number in range(MAX_OPEN_TOOL_CALLS + 2)])
        grove = Grove()
        grove.add("q", None)
        calls = grove.add("a", "q", many).point
        one = grove.add("r", "a", Message.tool_result("65", "x")).point

        assert len(calls.open_calls) == MAX_OPEN_TOOL_CALLS
        assert calls.open_calls[-1] == str(MAX_OPEN_TOOL_CALLS + 1)
        assert (calls.more_open_calls, one.more_open_calls) == (True, True)
        assert len(one.open_calls) == MAX_OPEN_TOOL_CALLS - 1

    @pytest.mark.parametrize("name", ["x" * 65, "\ud800", "ü" * 33])
    def test_an_id_that_cannot_be_copied_is_remembered_by_its_hash(self, name: str) -> None:
        assert open_call(name).startswith("sha256:")
        assert (
            open_calls_after(
                open_calls_after((), Message.assistant([call(name)])), Message.user([result(name)])
            )
            == ()
        )

    def test_an_id_of_a_provider_is_remembered_as_it_is(self) -> None:
        assert open_call("toolu_01A09q90qw90lq917835lq9") == "toolu_01A09q90qw90lq917835lq9"


class TestChecks:
    @pytest.mark.parametrize(
        ("role", "part"),
        [
            (Role.USER, call("c")),
            (Role.USER, ReasoningPart("r")),
            (Role.TOOL, TextPart("x")),
            (Role.DEVELOPER, call("c")),
            (Role.ASSISTANT, result("c")),
        ],
    )
    def test_a_part_that_does_not_fit_its_role_is_refused(self, role: Role, part: Part) -> None:
        message = Message(role, (part,))

        with pytest.raises(InvalidMessageError) as caught:
            check_message(message, Check.STRICT, ("c",))

        assert caught.value.place == "parts[0]"
        check_message(message, Check.RECORD, ())

    @pytest.mark.parametrize("open_calls", [(), ("other",)])
    def test_a_result_without_a_call_is_refused(self, open_calls: tuple[str, ...]) -> None:
        message = Message.tool_result("c", "x")

        with pytest.raises(UnexpectedToolResultError) as caught:
            check_message(message, Check.STRICT, open_calls)

        assert caught.value.tool_call_id == "c"
        assert caught.value.open_tool_call_ids == open_calls
        check_message(message, Check.RECORD, open_calls)

    def test_a_call_is_answered_once(self) -> None:
        twice = Message(Role.TOOL, (result("c"), result("c")))

        with pytest.raises(UnexpectedToolResultError) as caught:
            check_message(twice, Check.STRICT, ("c",))

        assert caught.value.place == "parts[1]"

    @pytest.mark.parametrize("parts", [(call("c"),), (call("d"), call("d")), (call(""),)])
    def test_an_id_of_an_open_call_is_not_given_again(self, parts: tuple[Part, ...]) -> None:
        with pytest.raises(InvalidMessageError) as caught:
            check_message(Message(Role.ASSISTANT, parts), Check.STRICT, ("c",))

        assert caught.value.place == f"parts[{len(parts) - 1}].tool_call_id"

    def test_parallel_calls_and_results_in_any_order_pass(self) -> None:
        check_message(Message.assistant([call("a"), call("b")]), Check.STRICT, ())
        check_message(Message(Role.TOOL, (result("b"), result("a"))), Check.STRICT, ("a", "b"))
        check_message(Message.user([result("a"), TextPart("and")]), Check.STRICT, ("a", "b"))
