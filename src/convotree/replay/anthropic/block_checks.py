"""Rules about single blocks: A11 to A13, A18, A20, A24, A25 and A27."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from typing import Any, Final

from convotree.domain.exact_json import ExactJson
from convotree.replay.anthropic.block_members import (
    ANSWERS_ONLY,
    BLOCK_MEMBERS,
    INPUT_ONLY,
    NOT_IN_RESULTS,
)
from convotree.replay.anthropic.blocks import Block
from convotree.replay.anthropic.citations import holds_answer_members
from convotree.replay.anthropic.models import facts_of
from convotree.replay.anthropic.wire import Wire
from convotree.replay.finding import Severity
from convotree.replay.notebook import SYSTEM, Place
from convotree.replay.rule import Findings

__all__ = ["check_blocks"]

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_PLAIN_TEXT: Final = {"type", "text"}
_MEDIA_TYPES: Final = {
    "image": frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
    "document": frozenset({"application/pdf"}),
}
_LARGEST_IMAGE: Final = 5 * 1024 * 1024
# What models of no known limit are known to take at least.
_MOST_MEDIA: Final = 100


def check_blocks(wire: Wire, findings: Findings) -> None:
    """Report what is wrong with blocks, one by one."""
    check = _BlockCheck(findings, facts_of(wire.model).most_media)
    if isinstance(wire.system, list):
        for number, block in enumerate(wire.system):
            check.block(block, (SYSTEM, number), "system", "")
    for number, message in enumerate(wire.messages):
        if isinstance(message.content, str):
            if message.content and message.content.isspace():
                findings.add("A13", message.places[0], "the text is blank")
            continue
        check.first = number == 0
        for block, place in zip(message.content, message.places, strict=True):
            if len(block) == 2 and block["type"] == "text" and block["text"]:
                if block["text"].isspace():
                    findings.add("A13", place, "the text is blank")
            else:
                check.block(block, place, message.role, "")
            check.first = False
    check.finish()


_CALL: Final = ("id", "name", "input")
_NEEDED: Final = {
    "text": ("text",),
    "redacted_thinking": ("data",),
    "tool_use": _CALL,
    "server_tool_use": _CALL,
    "mcp_tool_use": _CALL,
    "tool_result": ("tool_use_id",),
    "image": ("source",),
    "document": ("source",),
    "compaction": ("content",),
}
_STRINGS: Final = frozenset({"text", "data", "id", "name", "tool_use_id"})


class _BlockCheck:
    """Examines blocks in order; it counts what is limited for the whole request."""

    def __init__(self, findings: Findings, most_media: int | None) -> None:
        self._findings = findings
        self._most_media = most_media
        self._media: list[Place] = []
        self._compactions = 0
        self._called: set[str] = set()
        self.first = False
        """Whether the block is the first of the conversation."""

    def block(self, block: Block, place: Place, role: str, inside: str) -> None:
        kind: str = block["type"]
        known = BLOCK_MEMBERS.get(kind)
        if known is None:
            self._findings.add(
                "A24", place, f"{kind!r} is no known block", inside=inside, severity=Severity.WARNING
            )
            return
        if inside and kind in NOT_IN_RESULTS:
            self._findings.add("A24", place, f"{kind} in a tool result", inside=inside)
            return
        # A cache marker where none may be is rule A23's concern.
        unknown = block.keys() - known - {"cache_control"}
        if unknown:
            self._findings.add("A24", place, f"{kind} has no member {min(unknown)!r}", inside=inside)
        self._check_role(kind, place, role, inside)
        missing = _missing(kind, block)
        if missing is not None:
            self._findings.add("A24", place, f"{kind} without a valid member {missing!r}", inside=inside)
            return
        match kind:
            case "text":
                if not block["text"] or block["text"].isspace():
                    self._findings.add("A13", place, "the text is blank", inside=inside)
                cited = block.get("citations")
                if isinstance(cited, ExactJson) and holds_answer_members(cited):
                    self._findings.add(
                        "A24", place, "a citation of a request has no file_id", inside=f"{inside}.citations"
                    )
            case "thinking":
                if not block.get("signature") or _is_null(block["signature"]):
                    self._findings.add("A18", place, "thinking without its signature")
            case "redacted_thinking":
                if not block["data"]:
                    self._findings.add("A18", place, "redacted thinking without its data")
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                self._check_call(block, place)
            case "tool_result":
                self._check_result(block, place)
            case "image" | "document":
                self._check_media(kind, block["source"], place, inside)
            case "compaction":
                self._check_compaction(block, place)

    def finish(self) -> None:
        most = self._most_media if self._most_media is not None else _MOST_MEDIA
        if len(self._media) > most:
            self._findings.add(
                "A25",
                self._media[most],
                f"{len(self._media)} images and documents, more than {most}",
                severity=None if self._most_media is not None else Severity.WARNING,
            )

    def _check_role(self, kind: str, place: Place, role: str, inside: str) -> None:
        if place[0] == SYSTEM and kind != "text":
            self._findings.add("A24", place, f"{kind} in a system prompt", inside=inside)
        elif role != "assistant" and kind in ANSWERS_ONLY:
            self._findings.add("A24", place, f"{kind} in a message of role {role}", inside=inside)
        elif role == "assistant" and kind in INPUT_ONLY and not inside:
            self._findings.add("A24", place, f"{kind} in a message of role {role}", severity=Severity.WARNING)

    def _check_call(self, block: Block, place: Place) -> None:
        self._check_id(block["id"], place)
        self._called.add(block["id"])
        if block["type"] == "tool_use" and not _NAME.fullmatch(block["name"]):
            self._findings.add("A12", place, f"{_brief(block['name'])} is no name of a tool", inside=".name")
        if isinstance(block["input"], ExactJson) and not block["input"].is_object:
            self._findings.add("A24", place, "the arguments are no object", inside=".arguments")

    def _check_result(self, block: Block, place: Place) -> None:
        # The id of a result that answers a call was examined there.
        if block["tool_use_id"] not in self._called:
            self._check_id(block["tool_use_id"], place)
        content = block.get("content")
        if isinstance(content, ExactJson) and content.text == "[]":
            self._findings.add("A14", place, "an empty list of content", inside=".content")
        if not isinstance(content, list):
            return
        states = 0
        for number, inner in enumerate(content):
            self.block(inner, place, "user", f".content[{number}]")
            states += inner["type"] == "browser_state"
        if states > 1 or (states and block.get("is_error")):
            self._findings.add("A27", place, "at most one browser_state, on a result that is no error")

    def _check_id(self, tool_call_id: str, place: Place) -> None:
        if not _ID.fullmatch(tool_call_id):
            self._findings.add(
                "A11", place, f"{_brief(tool_call_id)} does not match [a-zA-Z0-9_-]+", inside=".tool_call_id"
            )

    def _check_media(self, kind: str, source: Any, place: Place, inside: str) -> None:
        self._media.append(place)
        if not isinstance(source, dict) or source["type"] != "base64":
            return
        if source["media_type"] not in _MEDIA_TYPES[kind]:
            self._findings.add(
                "A25", place, f"{kind} of type {_brief(source['media_type'])}", inside=f"{inside}.source"
            )
        try:
            size = len(a2b_base64(source["data"], strict_mode=True))
        except (Base64Error, ValueError):
            self._findings.add("A25", place, "the data are no base64", inside=f"{inside}.source")
            return
        if kind == "image" and size > _LARGEST_IMAGE:
            self._findings.add("A25", place, f"an image of {size} bytes", inside=f"{inside}.source")

    def _check_compaction(self, block: Block, place: Place) -> None:
        if block["content"] is None:
            return
        self._compactions += 1
        if block["content"] == "":
            self._findings.add("A20", place, "a compaction with empty content")
        elif self._compactions > 1:
            self._findings.add("A20", place, "a second compaction with content")
        elif not self.first:
            self._findings.add("A20", place, "a compaction after the start of the conversation")


def _is_null(value: Any) -> bool:
    return isinstance(value, ExactJson) and value.text == "null"


def _missing(kind: str, block: Block) -> str | None:
    """A member without which the block cannot be looked at: only what is kept as it came, such as a block inside a
    result that holds none, may lack one.
    """
    for name in _NEEDED.get(kind, ()):
        if name not in block or (name in _STRINGS and type(block[name]) is not str):
            return name
    return None


def _brief(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}…")
