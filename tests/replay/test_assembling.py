"""From a path to a request."""

from datetime import UTC, datetime

from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.prompt import PromptVersion, Tool, ToolSet
from convotree.domain.revision import Revision
from convotree.replay.assembling import assemble_request

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROMPT, OTHER = PromptVersion.of("Be brief."), PromptVersion.of("Be long.")
TOOLS = ToolSet.of([Tool("add")])


def revision(depth: int, message: Message, generation: GenerationRecord | None = None) -> Revision:
    return Revision(
        id=f"r{depth}",
        conversation_id="c",
        parent_id=f"r{depth - 1}" if depth else None,
        ordinal=0,
        lane_id="r0",
        depth=depth,
        message=message,
        created_at=NOW,
        generation=generation,
    )


def path(*records: GenerationRecord | None) -> list[Revision]:
    question = revision(0, Message.user("q"))
    return [
        question,
        *(revision(index + 1, Message.assistant("a"), one) for index, one in enumerate(records)),
    ]


def test_a_request_holds_all_that_the_path_stands_for() -> None:
    record = GenerationRecord(prompt_version=PROMPT.id, tool_set=TOOLS.id)
    request = assemble_request(path(record), PROMPT, TOOLS)
    assert (request.system, request.tools) == ("Be brief.", (Tool("add"),))
    assert request.messages == (Message.user("q"), Message.assistant("a"))
    assert (request.revision_ids, request.notes) == (("r0", "r1"), ())


def test_an_empty_path_is_an_empty_request() -> None:
    request = assemble_request([], None, None)
    assert (request.system, request.tools, request.messages) == (None, (), ())


def test_answers_generated_under_something_else_are_named() -> None:
    records = (
        GenerationRecord(prompt_version=OTHER.id, tool_set=TOOLS.id),
        GenerationRecord(prompt_version=PROMPT.id, tool_set=TOOLS.id),
        GenerationRecord(prompt_version=OTHER.id),
        None,
    )
    notes = assemble_request(path(*records), PROMPT, TOOLS).notes
    assert [(note.place, note.rule, note.revision_id) for note in notes] == [
        ("messages[1]", "generated-under", "r1"),
        ("messages[3]", "generated-under", "r3"),
    ]
    assert "system prompt and other tools" in notes[1].reason
