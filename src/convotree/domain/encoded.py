"""A message in its stored form: the exact bytes of each part, their size and digests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from convotree.domain.exact_json import quote
from convotree.domain.limits import MAX_PART_BYTES
from convotree.domain.message import Message
from convotree.domain.outcome import Outcome
from convotree.domain.part_codec import encode_part
from convotree.domain.parts import OpaquePart, Part, ReasoningPart, ToolCallPart, ToolResultPart
from convotree.errors import ContentTooLargeError

__all__ = ["NO_CHAIN", "EncodedMessage", "chain_digest", "encode_message", "message_digest"]

_BYTES_AROUND_PART: Final = 64
"""Field names, lengths and type of a part in BSON are at most so long; as much again for the fields of a tool part."""

NO_CHAIN: Final = bytes(32)
"""What stands for the chain above a root."""


@dataclass(frozen=True, slots=True)
class EncodedMessage:
    """``parts``: exact JSON of each part in UTF-8. ``digest``: over all of the message. ``element``: what it adds to
    the chained digest of its path, which leaves out reasoning and cache markers (providers bind signed reasoning to
    a prefix without them) and where the answer came from.
    """

    message: Message
    parts: tuple[bytes, ...]
    digest: bytes
    element: bytes


def encode_message(message: Message) -> EncodedMessage:
    """The stored form of ``message``.

    Raises:
        ContentTooLargeError: if its parts exceed 15 MiB, with what the stored form adds to each.
    """
    parts = tuple(encode_part(part).encode() for part in message.parts)
    size = sum(map(len, parts)) + _size_beside(message)
    if size > MAX_PART_BYTES:
        raise ContentTooLargeError(subject="the message", size=size, limit=MAX_PART_BYTES)
    return EncodedMessage(message, parts, message_digest(message, parts), _element(message, parts))


def _size_beside(message: Message) -> int:
    """Bytes of what a document holds beside the parts' JSON: small, unless there are very many parts or long ids."""
    size = len(message.parts) * _BYTES_AROUND_PART
    if message.provider_data is not None:
        size += len(message.provider_data.to_bytes())
    if message.provenance is not None:
        known = message.provenance
        size += sum(len(quote(one).encode()) for one in (known.provider, known.api, known.model) if one)
    for part in message.parts:
        if isinstance(part, (ToolCallPart, ToolResultPart)):
            name = part.name if isinstance(part, ToolCallPart) else ""
            size += 2 * _BYTES_AROUND_PART + len((part.tool_call_id + name).encode("utf-8", "surrogatepass"))
    return size


def message_digest(message: Message, parts: tuple[bytes, ...]) -> bytes:
    """SHA-256 over everything a message says, each field with its length before it."""
    provenance = message.provenance
    facts: list[bytes | None] = [message.role.value.encode(), b"1" if message.as_string else b"0"]
    for fact in (
        (None, None, None) if provenance is None else (provenance.provider, provenance.api, provenance.model)
    ):
        facts.append(None if fact is None else fact.encode("utf-8", "surrogatepass"))
    facts.append(None if message.provider_data is None else message.provider_data.to_bytes())
    if message.outcome is not Outcome.COMPLETE:
        facts.append(message.outcome.value.encode())
    return _digest(b"convotree message 1", [*facts, *parts])


def chain_digest(parent_chain: bytes, element: bytes) -> bytes:
    """The chained digest of a revision: over its parent's and its own message's element."""
    return sha256(b"convotree chain 1" + parent_chain + element).digest()


def _element(message: Message, parts: tuple[bytes, ...]) -> bytes:
    kept = [
        _without_marker(part, data)
        for part, data in zip(message.parts, parts, strict=True)
        if not isinstance(part, ReasoningPart)
    ]
    extra = None if message.provider_data is None else message.provider_data.to_bytes()
    facts = [message.role.value.encode(), extra]
    if message.outcome is not Outcome.COMPLETE:
        # Replay sends less of it, so it is another prefix.
        facts.append(message.outcome.value.encode())
    return _digest(b"convotree element 1", [*facts, *kept])


def _without_marker(part: Part, data: bytes) -> bytes:
    # A marker inside a tool result is part of that result's own parts: rare, so encoded anew only where one is seen.
    if b'"cache_marker"' not in data:
        return data
    return encode_part(_strip(part)).encode()


def _strip(part: Part) -> Part:
    content = getattr(part, "content", None)
    if isinstance(content, tuple) and not isinstance(part, OpaquePart):
        return replace(part, cache_marker=None, content=tuple(_strip(one) for one in content))  # type: ignore[arg-type]  # only ToolResultPart has a tuple there
    return replace(part, cache_marker=None)


def _digest(label: bytes, facts: list[bytes | None]) -> bytes:
    digest = sha256(label)
    for fact in facts:
        if fact is None:
            digest.update(b"\xff" * 8)
        else:
            digest.update(len(fact).to_bytes(8, "big"))
            digest.update(fact)
    return digest.digest()
