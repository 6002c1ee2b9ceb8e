"""ChatGPT's ``conversations.json``: an array of conversations, one of them, or an object that holds the array.

Each conversation is a tree of entries (``mapping``) with a pointer (``current_node``). Times are kept as data and
order nothing. What no revision holds goes into the metadata in the shape of the file: ``{"chatgpt": {…}}`` with the
conversation's members, ``mapping`` cut down to the entries that became no revision.
"""

from __future__ import annotations

from convotree.domain.exact_json import ExactJson
from convotree.domain.parsed import ParsedConversation, ParsedExport, ParsedRevision
from convotree.domain.parts import TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.interchange.chatgpt_content import PROVIDER
from convotree.interchange.chatgpt_entries import Entry, Standing, linked, read_entries
from convotree.interchange.chatgpt_messages import Calls, message_of
from convotree.interchange.conversation_header import metadata_of, title_of
from convotree.interchange.file_ids import FileIds, derived_id, usable_id
from convotree.interchange.json_span import JsonSpan, exact_members, string_in
from convotree.interchange.links import Forest, arrange
from convotree.interchange.problems import Problems
from convotree.interchange.reader import Confidence, read_conversations
from convotree.interchange.source import SourceText

__all__ = ["ChatGptReader"]

# Members that only ChatGPT's conversations have: by them one that lacks its mapping is still known for what it is.
_TELLING = frozenset(
    {"current_node", "default_model_slug", "conversation_template_id", "moderation_results", "gizmo_id"}
)


class ChatGptReader:
    """Reads ChatGPT's exports."""

    format = PROVIDER

    def detect(self, source: SourceText) -> Confidence:
        root = source.json_if_any
        found = Confidence.NONE
        for _, span in () if root is None else _conversations(root):
            keys = {key for key, _ in span.pairs()}
            if "mapping" in keys:
                return Confidence.CERTAIN
            if keys & _TELLING:
                found = Confidence.LIKELY
        return found

    def read(self, source: SourceText) -> ParsedExport:
        return read_conversations(
            self.format, _conversations(source.json), _read_conversation, file=source.name
        )


def _conversations(root: JsonSpan) -> list[tuple[str, JsonSpan]]:
    """The conversations in a file, each with its place."""
    members = dict(root.pairs())
    if "mapping" not in members and "conversations" in members and members["conversations"].is_array:
        return [
            (f"conversations[{number}]", span)
            for number, span in enumerate(members["conversations"].elements())
        ]
    if root.is_array:
        return [(f"[{number}]", span) for number, span in enumerate(root.elements())]
    return [("conversation", root)]


def _read_conversation(span: JsonSpan, *, place: str, problems: Problems) -> ParsedConversation:
    if not span.is_object:
        raise problems.refusal(place, f"a conversation was expected, not {span.kind}")
    members = problems.members(span, place)
    mapping = members.get("mapping")
    if mapping is None:
        raise problems.refusal(place, "it has no mapping, so it holds no messages")
    if not mapping.is_object:
        raise problems.refusal(f"{place}.mapping", f"an object was expected, not {mapping.kind}")
    ids = FileIds(problems)
    entries = read_entries(mapping, place=f"{place}.mapping", ids=ids, problems=problems)
    whole = arrange([linked(entry, ids, problems) for entry in entries], problems, place=f"{place}.mapping")
    by_id = {entry.id: entry for entry in entries}
    tree = whole.without({entry.id for entry in entries if entry.standing is not Standing.REVISION})
    selected = _selected(members.get("current_node"), f"{place}.current_node", ids, whole, tree, problems)
    return ParsedConversation(
        id=_id_of(members, span, place, problems),
        revisions=_revisions(by_id, tree, problems),
        selected_leaf_id=selected,
        title=title_of(members.get("title"), place=f"{place}.title", problems=problems),
        system=_system(by_id, whole, selected, problems),
        metadata=_metadata(members, entries, place, problems),
        problems=problems.found(),
    )


def _id_of(members: dict[str, JsonSpan], span: JsonSpan, place: str, problems: Problems) -> str:
    for name in ("conversation_id", "id"):
        given = string_in(members, name)
        if given:
            return usable_id(given, place=f"{place}.{name}", problems=problems)
    used = derived_id(PROVIDER, span.raw)
    problems.report(place, f"the conversation has no id: {used!r} was derived from what it holds")
    return used


def _revisions(by_id: dict[str, Entry], tree: Forest, problems: Problems) -> tuple[ParsedRevision, ...]:
    revisions: list[ParsedRevision] = []
    calls_after: dict[str | None, Calls] = {None: Calls()}
    for revision_id in tree.order:
        parent_id = tree.parents[revision_id]
        message, record, calls = message_of(by_id[revision_id], calls_after[parent_id], problems)
        calls_after[revision_id] = calls
        revisions.append(ParsedRevision(revision_id, parent_id, message, record))
    return tuple(revisions)


def _selected(
    current: JsonSpan | None, place: str, ids: FileIds, whole: Forest, tree: Forest, problems: Problems
) -> str | None:
    """Where ``current_node`` points, if that is a revision; an inner one stays selected, as the file has it.

    Of an entry that is no revision: the nearest revision above it. Else, and if the pointer is missing or names
    nothing: the leaf below the last root, by the last child at each fork.
    """
    if not tree.roots:
        problems.report(place, "the conversation holds no message, so no leaf is selected")
        return None
    fallback = tree.last_leaf_below(tree.roots[-1])
    given = None if current is None else current.string
    found = None if given is None else ids.find(given)
    if found is None:
        if given is None:
            said = "there is none" if current is None else f"it is {current.kind}"
        else:
            said = f"{given[:80]!r} is not in the mapping"
        problems.report(place, f"{said}: the leaf {fallback!r} was selected, by the last child at each fork")
        return fallback
    if found in tree.parents:
        if tree.children[found]:
            problems.report(place, f"{found!r} is not a leaf; it stays selected, as the file has it")
        return found
    above = next((one for one in reversed(whole.path_to(found)) if one in tree.parents), None)
    problems.report(place, f"{found!r} is no message: {above or fallback!r} was selected")
    return above or fallback


def _system(
    by_id: dict[str, Entry], whole: Forest, selected: str | None, problems: Problems
) -> SystemPrompt | None:
    """The custom instructions nearest above the selected leaf: they stood before the conversation as its prompt."""
    given = [one for one in by_id.values() if one.standing is Standing.CUSTOM_INSTRUCTIONS]
    if not given:
        return None
    path = [] if selected is None else whole.path_to(selected)
    on_path = [by_id[one] for one in path if by_id[one].standing is Standing.CUSTOM_INSTRUCTIONS]
    chosen = on_path[-1] if on_path else None
    texts = () if chosen is None else _instructions(chosen)
    for entry in given:
        use = "taken as its system prompt" if entry is chosen and texts else "kept in the metadata only"
        problems.report(entry.place, f"custom instructions, which are no turn of the conversation: {use}")
    if not texts:
        return None
    return texts[0] if len(texts) == 1 else tuple(TextPart(text) for text in texts)


def _instructions(entry: Entry) -> tuple[str, ...]:
    content = entry.message_members.get("content")
    members = {} if content is None else dict(content.pairs())
    texts = (string_in(members, name) for name in ("user_profile", "user_instructions"))
    return tuple(text for text in texts if text)


def _metadata(
    members: dict[str, JsonSpan], entries: list[Entry], place: str, problems: Problems
) -> ExactJson:
    kept = exact_members(members, place, without={"mapping"})
    left_out = {
        entry.id: entry.span.exact(entry.place)
        for entry in entries
        if entry.standing is not Standing.REVISION
    }
    if left_out:
        kept["mapping"] = ExactJson.of(left_out, place=place)
    return metadata_of(PROVIDER, kept, place=place, problems=problems)
