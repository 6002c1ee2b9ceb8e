"""A system prompt as one text, which is all that the reference shapes hold."""

from __future__ import annotations

from convotree.domain.parts import TextPart
from convotree.domain.prompt import SystemPrompt
from convotree.interchange.conversion_notes import ConversionNotes
from convotree.replay.notebook import SYSTEM, WHOLE

__all__ = ["system_text"]


def system_text(system: SystemPrompt | None, notes: ConversionNotes) -> str:
    """The text of a system prompt, parts of it as paragraphs."""
    if system is None or isinstance(system, str):
        return system or ""
    texts: list[str] = []
    for number, part in enumerate(system):
        place = (SYSTEM, number)
        if not isinstance(part, TextPart):
            notes.no_form(place, f"{type(part).__name__} in a system prompt")
            continue
        texts.append(part.text)
        notes.lost_marker(place, part.cache_marker)
        if part.citations is not None or part.signature is not None:
            notes.lost(place, "citations and signatures in a system prompt")
        notes.lost_data(place, part.provider_data)
    if len(texts) > 1:
        notes.changed((SYSTEM, WHOLE), f"{len(texts)} texts are written as one, an empty line between them")
    return "\n\n".join(texts)
