"""Which members each content block may have, and in whose messages it may stand: Anthropic's request types as data.

Taken from the beta types of the official SDK, 2.14.0; a test compares the table with the SDK that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "ANSWERS_ONLY",
    "BLOCK_MEMBERS",
    "HOSTED_CALLS",
    "INPUT_ONLY",
    "MESSAGE_MEMBERS",
    "NOT_IN_RESULTS",
]

_HOSTED_RESULT: Final = ("cache_control", "content", "tool_use_id")

_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("cache_control", "citations", "text"),
    "image": ("cache_control", "source", "transformations"),
    "document": ("cache_control", "citations", "context", "source", "title"),
    "search_result": ("cache_control", "citations", "content", "source", "title"),
    "thinking": ("signature", "thinking"),
    "redacted_thinking": ("data",),
    "tool_use": ("cache_control", "caller", "id", "input", "name", "toolset_name"),
    "tool_result": ("cache_control", "content", "is_error", "tool_use_id", "toolset_name"),
    "server_tool_use": ("cache_control", "caller", "id", "input", "name"),
    "web_search_tool_result": ("caller", *_HOSTED_RESULT),
    "web_fetch_tool_result": ("caller", *_HOSTED_RESULT),
    "advisor_tool_result": _HOSTED_RESULT,
    "code_execution_tool_result": _HOSTED_RESULT,
    "bash_code_execution_tool_result": _HOSTED_RESULT,
    "text_editor_code_execution_tool_result": _HOSTED_RESULT,
    "tool_search_tool_result": _HOSTED_RESULT,
    "mcp_tool_use": ("cache_control", "id", "input", "name", "server_name"),
    "mcp_tool_result": ("is_error", *_HOSTED_RESULT),
    "container_upload": ("cache_control", "file_id"),
    "compaction": ("cache_control", "content", "encrypted_content", "signature", "tool_changes"),
    "tool_addition": ("cache_control", "tool"),
    "tool_removal": ("cache_control", "tool"),
    "mcp_tool_listing": ("mcp_server_name", "tools"),
    "fallback": ("from", "to", "trigger"),
    "tool_reference": ("cache_control", "tool_name"),
    "browser_state": ("cache_control", "state_changes", "tabs"),
}

BLOCK_MEMBERS: Final = {kind: frozenset((*names, "type")) for kind, names in _MEMBERS.items()}
"""By type, ``type`` among them."""

MESSAGE_MEMBERS: Final = {
    "user": frozenset[str](),
    "assistant": frozenset[str](),
    "system": frozenset({"clear_at", "output_config"}),
}
"""By role, beside ``role`` and ``content``."""

HOSTED_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})

ANSWERS_ONLY: Final = HOSTED_CALLS | {
    "thinking",
    "redacted_thinking",
    "tool_use",
    "compaction",
    "fallback",
    "mcp_tool_listing",
    *(kind for kind in _MEMBERS if kind.endswith("_tool_result")),
}
"""Blocks that only the model makes."""

INPUT_ONLY: Final = frozenset({"image", "document", "search_result", "container_upload"})
"""Blocks that only the caller gives."""

_IN_RESULTS: Final = frozenset(
    {"text", "image", "document", "search_result", "tool_reference", "browser_state"}
)

NOT_IN_RESULTS: Final = BLOCK_MEMBERS.keys() - _IN_RESULTS
"""Known blocks that no ``tool_result`` may hold."""
