"""About how many tokens a request is: what the provider counted as far as it did, a rule of thumb for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from convotree.domain.brief_repr import brief
from convotree.domain.exact_json import ExactJson, parse_value, quote
from convotree.domain.message import Message, Role
from convotree.domain.outcome import Outcome
from convotree.domain.parts import (
    AudioPart,
    CompactionPart,
    DocumentPart,
    HostedCallPart,
    HostedResultPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from convotree.domain.prompt import SystemPrompt, Tool
from convotree.errors import InvalidArgumentError
from convotree.replay.exact_text import write_exact
from convotree.replay.usage import Usage

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = [
    "TokenCounter",
    "TokenEstimate",
    "checked_counter",
    "estimate",
    "instruction_tokens",
    "message_tokens",
    "quarter",
]

TokenCounter: TypeAlias = Callable[[str], int]
"""Gives the tokens of a text."""

_MEDIA: Final = 1200
"""For an image, document or recording, whatever its size: what the reference estimates."""


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """``tokens``: all in all. ``usage_tokens``: those that a provider counted, up to the answer ``messages[anchor]``;
    ``trailing_tokens``: the estimate for what follows it. Without an answer whose count can be used, ``anchor`` is None
    and all is estimated.
    """

    tokens: int
    usage_tokens: int
    trailing_tokens: int
    anchor: int | None


def checked_counter(count: TokenCounter | None) -> TokenCounter:
    """``count``, or a token for each four characters if it is None; what it gives is looked at.

    Raises:
        InvalidArgumentError: if it cannot be called; when it is called, if it gives no whole number of 0 or more.
    """
    if count is None:
        return quarter
    if not callable(count):
        raise InvalidArgumentError(argument="count", reason="a function from text to tokens was expected")

    def checked(text: str) -> int:
        tokens = count(text)
        if type(tokens) is not int or tokens < 0:
            raise InvalidArgumentError(
                argument="count", reason=f"it gave {brief(tokens)} for a text, not a number of tokens"
            )
        return tokens

    return checked


def quarter(text: str) -> int:
    """A token for each four characters, rounded up."""
    return -(-len(text) // 4)


def estimate(request: Request, count: TokenCounter) -> TokenEstimate:
    """The estimate for ``request``.

    The anchor is the newest answer that came to its end, has a usage, and was generated from what stands above it here.
    """
    anchor, used = _anchor(request)
    start = 0 if anchor is None else anchor + 1
    trailing = sum(message_tokens(message, count) for message in request.messages[start:])
    if anchor is None:
        trailing += instruction_tokens(request.system, request.tools, count)
    return TokenEstimate(used + trailing, used, trailing, anchor)


def _anchor(request: Request) -> tuple[int | None, int]:
    broken = {one.index for one in request.prefix_breaks}
    for index in range(len(request.generations) - 1, -1, -1):
        record, message = request.generations[index], request.messages[index]
        if record is None or record.usage is None or index in broken:
            continue
        if message.role is not Role.ASSISTANT or message.outcome is not Outcome.COMPLETE:
            continue
        used = Usage.of(record.usage).context
        if used > 0:
            return index, used
    return None, 0


def instruction_tokens(system: SystemPrompt | None, tools: Iterable[Tool], count: TokenCounter) -> int:
    """Tokens of the system prompt and the tools."""
    tokens = 0
    if isinstance(system, str):
        tokens += count(system)
    elif system is not None:
        tokens += sum(_part_tokens(part, count) for part in system)
    written = [_tool_text(tool) for tool in tools]
    return tokens + (count(_as_written("[" + ",".join(written) + "]")) if written else 0)


def message_tokens(message: Message, count: TokenCounter) -> int:
    """Tokens of one message. Ids, signatures, roles and what providers keep beside the content cost nothing."""
    return sum(_part_tokens(part, count) for part in message.parts)


def _part_tokens(part: Part, count: TokenCounter) -> int:
    match part:
        case TextPart() | ReasoningPart() | RefusalPart():
            return count(part.text) if part.text else 0
        case ToolCallPart() | HostedCallPart():
            return count(part.name) + count(_as_written(_plain(part.arguments)))
        case ToolResultPart():
            return sum(_part_tokens(inner, count) for inner in part.content)
        case ImagePart() | DocumentPart() | AudioPart():
            return _MEDIA
        case CompactionPart():
            return count(part.text) if part.text else 0
        case HostedResultPart() | OpaquePart():
            return count(part.content.text)


def _tool_text(tool: Tool) -> str:
    if tool.definition is not None:
        return tool.definition.text
    members = [f'"name":{quote(tool.name)}']
    if tool.description:
        members.append(f'"description":{quote(tool.description)}')
    if tool.input_schema is not None:
        members.append(f'"inputSchema":{_plain(tool.input_schema)}')
    return "{" + ",".join(members) + "}"


def _plain(json: ExactJson) -> str:
    """The JSON without escapes that need not be."""
    return write_exact(parse_value(json.text)) if "\\u" in json.text else json.text


def _as_written(json: str) -> str:
    """As the reference writes JSON before it counts: these characters, which stand in strings only, as escapes."""
    if "<" in json or ">" in json or "&" in json:
        for character in "<>&":
            json = json.replace(character, f"\\u{ord(character):04x}")
    return json
