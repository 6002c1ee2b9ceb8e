"""Enters Anthropic into the tables by which requests and messages find it."""

from __future__ import annotations

from convotree.domain.ingestion import register_answer_reader
from convotree.replay.anthropic.check import check
from convotree.replay.anthropic.ingest import read_answer, read_request
from convotree.replay.anthropic.render import render
from convotree.replay.anthropic.target import NAME
from convotree.replay.providers import Provider, register_provider

__all__ = ["ANTHROPIC"]

ANTHROPIC = Provider(render=render, check=check, read_request=read_request)

register_provider(NAME, ANTHROPIC)
register_answer_reader(NAME, read_answer)
