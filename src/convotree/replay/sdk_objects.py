"""The raw JSON behind what an official SDK returns, found by what the object offers: no SDK is imported.

Their own dumps are no record of an answer: they add nulls for every field that did not come.
"""

from __future__ import annotations

from typing import Any

__all__ = ["raw_json_of"]


def raw_json_of(value: object) -> object:
    """JSON text or bytes of an SDK's response object; any other value as it is.

    Exact are raw responses (``with_raw_response`` of the Anthropic and OpenAI SDKs): their bytes. A parsed object gives
    the fields that came, in the order of its class; numbers have lost their spelling and Gemini's signatures their
    base64 alphabet.
    """
    raw: Any = getattr(getattr(value, "http_response", None), "content", None)
    if isinstance(raw, bytes):
        return raw
    to_json = getattr(value, "to_json", None)
    if callable(to_json) and callable(getattr(value, "to_dict", None)):
        return to_json(indent=None, warnings=False)
    dump = getattr(value, "model_dump_json", None)
    if callable(dump):
        return dump(by_alias=True, exclude_unset=True, warnings=False)
    return value
