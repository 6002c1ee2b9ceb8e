"""What of citations belongs to answers only; the rest goes back as it came."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.message import Message
from convotree.replay import RenderPolicy, Request, ResponseMembers

CHARS = (
    '{"type":"char_location","cited_text":"c","document_index":0,"document_title":null,"start_char_index":1,'
    '"end_char_index":2,"score":1.10'
)
WEB = '{"type":"web_search_result_location","cited_text":"c","encrypted_index":"RW5j","title":"X","url":"u"}'
OWN_FILE = '{"type":"moon_location","file_id":"f"}'


def sent(citations: str, policy: RenderPolicy | None = None) -> tuple[str, list[tuple[str, str]]]:
    answer = f'{{"content":[{{"type":"text","text":"So.","citations":{citations}}}]}}'
    path = (Message.user("go"), Message.from_provider("anthropic", answer), Message.user("on"))
    made = Request(messages=path).render("anthropic", model="claude-opus-4-8", policy=policy)
    return made.to_json().decode(), [(one.rule, one.place) for one in made.notes]


@pytest.mark.parametrize("value", ["null", '"file_1"'])
def test_the_file_of_a_citation_is_left_out(value: str) -> None:
    body, notes = sent(f'[{WEB},{CHARS},"file_id":{value}}},{OWN_FILE}]')
    assert f'"citations":[{WEB},{CHARS}}},{OWN_FILE}]}}' in body
    assert notes == [("A24", "messages[1].parts[0].citations")]


def test_it_stays_by_choice() -> None:
    given = f'[{CHARS},"file_id":null}}]'
    body, notes = sent(given, RenderPolicy(response_members=ResponseMembers.AS_STORED))
    assert f'"citations":{given}}}' in body
    assert notes == []


@pytest.mark.parametrize(
    "citations", ["null", "[]", f"[{WEB}]", f"[{CHARS}}}]", f"[{OWN_FILE}]", '"file_id"']
)
def test_all_else_comes_back_as_it_was(citations: str) -> None:
    answer: dict[str, Any] = {"type": "text", "text": "So.", "citations": json.loads(citations)}
    body = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [answer]},
            {"role": "user", "content": "on"},
        ]
    }
    made = Request.from_provider("anthropic", body).render("anthropic", model="claude-opus-4-8")
    assert made.body["messages"] == body["messages"]
    assert made.notes == ()
