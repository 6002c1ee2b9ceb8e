"""Guards against the ways in which validating with an SDK's types passes what it should not."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Required

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

from convotree.replay import Severity
from convotree.replay.sdk_validation import members_by_type, opinions


class _Inner(TypedDict, total=False):
    type: Required[Literal["inner"]]
    count: Required[int]


class _Outer(TypedDict, total=False):
    type: Required[Literal["outer"]]
    content: Required[Iterable[_Inner]]


class _Several(TypedDict):
    type: Literal["one", "two"]


class _Response(BaseModel):
    type: Literal["response"]


def found(value: Any) -> list[tuple[str, Severity]]:
    return [(one.place, one.severity) for one in opinions(TypeAdapter(_Outer), value, "body")]


def test_lists_are_looked_into() -> None:
    good = {"type": "inner", "count": 1}
    assert found({"type": "outer", "content": [good, good]}) == []
    assert found({"type": "outer", "content": [good, {"type": "inner"}]}) != []


def test_unknown_members_are_errors_inside_lists_too() -> None:
    assert found({"type": "outer", "content": [], "x": 1}) == [("body.x", Severity.ERROR)]
    assert found({"type": "outer", "content": [{"type": "inner", "count": 1, "x": 1}]}) != []


def test_nothing_is_converted() -> None:
    assert found({"type": "outer", "content": [{"type": "inner", "count": "1"}]}) != []


def test_a_union_is_told_apart_by_type() -> None:
    union = Annotated[_Inner | _Outer, "x"] | _Several | _Response
    assert set(members_by_type(union)) == {"inner", "outer", "one", "two"}
