"""Citations of an answer: what of them belongs to answers only (rule A24)."""

from __future__ import annotations

from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.exact_text import exact_leaf

__all__ = ["holds_answer_members", "without_answer_members"]

# The official SDK's types of answers have it, those of requests do not: 2.14.0.
_FILE: Final = "file_id"
_WITH_FILE: Final = frozenset({"char_location", "page_location", "content_block_location"})


def holds_answer_members(citations: ExactJson) -> bool:
    """Whether one of ``citations`` has a member that requests may not have."""
    return _FILE in citations.text and any(map(_has_file, _listed(citations)))


def without_answer_members(citations: ExactJson) -> ExactJson:
    """``citations`` without such members, otherwise exact."""
    kept = [
        {name: value for name, value in one.items() if name != _FILE} if _has_file(one) else one
        for one in _listed(citations)
    ]
    return exact_leaf(kept, place="citations")


def _listed(citations: ExactJson) -> list[Any]:
    value = parse_value(citations.text)
    return value if type(value) is list else []


def _has_file(citation: Any) -> bool:
    return type(citation) is dict and _FILE in citation and citation.get("type") in _WITH_FILE
