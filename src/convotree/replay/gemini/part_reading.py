"""Gemini's parts as parts: one function for each data member, the reverse of ``parts``.

What no field of a part holds goes, exact, into its ``provider_data``; a part without exactly one data member that is
known becomes an opaque part. Nothing is lost and nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.parts import (
    HostedCallPart,
    HostedResultPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.replay.gemini.call_ids import CallIds, carries_no_id
from convotree.replay.gemini.media_reading import MEDIA, media_part, read_source
from convotree.replay.gemini.spelling import Fields, snake_of
from convotree.replay.gemini.target import NAME
from convotree.replay.reading import MisreadError, leaf, text_member, wrong_type

__all__ = ["BARE", "CODE_EXECUTION", "DATA_MEMBERS", "RESPONSE", "read_parts"]

DATA_MEMBERS: Final = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
CODE_EXECUTION: Final = "code_execution"
"""Name of the hosted tool behind ``executableCode``."""
RESPONSE: Final = "response"
"""In the form of a function response: its text is the ``response`` as JSON (``object``), or is no object (``BARE``)."""
BARE: Final = {str: "text"}
"""How a ``response`` that is no object came: as a string; any other is ``value``."""

_KINDS: Final = {name: kind for kind in DATA_MEMBERS for name in (kind, snake_of(kind))}
_NO_ARGUMENTS: Final = ExactJson.stored("{}")


def read_parts(values: list[Any], ids: CallIds, place: str) -> tuple[Part, ...]:
    """The parts in a list, in order; ``place`` makes them distinct where a call has no id.

    Raises:
        MisreadError: if one of them is no part; the place starts with its index.
    """
    parts: list[Part] = []
    for number, value in enumerate(values):
        try:
            # The commonest shape by far, before anything general.
            if type(value) is dict and len(value) == 1 and "text" in value:
                parts.append(TextPart(text_member(value, "text")))
            else:
                ids.at(f"{place}{number}")
                parts.append(_read_part(value, ids))
        except MisreadError as error:
            raise error.within(f"[{number}]") from None
    return tuple(parts)


def _read_part(value: Any, ids: CallIds) -> Part:
    if type(value) is not dict:
        wrong_type("", "a part", value)
    kinds = [_KINDS[key] for key in value if key in _KINDS]
    if len(kinds) != 1:
        return OpaquePart(NAME, kinds[0] if kinds else "part", leaf(value, ""))
    kind = kinds[0]
    part = Fields(value)
    signature = part.optional_text("thoughtSignature")
    if kind == "text":
        return _text(part, signature, value)
    held = part.find(kind)
    if type(held) is not dict:
        wrong_type(part.spelling(kind), "an object", held)
    try:
        return _READERS[kind](part, Fields(held), signature, value, ids)
    except MisreadError as error:
        raise error.within(f".{part.spelling(kind)}") from None


def _text(part: Fields, signature: str | None, value: Mapping[str, Any]) -> Part:
    text = part.text("text")
    if value.get("thought") is True:
        part.find("thought")
        return ReasoningPart(text, signature, None, part.data())
    return TextPart(text, None, signature, part.data())


def _media(
    part: Fields, inner: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    kind = next(_KINDS[key] for key in value if key in _KINDS)
    source = read_source(kind, inner)
    if source is None:
        return OpaquePart(NAME, kind, leaf(value, ""))
    part.merge_form(inner.form)

    def data(**more: Any) -> ExactJson | None:
        return part.data(**{kind: inner.rest()}, **more)

    return media_part(source, signature, data)


def _function_call(
    part: Fields, call: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    name = call.text("name")
    tool_call_id = ids.of_call(_given_id(call), name)
    arguments = _arguments(call, "args")
    part.merge_form(call.form)
    return ToolCallPart(tool_call_id, name, arguments, signature, part.data(functionCall=call.rest()))


def _function_response(
    part: Fields, response: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    name = response.optional_text("name")
    if name is None:
        response.without("name")
    given = _given_id(response)
    tool_call_id = ids.of_response(given, name)
    more: dict[str, Any] = {}
    if given is None:
        if not carries_no_id(tool_call_id):
            response.without("id")
    elif given != tool_call_id:
        more["id"] = given
    text, is_error = _response(response)
    content: tuple[Part, ...] = () if text is None else (TextPart(text),)
    nested = response.peek("parts")
    if nested:
        response.find("parts")
        if type(nested) is not list:
            wrong_type("parts", "an array", nested)
        content = (*content, *_read_nested(nested))
    part.merge_form(response.form)
    data = part.data(functionResponse={**response.rest(), **more}, thoughtSignature=signature)
    as_string = len(content) == 1 and text is not None
    return ToolResultPart(tool_call_id, content, is_error, name, as_string, data)


def _response(fields: Fields) -> tuple[str | None, bool | None]:
    """The text of a response, and whether it is an error."""
    value = fields.find("response")
    if value is None:
        fields.without("response")
        return None, None
    if type(value) is dict:
        if len(value) == 1:
            ((key, text),) = value.items()
            if type(text) is str and key in ("output", "error"):
                return text, True if key == "error" else None
        fields.form[RESPONSE] = "object"
    else:
        fields.form[RESPONSE] = BARE.get(type(value), "value")
        if type(value) is str:
            return value, None
    return leaf(value, "response").text, None


def _read_nested(values: list[Any]) -> list[Part]:
    """The media in a function response. Nothing else is a part there, so this cannot make reading recurse."""
    parts: list[Part] = []
    for number, value in enumerate(values):
        try:
            if type(value) is not dict:
                wrong_type("", "a part", value)
            kinds = [_KINDS[key] for key in value if key in _KINDS]
            if len(kinds) == 1 and kinds[0] in MEDIA:
                parts.append(_read_part(value, CallIds()))
            else:
                parts.append(OpaquePart(NAME, kinds[0] if kinds else "part", leaf(value, "")))
        except MisreadError as error:
            raise error.within(f".parts[{number}]") from None
    return parts


def _executable_code(
    part: Fields, code: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    tool_call_id = ids.of_hosted_call(_given_id(code))
    arguments = leaf(code.rest(), "")
    data = part.data(thoughtSignature=signature)
    return HostedCallPart(NAME, "executableCode", tool_call_id, CODE_EXECUTION, arguments, data)


def _code_execution_result(
    part: Fields, result: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    tool_call_id = ids.of_hosted_result(_given_id(result))
    data = part.data(thoughtSignature=signature)
    return HostedResultPart(NAME, "codeExecutionResult", tool_call_id, leaf(result.rest(), ""), data)


def _tool_call(
    part: Fields, call: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    name = call.text("toolType")
    tool_call_id = ids.of_hosted_call(_given_id(call))
    arguments = _arguments(call, "args")
    part.merge_form(call.form)
    data = part.data(toolCall=call.rest(), thoughtSignature=signature)
    return HostedCallPart(NAME, "toolCall", tool_call_id, name, arguments, data)


def _tool_response(
    part: Fields, response: Fields, signature: str | None, value: Mapping[str, Any], ids: CallIds
) -> Part:
    tool_call_id = ids.of_hosted_result(_given_id(response))
    content = _arguments(response, "response")
    # What kind of tool it was stays beside: a result has no name.
    name = response.optional_text("toolType")
    part.merge_form(response.form)
    data = part.data(
        toolResponse={**({} if name is None else {"toolType": name}), **response.rest()},
        thoughtSignature=signature,
    )
    return HostedResultPart(NAME, "toolResponse", tool_call_id, content, data)


def _arguments(fields: Fields, name: str) -> ExactJson:
    value = fields.find(name)
    if value is None:
        fields.without(name)
        return _NO_ARGUMENTS
    return leaf(value, name)


def _given_id(fields: Fields) -> str | None:
    """The id, if it is one: empty is none, and one that looks like those that stand for none is kept aside."""
    value = fields.peek("id")
    if value is None or value == "":
        return None
    if type(value) is not str:
        wrong_type("id", "a string", value)
    if carries_no_id(value):
        return None
    found: str = fields.find("id")
    return found


_Reader = Callable[[Fields, Fields, "str | None", Mapping[str, Any], CallIds], Part]

_READERS: Final[Mapping[str, _Reader]] = {
    "inlineData": _media,
    "fileData": _media,
    "functionCall": _function_call,
    "functionResponse": _function_response,
    "executableCode": _executable_code,
    "codeExecutionResult": _code_execution_result,
    "toolCall": _tool_call,
    "toolResponse": _tool_response,
}
