"""Thought signatures: whose the target takes back, and what stands for one that is missing (rules G7, G8 and G10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from convotree.domain.exact_json import ExactJson, parse_value
from convotree.replay.gemini.base64_text import is_base64
from convotree.replay.gemini.models import Generation, generation_of, same_model
from convotree.replay.gemini.spelling import either, snake_of
from convotree.replay.gemini.wire import WireContent, WirePart
from convotree.replay.notebook import Notebook, Place
from convotree.replay.origin import Origin
from convotree.replay.policy import ForeignReasoning, RenderPolicy
from convotree.replay.turn import Turn

__all__ = ["PLACEHOLDER", "Signatures", "plain_text", "step_starts"]

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""What the API itself offers in place of the signature of a call that no Gemini made (rule G10)."""

_SIGNATURE: Final = "thoughtSignature"


def plain_text(value: Any) -> str | None:
    """The string that a member of a body is; None if it is none."""
    if isinstance(value, ExactJson):
        value = parse_value(value.text)
    return value if type(value) is str else None


@dataclass(slots=True)
class Signatures:
    """Decides which signatures are sent in one rendering."""

    model: str
    policy: RenderPolicy
    notebook: Notebook

    def other_model(self, turn: Turn) -> str | None:
        """The model that made the turn, if it is another one of Google's than the one that is asked."""
        provenance = None if turn.message is None else turn.message.provenance
        if turn.origin is Origin.FOREIGN or provenance is None or provenance.model is None:
            return None
        return None if same_model(provenance.model, self.model) else provenance.model

    def keep_valid(self, body: dict[str, Any], place: Place, turn: Turn | None) -> None:
        """Take the signature out of a part that the target would reject, and say so."""
        signature = plain_text(either(body, _SIGNATURE))
        if signature is None:
            return
        why = self._why_not(signature, turn)
        if why is None:
            return
        if turn is None or turn.origin is Origin.OWN:
            if self.policy.foreign_reasoning is ForeignReasoning.AS_STORED:
                if turn is not None and self.other_model(turn) is not None:
                    self.notebook.add(place, "G8", f"{why} may be rejected")
                return
            if self.policy.foreign_reasoning is ForeignReasoning.REFUSE:
                self.notebook.refuse(place, "G8", why, by=ForeignReasoning.REFUSE)
        body.pop(_SIGNATURE, None)
        body.pop(snake_of(_SIGNATURE), None)
        self.notebook.add(place, "G8", f"{why} is left out")

    def sign(self, contents: Sequence[WireContent]) -> None:
        """Put the placeholder on the first call of each step of the current turn that has no signature."""
        if generation_of(self.model) is Generation.EARLIER:
            return
        as_stored = self.policy.foreign_reasoning is ForeignReasoning.AS_STORED
        for content, part in step_starts(contents):
            if plain_text(either(part.body, _SIGNATURE)) or (as_stored and content.origin is Origin.OWN):
                continue
            part.body.pop(snake_of(_SIGNATURE), None)
            part.body[_SIGNATURE] = PLACEHOLDER
            self.notebook.add(part.place, "G7", f"the call has no signature; {PLACEHOLDER!r} stands for it")

    def _why_not(self, signature: str, turn: Turn | None) -> str | None:
        if turn is not None and turn.origin is Origin.FOREIGN:
            return "a signature that the target cannot verify"
        if not is_base64(signature):
            return "a signature that is no base64"
        other = None if turn is None else self.other_model(turn)
        # The placeholder is no model's.
        return None if other is None or signature == PLACEHOLDER else f"the signature of {other}"


def step_starts(contents: Sequence[WireContent]) -> Iterator[tuple[WireContent, WirePart]]:
    """The first call of each step of the current turn, which begins after the last of the user's contents that is not
    only function responses.
    """
    start = len(contents)
    while start > 0:
        content = contents[start - 1]
        if content.speaker == "user" and not content.responds:
            break
        start -= 1
    called = False
    for content in contents[start:]:
        if content.speaker == "user":
            called = False
        elif not called:
            call = next((part for part in content.parts if "functionCall" in part.body), None)
            if call is not None:
                called = True
                yield content, call
