"""The library's own JSON form of a request, and of the messages in it.

One object with ``schema`` first and absent fields left out. JSON that a field holds goes in and comes out as its exact
text. Unknown members are refused: a newer release that adds one raises the schema number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, quote, split_array, split_object
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.outcome import Outcome
from convotree.domain.part_codec import MAX_PARTS_NESTING, decode_parts, encode_parts
from convotree.domain.prompt import SystemPrompt, Tool
from convotree.errors import InvalidMessageError, SchemaTooNewError
from convotree.replay.note import Note
from convotree.replay.prefix import Differs, PrefixBreak

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["REQUEST_SCHEMA", "decode_message", "decode_request", "encode_message", "encode_request"]

REQUEST_SCHEMA: Final = 1

_REQUEST: Final = (
    "schema",
    "system",
    "tools",
    "messages",
    "params",
    "revision_ids",
    "generations",
    "prefix_breaks",
    "unbranched_from",
    "prompt_version",
    "tool_set",
    "notes",
)
_IDS: Final = ("prompt_version", "tool_set")
_MESSAGE: Final = ("role", "as_string", "outcome", "provenance", "provider_data", "parts")
_PROVENANCE: Final = ("provider", "api", "model")
_BREAK: Final = ("index", "differs")
_NOTE: Final = ("place", "rule", "reason", "revision_id")


def encode_request(request: Request) -> str:
    """The exact JSON text of ``request``."""
    members = [f'"schema":{REQUEST_SCHEMA}']
    if isinstance(request.system, str):
        members.append(f'"system":{quote(request.system)}')
    elif request.system is not None:
        members.append(f'"system":{encode_parts(request.system)}')
    if request.tools:
        members.append(f'"tools":[{",".join(tool.to_text() for tool in request.tools)}]')
    members.append(f'"messages":[{",".join(map(encode_message, request.messages))}]')
    if request.params is not None:
        members.append(f'"params":{request.params.text}')
    if request.revision_ids:
        members.append(f'"revision_ids":[{",".join(map(quote, request.revision_ids))}]')
    if request.generations:
        records = ("null" if one is None else one.to_text() for one in request.generations)
        members.append(f'"generations":[{",".join(records)}]')
    if request.prefix_breaks:
        members.append(f'"prefix_breaks":[{",".join(map(_break_text, request.prefix_breaks))}]')
    if request.unbranched_from is not None:
        members.append(f'"unbranched_from":{request.unbranched_from}')
    for name in _IDS:
        if (one := getattr(request, name)) is not None:
            members.append(f'"{name}":{quote(one)}')
    if request.notes:
        members.append(f'"notes":[{",".join(_strings(note, _NOTE) for note in request.notes)}]')
    return "{" + ",".join(members) + "}"


def encode_message(message: Message) -> str:
    """The exact JSON text of ``message``."""
    members = [f'"role":"{message.role.value}"']
    if message.as_string:
        members.append('"as_string":true')
    if message.outcome is not Outcome.COMPLETE:
        members.append(f'"outcome":"{message.outcome.value}"')
    if message.provenance is not None:
        members.append(f'"provenance":{_strings(message.provenance, _PROVENANCE)}')
    if message.provider_data is not None:
        members.append(f'"provider_data":{message.provider_data.text}')
    members.append(f'"parts":{encode_parts(message.parts)}')
    return "{" + ",".join(members) + "}"


def decode_request(source: str | bytes) -> dict[str, Any]:
    """The fields of the request in JSON text."""
    members = split_object(_compact(source), place="request")
    _check_schema(members)
    _refuse_unknown(members, _REQUEST, "request")
    fields: dict[str, Any] = {"messages": _decode_messages(members)}
    if "system" in members:
        fields["system"] = _decode_system(members["system"])
    if "tools" in members:
        fields["tools"] = tuple(
            Tool.from_text(text, place=f"tools[{index}]")
            for index, text in enumerate(split_array(members["tools"], place="tools"))
        )
    if "params" in members:
        fields["params"] = ExactJson.stored(members["params"])
        if not fields["params"].is_object:
            raise InvalidMessageError(place="params", reason="an object was expected")
    if "revision_ids" in members:
        fields["revision_ids"] = _decode_ids(members["revision_ids"], len(fields["messages"]))
    if "generations" in members:
        fields["generations"] = _decode_generations(members["generations"], len(fields["messages"]))
    if "prefix_breaks" in members:
        fields["prefix_breaks"] = tuple(
            _decode_break(text, f"prefix_breaks[{index}]", len(fields["messages"]))
            for index, text in enumerate(split_array(members["prefix_breaks"], place="prefix_breaks"))
        )
    if "unbranched_from" in members:
        start = fields["unbranched_from"] = parse_value(members["unbranched_from"])
        if type(start) is not int or not 0 <= start <= len(fields["messages"]):
            raise InvalidMessageError(place="unbranched_from", reason="the number of a message was expected")
    for name in _IDS:
        if name in members:
            fields[name] = parse_value(members[name])
            if not isinstance(fields[name], str):
                raise InvalidMessageError(place=name, reason="a string was expected")
    if "notes" in members:
        fields["notes"] = tuple(
            Note(**_decode_strings(text, _NOTE, ("place", "rule", "reason"), f"notes[{index}]"))
            for index, text in enumerate(split_array(members["notes"], place="notes"))
        )
    return fields


def _compact(source: str | bytes) -> str:
    # The parts stand three levels down, and the deepest JSON that a part may hold must come back.
    return ExactJson.parse(source, place="request", max_nesting=MAX_PARTS_NESTING + 3).text


def decode_message(text: str, *, place: str = "message") -> Message:
    """The message in compact JSON text.

    Raises:
        InvalidMessageError: for a missing or unknown member or one of a wrong type.
    """
    members = split_object(text, place=place)
    _refuse_unknown(members, _MESSAGE, place)
    for name in ("role", "parts"):
        if name not in members:
            raise InvalidMessageError(place=f"{place}.{name}", reason="this member is missing")
    role = parse_value(members["role"])
    if not isinstance(role, str) or role not in _ROLES:
        raise InvalidMessageError(place=f"{place}.role", reason=f"{role!r} is not one of {', '.join(_ROLES)}")
    flag = members.get("as_string", "false")
    if flag not in ("true", "false"):
        raise InvalidMessageError(place=f"{place}.as_string", reason="true or false was expected")
    provenance = None
    if "provenance" in members:
        provenance = Provenance(
            **_decode_strings(members["provenance"], _PROVENANCE, (), f"{place}.provenance")
        )
    data = members.get("provider_data")
    if data is not None and not data.startswith("{"):
        raise InvalidMessageError(place=f"{place}.provider_data", reason="an object was expected")
    outcome = parse_value(members["outcome"]) if "outcome" in members else Outcome.COMPLETE.value
    if not isinstance(outcome, str) or outcome not in _OUTCOMES:
        raise InvalidMessageError(
            place=f"{place}.outcome", reason=f"{outcome!r} is not one of {', '.join(_OUTCOMES)}"
        )
    parts = decode_parts(members["parts"], place=f"{place}.parts")
    try:
        return Message(
            _ROLES[role],
            parts,
            provenance,
            flag == "true",
            None if data is None else ExactJson.stored(data),
            _OUTCOMES[outcome],
        )
    except InvalidMessageError as error:
        raise InvalidMessageError(place=f"{place}.{error.place}", reason=error.reason) from None


_ROLES: Final = {role.value: role for role in Role}
_OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}


def _check_schema(members: Mapping[str, str]) -> None:
    schema = parse_value(members.get("schema", "null"))
    if type(schema) is not int or schema < 1:
        raise InvalidMessageError(place="request.schema", reason="a schema number of 1 or more was expected")
    if schema > REQUEST_SCHEMA:
        raise SchemaTooNewError(found=schema, supported=REQUEST_SCHEMA, collection="the request")


def _decode_messages(members: Mapping[str, str]) -> tuple[Message, ...]:
    if "messages" not in members:
        raise InvalidMessageError(place="request.messages", reason="this member is missing")
    return tuple(
        decode_message(text, place=f"messages[{index}]")
        for index, text in enumerate(split_array(members["messages"], place="messages"))
    )


def _decode_system(text: str) -> SystemPrompt:
    if text.startswith('"'):
        value: str = parse_value(text)
        return value
    return decode_parts(text, place="system")


def _decode_ids(text: str, count: int) -> tuple[str, ...]:
    ids = parse_value(text)
    if (
        not isinstance(ids, list)
        or not all(isinstance(one, str) for one in ids)
        or len(ids) not in (0, count)
    ):
        raise InvalidMessageError(place="revision_ids", reason="one string for each message was expected")
    return tuple(ids)


def _decode_generations(text: str, count: int) -> tuple[GenerationRecord | None, ...]:
    texts = split_array(text, place="generations")
    if len(texts) != count:
        raise InvalidMessageError(place="generations", reason="one for each message was expected")
    records: list[GenerationRecord | None] = []
    for index, one in enumerate(texts):
        place = f"generations[{index}]"
        records.append(None if one == "null" else GenerationRecord.from_text(one, place=place))
    return tuple(records)


def _break_text(one: PrefixBreak) -> str:
    return f'{{"index":{one.index},"differs":[{",".join(quote(what.value) for what in one.differs)}]}}'


def _decode_break(text: str, place: str, count: int) -> PrefixBreak:
    value = parse_value(text, place=place)
    if not isinstance(value, dict) or set(value) != set(_BREAK):
        raise InvalidMessageError(place=place, reason=f"an object with {' and '.join(_BREAK)} was expected")
    index, differs = value["index"], value["differs"]
    known = {one.value: one for one in Differs}
    if type(index) is not int or not 0 <= index < count:
        raise InvalidMessageError(place=f"{place}.index", reason="the number of a message was expected")
    if (
        not isinstance(differs, list)
        or not differs
        or not all(type(one) is str and one in known for one in differs)
    ):
        raise InvalidMessageError(
            place=f"{place}.differs", reason=f"a list of {', '.join(known)} was expected"
        )
    return PrefixBreak(index, tuple(known[one] for one in differs))


def _strings(value: object, names: tuple[str, ...]) -> str:
    present = ((name, getattr(value, name)) for name in names)
    return "{" + ",".join(f'"{name}":{quote(one)}' for name, one in present if one is not None) + "}"


def _decode_strings(
    text: str, names: tuple[str, ...], required: tuple[str, ...], place: str
) -> dict[str, str]:
    value = parse_value(text, place=place)
    if not isinstance(value, dict):
        raise InvalidMessageError(place=place, reason="an object was expected")
    _refuse_unknown(value, names, place)
    for name in required:
        if name not in value:
            raise InvalidMessageError(place=f"{place}.{name}", reason="this member is missing")
    for name, one in value.items():
        if not isinstance(one, str):
            raise InvalidMessageError(place=f"{place}.{name}", reason="a string was expected")
    return value


def _refuse_unknown(members: Mapping[str, object], known: tuple[str, ...], place: str) -> None:
    for name in members:
        if name not in known:
            raise InvalidMessageError(place=f"{place}.{name}", reason=f"not one of {', '.join(known)}")
