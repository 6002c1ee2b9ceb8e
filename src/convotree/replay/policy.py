"""What ``render`` does with content that the target would reject: one Enum for each question.

Every default yields a request that the provider accepts, and notes what it did. ``AS_STORED`` sends the content as it
stands, which is what ``check`` examines.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Final

from convotree.errors import InvalidArgumentError

__all__ = [
    "AS_STORED",
    "BlankText",
    "CacheMarkers",
    "DeveloperMessages",
    "FailedTurns",
    "ForeignReasoning",
    "HostedOrphans",
    "LastAnswer",
    "RenderPolicy",
    "ResponseMembers",
    "StaleReasoning",
    "ToolArguments",
    "ToolCallIds",
    "Turns",
    "Unacceptable",
    "UnansweredCalls",
    "UnmatchedResults",
    "Unsupported",
    "policy_of",
]


class UnansweredCalls(Enum):
    """A tool call without a result on the path."""

    ANSWER = "answer"
    """Give it a result marked as an error, ``No result provided``."""
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"


class UnmatchedResults(Enum):
    """A tool result without a call above it, and every result of a call but the one that is used.

    Used is the first that is no error among those before the next answer; failing that the first of them; failing
    that the first that came later.
    """

    LEAVE_OUT = "leave_out"
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"


class ForeignReasoning(Enum):
    """Reasoning that another provider signed, or that lacks its signature: the target cannot verify it."""

    DROP = "drop"
    AS_TEXT = "as_text"
    """Send what can be read of it as plain text."""
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"
    """Send the target's own even where it lacks its signature; drop another provider's."""


class StaleReasoning(Enum):
    """Signed reasoning whose prefix is not what it was signed over, and all signed reasoning after it, where the target
    binds the two (Anthropic, rule A19). ``Request.prefix_breaks`` says where.
    """

    DROP = "drop"
    """From the first such answer to the end: kept reasoning must be an unbroken run from the start."""
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"
    """For a caller whose account is not held to it, or who asks the provider to drop such blocks itself."""


class FailedTurns(Enum):
    """An answer that failed or was aborted (``Message.outcome``), and the results of its calls."""

    BY_TARGET = "by_target"
    """``LEAVE_OUT`` for OpenAI Responses, ``TEXT`` for all others."""
    LEAVE_OUT = "leave_out"
    """Nothing of it, nor the results of its calls."""
    TEXT = "text"
    """Its text as far as it is not blank, without reasoning and calls; results of its calls are left out."""
    AS_STORED = "as_stored"
    """As any other answer."""


class Unacceptable(Enum):
    """What no other choice settles and the target would reject: no message at all, tools of odd names, media that
    are none, too many media, a tool loop without the thinking that it must begin with.
    """

    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"
    """Send it: to look at, or to a platform that takes it."""


class LastAnswer(Enum):
    """An answer at the end of the path, for a model that takes no start of its own answer (Anthropic, rule A15). One
    that ends in a hosted call or its result is no such start: the provider goes on with it.
    """

    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    LEAVE_OUT = "leave_out"
    """Ask for another answer in its place."""
    AS_STORED = "as_stored"


class BlankText(Enum):
    """Text that is empty or white space, and a message with nothing left in it, where the target rejects them."""

    LEAVE_OUT = "leave_out"
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"


class DeveloperMessages(Enum):
    """Developer messages for a target that takes them only in some places (Anthropic, rule A21).

    One that came from the target as a system message goes back as one wherever that is legal, whatever is chosen.
    """

    AS_USER = "as_user"
    AS_SYSTEM = "as_system"
    """As a system message where the target allows one, else as a user message."""
    AS_STORED = "as_stored"
    """One that came as a system message goes back as one even where that is not legal."""


class Unsupported(Enum):
    """Content that has no form in the target: another provider's hosted tools, files and unknown parts, say."""

    LEAVE_OUT = "leave_out"
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""


class HostedOrphans(Enum):
    """A hosted call without its result, or the reverse, where the target rejects it (Anthropic, rule A9)."""

    LEAVE_OUT = "leave_out"
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"


class ToolCallIds(Enum):
    """Ids of tool calls that the target's pattern or length excludes."""

    MAP = "map"
    """Replace each by an id derived from it, in calls and results alike."""
    MAP_FOREIGN = "map_foreign"
    """Replace only those of answers that came from elsewhere."""


class ToolArguments(Enum):
    """Arguments of a tool call that are no JSON object, where the target demands one."""

    WRAP = "wrap"
    """Send ``{"value": …}``."""
    REFUSE = "refuse"
    """Raise ``UnreplayableError``."""
    AS_STORED = "as_stored"
    """Send those of the target's own answers as they are."""


class CacheMarkers(Enum):
    """More prompt-cache markers than the target takes, or one where it takes none."""

    TRIM = "trim"
    """Leave out the oldest of the messages' markers."""
    AS_STORED = "as_stored"


class ResponseMembers(Enum):
    """Members that the target puts into answers and rejects in requests."""

    LEAVE_OUT = "leave_out"
    AS_STORED = "as_stored"


class Turns(Enum):
    """Consecutive messages of one role."""

    AS_STORED = "as_stored"
    """Several messages; the providers' own APIs take them."""
    MERGED = "merged"
    """One message, for platforms that demand alternating roles (rule A3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderPolicy:
    """The choices of one rendering. Equal request, target and policy give equal bytes."""

    unanswered_calls: UnansweredCalls = UnansweredCalls.ANSWER
    unmatched_results: UnmatchedResults = UnmatchedResults.LEAVE_OUT
    foreign_reasoning: ForeignReasoning = ForeignReasoning.DROP
    stale_reasoning: StaleReasoning = StaleReasoning.DROP
    failed_turns: FailedTurns = FailedTurns.BY_TARGET
    blank_text: BlankText = BlankText.LEAVE_OUT
    developer_messages: DeveloperMessages = DeveloperMessages.AS_USER
    unsupported: Unsupported = Unsupported.LEAVE_OUT
    hosted_orphans: HostedOrphans = HostedOrphans.LEAVE_OUT
    tool_call_ids: ToolCallIds = ToolCallIds.MAP
    tool_arguments: ToolArguments = ToolArguments.WRAP
    cache_markers: CacheMarkers = CacheMarkers.TRIM
    response_members: ResponseMembers = ResponseMembers.LEAVE_OUT
    turns: Turns = Turns.AS_STORED
    last_answer: LastAnswer = LastAnswer.REFUSE
    unacceptable: Unacceptable = Unacceptable.REFUSE

    def __post_init__(self) -> None:
        for field in fields(self):
            if type(getattr(self, field.name)) is not type(field.default):
                raise InvalidArgumentError(
                    argument=f"policy.{field.name}", reason=f"a {type(field.default).__name__} was expected"
                )


_FIELDS: Final = {type(one.default): one.name for one in fields(RenderPolicy)}


def policy_of(choice: Enum) -> str:
    """The field of ``RenderPolicy`` that ``choice`` is one of."""
    return _FIELDS[type(choice)]


AS_STORED: Final = RenderPolicy(
    unanswered_calls=UnansweredCalls.AS_STORED,
    unmatched_results=UnmatchedResults.AS_STORED,
    foreign_reasoning=ForeignReasoning.AS_STORED,
    stale_reasoning=StaleReasoning.AS_STORED,
    failed_turns=FailedTurns.AS_STORED,
    blank_text=BlankText.AS_STORED,
    developer_messages=DeveloperMessages.AS_STORED,
    hosted_orphans=HostedOrphans.AS_STORED,
    tool_call_ids=ToolCallIds.MAP_FOREIGN,
    tool_arguments=ToolArguments.AS_STORED,
    cache_markers=CacheMarkers.AS_STORED,
    response_members=ResponseMembers.AS_STORED,
    last_answer=LastAnswer.AS_STORED,
    unacceptable=Unacceptable.AS_STORED,
)
"""What ``check`` examines: handed over from other providers, repaired nowhere."""
