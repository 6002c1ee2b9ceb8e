"""What is kept aside makes of what is said what was read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree import ExactJson
from convotree.interchange.go_struct import Struct, Unknown, read_any, read_flag, read_text
from convotree.interchange.kept_aside import foreign_data, kept_aside, put_back
from convotree.replay.reading import MisreadError

STRUCT = Struct(
    {"type": read_text, "a": read_text, "b": read_flag, "c": read_any}, Unknown.KEPT, {"type": ""}
)
MEMBERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"type": st.sampled_from(["", "x"])},
    optional={
        "a": st.sampled_from(["s", "<"]),
        "b": st.just(True),
        "c": st.sampled_from(["{}", "[1.0]", '"x"']).map(ExactJson.parse),
        "zone": st.sampled_from(["null", "1e400"]).map(ExactJson.parse),
    },
).map(STRUCT.complete)


@given(MEMBERS, MEMBERS.map(lambda one: {key: value for key, value in one.items() if key != "zone"}))
def test_what_was_read_comes_back(read: dict[str, Any], said: dict[str, Any]) -> None:
    data = kept_aside(read, said, "shape")

    assert put_back(said, data, "shape", STRUCT) == read
    assert (data is None) == (read == said)


def test_data_of_others_stays_theirs() -> None:
    data = ExactJson.parse('{"shape":{"a":"s"},"other":{"x":1,"y":2},"text":"z"}')

    assert put_back({"type": "x"}, data, "shape", STRUCT) == {"type": "x", "a": "s"}
    assert put_back({"type": "x"}, data, "third", STRUCT) == {"type": "x"}
    assert foreign_data(data, "shape") == {"other": ("x", "y"), "text": ()}
    assert foreign_data(None, "shape") == {}


def test_data_that_does_not_fit_is_refused_with_its_place() -> None:
    with pytest.raises(MisreadError) as refused:
        put_back({}, ExactJson.parse('{"shape":{"a":3}}'), "shape", STRUCT)

    assert refused.value.place == ".provider_data.shape.a"
