"""A streamed answer of Chat Completions, put together from its chunks."""

from __future__ import annotations

from typing import Any, Final

from convotree.replay.reading import MisreadError, wrong_type

__all__ = ["Stream"]

_ONCE: Final = frozenset({"id", "type", "role", "index"})
"""What names a thing: some servers repeat it in every chunk, and it is never cut in pieces."""


class Stream:
    """Adds up chunks: strings grow, what a first chunk names stays, lists of calls are matched by ``index``."""

    def __init__(self) -> None:
        self._answer: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}

    @property
    def complete(self) -> bool:
        """Whether every choice has its ``finish_reason``."""
        return bool(self._choices) and all(
            choice["finish_reason"] is not None for choice in self._choices.values()
        )

    def add(self, event: dict[str, Any]) -> None:
        """Take the next chunk.

        Raises:
            MisreadError: if it is none; nothing of it is taken.
        """
        error = event.get("error")
        if error is not None and "choices" not in event:
            raise MisreadError(".error", "this is an error, not a chunk of an answer")
        choices = event.get("choices")
        if type(choices) is not list:
            wrong_type("choices", "an array", choices)
        for number, choice in enumerate(choices):
            _check_choice(choice, f".choices[{number}]")
        for choice in choices:
            self._add_choice(choice)
        for key, value in event.items():
            if key == "object":
                self._answer["object"] = "chat.completion"
            elif key != "choices" and (value is not None or key not in self._answer):
                self._answer[key] = value

    def answer(self) -> dict[str, Any]:
        """The answer so far.

        Raises:
            MisreadError: if no chunk with a choice has come.
        """
        if not self._choices:
            raise MisreadError(".choices", "nothing of an answer has come yet")
        answer = dict(self._answer)
        # Usage comes only with the last chunk, and only where it was asked for.
        if answer.get("usage", 0) is None:
            del answer["usage"]
        answer["choices"] = [_whole(self._choices[index]) for index in sorted(self._choices)]
        return answer

    def _add_choice(self, choice: dict[str, Any]) -> None:
        index = choice.get("index", 0)
        held = self._choices.setdefault(index, {"index": index, "message": {}, "finish_reason": None})
        _grow(held["message"], choice.get("delta") or {})
        for key, value in choice.items():
            if key == "logprobs" and value is not None:
                logprobs = held.get("logprobs") or {}
                _grow(logprobs, value)
                held["logprobs"] = logprobs
            elif key not in ("delta", "index") and value is not None:
                held[key] = value


def _check_choice(choice: Any, place: str) -> None:
    if type(choice) is not dict:
        raise MisreadError(place, "an object was expected")
    if type(choice.get("index", 0)) is not int:
        raise MisreadError(f"{place}.index", "a whole number was expected")
    delta = choice.get("delta")
    if delta is not None and type(delta) is not dict:
        raise MisreadError(f"{place}.delta", "an object was expected")
    calls = (delta or {}).get("tool_calls")
    if calls is None:
        return
    if type(calls) is not list:
        raise MisreadError(f"{place}.delta.tool_calls", "an array was expected")
    for number, call in enumerate(calls):
        if type(call) is not dict or type(call.get("index")) is not int:
            raise MisreadError(
                f"{place}.delta.tool_calls[{number}]", "an object with a whole number as index was expected"
            )


def _grow(held: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add ``delta``; what grows is kept as a list of pieces until it is asked for, so that many chunks stay linear."""
    for key, value in delta.items():
        if key == "tool_calls" and type(value) is list:
            calls = held.setdefault(key, {})
            for call in value:
                _grow(calls.setdefault(call["index"], {}), call)
        elif type(value) is str and key not in _ONCE:
            pieces = held.get(key)
            if type(pieces) is _Pieces:
                pieces.append(value)
            else:
                held[key] = _Pieces([value])
        elif type(value) is dict:
            inner = held.get(key)
            if type(inner) is not dict:
                inner = held[key] = {}
            _grow(inner, value)
        elif type(value) is list and type(held.get(key)) is list:
            held[key] = [*held[key], *value]
        elif held.get(key) is None:
            held[key] = value


class _Pieces(list[str]):
    """The pieces of one string."""


def _whole(held: Any) -> Any:
    if type(held) is _Pieces:
        return "".join(held)
    if type(held) is not dict:
        return held
    whole: dict[str, Any] = {}
    for key, value in held.items():
        if key == "tool_calls" and type(value) is dict:
            calls = [_whole(value[index]) for index in sorted(value)]
            whole[key] = [{name: one for name, one in call.items() if name != "index"} for call in calls]
        else:
            whole[key] = _whole(value)
    return whole
