"""Which members each item may have in a request: the request types of the official SDK, 3.57, as data (rule R11).

A test compares the table with the SDK that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, split_object

__all__ = ["ITEM_MEMBERS", "PIECE_MEMBERS", "REJECTED_MEMBERS", "drop_member", "foreign_members"]

_CALL: Final = ("call_id", "caller", "id", "status")
_FUNCTION: Final = ("async", "call_id", "caller", "id", "name", "namespace")

_ITEMS: Final[Mapping[str, tuple[str, ...]]] = {
    "message": ("content", "id", "phase", "role", "status"),
    "file_search_call": ("id", "queries", "results", "status"),
    "computer_call": ("action", "actions", "call_id", "id", "pending_safety_checks", "status"),
    "computer_call_output": ("acknowledged_safety_checks", "call_id", "id", "output", "status"),
    "web_search_call": ("action", "id", "status"),
    "function_call": ("arguments", "status", *_FUNCTION),
    "function_call_output": ("name", "namespace", "output", *_CALL),
    "tool_search_call": ("arguments", "call_id", "execution", "id", "status"),
    "tool_search_output": ("call_id", "execution", "id", "status", "tools"),
    "additional_tools": ("id", "role", "tools"),
    "configuration_update": ("id", "reasoning", "text"),
    "reasoning": ("content", "encrypted_content", "id", "status", "summary"),
    "compaction": ("encrypted_content", "id"),
    "image_generation_call": (
        "action",
        "background",
        "error",
        "id",
        "output_format",
        "quality",
        "result",
        "revised_prompt",
        "size",
        "status",
        "svg_usage",
    ),
    "code_interpreter_call": ("code", "container_id", "id", "outputs", "status"),
    "local_shell_call": ("action", "call_id", "id", "status"),
    "local_shell_call_output": ("call_id", "id", "output", "status"),
    "shell_call": ("action", "environment", *_CALL),
    "shell_call_output": ("max_output_length", "output", *_CALL),
    "apply_patch_call": ("operation", *_CALL),
    "apply_patch_call_output": ("output", *_CALL),
    "mcp_list_tools": ("error", "id", "server_label", "tools"),
    "mcp_approval_request": ("arguments", "id", "name", "server_label"),
    "mcp_approval_response": ("approval_request_id", "approve", "id", "reason"),
    "mcp_call": (
        "approval_request_id",
        "arguments",
        "error",
        "id",
        "name",
        "output",
        "server_label",
        "status",
    ),
    "custom_tool_call_output": ("call_id", "caller", "id", "output"),
    "custom_tool_call": ("input", *_FUNCTION),
    "compaction_trigger": ("id",),
    "item_reference": ("id",),
    "program": ("call_id", "code", "fingerprint", "id"),
    "program_output": ("call_id", "id", "result", "status"),
}

ITEM_MEMBERS: Final = {kind: frozenset((*names, "type")) for kind, names in _ITEMS.items()}
"""By type, ``type`` among them."""

_INPUT: Final = ("prompt_cache_breakpoint", "type")

PIECE_MEMBERS: Final = {
    "input_text": frozenset({"text", *_INPUT}),
    "input_image": frozenset({"detail", "file_id", "image_url", *_INPUT}),
    "input_file": frozenset({"detail", "file_data", "file_id", "file_url", "filename", *_INPUT}),
    "output_text": frozenset({"annotations", "logprobs", "text", "type"}),
    "refusal": frozenset({"refusal", "type"}),
}
"""Of the parts of a content, by type."""

REJECTED_MEMBERS: Final[Mapping[str, frozenset[str]]] = {"reasoning": frozenset({"status"})}
"""Members that the types know and the API rejects: "Unknown parameter: 'input[2].status'"."""


def foreign_members(kind: str, body: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The members of an item that a request must not have, each as the way to it. None of an unknown kind."""
    known = ITEM_MEMBERS.get(kind)
    if known is None:
        return
    rejected = REJECTED_MEMBERS.get(kind)
    if not body.keys() <= known or (rejected and not rejected.isdisjoint(body)):
        for key in body:
            if key not in known or (rejected and key in rejected):
                yield (key,)
    if kind == "web_search_call" and isinstance(action := body.get("action"), ExactJson) and action.is_object:
        for key, text in split_object(action.text).items():
            # "Unknown parameter: 'input[2].action.sources'"; nulls are rejected there as well.
            if key == "sources" or text == "null":
                yield ("action", key)
    for name in ("content", "output"):
        pieces = body.get(name)
        if type(pieces) is list:
            for number, piece in enumerate(pieces):
                allowed = PIECE_MEMBERS.get(piece.get("type"))
                if allowed is not None and not piece.keys() <= allowed:
                    for key in piece:
                        if key not in allowed:
                            yield (name, str(number), key)


def drop_member(body: dict[str, Any], way: tuple[str, ...]) -> None:
    """Take a member out of an item."""
    if len(way) == 3:
        del body[way[0]][int(way[1])][way[2]]
    elif len(way) == 2:
        outer = body[way[0]]
        if isinstance(outer, ExactJson):
            outer = {key: ExactJson.stored(text) for key, text in split_object(outer.text).items()}
            body[way[0]] = outer
        del outer[way[1]]
    else:
        del body[way[0]]
