"""Exact text of trees that replay builds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson, NumberText, parse_value
from convotree.errors import InvalidJsonError
from convotree.replay.exact_text import exact_leaf, write_exact

_trees = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(tree=_trees)
def test_plain_trees_are_json(tree: Any) -> None:
    assert json.loads(write_exact(tree)) == tree


@given(tree=_trees)
def test_leaves_stand_where_they_were_put(tree: Any) -> None:
    leaf = ExactJson.parse('{"n":1.10}')
    assert write_exact([tree, leaf, tree, NumberText("1e400")]) == (
        f'[{write_exact(tree)},{{"n":1.10}},{write_exact(tree)},1e400]'
    )


def test_a_text_that_looks_like_the_marker_of_a_leaf_stays_a_text() -> None:
    assert write_exact(["\ufdd0", ExactJson("1.0"), "\ufdd0"]) == '["\ufdd0",1.0,"\ufdd0"]'


def test_lone_surrogates_are_escaped() -> None:
    assert write_exact({"a": "x\ud800"}) == '{"a":"x\\ud800"}'


def test_what_has_no_json_form_is_no_leaf() -> None:
    with pytest.raises(TypeError):
        write_exact({"a": {1, 2}})


def test_a_leaf_is_bounded_in_depth() -> None:
    def nested(levels: int) -> Any:
        return parse_value("[" * levels + "]" * levels)

    assert exact_leaf(nested(256), place="x").text == "[" * 256 + "]" * 256
    with pytest.raises(InvalidJsonError) as caught:
        exact_leaf(nested(257), place="x")
    assert caught.value.place == "x"


def test_brackets_in_texts_are_no_depth() -> None:
    assert exact_leaf(["[" * 1000], place="x").value == ["[" * 1000]
