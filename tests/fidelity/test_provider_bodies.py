"""Recorded bodies and exchanges through a real store: what was accepted once is sent again as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convotree import (
    Check,
    CompactionChoice,
    ConversationStore,
    GenerationRecord,
    Message,
    Request,
    Severity,
    ToolResultPart,
)
from convotree.domain.exact_json import parse_value

PROVIDERS = {
    "anthropic": "anthropic",
    "openai_chat": "openai-chat",
    "openai_responses": "openai-responses",
    "google": "gemini",
}
# A recorded 400: it must be found, not repeated.
REJECTED = "openai_responses_10.json"
CASES = ["anthropic", "openai_chat", "openai_responses", "google"]


def provider_of(file: Path) -> str:
    return PROVIDERS[file.stem.rpartition("_")[0]]


def model_of(request: Request, file: Path) -> str:
    asked = None if request.params is None else request.params.value
    model = asked.get("model") if isinstance(asked, dict) else None
    # Gemini's bodies do not name it.
    return model if isinstance(model, str) else "gemini-3-flash-preview"


def read(file: Path, body: str) -> Request:
    provider = provider_of(file)
    return Request.from_provider(
        provider, body, model=None if provider != "gemini" else "gemini-3-flash-preview"
    )


def tree(text: str | bytes) -> Any:
    """As JSON values: numbers keep their spelling, keys of objects their order apart."""
    return parse_value(text if isinstance(text, str) else text.decode())


async def stored(store: ConversationStore, request: Request) -> Request:
    conversation = await store.create(system=request.system, tools=request.tools)
    await store.extend(conversation.id, request.messages, check=Check.RECORD)
    assert await store.verify(conversation.id) == []
    return await store.replay(conversation.id)


@pytest.mark.parametrize("prefix", CASES)
async def test_recorded_bodies_come_back_from_the_store_as_they_were(
    store: ConversationStore, cases: Path, prefix: str
) -> None:
    files = [
        one for one in sorted((cases / "provider-requests").glob(f"{prefix}_*.json")) if one.name != REJECTED
    ]
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        request = read(file, text)
        replayed = await stored(store, request)
        assert replayed == request, file.name
        made = replayed.render(provider_of(file), model=model_of(request, file), params=request.params)
        assert tree(made.to_json()) == tree(text), file.name
        assert made.notes == (), file.name
        found = replayed.check(provider_of(file), model=model_of(request, file))
        assert [one for one in found if one.severity is Severity.ERROR] == [], file.name


async def test_the_recorded_rejection_is_found(store: ConversationStore, cases: Path) -> None:
    file = cases / "provider-requests" / REJECTED
    request = await stored(store, read(file, file.read_text(encoding="utf-8")))
    found = request.check("openai-responses", model="gpt-5")
    assert [one.rule for one in found if one.severity is Severity.ERROR] == ["R1"]


@pytest.mark.parametrize("prefix", CASES)
async def test_recorded_exchanges_go_on_as_they_did(
    store: ConversationStore, cases: Path, prefix: str
) -> None:
    """The history is stored, the answer below it, then what came next, and all of it is replayed."""
    files = sorted((cases / "provider-exchanges").glob(f"{prefix}_*.json"))
    assert files
    for file in files:
        exchange = json.loads(file.read_text(encoding="utf-8"))
        provider = provider_of(file)
        asked = read(file, json.dumps(exchange["request"]))
        following = read(file, json.dumps(exchange["next_request"]))
        model = model_of(asked, file)
        response = json.dumps(exchange["response"])
        answer = Message.from_provider(provider, response, model=model)
        record = GenerationRecord.from_provider(provider, response, model=model)
        conversation = await store.create(system=asked.system, tools=asked.tools)
        await store.extend(conversation.id, asked.messages, check=Check.RECORD)
        revision = await store.append(conversation.id, answer, generation=record, check=Check.RECORD)
        added = _with_ids_of(answer, following.messages[_after_answer(asked, following) :])
        await store.extend(conversation.id, added, check=Check.RECORD)
        assert (await store.path(conversation.id, leaf_id=revision.id, last=1))[0].message == answer

        # One answer holds a summary; the client sent what is above it all the same.
        request = await store.replay(conversation.id, compaction=CompactionChoice.NONE)
        assert request.messages == (*asked.messages, answer, *added), file.name
        found = request.check(provider, model=model)
        assert [one for one in found if one.severity is Severity.ERROR] == [], file.name
        made = request.render(provider, model=model, params=following.params)
        assert not [one for one in made.notes if one.rule not in ("X5", "A24", "R11")], (
            file.name,
            made.notes,
        )


def _with_ids_of(answer: Message, added: tuple[Message, ...]) -> tuple[Message, ...]:
    """``added``, with the ids of the calls it answers, in order: a client of Gemini minted ids of its own."""
    minted = [part.tool_call_id for message in added for part in message.tool_results]
    ids = dict(zip(minted, (one.tool_call_id for one in answer.tool_calls), strict=False))
    return tuple(
        replace(
            message,
            parts=tuple(
                replace(part, tool_call_id=ids.get(part.tool_call_id, part.tool_call_id))
                if isinstance(part, ToolResultPart)
                else part
                for part in message.parts
            ),
        )
        for message in added
    )


def _after_answer(asked: Request, following: Request) -> int:
    """Where what was added begins: behind the history and the answer as the client sent it back."""
    index = len(asked.messages)
    while index < len(following.messages) and following.messages[index].role.value == "assistant":
        index += 1
    return index
