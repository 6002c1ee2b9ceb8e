"""Model settings: merged into a body, never over what the request itself says."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.errors import InvalidArgumentError

__all__ = ["merged_params", "params_object"]


def params_object(params: Mapping[str, Any] | ExactJson) -> ExactJson:
    """``params`` as one exact JSON object.

    Raises:
        InvalidArgumentError: if it is none.
        InvalidJsonError: for a value that has no JSON form.
    """
    if not isinstance(params, (Mapping, ExactJson)):
        raise InvalidArgumentError(
            argument="params", reason=f"a mapping was expected, not {type(params).__name__}"
        )
    exact = ExactJson.of(params, place="params")
    if not exact.is_object:
        raise InvalidArgumentError(argument="params", reason="a JSON object was expected")
    return exact


def merged_params(
    params: Mapping[str, Any] | ExactJson | None, *, model: str, reserved: Set[str]
) -> dict[str, ExactJson]:
    """``params`` member by member, exact. A ``model`` among them must be the one asked for.

    Raises:
        InvalidArgumentError: for one of ``reserved``, another model, or what is no JSON object.
        InvalidJsonError: for a value that has no JSON form.
    """
    if params is None:
        return {}
    exact = params_object(params)
    members = {key: ExactJson.stored(text) for key, text in split_object(exact.text).items()}
    for key in members:
        if key in reserved:
            raise InvalidArgumentError(
                argument=f"params.{key}", reason="the request itself gives this member; leave it out"
            )
    asked = members.pop("model", None)
    if asked is not None and parse_value(asked.text) != model:
        raise InvalidArgumentError(
            argument="params.model", reason=f"{asked.text} is not the model asked for, {model!r}"
        )
    return members
