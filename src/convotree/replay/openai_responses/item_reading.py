"""Items of the Responses API as parts: what a model makes, and what brings the results of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.parts import (
    CompactionPart,
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import InvalidJsonError
from convotree.replay.openai_chat.content_reading import rest_of
from convotree.replay.openai_responses.content_reading import (
    ANSWER_PIECES,
    data_for,
    read_answer_pieces,
    read_pieces,
    read_screenshot,
)
from convotree.replay.openai_responses.item_kinds import (
    CALL_MEMBERS,
    CALL_OUTPUTS,
    CALLED_BY_CALL_ID,
    HOSTED_CALL_MEMBERS,
    HOSTED_RESULT_MEMBERS,
    NAMED_CALLS,
    OUTPUT_MEMBERS,
)
from convotree.replay.openai_responses.target import NAME
from convotree.replay.reading import MisreadError, leaf, member, optional_text, text_member, wrong_type

__all__ = ["ItemReader", "is_result"]

Item = Mapping[str, Any]


def is_result(kind: str, item: Item) -> bool:
    """Whether the caller gives such an item in answer to a model's."""
    return (kind in OUTPUT_MEMBERS and not _is_served(item)) or kind == "mcp_approval_response"


class ItemReader:
    """Reads the items of one body or answer, in order."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._hosted: set[str] = set()

    def answer_parts(self, kind: str, item: Item) -> list[Part]:
        """The parts of an item that a model made.

        Raises:
            MisreadError: if a member is missing or of a wrong type.
        """
        if kind == "message":
            return _message(item)
        return [self._answer_part(kind, item)]

    def result(self, kind: str, item: Item) -> Part:
        """The result that the caller gave.

        Raises:
            MisreadError: if a member is missing or of a wrong type.
        """
        if kind in HOSTED_RESULT_MEMBERS:
            return _hosted_result(kind, item)
        tool_call_id = optional_text(item, "call_id")
        if kind == "local_shell_call_output" and tool_call_id is None:
            tool_call_id = text_member(item, "id")
        if tool_call_id is None:
            return _opaque(kind, item)
        if tool_call_id in self._hosted:
            return HostedResultPart(NAME, kind, tool_call_id, *_result_rest(kind, item, "call_id"))
        return self._result(kind, item, tool_call_id)

    def _answer_part(self, kind: str, item: Item) -> Part:
        if kind in NAMED_CALLS or (kind in CALL_OUTPUTS and not _is_served(item) and "call_id" in item):
            return self._call(kind, item)
        if kind in CALL_MEMBERS or kind in HOSTED_CALL_MEMBERS:
            return self._hosted_call(kind, item)
        if kind in OUTPUT_MEMBERS:
            name = "id" if item.get("call_id", 0) is None else "call_id"
            if type(item.get(name)) is not str or OUTPUT_MEMBERS[kind] not in item:
                return _opaque(kind, item)
            return HostedResultPart(NAME, kind, item[name], *_result_rest(kind, item, name))
        reader = _READERS.get(kind)
        return _opaque(kind, item) if reader is None else reader(kind, item)

    def _call(self, kind: str, item: Item) -> Part:
        tool_call_id = text_member(item, "call_id")
        held = {"call_id", "type"}
        extra: dict[str, Any] = {} if kind == "function_call" else {"type": kind}
        if kind in NAMED_CALLS:
            name = text_member(item, "name")
            held.add("name")
            text = text_member(item, CALL_MEMBERS[kind])
            arguments = _parsed(text) if kind == "function_call" else ExactJson.of(text)
            if kind == "custom_tool_call" or arguments.text == text:
                held.add(CALL_MEMBERS[kind])
        else:
            name = kind.removesuffix("_call")
            if CALL_MEMBERS[kind] not in item:
                if "actions" not in item:
                    return _opaque(kind, item)
                arguments = leaf({"actions": item["actions"]}, "")
                held.add("actions")
            else:
                arguments = leaf(item[CALL_MEMBERS[kind]], CALL_MEMBERS[kind])
                held.add(CALL_MEMBERS[kind])
        self._kinds[tool_call_id] = kind
        return ToolCallPart(tool_call_id, name, arguments, None, data_for({**extra, **rest_of(item, held)}))

    def _hosted_call(self, kind: str, item: Item) -> Part:
        name = CALL_MEMBERS.get(kind) or HOSTED_CALL_MEMBERS.get(kind)
        named = kind in CALLED_BY_CALL_ID and item.get("call_id", 0) is not None
        by = "call_id" if named else "id"
        if type(item.get(by)) is not str or (name is not None and name not in item):
            return _opaque(kind, item)
        held = {"type", by}
        arguments = ExactJson.stored("{}")
        if name is not None:
            value = item[name]
            spelled = type(value) is str and name == "arguments" and kind in HOSTED_CALL_MEMBERS
            arguments = _parsed(value) if spelled else leaf(value, name)
            if not spelled or arguments.text == value:
                held.add(name)
        self._hosted.add(item[by])
        called = item.get("name")
        return HostedCallPart(
            NAME,
            kind,
            item[by],
            called if type(called) is str else kind.removesuffix("_call"),
            arguments,
            data_for(rest_of(item, held)),
        )

    def _result(self, kind: str, item: Item, tool_call_id: str) -> ToolResultPart:
        name = OUTPUT_MEMBERS[kind]
        held = {"type", "call_id"}
        called = self._kinds.get(tool_call_id, "function_call")
        # As a rule the kind follows from the call; a plain output may answer any call.
        extra: dict[str, Any] = {} if CALL_OUTPUTS[called] == kind else {"type": kind}
        if kind == "local_shell_call_output":
            if "call_id" in item:
                extra["call_id"] = True
            else:
                held.add("id")
        value = item.get(name) if kind == "apply_patch_call_output" else member(item, name)
        held.add(name)
        as_string = False
        if type(value) is str:
            content: tuple[Part, ...] = (TextPart(value),)
            as_string = True
        elif kind in ("function_call_output", "custom_tool_call_output"):
            if type(value) is not list:
                wrong_type(name, "a string or an array", value)
            content = read_pieces(value, name, listed=len(value) == 1)
            if not content:
                held.discard(name)
        elif kind == "computer_call_output" and type(value) is dict:
            content = (read_screenshot(value),)
        elif name in item:
            content = (OpaquePart(NAME, kind, leaf(value, name)),)
        else:
            content = ()
            extra["type"] = kind
        extra.update(rest_of(item, held))
        return ToolResultPart(tool_call_id, content, None, None, as_string, data_for(extra))


def _is_served(item: Item) -> bool:
    """Whether the provider runs what a caller may run as well."""
    kind = item.get("type")
    if kind in ("tool_search_call", "tool_search_output"):
        return item.get("execution") == "server" or item.get("call_id", 0) is None
    environment = item.get("environment")
    return (
        kind == "shell_call"
        and type(environment) is dict
        and environment.get("type") == "container_reference"
    )


def _message(item: Item) -> list[Part]:
    content = member(item, "content")
    rest = rest_of(item, {"role", "content"})
    if type(content) is str:
        return [TextPart(content, provider_data=data_for({"message": rest}))]
    if type(content) is not list:
        wrong_type("content", "a string or an array", content)
    for number, piece in enumerate(content):
        if type(piece) is not dict or type(piece.get("type")) is not str:
            raise MisreadError(f".content[{number}]", "a content part with a type was expected")
    if content and all(piece["type"] in ANSWER_PIECES for piece in content):
        return read_answer_pieces(content, rest)
    return [_opaque("message", item)]


def _reasoning(kind: str, item: Item) -> Part:
    texts: list[str] = []
    for name in ("content", "summary"):
        blocks = item.get(name)
        if blocks is None:
            continue
        if type(blocks) is not list:
            wrong_type(name, "an array", blocks)
        if not texts:
            texts = [
                block["text"] for block in blocks if type(block) is dict and type(block.get("text")) is str
            ]
    encrypted = optional_text(item, "encrypted_content")
    held = {"type"} if encrypted is None else {"type", "encrypted_content"}
    return ReasoningPart("\n\n".join(texts), None, encrypted, data_for(rest_of(item, held)))


def _compaction(kind: str, item: Item) -> Part:
    encrypted = text_member(item, "encrypted_content")
    return CompactionPart(None, None, encrypted, data_for(rest_of(item, {"type", "encrypted_content"})))


def _hosted_result(kind: str, item: Item) -> Part:
    by, name = HOSTED_RESULT_MEMBERS[kind]
    call = text_member(item, by)
    content = leaf(member(item, name), name)
    return HostedResultPart(NAME, kind, call, content, data_for(rest_of(item, {"type", by, name})))


def _result_rest(kind: str, item: Item, by: str) -> tuple[ExactJson, ExactJson | None]:
    name = OUTPUT_MEMBERS[kind]
    return leaf(member(item, name), name), data_for(rest_of(item, {"type", by, name}))


def _opaque(kind: str, item: Item) -> Part:
    return OpaquePart(NAME, kind, leaf(item, ""))


def _parsed(text: str) -> ExactJson:
    """Arguments as JSON; text that is none (a model may be cut off in it) as a JSON string."""
    try:
        return ExactJson.parse(text)
    except InvalidJsonError:
        return ExactJson.of(text)


_READERS: Final[Mapping[str, Callable[[str, Item], Part]]] = {
    "reasoning": _reasoning,
    "compaction": _compaction,
    **dict.fromkeys(HOSTED_RESULT_MEMBERS, _hosted_result),
}
