"""Enters the Responses API into the tables by which requests and messages find it.

What it takes to render, check and read is imported when it is first asked for: a program does not wait at its start
for providers that it may never use.
"""

from __future__ import annotations

from convotree.domain.generation import GenerationRecord
from convotree.domain.ingestion import AnswerStream, register_answer_reader
from convotree.domain.message import Message
from convotree.replay.openai_responses.target import NAME
from convotree.replay.providers import Provider, register_provider

__all__: list[str] = []


def _load() -> Provider:
    from convotree.replay.openai_responses.check import check
    from convotree.replay.openai_responses.handles import read_handles
    from convotree.replay.openai_responses.ingest import read_request
    from convotree.replay.openai_responses.render import render

    return Provider(render=render, check=check, read_request=read_request, read_handles=read_handles)


def _read_answer(answer: object, *, model: str | None) -> Message:
    from convotree.replay.openai_responses.ingest import read_answer

    return read_answer(answer, model=model)


def _read_generation(answer: object, *, model: str | None) -> GenerationRecord:
    from convotree.replay.openai_responses.ingest import read_generation

    return read_generation(answer, model=model)


def _stream() -> AnswerStream:
    from convotree.replay.openai_responses.streaming import Stream

    return Stream()


register_provider(NAME, _load)
register_answer_reader(NAME, message=_read_answer, generation=_read_generation, stream=_stream)
