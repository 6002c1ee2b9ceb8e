"""The parts of a LibreChat message, cut where a tool answers: calls and results go to messages of their own.

A record holds what the model said, its calls and what they returned in one list (``content``); older ones hold one
text. Calls that follow one another with nothing said between them count as made at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource, UrlSource
from convotree.domain.message import Role
from convotree.domain.parts import (
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import InvalidJsonError
from convotree.interchange.file_ids import derived_id
from convotree.interchange.json_span import JsonSpan, exact_members, string_in
from convotree.interchange.problems import Problems

__all__ = ["PROVIDER", "Piece", "images_of", "read_pieces"]

PROVIDER: Final = "librechat"
"""The name under which parts and messages keep what only LibreChat knows."""


@dataclass(slots=True)
class Piece:
    """One message's worth of a record: the role of who speaks, and the parts."""

    role: Role
    parts: list[Part] = field(default_factory=list)


def read_pieces(span: JsonSpan, role: Role, *, record_id: str, place: str, problems: Problems) -> list[Piece]:
    """The pieces of a ``content`` array in order: ``role`` speaks, tools answer in between; at least one."""
    pieces = [Piece(role)]
    results: list[Part] = []
    for number, element in enumerate(span.elements()):
        where = f"{place}[{number}]"
        call, result = _tool_call(element, derived_id("call", record_id, str(number)), where, problems)
        if call is None and results:
            pieces += [Piece(Role.TOOL, results), Piece(role)]
            results = []
        pieces[-1].parts.append(_part(element, where) if call is None else call)
        if result is not None:
            results.append(result)
    if results:
        pieces.append(Piece(Role.TOOL, results))
    return pieces


def images_of(files: JsonSpan | None) -> list[Part]:
    """The images among a record's ``files``; LibreChat's own file ids, of use to LibreChat only."""
    images: list[Part] = []
    for file in () if files is None else files.elements():
        members = dict(file.pairs())
        file_id, media_type = string_in(members, "file_id"), string_in(members, "type")
        if file_id is not None and media_type is not None and media_type.startswith("image/"):
            images.append(ImagePart(FileSource(PROVIDER, file_id, media_type)))
    return images


def _part(span: JsonSpan, place: str) -> Part:
    members = dict(span.pairs())
    kind = string_in(members, "type") or span.kind
    match kind:
        case "text" | "think":
            text = string_in(members, kind)
            if text is not None:
                rest = exact_members(members, place, without={"type", kind})
                data = ExactJson.of({PROVIDER: rest}, place=place) if rest else None
                return (
                    TextPart(text, provider_data=data)
                    if kind == "text"
                    else ReasoningPart(text, provider_data=data)
                )
        case "image_url":
            image = dict(members[kind].pairs()) if kind in members else {}
            url = string_in(image, "url")
            if url is not None:
                data = ExactJson.of({PROVIDER: _without_url(members, image, place)}, place=place)
                return ImagePart(UrlSource(url), provider_data=data)
    return OpaquePart(PROVIDER, kind, span.exact(place))


def _without_url(
    members: Mapping[str, JsonSpan], image: Mapping[str, JsonSpan], place: str
) -> dict[str, object]:
    kept: dict[str, object] = {**exact_members(members, place)}
    kept["image_url"] = exact_members(image, f"{place}.image_url", without={"url"})
    return kept


def _tool_call(
    span: JsonSpan, own_id: str, place: str, problems: Problems
) -> tuple[ToolCallPart | None, ToolResultPart | None]:
    """The call in an element, and its result if it has one; ``own_id`` for a call without an id."""
    members = dict(span.pairs())
    inside = members.get("tool_call")
    if string_in(members, "type") != "tool_call" or inside is None or not inside.is_object:
        return None, None
    call = problems.members(inside, f"{place}.tool_call")
    name = string_in(call, "name")
    if name is None:
        problems.report(place, "a tool call without a name: it is kept whole")
        return None, None
    call_id = string_in(call, "id") or own_id
    arguments, held = _arguments(call.get("args"), place)
    kept: dict[str, object] = {**exact_members(members, place, without={"type", "tool_call"})}
    kept["tool_call"] = exact_members(call, f"{place}.tool_call", without={"id", "name", "output", *held})
    part = ToolCallPart(call_id, name, arguments, provider_data=ExactJson.of({PROVIDER: kept}, place=place))
    output = call.get("output")
    if output is None or output.is_null:
        return part, None
    text = output.string
    if text is not None:
        return part, ToolResultPart(call_id, (TextPart(text),), name=name, as_string=True)
    whole = OpaquePart(PROVIDER, "output", output.exact(f"{place}.tool_call.output"))
    return part, ToolResultPart(call_id, (whole,), name=name)


def _arguments(span: JsonSpan | None, place: str) -> tuple[ExactJson, set[str]]:
    """The arguments as an object, and which members of the call they hold exactly."""
    if span is None:
        return ExactJson("{}"), set()
    if span.is_object:
        return span.exact(f"{place}.tool_call.args"), {"args"}
    text = span.string
    if text is not None and text.lstrip().startswith("{"):
        try:
            exact = ExactJson.parse(text)
        except InvalidJsonError:
            pass
        else:
            return exact, set()
    if span.is_null or text == "":
        return ExactJson("{}"), set()
    return ExactJson.of({"input": span.exact(f"{place}.tool_call.args")}), {"args"}
