"""Ids and keys: what may be one, and how a stored key is derived from ids.

Callers' ids are unique within a conversation only, so a stored key is the hash of the whole chain of ids
(tenant, conversation, revision), each with its length before it: no two chains share a key by construction.
"""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from typing import Final, NewType

from convotree.errors import InvalidIdError

__all__ = ["MAX_ID_BYTES", "Key", "check_id", "derive_key", "is_key", "new_id"]

Key = NewType("Key", str)
"""A derived key: 24 characters of URL-safe base64, so that a server-side expression can extend it."""

MAX_ID_BYTES: Final = 512
"""Longest id in UTF-8 bytes: far above any export's ids, far below what an index entry may hold."""

# 144 bits: a multiple of 6, so base64 needs no padding; a collision needs about 2**72 ids.
_KEY_BYTES: Final = 18
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{24}")


def new_id() -> str:
    """A fresh id: 32 hexadecimal characters, random; ids are never compared for order."""
    return uuid.uuid4().hex


def check_id(value: object, argument: str) -> str:
    """``value`` if it may serve as an id: exactly a ``str``, 1 to 512 bytes of UTF-8, without NUL.

    Raises:
        InvalidIdError: otherwise. A mapping, a subclass of ``str`` or a lone surrogate never reaches a
        filter.
    """
    if type(value) is not str:
        raise InvalidIdError(argument=argument, reason=f"an id is a string, not {type(value).__name__}")
    if not value:
        raise InvalidIdError(argument=argument, reason="an id must not be empty")
    if len(value) > MAX_ID_BYTES:
        raise InvalidIdError(argument=argument, reason=f"an id holds at most {MAX_ID_BYTES} bytes")
    if "\x00" in value:
        raise InvalidIdError(argument=argument, reason="an id must not contain NUL")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise InvalidIdError(argument=argument, reason="an id must not contain lone surrogates") from None
    if size > MAX_ID_BYTES:
        raise InvalidIdError(
            argument=argument, reason=f"an id holds at most {MAX_ID_BYTES} bytes, not {size}"
        )
    return value


def is_key(text: str) -> bool:
    """Whether ``text`` has the form of a derived key."""
    return _KEY.fullmatch(text) is not None


def derive_key(kind: str, *ids: str) -> Key:
    """The key of what ``kind`` and ``ids`` name; the same arguments always give the same key."""
    digest = hashlib.sha256()
    for part in (kind, *ids):
        # Ids are checked before they come here, hashes that a caller names are not: they are only not found.
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return Key(base64.urlsafe_b64encode(digest.digest()[:_KEY_BYTES]).decode("ascii"))
