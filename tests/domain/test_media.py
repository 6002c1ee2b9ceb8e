"""Media sources: every field's type is checked, and equal sources are equal values."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import (
    Base64Source,
    FileSource,
    InlineTextSource,
    MediaSource,
    OpaqueSource,
    UrlSource,
)
from convotree.errors import InvalidJsonError, InvalidMessageError
from tests.domain.part_values import sources

RIGHT: dict[type[Any], dict[str, Any]] = {
    UrlSource: {"url": "https://example.org/a.png", "media_type": "image/png"},
    Base64Source: {"media_type": "image/png", "data": "AAAA"},
    FileSource: {"provider": "openai", "file_id": "file-1", "media_type": "image/png"},
    InlineTextSource: {"text": "x", "media_type": "text/plain"},
    OpaqueSource: {"provider": "openai", "content": ExactJson.parse("{}")},
}
MAY_BE_NONE = {(UrlSource, "media_type"), (FileSource, "media_type")}


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (cls, name, value)
        for cls, right in RIGHT.items()
        for name in right
        for value in (None, 3, b"x", ["x"], object())
        if not (value is None and (cls, name) in MAY_BE_NONE)
        and not (name == "content" and value in (3, ["x"]))
    ],
    ids=lambda value: getattr(value, "__name__", repr(value)[:20]),
)
def test_a_field_of_a_wrong_type_is_refused_by_place(cls: type[Any], name: str, value: Any) -> None:
    with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
        cls(**{**RIGHT[cls], name: value})

    assert str(refused.value).startswith(f"{cls.__name__}.{name}")


def test_what_is_not_known_is_none_and_plain_text_has_its_type() -> None:
    assert UrlSource("u").media_type is None
    assert FileSource("p", "f").media_type is None
    assert InlineTextSource("x").media_type == "text/plain"


@given(sources)
def test_sources_are_values(source: MediaSource) -> None:
    for copied in (copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source))):  # noqa: S301  # own bytes
        assert copied == source
        assert hash(copied) == hash(source)


def test_repr_is_short() -> None:
    assert len(repr(Base64Source("image/png", "A" * 10_000_000))) < 300
    assert len(repr(UrlSource("data:" + "A" * 10_000_000))) < 300
