"""Parts that did not come from Anthropic, as its blocks; the rest is tested with the reading of blocks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, InlineTextSource, OpaqueSource
from convotree.domain.parts import (
    AudioPart,
    DocumentPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.errors import UnreplayableError
from convotree.replay.anthropic.blocks import BlockWriter
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Notebook
from convotree.replay.origin import Origin
from convotree.replay.policy import (
    BlankText,
    CacheMarkers,
    RenderPolicy,
    ResponseMembers,
    ToolArguments,
    Unsupported,
)

MARKER = ExactJson('{"type":"ephemeral"}')


def written(
    part: Part, policy: RenderPolicy | None = None, origin: Origin = Origin.FOREIGN
) -> tuple[Any, list[tuple[str, str]]]:
    notebook = Notebook("anthropic", ())
    blocks, places = BlockWriter(policy or RenderPolicy(), notebook).blocks([part], [(0, 0)], origin)
    assert len(blocks) == len(places)
    notes = [(note.place.removeprefix("messages[0].parts[0]"), note.rule) for note in notebook.notes()]
    return (json.loads(write_exact(blocks[0])) if blocks else None), notes


@pytest.mark.parametrize(
    "part",
    [
        AudioPart(Base64Source("audio/wav", "QQ==")),
        ImagePart(FileSource("google", "f")),
        DocumentPart(OpaqueSource("google", ExactJson("{}"))),
        OpaquePart("anthropic", "odd", ExactJson("[]")),
    ],
)
def test_what_has_no_form_is_left_out_or_refused(part: Part) -> None:
    assert written(part) == (None, [("", "X4")])
    with pytest.raises(UnreplayableError):
        written(part, RenderPolicy(unsupported=Unsupported.REFUSE))


def test_citations_of_others_stay_behind() -> None:
    part = TextPart("a", citations=ExactJson("[1]"))
    assert written(part) == ({"type": "text", "text": "a"}, [("", "X5")])
    assert written(part, origin=Origin.OWN) == ({"type": "text", "text": "a", "citations": [1]}, [])


def test_a_refusal_is_text() -> None:
    assert written(RefusalPart("no")) == ({"type": "text", "text": "no"}, [("", "X5")])
    assert written(RefusalPart(" ")) == (None, [("", "A13")])


def test_a_plain_text_document() -> None:
    part = DocumentPart(InlineTextSource("a"), "t")
    assert written(part)[0] == {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "a"},
        "title": "t",
    }


class TestArguments:
    """Guards against arguments that are no object, which other providers' models produce when cut off."""

    PART = ToolCallPart("c", "f", ExactJson('"{\\"a\\": 1"'))

    def test_they_are_wrapped_refused_or_sent(self) -> None:
        block, notes = written(self.PART)
        assert (block["input"], notes) == ({"value": '{"a": 1'}, [(".arguments", "A24")])
        with pytest.raises(UnreplayableError):
            written(self.PART, RenderPolicy(tool_arguments=ToolArguments.REFUSE))
        as_stored = RenderPolicy(tool_arguments=ToolArguments.AS_STORED)
        assert written(self.PART, as_stored, Origin.OWN)[0]["input"] == '{"a": 1'
        assert written(self.PART, as_stored)[0]["input"] == {"value": '{"a": 1'}


class TestResults:
    """Guards against content inside a result that only another provider takes."""

    def test_blank_text_inside_is_left_out_at_its_place(self) -> None:
        block, notes = written(ToolResultPart("c", (TextPart("a"), TextPart(" "))))
        assert (block["content"], notes) == ([{"type": "text", "text": "a"}], [(".content[1]", "A13")])

    def test_nothing_left_is_no_content(self) -> None:
        part = ToolResultPart(
            "c", (TextPart(""), OpaquePart("google", "o", ExactJson("{}")), ReasoningPart("r"))
        )
        block, notes = written(part)
        assert block == {"type": "tool_result", "tool_use_id": "c"}
        assert notes == [(".content[0]", "A13"), (".content[1]", "X4"), (".content[2]", "X4")]

    def test_an_empty_string_stays(self) -> None:
        assert written(ToolResultPart("c", (TextPart(""),), as_string=True)) == (
            {"type": "tool_result", "tool_use_id": "c", "content": ""},
            [],
        )

    def test_a_place_inside_ends_with_the_result(self) -> None:
        notebook = Notebook("anthropic", ())
        parts: list[Part] = [ToolResultPart("c", (TextPart(""),)), TextPart("")]
        BlockWriter(RenderPolicy(), notebook).blocks(parts, [(0, 0), (0, 1)], Origin.OWN)
        assert [note.place for note in notebook.notes()] == [
            "messages[0].parts[0].content[0]",
            "messages[0].parts[1]",
        ]


def test_blank_text_by_each_policy() -> None:
    assert written(TextPart(" ")) == (None, [("", "A13")])
    assert written(TextPart(" "), RenderPolicy(blank_text=BlankText.AS_STORED))[0]["text"] == " "
    with pytest.raises(UnreplayableError):
        written(TextPart(" "), RenderPolicy(blank_text=BlankText.REFUSE))


def test_what_only_answers_have_is_left_out() -> None:
    part = TextPart("a", provider_data=ExactJson('{"anthropic":{"parsed_output":null,"odd":1}}'))
    assert written(part) == ({"type": "text", "text": "a", "odd": 1}, [("", "A24")])
    kept = RenderPolicy(response_members=ResponseMembers.AS_STORED)
    assert written(part, kept)[0] == {"type": "text", "text": "a", "parsed_output": None, "odd": 1}


def test_data_of_other_providers_stay_behind() -> None:
    part = TextPart("a", provider_data=ExactJson('{"openai-chat":{"odd":1}}'))
    assert written(part) == ({"type": "text", "text": "a"}, [])


def test_thinking_takes_no_marker() -> None:
    part = ReasoningPart("t", signature="s", cache_marker=MARKER)
    bare = {"type": "thinking", "thinking": "t", "signature": "s"}
    assert written(part) == (bare, [("", "A23")])
    kept = RenderPolicy(cache_markers=CacheMarkers.AS_STORED)
    assert written(part, kept)[0] == {**bare, "cache_control": {"type": "ephemeral"}}
