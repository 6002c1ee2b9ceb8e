"""From a body of ``generateContent`` to a request, and from an answer to a message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import Part, TextPart, ToolResultPart
from convotree.domain.prompt import SystemPrompt
from convotree.replay.gemini.answer import Answer
from convotree.replay.gemini.call_ids import CallIds
from convotree.replay.gemini.part_reading import read_parts
from convotree.replay.gemini.spelling import FORM, SNAKE_CASE, Fields, snake_of
from convotree.replay.gemini.target import API, NAME, PROVIDER
from convotree.replay.gemini.tool_reading import read_tools
from convotree.replay.provider_data import members_for
from convotree.replay.reading import MisreadError, leaf, load_document, wrong_type
from convotree.replay.request import Request

__all__ = ["CANDIDATE", "CONTENT", "INSTRUCTION", "read_answer", "read_request"]

INSTRUCTION: Final = "systemInstruction"
CONTENT: Final = "content"
"""In the form of the system prompt's first part: the members of the content it is in."""
CANDIDATE: Final = "candidate"
"""In the form of an answer: what stood beside its content, such as what its text is grounded in."""

_HELD: Final = frozenset({"contents", "tools", INSTRUCTION, snake_of(INSTRUCTION)})
_ROLES: Final = ("user", "model")


def read_request(body: object, *, model: str | None) -> Request:
    """The request in a body; ``model``: who gave the answers in it, since the body does not say."""
    document = load_document(body, place="body")
    try:
        asked = document.get("model")
        if asked is not None and type(asked) is not str:
            wrong_type("model", "a string", asked)
        provenance = Provenance(PROVIDER, API, model if model is not None else asked)
        contents = document.get("contents")
        if type(contents) is not list:
            wrong_type("contents", "an array", contents)
        params = {key: value for key, value in document.items() if key not in _HELD}
        return Request(
            _read_system(document),
            read_tools(document.get("tools")),
            _ContentReader(provenance).messages(contents),
            params=leaf(params, "") if params else None,
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def read_answer(answer: object, *, model: str | None) -> Message:
    """The message in an answer: whole, its candidate alone, or the content of that; ``model``: who gave it, if not the
    model it names.
    """
    document = load_document(answer, place="answer")
    try:
        read = Answer.of(document)
        try:
            content = {} if read.content is None else read.content
            if type(content) is not dict:
                wrong_type("", "an object", content)
            fields = Fields(content)
            if (role := fields.optional_text("role")) not in (None, "model"):
                raise MisreadError(".role", f"{role!r} is not the role of an answer")
            values = fields.find("parts")
            parts = _read_parts(values, CallIds(f"{read.digest()}_"), "")
        except MisreadError as error:
            raise error.within(read.place) from None
        if role is None and content:
            fields.without("role")
        beside = read.beside()
        if beside:
            fields.form[CANDIDATE] = beside
        asked = read.model if model is None else model
        message = Message(
            Role.ASSISTANT, parts, Provenance(PROVIDER, API, asked), provider_data=fields.data()
        )
        return replace(message, outcome=read.outcome)
    except MisreadError as error:
        raise error.as_invalid() from None


def _read_system(document: dict[str, Any]) -> SystemPrompt | None:
    fields = Fields(document)
    value = fields.find(INSTRUCTION)
    if value is None:
        return None
    name = fields.spelling(INSTRUCTION)
    if type(value) is not dict:
        wrong_type(name, "an object", value)
    values = value.get("parts")
    try:
        parts = _read_parts(values, CallIds(), "system_")
    except MisreadError as error:
        raise error.within(f".{name}") from None
    if not parts:
        return None
    first = parts[0]
    rest = {key: one for key, one in value.items() if key != "parts"}
    if not rest and name == INSTRUCTION:
        if len(parts) == 1 and type(first) is TextPart and first == TextPart(first.text):
            return first.text
        return parts
    return _marked(first, rest, name, values[0] if values else {}) + parts[1:]


def _read_parts(values: Any, ids: CallIds, place: str) -> tuple[Part, ...]:
    """The parts in a content's ``parts``; none if it has none."""
    if values is None:
        return ()
    if type(values) is not list:
        wrong_type("parts", "an array", values)
    try:
        return read_parts(values, ids, place)
    except MisreadError as error:
        raise error.within(".parts") from None


def _marked(first: Part, rest: dict[str, Any], name: str, value: dict[str, Any]) -> tuple[Part, ...]:
    """``first`` with the content that it begins in its form."""
    if not hasattr(first, "provider_data"):
        # An unknown part cannot say it; the members of its content are not worth losing what it says.
        return (first,)
    data = {key: one.value for key, one in members_for(first.provider_data, NAME).items()}
    form = data.setdefault(FORM, {})
    form[CONTENT] = rest
    if name != INSTRUCTION:
        form[SNAKE_CASE] = [*form.get(SNAKE_CASE, ()), name]
    return (replace(first, provider_data=leaf({NAME: data}, "")),)  # type: ignore[arg-type]  # all but one have it


class _ContentReader:
    """Reads contents in order; it knows the calls of the turn before, which responses without an id answer."""

    def __init__(self, provenance: Provenance) -> None:
        self._provenance = provenance
        self._ids = CallIds()
        self._after = ""

    def messages(self, contents: list[Any]) -> tuple[Message, ...]:
        read: list[Message] = []
        for number, value in enumerate(contents):
            try:
                read.append(self._message(value, number))
            except MisreadError as error:
                raise error.within(f".contents[{number}]") from None
        return tuple(read)

    def _message(self, value: Any, number: int) -> Message:
        if type(value) is not dict:
            wrong_type("", "an object", value)
        fields = Fields(value)
        role = fields.optional_text("role")
        if role is None:
            fields.without("role")
        elif role not in _ROLES:
            raise MisreadError(".role", f"{role!r} is not one of {', '.join(_ROLES)}")
        values = fields.find("parts")
        if role == "model" and self._after != "model":
            self._ids.begin_turn()
        parts = _read_parts(values, self._ids, f"{number}_")
        after, self._after = self._after, role or "user"
        data = fields.data()
        if role == "model":
            return Message(Role.ASSISTANT, parts, self._provenance, provider_data=data)
        results = [part.tool_call_id for part in parts if type(part) is ToolResultPart]
        if results and data is None and (after != "model" or results != self._ids.order):
            # In a second content, or in another order than their calls: a form of its own, which this says.
            data = _OWN_FORM
        only = len(results) == len(parts) > 0
        return Message(Role.TOOL if only else Role.USER, parts, provider_data=data)


_OWN_FORM: Final = ExactJson.stored(f'{{"{NAME}":{{}}}}')
