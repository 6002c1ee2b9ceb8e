"""Hosted calls that still run when the answer ends: the provider goes on with them, if it has the tool (rule A10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.anthropic.wire import Wire

__all__ = ["undeclared_pending_calls"]

# The name of a hosted call is that of its tool, but for those that one tool offers.
_TOOL_TYPES: Final = {
    "bash_code_execution": "code_execution",
    "text_editor_code_execution": "code_execution",
}


def undeclared_pending_calls(wire: Wire) -> Iterator[tuple[int, int, str]]:
    """Numbers of message and block of hosted calls without a result in the last turn, if that is an answer, whose tool
    is not declared; and why, for a sentence. The advisor is always looked at: see ``declared_tools``.
    """
    first = len(wire.messages)
    while first and wire.messages[first - 1].role in ("assistant", "system"):
        first -= 1
    last_turn = [
        (index, number, block)
        for index in range(first, len(wire.messages))
        if not isinstance(content := wire.messages[index].content, str)
        for number, block in enumerate(content)
    ]
    answered = {block["tool_use_id"] for _, _, block in last_turn if "tool_use_id" in block}
    pending = [
        (index, number, str(block["name"]))
        for index, number, block in last_turn
        if block["type"] == "server_tool_use" and block["id"] not in answered and block["name"] != "advisor"
    ]
    if not pending:
        return
    declared = {_text(tool.get(key)) for tool in wire.tools for key in ("name", "type")}
    for index, number, asked in pending:
        name = _TOOL_TYPES.get(asked, asked)
        if not any(one.startswith(name) for one in declared):
            yield index, number, f"the pending call needs its tool {name!r} declared"


def _text(value: object) -> str:
    plain = parse_value(value.text) if isinstance(value, ExactJson) else value
    return plain if isinstance(plain, str) else ""
