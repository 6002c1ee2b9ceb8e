"""A second opinion: the request types of the official ``openai`` package."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from convotree.errors import MissingExtraError
from convotree.replay.exact_text import write_exact
from convotree.replay.finding import Finding, Severity
from convotree.replay.openai_chat.wire import Wire
from convotree.replay.plain_body import plain_body
from convotree.replay.sdk_validation import SDK, members_by_type, opinions

__all__ = ["check_with_sdk"]


def check_with_sdk(wire: Wire) -> tuple[Finding, ...]:
    """What the SDK's types have against the messages and tools of the body; places are paths into the body.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    messages, pieces, tools, calls = _adapters()
    body, _ = plain_body(write_exact(wire.tree()))
    found: list[Finding] = []
    for number, tool in enumerate(body.get("tools", ())):
        found.extend(_by_type(tools, tool, f"body.tools[{number}]"))
    for index, message in enumerate(body["messages"]):
        place = f"body.messages[{index}]"
        adapter = messages.get(message["role"])
        if adapter is None:
            found.append(Finding(Severity.WARNING, place, SDK, f"no role {message['role']!r} is known"))
            continue
        # Lists of unions apart, each member decided by its type: as a whole they give an error for every arm.
        outer = dict(message)
        for key, inner in (("content", pieces), ("tool_calls", calls)):
            if isinstance(outer.get(key), list) and outer[key]:
                for number, one in enumerate(outer[key]):
                    found.extend(_by_type(inner, one, f"{place}.{key}[{number}]"))
                outer[key] = "" if key == "content" else []
        found.extend(opinions(adapter, outer, place))
    return tuple(found)


def _by_type(adapters: dict[str, TypeAdapter[Any]], value: dict[str, Any], place: str) -> list[Finding]:
    adapter = adapters.get(value["type"])
    if adapter is None:
        return [Finding(Severity.WARNING, place, SDK, f"the installed SDK knows no {value['type']!r}")]
    return list(opinions(adapter, value, place))


_Adapters = dict[str, TypeAdapter[Any]]


@lru_cache(maxsize=1)
def _adapters() -> tuple[_Adapters, _Adapters, _Adapters, _Adapters]:
    try:
        from openai.types import chat
        from openai.types.chat.chat_completion_assistant_message_param import ContentArrayOfContentPart
        from openai.types.chat.chat_completion_content_part_param import ChatCompletionContentPartParam
    except ImportError as error:
        raise MissingExtraError(package="openai", extra="openai") from error
    messages = {
        "system": chat.ChatCompletionSystemMessageParam,
        "developer": chat.ChatCompletionDeveloperMessageParam,
        "user": chat.ChatCompletionUserMessageParam,
        "assistant": chat.ChatCompletionAssistantMessageParam,
        "tool": chat.ChatCompletionToolMessageParam,
        "function": chat.ChatCompletionFunctionMessageParam,
    }
    return (
        {role: TypeAdapter(kind) for role, kind in messages.items()},
        {**members_by_type(ChatCompletionContentPartParam), **members_by_type(ContentArrayOfContentPart)},
        members_by_type(chat.ChatCompletionToolUnionParam),
        members_by_type(chat.ChatCompletionMessageToolCallUnionParam),
    )
