"""What a file says of a conversation as a whole, fitted to the limits of a header: title and metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from convotree.domain.exact_json import ExactJson, quote
from convotree.domain.limits import MAX_METADATA_BYTES, MAX_TITLE_BYTES
from convotree.interchange.json_span import JsonSpan
from convotree.interchange.problems import Problems

__all__ = ["metadata_of", "title_of"]

# What a BSON string cannot hold, or what filters and drivers of other languages stumble over.
_UNFIT: Final = re.compile("[\x00\ud800-\udfff]")


def title_of(span: JsonSpan | None, *, place: str, problems: Problems) -> str | None:
    """A title fit for a header: NUL and lone surrogates replaced by U+FFFD, cut to its limit; both reported."""
    if span is None or span.is_null:
        return None
    title = span.string
    if title is None:
        problems.report(place, f"the title is no string but {span.kind}: it is kept in the metadata only")
        return None
    fit = _UNFIT.sub("\ufffd", title)
    if fit != title:
        problems.report(
            place, "NUL and lone surrogates in the title were replaced; the metadata has it as it was"
        )
    encoded = fit.encode()
    if len(encoded) > MAX_TITLE_BYTES:
        problems.report(place, f"the title was cut to {MAX_TITLE_BYTES} bytes; the metadata has it whole")
        fit = encoded[:MAX_TITLE_BYTES].decode(errors="ignore")
    return fit


def metadata_of(
    format_name: str, members: Mapping[str, ExactJson], *, place: str, problems: Problems
) -> ExactJson:
    """``{format_name: members}``; of more than metadata may hold the largest members are left out, each reported."""
    # Measured member by member: measuring the whole again for each that goes is quadratic.
    sizes = {key: len(quote(key).encode()) + len(value.to_bytes()) + 2 for key, value in members.items()}
    total = sum(sizes.values()) + len(quote(format_name).encode()) + 5
    kept = dict(members)
    for largest in sorted(sizes, key=lambda key: sizes[key], reverse=True):
        if total <= MAX_METADATA_BYTES:
            break
        total -= sizes[largest]
        size = len(kept.pop(largest).to_bytes())
        problems.report(
            f"{place}.{largest}",
            f"left out: {size} bytes are more than the metadata of a conversation may hold",
        )
    return ExactJson.of({format_name: kept}, place=place)
