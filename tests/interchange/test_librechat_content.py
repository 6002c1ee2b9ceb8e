"""The parts of LibreChat messages, and where a record is cut into several."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import FileSource, UrlSource
from convotree.domain.message import Role
from convotree.domain.parts import (
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.interchange.json_span import scan_json
from convotree.interchange.librechat_content import images_of, read_pieces
from convotree.interchange.problems import Problems
from tests.interchange.forms import text_of


def read(*elements: Any, problems: Problems | None = None) -> list[tuple[Role, list[Part]]]:
    pieces = read_pieces(
        scan_json(text_of(list(elements))),
        Role.ASSISTANT,
        record_id="r",
        place="content",
        problems=problems or Problems("f"),
    )
    return [(piece.role, piece.parts) for piece in pieces]


def call(call_id: str | None, output: Any = None, **members: Any) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "tool_call": {"id": call_id, "name": "add", "args": "{}", "output": output, **members},
    }


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("element", "part"),
    [
        (said("x"), TextPart("x")),
        ({"type": "think", "think": "hm"}, ReasoningPart("hm")),
        (
            {"type": "text", "text": "x", "n": 1.5},
            TextPart("x", provider_data=ExactJson('{"librechat":{"n":1.5}}')),
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.org/x.png", "detail": "auto"}},
            ImagePart(
                UrlSource("https://example.org/x.png"),
                provider_data=ExactJson('{"librechat":{"type":"image_url","image_url":{"detail":"auto"}}}'),
            ),
        ),
        (
            {"type": "text", "text": {"value": "x"}},
            OpaquePart("librechat", "text", ExactJson('{"type":"text","text":{"value":"x"}}')),
        ),
        (
            {"type": "error", "error": "E"},
            OpaquePart("librechat", "error", ExactJson('{"type":"error","error":"E"}')),
        ),
        ({"type": "tool_call"}, OpaquePart("librechat", "tool_call", ExactJson('{"type":"tool_call"}'))),
        (None, OpaquePart("librechat", "null", ExactJson("null"))),
    ],
)
def test_parts(element: Any, part: Part) -> None:
    assert read(element) == [(Role.ASSISTANT, [part])]


def test_calls_are_cut_from_their_results_and_from_what_follows() -> None:
    pieces = read(said("a"), call("1", "one"), call("2", "two"), said("b"), call("3", "three"), said("c"))

    assert [(role, [type(part) for part in parts]) for role, parts in pieces] == [
        (Role.ASSISTANT, [TextPart, ToolCallPart, ToolCallPart]),
        (Role.TOOL, [ToolResultPart, ToolResultPart]),
        (Role.ASSISTANT, [TextPart, ToolCallPart]),
        (Role.TOOL, [ToolResultPart]),
        (Role.ASSISTANT, [TextPart]),
    ]
    assert pieces[1][1] == [
        ToolResultPart("1", (TextPart("one"),), name="add", as_string=True),
        ToolResultPart("2", (TextPart("two"),), name="add", as_string=True),
    ]


def test_a_record_may_end_with_a_result_or_without_one() -> None:
    assert [role for role, _ in read(call("1", "one"))] == [Role.ASSISTANT, Role.TOOL]
    assert [role for role, _ in read(call("1"), said("x"))] == [Role.ASSISTANT]
    assert read() == [(Role.ASSISTANT, [])]


@pytest.mark.parametrize(
    ("args", "arguments", "kept"),
    [
        ('{"a":1.10}', '{"a":1.10}', '{"a":1.10}'),
        ({"a": 1.5, "$b": None}, '{"a":1.5,"$b":null}', None),
        ("", "{}", ""),
        (None, "{}", None),
        ("not json", '{"input":"not json"}', None),
        ('{"a": broken', '{"input":"{\\"a\\": broken"}', None),
        ([1], '{"input":[1]}', None),
    ],
)
def test_arguments(args: Any, arguments: str, kept: Any) -> None:
    ((_, (part,)),) = read(call("1", args=args))

    assert isinstance(part, ToolCallPart)
    assert part.arguments == ExactJson(arguments)
    assert part.provider_data is not None
    assert part.provider_data.value["librechat"]["tool_call"].get("args") == kept


def test_output_that_is_no_text_is_kept_whole() -> None:
    pieces = read(call("1", [{"type": "text"}]))

    assert pieces[1][1] == [
        ToolResultPart("1", (OpaquePart("librechat", "output", ExactJson('[{"type":"text"}]')),), name="add")
    ]


def test_calls_without_an_id_get_one_each_and_the_same_each_time() -> None:
    pieces = read(call(None, "one"), call("", "two"))

    ids = [part.tool_call_id for part in pieces[0][1] if isinstance(part, ToolCallPart)]
    assert len(set(ids)) == 2
    assert [part.tool_call_id for part in pieces[1][1] if isinstance(part, ToolResultPart)] == ids
    assert read(call(None, "one"), call("", "two")) == pieces


def test_a_call_without_a_name_is_kept_whole_and_reported() -> None:
    problems = Problems("f")

    ((_, (part,)),) = read({"type": "tool_call", "tool_call": {"id": "1", "output": "x"}}, problems=problems)

    assert isinstance(part, OpaquePart)
    assert [problem.place for problem in problems.found()] == ["content[0]"]


def test_images_among_files() -> None:
    files = [
        {"file_id": "f1", "type": "image/png"},
        {"file_id": "f2", "type": "text/csv"},
        {"type": "image/png"},
        1,
    ]

    assert images_of(scan_json(text_of(files))) == [ImagePart(FileSource("librechat", "f1", "image/png"))]
    assert images_of(None) == images_of(scan_json("null")) == []
