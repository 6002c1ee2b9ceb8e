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
        _grow_message(held["message"], choice.get("delta") or {})
        for key, value in choice.items():
            if value is None or key in ("delta", "index"):
                continue
            if key == "logprobs":
                _grow(held.setdefault("logprobs", {}), value)
            else:
                held[key] = value


class _Pieces(list[str]):
    """The pieces of one string: joined when they are asked for, so that many chunks stay linear."""


class _Calls(dict[int, dict[str, Any]]):
    """The tool calls of one message, by their index."""


def _check_choice(choice: Any, place: str) -> None:
    if type(choice) is not dict:
        raise MisreadError(place, "an object was expected")
    if type(choice.get("index", 0)) is not int:
        raise MisreadError(f"{place}.index", "a whole number was expected")
    if choice.get("message") is not None:
        raise MisreadError(f"{place}.message", "this is a whole answer: a chunk has a delta")
    for name in ("delta", "logprobs"):
        if type(choice.get(name)) not in (dict, type(None)):
            raise MisreadError(f"{place}.{name}", "an object was expected")
    calls = (choice.get("delta") or {}).get("tool_calls")
    if calls is None:
        return
    if type(calls) is not list:
        raise MisreadError(f"{place}.delta.tool_calls", "an array was expected")
    for number, call in enumerate(calls):
        if type(call) is not dict or type(call.get("index")) is not int:
            raise MisreadError(
                f"{place}.delta.tool_calls[{number}]", "an object with a whole number as index was expected"
            )


def _grow_message(held: dict[str, Any], delta: dict[str, Any]) -> None:
    _grow(held, {key: value for key, value in delta.items() if key != "tool_calls"})
    # Some servers send null, or an empty list, in every chunk that has no call.
    if delta.get("tool_calls"):
        calls = held.setdefault("tool_calls", _Calls())
        for call in delta["tool_calls"]:
            _grow(calls.setdefault(call["index"], {}), call)


def _grow(held: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add ``delta`` to ``held``, which shares no list or object with it."""
    for key, value in delta.items():
        before = held.get(key)
        if type(value) is str and key not in _ONCE:
            if type(before) is not _Pieces:
                before = held[key] = _Pieces()
            before.append(value)
        elif type(value) is dict:
            if type(before) is not dict:
                before = held[key] = {}
            _grow(before, value)
        elif type(value) is list:
            if type(before) is not list:
                before = held[key] = []
            before.extend(value)
        elif before is None:
            held[key] = value


def _whole(held: Any) -> Any:
    if type(held) is _Pieces:
        return "".join(held)
    if type(held) is _Calls:
        calls = [_whole(held[index]) for index in sorted(held)]
        return [{name: one for name, one in call.items() if name != "index"} for call in calls]
    if type(held) is not dict:
        return held
    return {key: _whole(value) for key, value in held.items()}
