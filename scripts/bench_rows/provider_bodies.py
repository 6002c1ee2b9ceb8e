"""Ingest, render and check of a body of 2,000 messages (1.6 MB), as ratios to reading and writing the same JSON."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import AsyncIterator, Callable
from typing import Any

from convotree import Request
from scripts.bench_rows.bench import Bench
from scripts.bench_rows.row import Row, Unit
from scripts.bench_rows.timing import time_in_turn

INGEST_AND_RENDER_AIM = 6.0
CHECK_AIM = 3.0
MEMORY_AIM = 6.0
MESSAGES = 2_000
BYTES = 1_600_000
_WORDS = "The quick brown fox jumps over the lazy dog, and nobody knows why it does. " * 40

Text = Callable[[int], str]
"""The text of the message of this number."""


async def measure(bench: Bench) -> AsyncIterator[Row]:
    for provider, (_, model) in BODIES.items():
        text = body_text(provider)
        group = f"{provider}: a body of {MESSAGES:,} messages, {len(text) / 1e6:.1f} MB"
        async for row in _measure_one(group, provider, model, text, bench.sizes.runs):
            yield row


async def _measure_one(group: str, provider: str, model: str, text: str, runs: int) -> AsyncIterator[Row]:
    request = Request.from_provider(provider, text)

    async def load_and_dump() -> None:
        json.dumps(json.loads(text), ensure_ascii=False)

    async def ingest() -> None:
        Request.from_provider(provider, text)

    async def ingest_and_render() -> None:
        read = Request.from_provider(provider, text)
        read.render(provider, model=model, params=read.params).to_json()

    async def check() -> None:
        request.check(provider, model=model)

    taken = await time_in_turn(
        {"json": load_and_dump, "ingest": ingest, "both": ingest_and_render, "check": check}, runs=runs
    )
    yield taken["both"].ratio(
        taken["json"], group, "ingest + render / json.loads + json.dumps", aim=INGEST_AND_RENDER_AIM
    )
    yield taken["ingest"].ratio(taken["json"], group, "ingest alone / json.loads + json.dumps")
    yield taken["check"].ratio(taken["json"], group, "check / json.loads + json.dumps", aim=CHECK_AIM)
    peak = _peak(
        lambda: Request.from_provider(provider, text).render(provider, model=model, params=request.params)
    )
    yield Row(group, "memory of ingest + render / the body", peak / len(text), Unit.RATIO, aim=MEMORY_AIM)


def _peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        kept = work()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
    finally:
        tracemalloc.stop()
    return peak


# ------------------------------------------------------------ bodies: a call and its result in every fourth turn


def _anthropic(count: int, _text: Text) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    while len(messages) < count:
        number = len(messages)
        question: list[dict[str, Any]] = [{"type": "text", "text": _text(number)}]
        messages.append({"role": "user", "content": question})
        thought = {"type": "thinking", "thinking": _text(number), "signature": "c2lnbmF0dXJl" * 8}
        said = {"type": "text", "text": _text(number + 1)}
        if number % 4:
            messages.append({"role": "assistant", "content": [thought, said]})
            continue
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": _arguments(number)}
        messages.append({"role": "assistant", "content": [thought, said, call]})
        found = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": _text(number + 2)}
        messages.append({"role": "user", "content": [found]})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": _text(number + 3)}]})
    messages.append({"role": "user", "content": "And now?"})
    tools = [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}]
    return {
        "model": "claude-opus-4-8",
        "max_tokens": 1024,
        "system": "Be brief.",
        "tools": tools,
        "messages": messages,
    }


def _chat(count: int, _text: Text) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]
    while len(messages) < count:
        number = len(messages)
        messages.append({"role": "user", "content": _text(number) * 2})
        if number % 4:
            messages.append({"role": "assistant", "content": _text(number + 1) * 2})
            continue
        function = {"name": "look", "arguments": json.dumps(_arguments(number))}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": _text(number + 1), "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": _text(number + 2)})
        messages.append({"role": "assistant", "content": _text(number + 3)})
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    return {"model": "gpt-5", "messages": messages, "tools": tools}


def _responses(count: int, _text: Text) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    while len(items) < count:
        number = len(items)
        items.append({"role": "user", "content": [{"type": "input_text", "text": _text(number) * 2}]})
        items.append(
            {
                "type": "reasoning",
                "id": f"rs_{number}",
                "summary": [],
                "encrypted_content": "ZW5jcnlwdGVk" * 30,
            }
        )
        if number % 4:
            said = {"type": "output_text", "text": _text(number + 1) * 2, "annotations": []}
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [said],
                }
            )
            continue
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": "look",
                "arguments": json.dumps(_arguments(number)),
            }
        )
        items.append(
            {"type": "function_call_output", "call_id": f"call_{number}", "output": _text(number + 2) * 2}
        )
    items.append({"role": "user", "content": "And now?"})
    tools = [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}]
    return {"model": "gpt-5.5", "instructions": "Be brief.", "store": False, "tools": tools, "input": items}


def _gemini(count: int, _text: Text) -> dict[str, Any]:
    contents: list[dict[str, Any]] = []
    while len(contents) < count:
        number = len(contents)
        contents.append({"role": "user", "parts": [{"text": _text(number) * 2}]})
        if number % 4:
            said = [
                {"text": _text(number), "thought": True},
                {"text": _text(number + 1), "thoughtSignature": "c2ln"},
            ]
            contents.append({"role": "model", "parts": said})
            continue
        call = {"functionCall": {"id": f"c{number}", "name": "look", "args": _arguments(number)}}
        contents.append({"role": "model", "parts": [{**call, "thoughtSignature": "c2ln"}]})
        found = {"id": f"c{number}", "name": "look", "response": {"output": _text(number + 2)}}
        contents.append({"role": "user", "parts": [{"functionResponse": found}]})
        contents.append({"role": "model", "parts": [{"text": _text(number + 3)}]})
    contents.append({"role": "user", "parts": [{"text": "And now?"}]})
    declared = [{"functionDeclarations": [{"name": "look", "parameters": {"type": "OBJECT"}}]}]
    return {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "tools": declared, "contents": contents}


def _arguments(number: int) -> dict[str, Any]:
    return {"path": f"/notes/{number}.txt", "lines": [number, number + 1], "deep": {"a": [1.5, True, None]}}


BODIES: dict[str, tuple[Callable[[int, Text], dict[str, Any]], str]] = {
    "anthropic": (_anthropic, "claude-opus-4-8"),
    "openai-responses": (_responses, "gpt-5.5"),
    "openai-chat": (_chat, "gpt-5"),
    "gemini": (_gemini, "gemini-3-pro-preview"),
}


def body_text(provider: str, messages: int = MESSAGES, size: int = BYTES) -> str:
    """The body of so many messages, with texts so long that it has about ``size`` bytes."""
    compose, _ = BODIES[provider]

    def composed(length: int) -> str:
        body = compose(messages, lambda number: f"{number}: {_WORDS[: length + number % 5 * 75]}")
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    # The size grows linearly with the length of the texts.
    short, longer = len(composed(0)), len(composed(100))
    return composed(max(0, round((size - short) / (longer - short) * 100)))
