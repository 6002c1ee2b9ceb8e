"""The library's own JSON form of a request: everything comes back, nothing unknown slips in."""

import json
from typing import Any

import pytest

from convotree.domain.exact_json import MAX_NESTING, ExactJson
from convotree.domain.media import Base64Source, UrlSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import (
    MAX_RESULT_NESTING,
    DocumentPart,
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.domain.prompt import Tool
from convotree.errors import InvalidJsonError, InvalidMessageError, SchemaTooNewError
from convotree.replay import Note, Request

_ARGUMENTS = '{"n":1.10,"big":1e400,"z":-0,"id":2512292042121000001,"$where":null,"a.b":"\\u0000"}'


def full_request() -> Request:
    return Request(
        system=(
            TextPart("Be brief.", cache_marker=ExactJson.parse('{"type":"ephemeral"}')),
            TextPart("Always."),
        ),
        tools=(Tool("add", "adds", ExactJson.parse('{"type":"object","x":1.50}')), Tool("bare")),
        messages=(
            Message.user("What is 2 + 2?"),
            Message(
                Role.ASSISTANT,
                (
                    ReasoningPart("hm", signature="c2ln"),
                    ToolCallPart("c1", "add", ExactJson.parse(_ARGUMENTS)),
                ),
                Provenance("anthropic", "messages", "claude-sonnet-4-5"),
                provider_data=ExactJson.parse('{"anthropic":{"odd":1.0}}'),
            ),
            Message(Role.TOOL, (ToolResultPart("c1", (TextPart("4"),), is_error=False, as_string=True),)),
            Message.developer("Answer in French."),
            Message(
                Role.USER,
                (ImagePart(UrlSource("https://x/y.png")), DocumentPart(Base64Source("a/b", "QQ=="))),
            ),
            Message(Role.ASSISTANT, ()),
        ),
        revision_ids=("r1", "r2", "r3", "r4", "r5", "r6"),
        notes=(Note("messages[1]", "X1", "because", "r2"), Note("system", "X2", "why")),
        params=ExactJson.parse('{"temperature":1.0}'),
    )


class TestRoundTrip:
    """Guards against a field that is written and not read, or the reverse."""

    def test_all_fields_come_back(self) -> None:
        request = full_request()
        back = Request.from_json(request.to_json())
        assert back == request
        assert (back.revision_ids, back.notes, back.params) == (
            request.revision_ids,
            request.notes,
            request.params,
        )
        assert back.to_json() == request.to_json()

    def test_numbers_keep_their_spelling(self) -> None:
        assert _ARGUMENTS in full_request().to_json().decode()

    def test_the_deepest_json_comes_back(self) -> None:
        part: Part = ToolCallPart("c1", "f", ExactJson.parse("[" * MAX_NESTING + "]" * MAX_NESTING))
        for _ in range(MAX_RESULT_NESTING):
            part = ToolResultPart("c1", (part,))
        request = Request(messages=(Message(Role.TOOL, (part,)),))
        assert Request.from_json(request.to_json()) == request

    def test_an_empty_request(self) -> None:
        assert Request().to_json() == b'{"schema":1,"messages":[]}'
        assert Request.from_json('{ "schema": 1, "messages": [] }') == Request()

    def test_system_text_and_system_parts_stay_apart(self) -> None:
        text, parts = Request(system="a"), Request(system=(TextPart("a"),))
        assert text != parts
        assert Request.from_json(text.to_json()) == text
        assert Request.from_json(parts.to_json()) == parts

    def test_the_text_is_json(self) -> None:
        assert json.loads(full_request().to_json())["schema"] == 1


def _changed(path: list[Any], value: object) -> str:
    document = json.loads(
        '{"schema":1,"system":"s","tools":[{"name":"t"}],"messages":[{"role":"user","parts":[]}],"params":{},'
        '"revision_ids":["r"],"notes":[{"place":"p","rule":"r","reason":"because"}]}'
    )
    spot = document
    for step in path[:-1]:
        spot = spot[step]
    if value is ...:
        del spot[path[-1]]
    else:
        spot[path[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (["extra"], 1, "request.extra"),
        (["schema"], ..., "request.schema"),
        (["schema"], "1", "request.schema"),
        (["schema"], True, "request.schema"),
        (["schema"], 0, "request.schema"),
        (["messages"], ..., "request.messages"),
        (["messages", 0, "extra"], 1, "messages[0].extra"),
        (["messages", 0, "role"], ..., "messages[0].role"),
        (["messages", 0, "role"], "system", "messages[0].role"),
        (["messages", 0, "role"], ["user"], "messages[0].role"),
        (["messages", 0, "parts"], ..., "messages[0].parts"),
        (["messages", 0, "parts"], [{"type": "no"}], "messages[0].parts[0].type"),
        (["messages", 0, "as_string"], 1, "messages[0].as_string"),
        (["messages", 0, "provenance"], {"vendor": "x"}, "messages[0].provenance.vendor"),
        (["messages", 0, "provenance"], {"model": 1}, "messages[0].provenance.model"),
        (["messages", 0, "provider_data"], [], "messages[0].provider_data"),
        (["tools", 0, "extra"], 1, "tools[0].extra"),
        (["tools", 0, "name"], ..., "tools[0].name"),
        (["params"], [], "params"),
        (["revision_ids"], ["r", "s"], "revision_ids"),
        (["revision_ids"], [1], "revision_ids"),
        (["revision_ids"], "r", "revision_ids"),
        (["notes", 0, "extra"], "x", "notes[0].extra"),
        (["notes", 0, "rule"], ..., "notes[0].rule"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(path: list[Any], value: object, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_json(_changed(path, value))
    assert caught.value.place == place


def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(SchemaTooNewError) as caught:
        Request.from_json(_changed(["schema"], 2))
    assert (caught.value.found, caught.value.supported) == (2, 1)


@pytest.mark.parametrize(
    "source", ["", "[]", "{", b"\xff", '{"schema":1,"messages":{}}', '{"schema":1,"messages":[1]}']
)
def test_what_is_no_such_json_is_refused(source: str | bytes) -> None:
    with pytest.raises(InvalidJsonError):
        Request.from_json(source)
