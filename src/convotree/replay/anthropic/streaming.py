"""A streamed answer of the Messages API, put together from its events."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.errors import InvalidJsonError
from convotree.replay.reading import MisreadError, text_member, wrong_type

__all__ = ["Stream"]

_PIECES: Final = {"text_delta": "text", "thinking_delta": "thinking"}
"""Deltas whose text is added to the block's member of that name."""
_WHOLE: Final = frozenset({"signature_delta", "compaction_delta"})
"""Deltas that bring members whole, as the official SDK takes them."""


class Stream:
    """Adds up events: a block begins, grows by deltas, and ends; the message's own facts come before and after."""

    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, _Block] = {}
        self._complete = False

    @property
    def complete(self) -> bool:
        """Whether ``message_stop`` has come."""
        return self._complete

    def add(self, event: dict[str, Any]) -> None:
        """Take the next event; one of an unknown type says nothing of the answer and is passed over.

        Raises:
            MisreadError: if it is none, cannot follow those before it, or is the provider's error.
        """
        match text_member(event, "type"):
            case "message_start":
                message = event.get("message")
                if type(message) is not dict:
                    wrong_type("message", "an object", message)
                self._message = {key: value for key, value in message.items() if key != "content"}
            case "content_block_start":
                self._start_block(event)
            case "content_block_delta":
                block, delta = self._block(event), event.get("delta")
                if type(delta) is not dict:
                    wrong_type("delta", "an object", delta)
                try:
                    block.grow(delta)
                except MisreadError as error:
                    raise error.within(".delta") from None
            case "content_block_stop":
                self._block(event)
            case "message_delta":
                self._change_message(event)
            case "message_stop":
                self._started()
                self._complete = True
            case "error":
                raise MisreadError(".error", "this is an error, not a part of an answer")
            case _:
                pass

    def answer(self) -> dict[str, Any]:
        """The answer so far.

        Raises:
            MisreadError: if ``message_start`` has not come.
        """
        message = dict(self._started())
        message["content"] = [
            block.whole() for _, block in sorted(self._blocks.items(), key=lambda one: one[0])
        ]
        return message

    def _started(self) -> dict[str, Any]:
        if self._message is None:
            raise MisreadError("", "nothing of an answer has come yet")
        return self._message

    def _start_block(self, event: dict[str, Any]) -> None:
        message = self._started()
        index, block = event.get("index"), event.get("content_block")
        if type(index) is not int:
            wrong_type("index", "a whole number", index)
        if type(block) is not dict:
            wrong_type("content_block", "an object", block)
        if index in self._blocks:
            raise MisreadError(".index", f"block {index} has begun already")
        self._blocks[index] = _Block(block)
        if block.get("type") == "fallback":
            # Another model goes on from here; unstreamed, the answer names the last one.
            successor = block.get("to")
            if type(successor) is dict and "model" in successor:
                message["model"] = successor["model"]

    def _block(self, event: dict[str, Any]) -> _Block:
        index = event.get("index")
        block = self._blocks.get(index) if type(index) is int else None
        if block is None:
            raise MisreadError(".index", "no block of this index has begun")
        return block

    def _change_message(self, event: dict[str, Any]) -> None:
        message = self._started()
        delta = event.get("delta")
        if type(delta) is not dict:
            wrong_type("delta", "an object", delta)
        _add_known(message, delta)
        usage = event.get("usage")
        if type(usage) is dict:
            # Cumulative: what it names stands for what was said at the start.
            known = message.get("usage")
            message["usage"] = counted = dict(known) if type(known) is dict else {}
            _add_known(counted, usage)
        _add_known(
            message, {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
        )


def _add_known(facts: dict[str, Any], news: dict[str, Any]) -> None:
    """Null in an event means that it says nothing: what was said before stays."""
    for name, value in news.items():
        if value is not None:
            facts[name] = value
        else:
            facts.setdefault(name, None)


class _Block:
    """One block: as it began, and the pieces that came since."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._start = start
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Any] = []
        self._input: list[str] = []

    def grow(self, delta: dict[str, Any]) -> None:
        kind = text_member(delta, "type")
        if kind in _PIECES:
            name = _PIECES[kind]
            self._pieces.setdefault(name, []).append(text_member(delta, name))
        elif kind == "input_json_delta":
            self._input.append(text_member(delta, "partial_json"))
        elif kind == "citations_delta":
            if "citation" not in delta:
                raise MisreadError(".citation", "this member is missing")
            self._citations.append(delta["citation"])
        elif kind in _WHOLE:
            self._start = {**self._start, **{name: one for name, one in delta.items() if name != "type"}}
        else:
            raise MisreadError(".type", f"{kind!r} is no known delta: what it adds to the block is not known")

    def whole(self) -> dict[str, Any]:
        block = dict(self._start)
        for name, pieces in self._pieces.items():
            begun = block.get(name)
            block[name] = (begun if type(begun) is str else "") + "".join(pieces)
        if self._citations:
            begun = block.get("citations")
            block["citations"] = [*(begun if type(begun) is list else ()), *self._citations]
        text = "".join(self._input)
        if text:
            block["input"] = _parsed(text)
        return block


def _parsed(text: str) -> Any:
    """The input that a model wrote; one that was cut off is kept as the text it is."""
    try:
        return parse_value(ExactJson.parse(text).text)
    except InvalidJsonError:
        return text
