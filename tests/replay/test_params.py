"""Model settings beside what the request says."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.errors import InvalidArgumentError, InvalidJsonError
from convotree.replay.params import merged_params

RESERVED = frozenset({"messages"})


def merged(params: Any) -> dict[str, str]:
    return {key: one.text for key, one in merged_params(params, model="m", reserved=RESERVED).items()}


def test_none_are_none() -> None:
    assert merged(None) == {}


def test_they_are_exact() -> None:
    assert merged(ExactJson('{"temperature":1.0,"b":{"x":1e400}}')) == {
        "temperature": "1.0",
        "b": '{"x":1e400}',
    }
    assert merged({"a": 1, "b": [None]}) == {"a": "1", "b": "[null]"}


def test_the_same_model_may_be_among_them() -> None:
    assert merged({"model": "m", "a": 1}) == {"a": "1"}


@pytest.mark.parametrize(
    ("params", "argument"),
    [
        ({"messages": []}, "params.messages"),
        ({"model": "n"}, "params.model"),
        ([], "params"),
        (ExactJson("[]"), "params"),
    ],
)
def test_what_is_refused(params: Any, argument: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        merged(params)
    assert caught.value.argument == argument


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(InvalidJsonError):
        merged({"a": object()})
