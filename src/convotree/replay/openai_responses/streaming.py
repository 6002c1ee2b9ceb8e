"""A streamed answer of the Responses API, put together from its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from convotree.replay.reading import MisreadError, text_member, wrong_type

__all__ = ["Stream"]

_LAST: Final = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled"}
)
_LIFE: Final = _LAST | {"response.created", "response.queued", "response.in_progress"}


class Stream:
    """Follows the events of one response.

    The last event brings the whole response, which is then the answer. Until it comes, each item is what its own last
    event says: whole once it is done, and otherwise what its pieces add up to, with status ``in_progress``.
    """

    def __init__(self) -> None:
        self._response: dict[str, Any] | None = None
        self._items: dict[int, _Item] = {}
        self._last = False

    @property
    def complete(self) -> bool:
        """Whether the response has ended, however it did."""
        return self._last

    def add(self, event: dict[str, Any]) -> None:
        """Take the next event. Events of a type that is not known say nothing of the answer.

        Raises:
            MisreadError: if it is none; nothing of it is taken.
        """
        kind = text_member(event, "type")
        if kind in _LIFE:
            response = event.get("response")
            if type(response) is not dict:
                wrong_type("response", "an object", response)
            self._response = response
            self._last = kind in _LAST
        elif kind == "error":
            self._fail(event)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            index = _number(event, "output_index")
            item = event.get("item")
            if type(item) is not dict:
                wrong_type("item", "an object", item)
            self._items[index] = _Item(item, done=kind.endswith("done"))
        elif kind in _PIECES:
            index = _number(event, "output_index")
            held = self._items.get(index)
            if held is None:
                raise MisreadError(".output_index", f"no item {index} was added")
            if not held.done:
                _PIECES[kind](held, event)

    def answer(self) -> dict[str, Any]:
        """The answer so far.

        Raises:
            MisreadError: if nothing of it has come.
        """
        if self._response is None:
            raise MisreadError(".response", "nothing of an answer has come yet")
        answer = dict(self._response)
        if not (self._last and answer.get("output")):
            # Some servers leave the output out of the last event.
            answer["output"] = [self._items[index].whole() for index in sorted(self._items)]
        return answer

    def _fail(self, event: Mapping[str, Any]) -> None:
        if self._response is None:
            raise MisreadError("", "this is an error, not an event of an answer")
        error = {key: event[key] for key in ("code", "message") if key in event}
        self._response = {**self._response, "status": "failed", "error": error}
        self._last = True


class _Item:
    """One item of the output in the making. Pieces are joined when they are asked for, so that many stay linear."""

    def __init__(self, item: dict[str, Any], *, done: bool) -> None:
        self.done = done
        self._item = item
        self._texts: dict[tuple[Any, ...], list[str]] = {}
        self._blocks: dict[tuple[str, int], dict[str, Any]] = {}
        self._annotations: dict[int, list[Any]] = {}

    def grow(self, way: tuple[Any, ...], piece: str) -> None:
        self._texts.setdefault(way, []).append(piece)

    def settle(self, way: tuple[Any, ...], text: str) -> None:
        self._texts[way] = [text]

    def block(self, name: str, number: int, block: dict[str, Any]) -> None:
        self._blocks[name, number] = block

    def annotate(self, number: int, annotation: Any) -> None:
        self._annotations.setdefault(number, []).append(annotation)

    def whole(self) -> dict[str, Any]:
        if self.done:
            return self._item
        item = dict(self._item)
        # "May be incomplete" until the item is done.
        item.pop("encrypted_content", None)
        lists: dict[str, dict[int, dict[str, Any]]] = {}
        for (name, number), block in self._blocks.items():
            lists.setdefault(name, {})[number] = dict(block)
        for way, pieces in self._texts.items():
            if len(way) == 1:
                item[way[0]] = "".join(pieces)
            else:
                name, number, key, kind = way
                block = lists.setdefault(name, {}).setdefault(number, {"type": kind})
                block[key] = "".join(pieces)
        for number, cited in self._annotations.items():
            lists.setdefault("content", {}).setdefault(number, {"type": "output_text", "text": ""})[
                "annotations"
            ] = cited
        for name, blocks in lists.items():
            item[name] = [blocks[number] for number in sorted(blocks)]
        return item


def _number(event: Mapping[str, Any], name: str) -> int:
    value = event.get(name)
    if type(value) is not int:
        wrong_type(name, "a whole number", value)
    return value


def _member_piece(name: str) -> Callable[[_Item, Mapping[str, Any]], None]:
    def take(item: _Item, event: Mapping[str, Any]) -> None:
        item.grow((name,), text_member(event, "delta"))

    return take


def _member_whole(name: str, key: str) -> Callable[[_Item, Mapping[str, Any]], None]:
    def take(item: _Item, event: Mapping[str, Any]) -> None:
        item.settle((name,), text_member(event, key))

    return take


def _block_piece(name: str, by: str, key: str, kind: str) -> Callable[[_Item, Mapping[str, Any]], None]:
    def take(item: _Item, event: Mapping[str, Any]) -> None:
        item.grow((name, _number(event, by), key, kind), text_member(event, "delta"))

    return take


def _block_whole(name: str, by: str, key: str, kind: str) -> Callable[[_Item, Mapping[str, Any]], None]:
    def take(item: _Item, event: Mapping[str, Any]) -> None:
        item.settle((name, _number(event, by), key, kind), text_member(event, key))

    return take


def _part(name: str, by: str) -> Callable[[_Item, Mapping[str, Any]], None]:
    def take(item: _Item, event: Mapping[str, Any]) -> None:
        block = event.get("part")
        if type(block) is not dict:
            wrong_type("part", "an object", block)
        item.block(name, _number(event, by), block)

    return take


def _annotation(item: _Item, event: Mapping[str, Any]) -> None:
    item.annotate(_number(event, "content_index"), event.get("annotation"))


_SUMMARY: Final = ("summary", "summary_index", "text", "summary_text")
_THOUGHT: Final = ("content", "content_index", "text", "reasoning_text")
_TEXT: Final = ("content", "content_index", "text", "output_text")
_REFUSAL: Final = ("content", "content_index", "refusal", "refusal")

_PIECES: Final[Mapping[str, Callable[[_Item, Mapping[str, Any]], None]]] = {
    "response.content_part.added": _part("content", "content_index"),
    "response.content_part.done": _part("content", "content_index"),
    "response.output_text.delta": _block_piece(*_TEXT),
    "response.output_text.done": _block_whole(*_TEXT),
    "response.output_text.annotation.added": _annotation,
    "response.refusal.delta": _block_piece(*_REFUSAL),
    "response.refusal.done": _block_whole(*_REFUSAL),
    "response.reasoning_text.delta": _block_piece(*_THOUGHT),
    "response.reasoning_text.done": _block_whole(*_THOUGHT),
    "response.reasoning_summary_part.added": _part("summary", "summary_index"),
    "response.reasoning_summary_part.done": _part("summary", "summary_index"),
    "response.reasoning_summary_text.delta": _block_piece(*_SUMMARY),
    "response.reasoning_summary_text.done": _block_whole(*_SUMMARY),
    "response.function_call_arguments.delta": _member_piece("arguments"),
    "response.function_call_arguments.done": _member_whole("arguments", "arguments"),
    "response.mcp_call_arguments.delta": _member_piece("arguments"),
    "response.mcp_call_arguments.done": _member_whole("arguments", "arguments"),
    "response.custom_tool_call_input.delta": _member_piece("input"),
    "response.custom_tool_call_input.done": _member_whole("input", "input"),
    "response.code_interpreter_call_code.delta": _member_piece("code"),
    "response.code_interpreter_call_code.done": _member_whole("code", "code"),
}
