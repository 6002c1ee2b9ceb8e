"""What the model settings say of the conversation: whether it is stored, and whether this request goes on with one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convotree.domain.exact_json import ExactJson

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """``stores``: the caller says that responses are stored. ``discards``: that they are not. ``continues``: calls may
    stand in what the provider keeps. ``names_two_conversations``: which no request may. ``has_prompt``: something else
    than the input is asked.
    """

    stores: bool
    discards: bool
    continues: bool
    names_two_conversations: bool
    has_prompt: bool

    @classmethod
    def of(cls, params: Mapping[str, ExactJson]) -> Settings:
        """What ``params`` say."""
        given = {key for key, value in params.items() if value.text != "null"}
        store = params["store"].text if "store" in given else ""
        response, conversation = "previous_response_id" in given, "conversation" in given
        return cls(
            stores=store == "true",
            discards=store == "false",
            continues=response or conversation,
            names_two_conversations=response and conversation,
            has_prompt="prompt" in given,
        )
