"""Bytes as Google's JSON holds them: base64 in either alphabet, padded or not."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from typing import Final

__all__ = ["is_base64"]

_EITHER: Final = re.compile(r"[A-Za-z0-9+/_-]*+={0,2}")


def is_base64(text: str) -> bool:
    """Whether ``text`` decodes to bytes."""
    try:
        # By far the commonest form, and read at a tenth of the cost.
        a2b_base64(text, strict_mode=True)
    except (Error, ValueError):
        return _EITHER.fullmatch(text) is not None and len(text.rstrip("=")) % 4 != 1
    return True
