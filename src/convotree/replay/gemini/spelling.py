"""Members of Google's JSON objects, read in either spelling, and what is kept so that they go back as they came.

Both ``mimeType`` and ``mime_type`` are legal on the wire (rule G15). Everything here works with the camelCase names;
``FORM`` in a part's ``provider_data`` says which of the members that fields hold came otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.gemini.target import NAME
from convotree.replay.provider_data import Members, members_for
from convotree.replay.reading import MisreadError, leaf, missing, wrong_type

__all__ = [
    "FORM",
    "SNAKE_CASE",
    "WITHOUT",
    "Fields",
    "Form",
    "data_of",
    "either",
    "form_of",
    "snake_of",
    "spelled",
]

Form = dict[str, Any]
"""How an object was written, as far as no field says it."""

FORM: Final = "form"
SNAKE_CASE: Final = "snake_case"
"""In a form: the names that came in snake_case."""
WITHOUT: Final = "without"
"""In a form: the members that were not there although a field holds something."""
_MEMBERS: Final = "members"
_LISTS: Final = (SNAKE_CASE, WITHOUT)

_HUMP: Final = re.compile(r"[A-Z]")


@lru_cache(maxsize=256)
def snake_of(name: str) -> str:
    """``mime_type`` for ``mimeType``."""
    return _HUMP.sub(lambda hump: f"_{hump[0].lower()}", name)


def either(value: Mapping[str, Any], name: str) -> Any:
    """The member of that camelCase name in either spelling; None if it is not there."""
    if name in value:
        return value[name]
    return value.get(snake_of(name))


class Fields:
    """Takes the members of one JSON object that fields hold; ``rest`` are the others."""

    __slots__ = ("_held", "_value", "form")

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value
        self._held: set[str] = set()
        self.form: Form = {}

    def find(self, name: str) -> Any:
        """The member, which a field will hold; None if it is not there or null, and then no field does."""
        value = self._value.get(name)
        if value is not None:
            self._held.add(name)
            return value
        snake = snake_of(name)
        if snake == name:
            return None
        value = self._value.get(snake)
        if value is not None:
            self._held.add(snake)
            self.form.setdefault(SNAKE_CASE, []).append(snake)
        return value

    def peek(self, name: str) -> Any:
        """The member of that name, which stays in the rest; None if it is not there."""
        return self._value.get(name)

    def optional_text(self, name: str) -> str | None:
        """The string of that name; None if it is not there or null."""
        value = self.find(name)
        if value is not None and type(value) is not str:
            wrong_type(self.spelling(name), "a string", value)
        return value

    def text(self, name: str) -> str:
        """The string of that name, which must be there."""
        value = self.optional_text(name)
        if value is None:
            missing(name)
        return value

    def spelling(self, name: str) -> str:
        """The name as it came."""
        return name if name in self._value else snake_of(name)

    def without(self, name: str) -> None:
        """Remember that this member is not there."""
        self.form.setdefault(WITHOUT, []).append(name)

    def rest(self) -> dict[str, Any]:
        """The members that no field holds."""
        if len(self._held) == len(self._value):
            return {}
        return {key: one for key, one in self._value.items() if key not in self._held}

    def data(self, **more: Any) -> ExactJson | None:
        """``provider_data`` for what no field holds: the rest, the form, and ``more`` by name."""
        extra = self.rest()
        form = self.form
        if FORM in extra:
            form = {**form, _MEMBERS: {FORM: extra.pop(FORM)}}
        extra.update((key, value) for key, value in more.items() if value)
        if form:
            extra[FORM] = form
        if not extra:
            return None
        if extra == _OBJECT_RESPONSE:
            return _OBJECT_RESPONSE_DATA
        return leaf({NAME: extra}, "")

    def merge_form(self, form: Form) -> None:
        """Take over the form of an object inside or around; no name occurs on both levels."""
        for key, value in form.items():
            self.form[key] = [*self.form.get(key, ()), *value] if isinstance(value, list) else value


# What nearly every function response has, written once.
_OBJECT_RESPONSE: Final = {FORM: {"response": "object"}}
_OBJECT_RESPONSE_DATA: Final = leaf({NAME: _OBJECT_RESPONSE}, "")
# Most provider_data is one of few short texts.
_SHORT: Final = 200


def data_of(provider_data: ExactJson | None) -> tuple[Members, Form]:
    """The members that Gemini sent with a part, and how it was written; the form is to be read only."""
    if provider_data is None:
        return {}, {}
    if len(provider_data.text) > _SHORT:
        return _parsed(provider_data.text)
    members, form = _remembered(provider_data.text)
    return dict(members), form


def _parsed(text: str) -> tuple[Members, Form]:
    members = members_for(ExactJson.stored(text), NAME)
    return members, form_of(members)


_remembered: Final = lru_cache(maxsize=256)(_parsed)


def form_of(members: Members) -> Form:
    """The form in a part's ``provider_data``, taken out of ``members``; what was called like it is put back."""
    kept = members.pop(FORM, None)
    if kept is None:
        return {}
    form = parse_value(kept.text)
    if type(form) is not dict:
        return {}
    hidden = form.pop(_MEMBERS, None)
    if type(hidden) is dict and FORM in hidden:
        try:
            members[FORM] = leaf(hidden[FORM], "")
        except MisreadError:
            return _whole(form)
    return _whole(form)


def _whole(form: Form) -> Form:
    """``form`` without what a caller's hand may have put there and no reader of Gemini's JSON would."""
    return {
        key: value
        for key, value in form.items()
        if (type(value) is list and all(type(one) is str for one in value)) == (key in _LISTS)
        and type(value) in (list, str, dict)
    }


def spelled(body: dict[str, Any], snake: Iterable[str]) -> dict[str, Any]:
    """``body`` with the names in ``snake`` as they came, on its own level and the next."""
    names = {_camel_of(name): name for name in snake}
    if not names:
        return body
    return {
        names.get(key, key): {names.get(name, name): one for name, one in value.items()}
        if isinstance(value, dict)
        else value
        for key, value in body.items()
    }


def _camel_of(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(one.capitalize() for one in others)
