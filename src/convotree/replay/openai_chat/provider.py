"""Enters Chat Completions into the tables by which requests and messages find it."""

from __future__ import annotations

from convotree.domain.ingestion import register_answer_reader
from convotree.replay.openai_chat.check import check
from convotree.replay.openai_chat.ingest import read_answer, read_request
from convotree.replay.openai_chat.render import render
from convotree.replay.openai_chat.target import NAME
from convotree.replay.providers import Provider, register_provider

__all__ = ["OPENAI_CHAT"]

OPENAI_CHAT = Provider(render=render, check=check, read_request=read_request)

register_provider(NAME, OPENAI_CHAT)
register_answer_reader(NAME, read_answer)
