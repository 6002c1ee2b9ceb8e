"""How an answer was made, from wherever that is known: another shape's members, or the record of the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from convotree.domain.exact_json import ExactJson, parse_value, split_object
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Role

__all__ = ["AnswerFacts"]

_SHAPES: Final = ("sigma", "or_llm")


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """Stop reason and usage as their source spells them; of a record, also what it says of the response.

    ``carried``: the members of ``provider_data`` that the facts were read from.
    """

    stop_reason: str | None = None
    usage: ExactJson | None = None
    model_answered: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    carried: tuple[str, ...] = ()

    @classmethod
    def of(cls, message: Message, generation: GenerationRecord | None, shape: str) -> AnswerFacts:
        """The facts for writing ``message`` as ``shape``; none if it was read from that shape and says them itself."""
        if message.role is not Role.ASSISTANT:
            return cls()
        data = {} if message.provider_data is None else split_object(message.provider_data.text)
        if shape in data:
            return cls()
        for other in _SHAPES:
            if not data.get(other, "").startswith("{"):
                continue
            members = split_object(data[other])
            stop = parse_value(members.get("stopReason", "null"))
            usage = members.get("usage", "")
            return cls(
                stop if isinstance(stop, str) and stop else None,
                ExactJson.stored(usage) if usage.startswith("{") else None,
                carried=("stopReason", "usage"),
            )
        if generation is None:
            return cls()
        return cls(
            generation.stop_reason,
            generation.usage,
            generation.model_answered,
            generation.response_id,
            generation.request_id,
        )
