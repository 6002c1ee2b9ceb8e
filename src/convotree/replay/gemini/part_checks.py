"""Rules about contents and single parts: G1 to G3, G8 and G11 to G14."""

from __future__ import annotations

from typing import Final

from convotree.domain.exact_json import ExactJson
from convotree.replay.finding import Severity
from convotree.replay.gemini.base64_text import is_base64
from convotree.replay.gemini.models import Generation, generation_of
from convotree.replay.gemini.part_reading import DATA_MEMBERS
from convotree.replay.gemini.parts import MODIFIER_KEYS
from convotree.replay.gemini.signatures import plain_text
from convotree.replay.gemini.spelling import either
from convotree.replay.gemini.wire import Wire, WireContent, WirePart
from convotree.replay.notebook import WHOLE
from convotree.replay.rule import Findings

__all__ = ["check_contents"]

_HOSTED: Final = ("toolCall", "toolResponse")


def check_contents(wire: Wire, findings: Findings) -> None:
    """Report what is wrong with contents and parts, one by one."""
    if not wire.contents:
        findings.add("G1", (0, WHOLE), "there is no content")
    earlier = generation_of(wire.model) is Generation.EARLIER
    for content in wire.contents:
        if not content.parts:
            findings.add("G1", content.place, "the content has no parts")
        if content.role is None:
            findings.add("G2", content.place, "the content says no role")
        if len({"functionResponse" in part.body for part in content.parts}) > 1:
            findings.add("G13", content.place, "function responses and other parts stand in one content")
        for part in content.parts:
            _check_part(part, content, findings, earlier=earlier)


def _check_part(part: WirePart, content: WireContent, findings: Findings, *, earlier: bool) -> None:
    body = part.body
    if len(body) == 1 and "text" in body:
        if body["text"] == "":
            findings.add("G12", part.place, "the text is empty")
        return
    kinds = [kind for kind in DATA_MEMBERS if either(body, kind) is not None]
    signature = plain_text(either(body, "thoughtSignature"))
    if len(kinds) != 1:
        unknown = sorted(body.keys() - MODIFIER_KEYS)
        found = (
            f"{len(kinds)} data members"
            if kinds or not unknown
            else f"no known data member, only {unknown[0]!r}"
        )
        only_unknown = Severity.WARNING if unknown and not kinds else None
        findings.add("G3", part.place, f"the part has {found}", severity=only_unknown)
    elif kinds == ["text"] and body.get("text") == "" and not signature:
        findings.add("G12", part.place, "the text is empty")
    if signature is not None and not is_base64(signature):
        findings.add("G8", part.place, "the signature is no base64")
    blob = body.get("inlineData")
    if isinstance(blob, dict) and not is_base64(plain_text(blob.get("data")) or ""):
        findings.add("G8", part.place, "the data is no base64")
    if earlier and kinds and kinds[0] in _HOSTED:
        findings.add("G11", part.place, f"the model takes no {kinds[0]}")
    _check_objects(part, content, findings)


def _check_objects(part: WirePart, content: WireContent, findings: Findings) -> None:
    call = part.body.get("functionCall")
    # Null is as good as absent: the body is a protocol buffer in JSON.
    if (
        isinstance(call, dict)
        and isinstance(call.get("args"), ExactJson)
        and call["args"].text[0] not in "{n"
    ):
        findings.add("G14", part.place, "the arguments are no object", inside=".arguments")
    response = part.body.get("functionResponse")
    if isinstance(response, dict):
        value = response.get("response", {})
        if not (isinstance(value, dict) or (isinstance(value, ExactJson) and value.text[0] in "{n")):
            findings.add("G14", part.place, "the response is no object")
        if content.speaker == "model":
            findings.add("G14", part.place, "a function response in a content of the model")
