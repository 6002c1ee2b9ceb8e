"""Bodies and streams spoilt at random: a typed error or a request that the target accepts, never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from convotree.errors import ConvotreeError, UnreplayableError
from convotree.replay import Request, Severity, StreamedAnswer
from tests.replay.anthropic.test_streaming import cut as cut_anthropic
from tests.replay.gemini.sample import gemini_body
from tests.replay.gemini.test_streaming import cut as cut_gemini
from tests.replay.mutations import spoilt
from tests.replay.openai_chat.test_streaming import cut as cut_chat
from tests.replay.openai_responses.bodies import every_kind, responses_body
from tests.replay.openai_responses.test_streaming import events_of as cut_responses
from tests.replay.samples import MODELS, anthropic_body, chat_body

BODIES: dict[str, Callable[[], dict[str, Any]]] = {
    "anthropic": anthropic_body,
    "gemini": gemini_body,
    "openai-chat": chat_body,
    "openai-responses": responses_body,
}
# What is said in a conversation is spoilt more often than the settings beside it.
# Of the Responses API a second one: it has the most kinds of items.
ALL_KINDS = {"openai-responses": every_kind}
SAID = {"anthropic": "messages", "gemini": "contents", "openai-chat": "messages", "openai-responses": "input"}
UNKNOWN_MEMBER = "has no member"
"""Sent on purpose: a newer release of the API may know it (docs/replay.md)."""


@pytest.mark.parametrize("provider", BODIES)
def test_a_spoilt_body_is_refused_or_mended(provider: str) -> None:
    taken = 0
    for seed in range(250):
        random = Random(f"{provider} {seed}")
        body = (ALL_KINDS if seed % 2 and provider in ALL_KINDS else BODIES)[provider]()
        if random.random() < 0.85:
            body[SAID[provider]] = spoilt(body[SAID[provider]], random, random.choice((1, 1, 2, 3)))
        else:
            body = spoilt(body, random, 1)
        try:
            request = Request.from_provider(provider, json.dumps(body))
        except ConvotreeError:
            continue
        taken += 1
        for target, model in MODELS.items():
            request.check(target, model=model)
            try:
                made = request.render(target, model=model)
            except UnreplayableError:
                continue
            again = Request.from_provider(target, made.to_json())
            found = [one for one in again.check(target, model=model) if one.severity is Severity.ERROR]
            assert [one for one in found if UNKNOWN_MEMBER not in one.message] == [], (seed, target)
            assert request.render(target, model=model).to_json() == made.to_json()
    assert taken > 50


CUT: dict[str, tuple[str, Callable[[dict[str, Any]], list[dict[str, Any]]]]] = {
    "anthropic": ("anthropic", lambda answer: cut_anthropic(answer, 9)),
    "gemini": ("google", lambda answer: cut_gemini(answer, 9)),
    "openai-chat": ("openai_chat", lambda answer: cut_chat(answer, 9)),
    "openai-responses": ("openai_responses", cut_responses),
}


@pytest.mark.parametrize("provider", CUT)
def test_a_spoilt_stream_is_refused_event_by_event(provider: str, cases: Path) -> None:
    files, cut = CUT[provider]
    answers = [
        json.loads(file.read_text(encoding="utf-8"))["response"]
        for file in sorted((cases / "provider-exchanges").glob(f"{files}_*.json"))
    ]
    assert answers
    for seed in range(120):
        random = Random(f"{provider} {seed}")
        events = cut(random.choice(answers))[:60]
        events = [spoilt(one, random, 1) if random.random() < 0.2 else one for one in events]
        random.shuffle(events[random.randrange(len(events)) :])
        stream = StreamedAnswer(provider)
        for event in events:
            with suppress(ConvotreeError):
                stream.add(json.dumps(event))
        for ask in (stream.answer, stream.message, stream.generation):
            with suppress(ConvotreeError):
                ask()
