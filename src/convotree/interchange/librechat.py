"""LibreChat's JSON export: one conversation, its messages flat or nested, all branches or the selected path only.

A record that holds calls and their results becomes several revisions: the last of them has the record's own id, so
that what follows the record follows it; the others, before it, have ids derived from it (``<id>~1``, ``<id>~2``…).
The file names no selected leaf: the leaf below the last message of the file is selected. Times order nothing.
``provider_data`` of the last revision and the conversation's metadata hold ``{"librechat": {…}}``, all else as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parsed import ParsedConversation, ParsedExport, ParsedRevision
from convotree.domain.parts import OpaquePart, TextPart
from convotree.interchange.conversation_header import metadata_of, title_of
from convotree.interchange.file_ids import FileIds, derived_id, usable_id
from convotree.interchange.json_span import JsonSpan, exact_members, string_in
from convotree.interchange.librechat_content import PROVIDER, Piece, images_of, read_pieces
from convotree.interchange.librechat_records import Junk, Record, linked, read_records
from convotree.interchange.links import Forest, arrange
from convotree.interchange.problems import Problems
from convotree.interchange.reader import Confidence, read_conversations
from convotree.interchange.source import SourceText

__all__ = ["LibreChatReader"]

_MESSAGES: Final = ("messages", "messagesTree")
_TELLING: Final = frozenset({"conversationId", "exportAt", "recursive", "branches"})

# LibreChat's endpoints that are one provider's own; any other name is kept as it is.
_PROVIDERS: Final = {
    "openAI": "openai",
    "azureOpenAI": "openai",
    "anthropic": "anthropic",
    "google": "google",
}


class LibreChatReader:
    """Reads LibreChat's JSON exports."""

    format = PROVIDER

    def detect(self, source: SourceText) -> Confidence:
        root = source.json_if_any
        members = {} if root is None else dict(root.pairs())
        messages = next((members[name] for name in _MESSAGES if name in members), None)
        if messages is None:
            return (
                Confidence.LIKELY
                if "exportAt" in members and "conversationId" in members
                else Confidence.NONE
            )
        records = [one for one in messages.elements() if one.is_object]
        if records and any("messageId" in dict(one.pairs()) for one in records):
            return Confidence.CERTAIN
        return Confidence.LIKELY if members.keys() & _TELLING else Confidence.NONE

    def read(self, source: SourceText) -> ParsedExport:
        return read_conversations(
            self.format, [("conversation", source.json)], _read_conversation, file=source.name
        )


def _read_conversation(span: JsonSpan, *, place: str, problems: Problems) -> ParsedConversation:
    members = problems.members(span, place)
    name = next((one for one in _MESSAGES if one in members), None)
    if name is None:
        raise problems.refusal(place, "it has neither messages nor messagesTree")
    if not members[name].is_array:
        raise problems.refusal(name, f"an array was expected, not {members[name].kind}")
    ids = FileIds(problems)
    records, junk = read_records(members[name], place=name, ids=ids, problems=problems)
    tree = arrange([linked(record, ids, problems) for record in records], problems, place=name)
    options = dict(members["options"].pairs()) if "options" in members else {}
    return ParsedConversation(
        id=_id_of(members, span, place, problems),
        revisions=_revisions(records, tree, ids, string_in(members, "endpoint"), problems),
        selected_leaf_id=_selected(records, tree, name, problems),
        title=title_of(members.get("title"), place="title", problems=problems),
        system=string_in(options, "promptPrefix") or None,
        metadata=_metadata(members, name, junk, problems),
        problems=problems.found(),
    )


def _id_of(members: Mapping[str, JsonSpan], span: JsonSpan, place: str, problems: Problems) -> str:
    given = string_in(members, "conversationId")
    if given:
        return usable_id(given, place="conversationId", problems=problems)
    used = derived_id(PROVIDER, span.raw)
    problems.report(place, f"the conversation has no id: {used!r} was derived from what it holds")
    return used


def _selected(records: list[Record], tree: Forest, place: str, problems: Problems) -> str | None:
    if not records:
        problems.report(place, "the conversation holds no message, so no leaf is selected")
        return None
    leaf = tree.last_leaf_below(records[-1].id)
    problems.report(
        place, f"the file names no selected leaf: {leaf!r} was selected, the leaf below the last message"
    )
    return leaf


def _metadata(members: Mapping[str, JsonSpan], name: str, junk: list[Junk], problems: Problems) -> ExactJson:
    kept = exact_members(members, "conversation", without={name})
    if junk:
        kept[name] = ExactJson.of([one.span.exact(one.place) for one in junk], place=name)
    return metadata_of(PROVIDER, kept, place="conversation", problems=problems)


def _revisions(
    records: list[Record], tree: Forest, ids: FileIds, endpoint: str | None, problems: Problems
) -> tuple[ParsedRevision, ...]:
    by_id = {record.id: record for record in records}
    revisions: list[ParsedRevision] = []
    for record_id in tree.order:
        revisions += _of_record(by_id[record_id], tree.parents[record_id], ids, endpoint, problems)
    return tuple(revisions)


def _of_record(
    record: Record, parent_id: str | None, ids: FileIds, endpoint: str | None, problems: Problems
) -> list[ParsedRevision]:
    pieces, held = _pieces(record, problems)
    kept = ExactJson.of(
        {PROVIDER: exact_members(record.members, record.place, without=held)}, place=record.place
    )
    revisions: list[ParsedRevision] = []
    for number, piece in enumerate(pieces, start=1):
        last = number == len(pieces)
        revision_id = record.id if last else ids.free(f"{record.id}~{number}")
        generation = _generation(record.members, endpoint) if piece.role is Role.ASSISTANT else None
        message = Message(
            piece.role,
            tuple(piece.parts),
            None if generation is None else Provenance(generation.provider, None, generation.model),
            as_string="text" in held and [type(part) for part in piece.parts] == [TextPart],
            provider_data=kept if last else None,
        )
        revisions.append(ParsedRevision(revision_id, parent_id, message, generation))
        parent_id = revision_id
    return revisions


def _pieces(record: Record, problems: Problems) -> tuple[list[Piece], set[str]]:
    """The messages a record becomes, and which of its members they hold."""
    members = record.members
    by_user = members.get("isCreatedByUser")
    if by_user is None or by_user.kind not in {"true", "false"}:
        problems.report(
            record.place,
            "isCreatedByUser does not say whose message it is: kept as a developer's, its content whole",
        )
        held = [name for name in ("text", "content") if name in members]
        whole = [OpaquePart(PROVIDER, name, members[name].exact(f"{record.place}.{name}")) for name in held]
        return [Piece(Role.DEVELOPER, [*whole])], {"children", *held}
    role = Role.USER if by_user.kind == "true" else Role.ASSISTANT
    content = members.get("content")
    if content is not None and content.is_array and content.elements():
        pieces = read_pieces(
            content, role, record_id=record.id, place=f"{record.place}.content", problems=problems
        )
        held_members = {"children", "content"}
    else:
        text = string_in(members, "text")
        if text is None:
            problems.report(record.place, "the message has neither text nor content")
        pieces = [Piece(role, [] if text is None else [TextPart(text)])]
        held_members = {"children"} if text is None else {"children", "text"}
    pieces[-1].parts += images_of(members.get("files")) if pieces[-1].role is not Role.TOOL else []
    return pieces, held_members


def _generation(members: Mapping[str, JsonSpan], endpoint: str | None) -> GenerationRecord:
    named = string_in(members, "endpoint") or endpoint
    model = string_in(members, "model")
    stop_reason = string_in(members, "finish_reason")
    for flag in ("error", "unfinished"):
        if stop_reason is None and flag in members and members[flag].kind == "true":
            stop_reason = flag
    return GenerationRecord(
        provider=None if named is None else _PROVIDERS.get(named, named),
        model=model,
        model_answered=model,
        stop_reason=stop_reason,
    )
