"""The kinds of items that the Responses API has, as data: what makes each, by what it is known, and what answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "CALLED_BY_CALL_ID",
    "CALL_MEMBERS",
    "CALL_OUTPUTS",
    "CONTROL_ITEMS",
    "HOSTED_CALL_MEMBERS",
    "HOSTED_RESULT_MEMBERS",
    "ID_PREFIXES",
    "KEPT_WITH_ID",
    "NAMED_CALLS",
    "OUTPUT_MEMBERS",
    "RESULTS",
]

CALL_OUTPUTS: Final[Mapping[str, str]] = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
}
"""What the caller is asked to run, and the item that brings the result."""

CALL_MEMBERS: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}
"""The member that says what to run."""

NAMED_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
"""Calls of the caller's own tools: never without ``call_id`` and ``name``."""

OUTPUT_MEMBERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(CALL_OUTPUTS.values(), "output"),
    "tool_search_output": "tools",
}
"""The member that holds the result."""

HOSTED_CALL_MEMBERS: Final[Mapping[str, str | None]] = {
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "image_generation_call": None,
    "mcp_call": "arguments",
    "mcp_list_tools": None,
    "mcp_approval_request": "arguments",
    "program": "code",
}
"""What the provider runs itself, and the member that says what; None where nothing does."""

HOSTED_RESULT_MEMBERS: Final[Mapping[str, tuple[str, str]]] = {
    "mcp_approval_response": ("approval_request_id", "approve"),
    "program_output": ("call_id", "result"),
}
"""What stands apart from its hosted call: the member that names the call, and the one that holds the result."""

CALLED_BY_CALL_ID: Final = frozenset({"program", "shell_call", "tool_search_call"})
"""Hosted calls that have a call id beside their own."""

RESULTS: Final = frozenset({*OUTPUT_MEMBERS, *HOSTED_RESULT_MEMBERS})
"""What brings the result of a call; reasoning leads to calls and messages, never to a result."""

CONTROL_ITEMS: Final = frozenset({"additional_tools", "configuration_update", "compaction_trigger"})
"""What the caller sets in the middle of a conversation."""

ID_PREFIXES: Final[Mapping[str, str]] = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "web_search_call": "ws",
    "file_search_call": "fs",
    "code_interpreter_call": "ci",
    "image_generation_call": "ig",
    "mcp_call": "mcp",
    "mcp_list_tools": "mcpl",
    "mcp_approval_request": "mcpr",
    "computer_call": "cu",
    "tool_search_call": "tsc",
    "tool_search_output": "tso",
    "compaction": "cmp",
}
"""How the ids of a kind begin (rule R6), where that is known."""

KEPT_WITH_ID: Final = frozenset({*HOSTED_CALL_MEMBERS, "computer_call", "local_shell_call", "program_output"})
"""Items that do not exist without their id."""
