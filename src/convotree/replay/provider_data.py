"""Reading ``provider_data``: what one provider sent with a part or message and no field holds."""

from __future__ import annotations

from convotree.domain.exact_json import ExactJson, split_object
from convotree.domain.json_scan import only_member_of
from convotree.domain.message import Message

__all__ = ["Members", "carries_data_of", "members_for"]

Members = dict[str, ExactJson]
"""Members of a JSON object by key, each exact."""


def members_for(provider_data: ExactJson | None, provider: str) -> Members:
    """What ``provider`` sent, member by member; empty if it sent nothing."""
    if provider_data is None:
        return {}
    members = only_member_of(provider_data.text, provider)
    if members is not None:
        return {key: ExactJson.stored(text) for key, text in members}
    own = split_object(provider_data.text).get(provider)
    if own is None or not own.startswith("{"):
        return {}
    return {key: ExactJson.stored(text) for key, text in split_object(own).items()}


def carries_data_of(message: Message, provider: str) -> bool:
    """Whether the message came from ``provider`` in its own form, which ``provider_data`` then says."""
    data = message.provider_data
    if data is None or f'"{provider}"' not in data.text:
        return False
    return data.text.startswith(f'{{"{provider}":') or provider in split_object(data.text)
