"""Random parts of every kind, tool results within tool results among them."""

from typing import Any

from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
    OpaqueSource,
    UrlSource,
)
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from tests.domain.json_values import layouts, objects, texts

exact = st.one_of(layouts(depth=2).map(lambda layout: ExactJson.parse(layout[0])))
exact_objects = objects.map(ExactJson.of)
_optional_text = st.none() | texts
_common: dict[str, st.SearchStrategy[Any]] = {
    "provider_data": st.none() | exact_objects,
    "cache_marker": st.none() | exact,
}

sources: st.SearchStrategy[MediaSource] = st.one_of(
    st.builds(UrlSource, texts, _optional_text),
    st.builds(Base64Source, texts, texts),
    st.builds(FileSource, texts, texts, _optional_text),
    st.builds(InlineTextSource, texts, texts),
    st.builds(OpaqueSource, texts, exact),
)

leaf_parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, texts),
    st.builds(TextPart, texts, st.none() | exact, _optional_text, **_common),
    st.builds(ReasoningPart, texts, _optional_text, _optional_text, **_common),
    st.builds(ImagePart, sources, _optional_text, **_common),
    st.builds(DocumentPart, sources, _optional_text, **_common),
    st.builds(AudioPart, sources, **_common),
    st.builds(ToolCallPart, texts, texts, exact, _optional_text, **_common),
    st.builds(HostedCallPart, texts, texts, texts, texts, exact, **_common),
    st.builds(HostedResultPart, texts, texts, texts, exact, **_common),
    st.builds(RefusalPart, texts, **_common),
    st.builds(CompactionPart, _optional_text, _optional_text, _optional_text, **_common),
    st.builds(OpaquePart, texts, texts, exact, _common["cache_marker"]),
)


def _results_of(inner: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    flag = st.sampled_from([None, True, False])
    return st.one_of(
        st.builds(
            ToolResultPart,
            texts,
            st.lists(inner, max_size=3).map(tuple),
            flag,
            _optional_text,
            st.just(False),
            **_common,
        ),
        st.builds(
            ToolResultPart,
            texts,
            texts.map(lambda text: (TextPart(text),)),
            flag,
            _optional_text,
            st.just(True),
            **_common,
        ),
    )


parts: st.SearchStrategy[Part] = leaf_parts | st.recursive(leaf_parts, _results_of, max_leaves=5)


def one_of_each() -> list[Part]:
    """A part of every kind with every field filled in, one tool result inside another."""
    data = ExactJson.parse('{"anthropic":{"x":1.10}}')
    marker = ExactJson.parse('{"type":"ephemeral"}')
    call = ExactJson.parse('{"city":"Köln","n":1e400}')
    inner = ToolResultPart("t0", (TextPart("inner"),), False, "f", as_string=True)
    return [
        TextPart("t", ExactJson.parse("[1.0]"), "sig", data, marker),
        ReasoningPart("r", "sig", "enc", data, marker),
        ImagePart(UrlSource("https://example.org/a.png", "image/png"), "sig", data, marker),
        DocumentPart(Base64Source("application/pdf", "AAAA"), "name", data, marker),
        DocumentPart(InlineTextSource("words", "text/plain"), "name", data, marker),
        DocumentPart(OpaqueSource("anthropic", call), None, data, marker),
        AudioPart(FileSource("openai", "file-1", "audio/wav"), data, marker),
        ToolCallPart("c1", "lookup", call, "sig", data, marker),
        ToolResultPart("c1", (TextPart("a"), inner), True, "lookup", False, data, marker),
        HostedCallPart("anthropic", "server_tool_use", "c2", "web_search", call, data, marker),
        HostedResultPart("anthropic", "web_search_tool_result", "c2", ExactJson.parse("[]"), data, marker),
        RefusalPart("no", data, marker),
        CompactionPart("sum", "sig", "enc", data, marker),
        OpaquePart("gemini", "executableCode", call, marker),
    ]
