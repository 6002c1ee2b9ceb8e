"""Function calls whose arguments come in pieces: ``partialArgs``, each a value at a JSON path (Vertex AI)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from convotree.replay.gemini.spelling import either, snake_of
from convotree.replay.reading import MisreadError

__all__ = ["PartialCall", "begins_call", "check_partial_call"]

_STEP: Final = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)|\[(?P<index>\d{1,6})\]|\['(?P<single>(?:[^'\\]|\\.)*)'\]|\["(?P<double>(?:[^"\\]|\\.)*)"\]"""
)
_ESCAPED: Final = re.compile(r"\\(.)")
_MOST_STEPS: Final = 64
_LONGEST_ARRAY: Final = 10_000
_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")
_PIECEWISE: Final = {
    spelling for name in ("partialArgs", "willContinue") for spelling in (name, snake_of(name))
}


def begins_call(part: dict[str, Any]) -> bool:
    """Whether the part is the first piece of a call."""
    call = either(part, "functionCall")
    if type(call) is not dict:
        return False
    return either(call, "partialArgs") is not None or either(call, "willContinue") is True


def check_partial_call(part: dict[str, Any]) -> None:
    """Refuse pieces that say nothing.

    Raises:
        MisreadError: for a path that is none or a value of no kind.
    """
    call = either(part, "functionCall")
    pieces = either(call, "partialArgs") if type(call) is dict else None
    if pieces is None:
        return
    if type(pieces) is not list:
        raise MisreadError(".functionCall.partialArgs", "an array was expected")
    for number, piece in enumerate(pieces):
        place = f".functionCall.partialArgs[{number}]"
        if type(piece) is not dict:
            raise MisreadError(place, "an object was expected")
        try:
            _steps(either(piece, "jsonPath"))
        except ValueError as error:
            raise MisreadError(f"{place}.jsonPath", str(error)) from None
        if sum(either(piece, name) is not None for name in _VALUES) > 1:
            raise MisreadError(place, "one value was expected")


class PartialCall:
    """One call in the making, out of pieces that ``check_partial_call`` has looked at."""

    def __init__(self) -> None:
        self._part: dict[str, Any] = {}
        self._call: dict[str, Any] = {}
        self._pieces: list[dict[str, Any]] = []
        self.open = True

    def add(self, part: dict[str, Any]) -> None:
        """Take the next piece."""
        call = either(part, "functionCall")
        self._pieces.extend(either(call, "partialArgs") or ())
        self._part.update((key, value) for key, value in part.items() if value is not call)
        self._call.update((key, value) for key, value in call.items() if key not in _PIECEWISE)
        self.open = either(call, "willContinue") is True

    def whole(self) -> dict[str, Any]:
        """The part as it comes unstreamed, as far as it has come.

        Raises:
            MisreadError: if the path of a piece leads through what another says is no object or array.
        """
        call = dict(self._call)
        if self._pieces:
            args: dict[str, Any] = {}
            for piece in self._pieces:
                _put(args, _steps(either(piece, "jsonPath")), piece)
            given = call.get("args")
            call["args"] = {**(given if type(given) is dict else {}), **_joined(args)}
        return {"functionCall": call, **self._part}


def _steps(path: Any) -> list[str | int]:
    if type(path) is not str or not path.startswith("$"):
        raise ValueError("a JSON path was expected")
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None or len(steps) == _MOST_STEPS:
            raise ValueError(f"{path[:60]!r} is no JSON path that is understood")
        position = step.end()
        if step["index"] is not None:
            steps.append(int(step["index"]))
        elif step["name"] is not None:
            steps.append(step["name"])
        else:
            steps.append(
                _ESCAPED.sub(r"\1", step["single"] if step["single"] is not None else step["double"])
            )
    if not steps or type(steps[0]) is int:
        raise ValueError("a path to an argument was expected")
    return steps


class _Text(list[str]):
    """The pieces of one string."""


def _put(args: dict[str, Any], steps: list[str | int], piece: dict[str, Any]) -> None:
    holder: Any = args
    for step, following in pairwise(steps):
        inner = _at(holder, step)
        if inner is None:
            inner = [] if type(following) is int else {}
            _set(holder, step, inner)
        holder = inner
    last = steps[-1]
    text = either(piece, "stringValue")
    if type(text) is str:
        pieces = _at(holder, last)
        if type(pieces) is not _Text:
            pieces = _Text()
            _set(holder, last, pieces)
        pieces.append(text)
        return
    values = [either(piece, name) for name in ("numberValue", "boolValue")]
    _set(holder, last, next((value for value in values if value is not None), None))


def _at(holder: Any, step: str | int) -> Any:
    if type(holder) is dict and type(step) is str:
        return holder.get(step)
    if type(holder) is list and type(step) is int:
        return holder[step] if step < len(holder) else None
    raise MisreadError(".functionCall.partialArgs", "a path leads through what is no object or array")


def _set(holder: Any, step: str | int, value: Any) -> None:
    _at(holder, step)
    if type(step) is int:
        if step >= _LONGEST_ARRAY:
            raise MisreadError(
                ".functionCall.partialArgs", f"an array of more than {_LONGEST_ARRAY} elements"
            )
        holder.extend([None] * (step + 1 - len(holder)))
    holder[step] = value


def _joined(value: Any) -> Any:
    if type(value) is _Text:
        return "".join(value)
    if type(value) is dict:
        return {key: _joined(one) for key, one in value.items()}
    if type(value) is list:
        return [_joined(one) for one in value]
    return value
