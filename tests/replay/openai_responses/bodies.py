"""Bodies of the Responses API composed for its tests."""

from __future__ import annotations

import copy
from typing import Any

from tests.replay.samples import PNG

Body = dict[str, Any]

MODEL = "gpt-5"

_TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "name": "add",
        "description": "adds",
        "parameters": {"type": "object", "properties": {"b": {}, "a": {}}},
        "strict": True,
    },
    {
        "type": "function",
        "name": "later",
        "description": "is loaded later",
        "parameters": {"type": "object"},
        "strict": False,
        "defer_loading": True,
    },
    {"type": "custom", "name": "query", "description": "SQL"},
    {"type": "web_search", "search_context_size": "medium"},
]

_BODY: Body = {
    "model": MODEL,
    "instructions": "Be brief.",
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "tools": _TOOLS,
    "input": [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is 2 + 2?"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "high"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,QUFB"},
                {"type": "input_file", "file_id": "file-1"},
            ],
        },
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "think"}],
            "encrypted_content": "gAAA1",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "phase": "commentary",
            "content": [
                {"type": "output_text", "text": "I add.", "annotations": [], "logprobs": []},
                {"type": "output_text", "text": "And query.", "annotations": []},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "add",
            "arguments": '{"a": 2.50, "b":1e2}',
            "status": "completed",
        },
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "call_2",
            "name": "query",
            "input": "SELECT 1\nFROM t",
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "4"},
        {
            "type": "custom_tool_call_output",
            "call_id": "call_2",
            "output": [{"type": "input_text", "text": "1"}],
        },
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA2"},
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "q"},
        },
        {"type": "reasoning", "id": "rs_3", "summary": [], "encrypted_content": "gAAA3"},
        {
            "type": "message",
            "id": "msg_2",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": "Found.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "start_index": 0,
                            "end_index": 5,
                            "title": "X",
                            "url": "https://x",
                        }
                    ],
                }
            ],
        },
        {"role": "developer", "content": "Answer in French from now on."},
        {"role": "user", "content": "Thanks."},
    ],
}

REST: list[dict[str, Any]] = [
    {"role": "system", "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
    {"role": "assistant", "content": "easy"},
    {"role": "assistant", "content": "easy too", "phase": "final_answer"},
    {
        "type": "message",
        "id": "msg_3",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "refusal", "refusal": "no"}],
    },
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": None},
    {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "call_3",
        "status": "completed",
        "action": {"type": "click", "button": "left", "x": 1, "y": 2},
        "pending_safety_checks": [{"id": "s", "code": "c", "message": "m"}],
    },
    {
        "type": "computer_call_output",
        "call_id": "call_3",
        "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"},
        "acknowledged_safety_checks": [{"id": "s"}],
    },
    {
        "type": "computer_call",
        "id": "cu_2",
        "call_id": "call_3b",
        "status": "completed",
        "actions": [{"type": "wait"}],
        "pending_safety_checks": [],
    },
    {
        "type": "computer_call_output",
        "call_id": "call_3b",
        "output": {"type": "computer_screenshot", "file_id": "file-2"},
    },
    {
        "type": "tool_search_call",
        "call_id": "call_4",
        "execution": "client",
        "status": "completed",
        "arguments": {"queries": ["x"]},
    },
    {
        "type": "tool_search_output",
        "call_id": "call_4",
        "execution": "client",
        "status": "completed",
        "tools": [_TOOLS[1]],
    },
    {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": None,
        "execution": "server",
        "status": "completed",
        "arguments": {"queries": ["y"]},
    },
    {
        "type": "tool_search_output",
        "id": "tso_1",
        "call_id": None,
        "execution": "server",
        "status": "completed",
        "tools": [],
    },
    {
        "type": "function_call",
        "call_id": "call_5",
        "name": "later",
        "namespace": "later",
        "arguments": "{}",
    },
    {"type": "function_call_output", "call_id": "call_5", "output": [], "status": "completed"},
    {"type": "additional_tools", "role": "developer", "tools": [_TOOLS[0]]},
    {"type": "configuration_update", "reasoning": {"effort": "low"}},
    {
        "type": "image_generation_call",
        "id": "ig_1",
        "status": "completed",
        "result": PNG,
        "revised_prompt": "a cat",
    },
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "code": "1 + 1",
        "container_id": "cntr_1",
        "outputs": None,
    },
    {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "call_6",
        "status": "completed",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
    },
    {"type": "local_shell_call_output", "id": "call_6", "output": "a\n", "status": "completed"},
    {
        "type": "shell_call",
        "call_id": "call_7",
        "action": {"commands": ["ls"], "timeout_ms": 5},
        "environment": {"type": "local"},
    },
    {
        "type": "shell_call_output",
        "call_id": "call_7",
        "output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        "max_output_length": 9,
    },
    {
        "type": "shell_call",
        "id": "sh_1",
        "call_id": "call_8",
        "action": {"commands": ["ls"]},
        "environment": {"type": "container_reference", "container_id": "cntr_1"},
    },
    {
        "type": "shell_call_output",
        "call_id": "call_8",
        "output": [{"stdout": "b", "stderr": "", "outcome": {"type": "timeout"}}],
    },
    {
        "type": "apply_patch_call",
        "call_id": "call_9",
        "status": "completed",
        "operation": {"type": "delete_file", "path": "a"},
    },
    {"type": "apply_patch_call_output", "call_id": "call_9", "status": "completed"},
    {
        "type": "apply_patch_call",
        "call_id": "call_9b",
        "status": "completed",
        "operation": {"type": "delete_file", "path": "b"},
    },
    {"type": "apply_patch_call_output", "call_id": "call_9b", "status": "failed", "output": "no b"},
    {
        "type": "mcp_list_tools",
        "id": "mcpl_1",
        "server_label": "s",
        "tools": [{"name": "ask", "input_schema": {}}],
    },
    {
        "type": "mcp_approval_request",
        "id": "mcpr_1",
        "name": "ask",
        "server_label": "s",
        "arguments": '{ "q": 1 }',
    },
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True, "reason": "why not"},
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "name": "ask",
        "server_label": "s",
        "arguments": '{"q":1}',
        "output": "yes",
        "approval_request_id": "mcpr_1",
        "error": None,
    },
    {"type": "program", "id": "prog_1", "call_id": "call_10", "code": "f()", "fingerprint": "RnA="},
    {
        "type": "program_output",
        "id": "progo_1",
        "call_id": "call_10",
        "result": "1",
        "status": "completed",
    },
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA4"},
    {"type": "item_reference", "id": "msg_9"},
    {"id": "msg_10"},
    {"type": "compaction_trigger"},
]
"""One at least of every kind that ``responses_body`` does not have, each legal where it stands."""


def responses_body() -> Body:
    """A conversation with reasoning, calls of both kinds, a search and instructions in the middle."""
    return copy.deepcopy(_BODY)


def every_kind() -> Body:
    """A body with items of every kind."""
    body = responses_body()
    body["store"] = True
    body["input"].extend(copy.deepcopy(REST))
    return body
