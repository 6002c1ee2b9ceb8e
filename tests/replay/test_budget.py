"""Where a request can begin, and how much of a path fits."""

from hypothesis import given, settings

from convotree import CompactionPart, Message, Request, TextPart
from convotree.domain.parts import ToolCallPart, ToolResultPart
from convotree.replay.budget import fitting_start, starts
from tests.replay.samples import answer, call, conversations, result

TALK = (
    Message.user("q"),
    answer(call("c1"), call("c2")),
    result("c1"),
    Message.user("meanwhile"),
    result("c2"),
    answer(TextPart("a")),
    Message.user("on"),
    answer(TextPart("b")),
)


def test_a_request_begins_with_a_user_and_never_between_a_call_and_its_result() -> None:
    assert [index for index, can in enumerate(starts(TALK, root=True)) if can] == [0, 6]


def test_a_result_whose_call_is_not_here_forbids_all_before_it_unless_there_is_none() -> None:
    lower = (Message.user("meanwhile"), *TALK[4:])
    above = {"c2"}
    assert [index for index, can in enumerate(starts(lower, root=False, called_above=above)) if can] == [3]
    # A result of no call at all is left out by rendering, and forbids nothing.
    assert [index for index, can in enumerate(starts(lower, root=False)) if can] == [0, 3]
    assert [index for index, can in enumerate(starts(lower, root=True)) if can] == [0, 3]


def test_a_summary_begins_a_request_and_so_does_whatever_is_the_root() -> None:
    path = (answer(TextPart("a")), answer(CompactionPart("in short")), answer(TextPart("b")))
    assert starts(path, root=False) == [False, True, False]
    assert starts(path, root=True) == [True, True, False]


def test_the_longest_part_that_fits_is_taken() -> None:
    tokens = [1] * len(TALK)
    assert fitting_start(TALK, tokens, 8, root=True) == 0
    assert fitting_start(TALK, tokens, 7, root=True) == 6
    assert fitting_start(TALK, tokens, 2, root=True) == 6
    assert fitting_start(TALK, tokens, 1, root=True) is None
    assert fitting_start((), (), 1, root=True) is None


@settings(max_examples=60)
@given(conversations)
def test_no_start_leaves_a_result_without_its_call(request: Request) -> None:
    messages = request.messages
    for index, can in enumerate(starts(messages, root=True)):
        if not can:
            continue
        above = {
            part.tool_call_id
            for message in messages[:index]
            for part in message.parts
            if isinstance(part, ToolCallPart)
        }
        called: set[str] = set()
        for message in messages[index:]:
            for part in message.parts:
                if isinstance(part, ToolCallPart):
                    called.add(part.tool_call_id)
                elif isinstance(part, ToolResultPart):
                    assert part.tool_call_id in called or part.tool_call_id not in above
