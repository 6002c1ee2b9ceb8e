"""What OpenAI keeps of a conversation: responses, each of which any number may follow, and conversations, which are one
line.
"""

from __future__ import annotations

from convotree.domain.generation import GenerationRecord
from convotree.replay.continuation import Handle, asked_with, handle_member
from convotree.replay.openai_responses.target import PROVIDER, TARGET

__all__ = ["KEPT", "read_handles"]

KEPT = ("conversation",)
"""Members of an answer that name what is kept."""


def read_handles(record: GenerationRecord) -> list[Handle]:
    """The handles that a record names. Responses are stored unless the call said otherwise (rule R15)."""
    if record.provider != PROVIDER or record.api not in {TARGET.api, *TARGET.also_api}:
        return []
    conversation = handle_member(record, "conversation")
    if isinstance(conversation, dict) and isinstance(conversation.get("id"), str):
        # A request goes on with a conversation or with a response, not both (rule R14).
        return [Handle(params={"conversation": conversation["id"]}, one_line=True, holds_system=True)]
    if record.response_id is None or asked_with(record, "store") is False:
        return []
    return [Handle(params={"previous_response_id": record.response_id}, holds_system=True)]
