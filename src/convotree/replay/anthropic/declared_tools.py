"""Blocks that the API takes only beside the tool they speak of (rule A10): the advisor's, and references to tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.wire import Wire

__all__ = ["Undeclared", "speaks_of_tools", "undeclared_blocks"]

_ADVISOR: Final = "advisor"
_CHANGES: Final = frozenset({"tool_addition", "tool_removal"})


class Undeclared(NamedTuple):
    """A block whose tool the request does not declare. ``inner``: its number inside the tool result ``number``.
    ``of_advisor``: a call of the advisor, whose result needs the tool as well.
    """

    message: int
    number: int
    inner: int | None
    of_advisor: bool

    @property
    def reason(self) -> str:
        """For a sentence."""
        return f"the request does not declare the {'advisor' if self.of_advisor else 'tool'}"


def undeclared_blocks(wire: Wire) -> Iterator[Undeclared]:
    """All such blocks, in order; one walk, and for most requests without a closer look at any block."""
    suspects = [
        (index, number, block)
        for index, message in enumerate(wire.messages)
        if not isinstance(message.content, str)
        for number, block in enumerate(message.content)
        if speaks_of_tools(block)
    ]
    if not suspects:
        return
    declared = _Declared(wire, [block for _, _, block in suspects])
    for index, number, block in suspects:
        if block["type"] == "tool_result":
            for inner, reference in enumerate(block["content"]):
                if reference["type"] == "tool_reference" and not declared.knows(reference.get("tool_name")):
                    yield Undeclared(index, number, inner, False)
        elif block["type"] in _CHANGES:
            if not declared.resolves(block):
                yield Undeclared(index, number, None, False)
        elif not declared.advisor:
            yield Undeclared(index, number, None, True)


def speaks_of_tools(block: Block) -> bool:
    """Whether the block may need a tool to be declared."""
    kind = block["type"]
    if kind == "tool_result":
        content = block.get("content")
        return isinstance(content, list) and any(one["type"] == "tool_reference" for one in content)
    if kind == "server_tool_use":
        return bool(block["name"] == _ADVISOR)
    return kind in _CHANGES


class _Declared:
    """What the request declares: in ``tools``, and in the middle of its messages."""

    def __init__(self, wire: Wire, blocks: list[Block]) -> None:
        self._names: set[str] = set()
        self._open = False
        self.advisor = False
        for tool in wire.tools:
            self._declare(_plain(tool.get("name")), _plain(tool.get("type")))
        for block in blocks:
            tool = _plain(block.get("tool"))
            if isinstance(tool, dict) and isinstance(tool.get("definition"), dict):
                self._declare(tool["definition"].get("name"), tool["definition"].get("type"))

    def _declare(self, name: Any, kind: Any) -> None:
        if isinstance(name, str):
            self._names.add(name)
        if isinstance(kind, str):
            self.advisor = self.advisor or kind.startswith(_ADVISOR)
            # A set of tools does not say what they are called.
            self._open = self._open or "toolset" in kind

    def knows(self, name: Any) -> bool:
        """Whether a tool of that name may be meant."""
        plain = _plain(name)
        return self._open or not isinstance(plain, str) or plain in self._names

    def resolves(self, change: Block) -> bool:
        """Whether a change of tools is of one that is there."""
        tool = _plain(change.get("tool"))
        return (
            not isinstance(tool, dict) or tool.get("type") != "tool_reference" or self.knows(tool.get("name"))
        )


def _plain(value: Any) -> Any:
    return parse_value(value.text) if isinstance(value, ExactJson) else value
