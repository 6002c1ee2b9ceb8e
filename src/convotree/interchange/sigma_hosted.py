"""Hosted calls of Anthropic in sigma: their results hang, as raw blocks, on the block before them.

sigma has no block for what a hosted tool returned. It keeps Anthropic's own blocks in an envelope in the
``providerMetadata`` of a block: the whole call on the call's block, the results on the last block before them. Where
such an envelope says no more than the library's parts do, it becomes those parts; else it is kept as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value, split_array, split_object
from convotree.domain.message import Provenance, Role
from convotree.domain.parts import HostedCallPart, HostedResultPart, Part, TextPart
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.interchange.go_json import canonical_json
from convotree.interchange.go_struct import Members
from convotree.interchange.sigma_document import BLOCK
from convotree.interchange.sigma_parts import ANTHROPIC, HOSTED_CALL, SIGMA, BlockWriter, read_block
from convotree.interchange.sigma_rules import HOSTED_REPLAY
from convotree.replay.exact_text import write_exact
from convotree.replay.notebook import Place
from convotree.replay.provider_data import members_for

__all__ = ["HostedBlocks", "read_blocks"]

_RESULTS: Final = frozenset(
    {
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
    }
)
_RESULTS_AFTER: Final = "results_after"


class HostedBlocks(BlockWriter):
    """Writes the blocks of one answer, hosted calls and their results among them, for ``content``."""

    def __init__(
        self, provenance: Provenance | None, notes: ConversionNotes, content: Sequence[Members]
    ) -> None:
        super().__init__(provenance, notes)
        self._content = content
        self._anchor: Members = {}
        self._hanging: list[ExactJson] = []

    def block(self, part: Part, place: Place, inside: str = "") -> Members | None:
        """The block to add to the content for ``part``; None if there is none, or it hangs on the last one."""
        if not isinstance(part, HostedResultPart):
            self.finish()
            return super().block(part, place, inside)
        if part.provider != ANTHROPIC or part.kind not in _RESULTS:
            return super().block(part, place, inside)
        self._notes.lost_marker(place, part.cache_marker, inside)
        raw = {"type": part.kind, "tool_use_id": part.tool_call_id, "content": part.content}
        raw.update(members_for(part.provider_data, ANTHROPIC))
        new = None
        if not self._hanging:
            new = None if self._content else {"type": "text"}
            self._anchor = new or self._content[-1]
        self._hanging.append(ExactJson.stored(write_exact(raw)))
        return new

    def finish(self) -> None:
        """Hang the results that came last on the block before them: all at once, however many they are."""
        if not self._hanging:
            return
        metadata = _exact_members(self._anchor.get("providerMetadata"))
        envelope: dict[str, Any] = {**self.maker, **_exact_members(metadata.get(HOSTED_REPLAY))}
        envelope[_RESULTS_AFTER] = self._hanging
        written = canonical_json(ExactJson.stored(write_exact({**metadata, HOSTED_REPLAY: envelope})))
        block = BLOCK.complete({**self._anchor, "providerMetadata": written})
        self._anchor.clear()
        self._anchor.update(block)
        self._hanging = []


def _exact_members(value: ExactJson | None) -> dict[str, ExactJson]:
    """The members of an object; of anything else none."""
    if value is None or not value.is_object:
        return {}
    return {key: ExactJson.stored(text) for key, text in split_object(value.text).items()}


def read_blocks(blocks: Sequence[Members], role: Role, provenance: Provenance | None) -> tuple[Part, ...]:
    """The parts that the valid blocks of one message are."""
    plain = tuple(read_block(block, provenance) for block in blocks)
    if role is not Role.ASSISTANT or not any(map(_envelope, blocks)):
        return plain
    parts = _unpacked(blocks, provenance)
    if parts is None:
        return plain
    # Only if writing gives the same again does the envelope say no more than the parts.
    written: list[Members] = []
    writer = HostedBlocks(provenance, ConversionNotes(SIGMA), written)
    for part in parts:
        block = writer.block(part, (0, 0))
        if block is not None:
            written.append(block)
    writer.finish()
    return parts if written == list(blocks) else plain


def _envelope(block: Members) -> dict[str, str]:
    metadata = block.get("providerMetadata")
    if metadata is None or HOSTED_REPLAY not in metadata.text:
        return {}
    envelope = split_object(metadata.text).get(HOSTED_REPLAY, "")
    return split_object(envelope) if envelope.startswith("{") else {}


def _unpacked(blocks: Sequence[Members], provenance: Provenance | None) -> tuple[Part, ...] | None:
    """The parts with those of the envelopes among them; None if an envelope does not have the usual form."""
    parts: list[Part] = []
    for block in blocks:
        envelope = _envelope(block)
        rest = _without_envelope(block)
        part = read_block(rest, provenance)
        if isinstance(part, HostedCallPart) and part.kind == HOSTED_CALL and HOSTED_CALL in envelope:
            data = _beside(envelope[HOSTED_CALL], ("type", "id", "name", "input"))
            part = HostedCallPart(ANTHROPIC, HOSTED_CALL, part.tool_call_id, part.name, part.arguments, data)
        if not (isinstance(part, TextPart) and rest == {"type": "text"}):
            parts.append(part)
        results = envelope.get(_RESULTS_AFTER, "[]")
        if not results.startswith("["):
            return None
        for raw in split_array(results):
            result = _result_part(raw)
            if result is None:
                return None
            parts.append(result)
    return tuple(parts)


def _without_envelope(block: Members) -> Members:
    if not _envelope(block):
        return block
    metadata = split_object(block["providerMetadata"].text)
    del metadata[HOSTED_REPLAY]
    rest = {name: value for name, value in block.items() if name != "providerMetadata"}
    if metadata:
        kept = {key: ExactJson.stored(text) for key, text in metadata.items()}
        rest["providerMetadata"] = ExactJson.stored(write_exact(kept))
    return rest


def _result_part(raw: str) -> HostedResultPart | None:
    if not raw.startswith("{"):
        return None
    members = split_object(raw)
    kind, call_id = (parse_value(members.get(name, "null")) for name in ("type", "tool_use_id"))
    if not isinstance(kind, str) or not isinstance(call_id, str) or "content" not in members:
        return None
    data = _beside(raw, ("type", "tool_use_id", "content"))
    return HostedResultPart(ANTHROPIC, kind, call_id, ExactJson.stored(members["content"]), data)


def _beside(raw: str, held: tuple[str, ...]) -> ExactJson | None:
    """Members of Anthropic's block that no field of a part holds."""
    if not raw.startswith("{"):
        return None
    rest = {key: ExactJson.stored(text) for key, text in split_object(raw).items() if key not in held}
    return ExactJson.stored(write_exact({ANTHROPIC: rest})) if rest else None
