"""From a path to a request."""

from dataclasses import replace
from datetime import UTC, datetime

from convotree.domain.encoded import NO_CHAIN
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.parts import CompactionPart
from convotree.domain.planning import prefix_digest
from convotree.domain.prompt import PromptVersion, Tool, ToolSet
from convotree.domain.revision import Revision
from convotree.replay.assembling import assemble_request
from convotree.replay.prefix import Differs, PrefixBreak

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


def signed_path() -> list[Revision]:
    """A question, an answer, a question, an answer; chains and prefixes as the store derives them."""
    record = GenerationRecord(prompt_version=PROMPT.id, tool_set=TOOLS.id)
    revisions: list[Revision] = []
    above = NO_CHAIN
    for depth, message in enumerate([Message.user("q"), Message.assistant("a")] * 2):
        made = revision(depth, message, record if depth % 2 else None)
        prefix = prefix_digest(PROMPT.id, TOOLS.id, above) if depth % 2 else None
        revisions.append(replace(made, chain=bytes([depth + 1]) * 32, prefix=prefix))
        above = revisions[-1].chain
    return revisions


def test_answers_below_what_they_were_made_from_break_nothing() -> None:
    assert assemble_request(signed_path(), PROMPT, TOOLS).prefix_breaks == ()


def test_other_instructions_break_the_prefix_of_every_answer_made_under_the_old_ones() -> None:
    first, second, third, fourth = signed_path()
    assert fourth.generation is not None
    later = replace(fourth, generation=replace(fourth.generation, prompt_version=OTHER.id))
    later = replace(later, prefix=prefix_digest(OTHER.id, TOOLS.id, third.chain))
    assert assemble_request([first, second, third, later], OTHER, TOOLS).prefix_breaks == (
        PrefixBreak(1, (Differs.SYSTEM,)),
    )
    assert assemble_request(signed_path(), None, None).prefix_breaks == (
        PrefixBreak(1, (Differs.SYSTEM, Differs.TOOLS)),
        PrefixBreak(3, (Differs.SYSTEM, Differs.TOOLS)),
    )


def test_another_ancestor_breaks_the_prefix_below_it() -> None:
    path = signed_path()
    path[2] = replace(path[2], chain=bytes(32))
    assert assemble_request(path, PROMPT, TOOLS).prefix_breaks == (PrefixBreak(3, (Differs.MESSAGES,)),)


def test_a_window_breaks_the_prefix_of_all_its_answers() -> None:
    breaks = assemble_request(signed_path()[1:], PROMPT, TOOLS).prefix_breaks
    assert breaks == (PrefixBreak(0, (Differs.MESSAGES,)), PrefixBreak(2, (Differs.MESSAGES,)))


def test_a_request_that_starts_at_a_summary_says_what_is_left_out_and_breaks_nothing() -> None:
    path = signed_path()
    path[2] = replace(path[2], message=Message.user(CompactionPart("They greeted each other.")))
    request = assemble_request(path[2:], PROMPT, TOOLS)
    assert request.prefix_breaks == ()
    (note,) = request.notes
    assert (note.place, note.rule, note.revision_id) == ("messages[0]", "X8", "r2")
    assert "2 messages" in note.reason


def test_generations_come_with_their_messages() -> None:
    request = assemble_request(signed_path(), PROMPT, TOOLS)
    assert [one is not None for one in request.generations] == [False, True, False, True]
