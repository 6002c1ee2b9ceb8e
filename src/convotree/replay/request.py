"""A request: system prompt, tools and the messages of one path; provider-neutral, complete, immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from convotree.domain.brief_repr import brief
from convotree.domain.exact_json import ExactJson
from convotree.domain.field_checks import keep_optional_text
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.parts import Part
from convotree.domain.prompt import SystemPrompt, Tool
from convotree.errors import InvalidArgumentError
from convotree.replay.continuation import Continuation, continuations
from convotree.replay.finding import Finding
from convotree.replay.note import Note
from convotree.replay.params import params_object
from convotree.replay.policy import RenderPolicy
from convotree.replay.prefix import PrefixBreak
from convotree.replay.providers import find_provider
from convotree.replay.rendered import Rendered
from convotree.replay.request_codec import decode_request, encode_request
from convotree.replay.token_estimate import TokenCounter, TokenEstimate, checked_counter, estimate

__all__ = ["Request"]

_PART_TYPES = get_args(Part)


@dataclass(frozen=True, slots=True)
class Request:
    """What a path stands for, ready to be rendered for a provider.

    Not compared: ``revision_ids`` (of each message, or empty), ``notes`` (what assembling it had to say),
    ``generations`` (of each message, None where there is none, or empty), ``prefix_breaks`` (the answers that were
    generated from another prefix than they stand below here), ``unbranched_from`` (see ``continuations``),
    ``prompt_version`` and ``tool_set`` (the ids of the stored system prompt and tools, for ``GenerationRecord``) and
    ``params``: of an ingested body, the JSON object of all that is neither system, tools nor messages (model,
    max_tokens, …), exact. ``render`` uses only the params it is given: ``render(…, params=request.params)`` gives the
    ingested ones back.
    """

    system: SystemPrompt | None = None
    tools: tuple[Tool, ...] = ()
    messages: tuple[Message, ...] = ()
    revision_ids: tuple[str, ...] = field(default=(), compare=False)
    notes: tuple[Note, ...] = field(default=(), compare=False)
    params: ExactJson | None = field(default=None, compare=False)
    generations: tuple[GenerationRecord | None, ...] = field(default=(), compare=False)
    prefix_breaks: tuple[PrefixBreak, ...] = field(default=(), compare=False)
    unbranched_from: int | None = field(default=None, compare=False)
    prompt_version: str | None = field(default=None, compare=False)
    tool_set: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.system is not None and not isinstance(self.system, str):
            object.__setattr__(self, "system", _tuple_of(self.system, _PART_TYPES, "system"))
        object.__setattr__(self, "tools", _tuple_of(self.tools, (Tool,), "tools"))
        object.__setattr__(self, "messages", _tuple_of(self.messages, (Message,), "messages"))
        object.__setattr__(self, "revision_ids", _tuple_of(self.revision_ids, (str,), "revision_ids"))
        object.__setattr__(self, "notes", _tuple_of(self.notes, (Note,), "notes"))
        object.__setattr__(
            self, "generations", _tuple_of(self.generations, (GenerationRecord, type(None)), "generations")
        )
        object.__setattr__(
            self, "prefix_breaks", _tuple_of(self.prefix_breaks, (PrefixBreak,), "prefix_breaks")
        )
        for name in ("revision_ids", "generations"):
            values = getattr(self, name)
            if values and len(values) != len(self.messages):
                raise InvalidArgumentError(
                    argument=name, reason=f"{len(values)} for {len(self.messages)} messages"
                )
        for one in self.prefix_breaks:
            if one.index >= len(self.messages):
                raise InvalidArgumentError(
                    argument="prefix_breaks", reason=f"there is no messages[{one.index}]"
                )
        start = self.unbranched_from
        if start is not None and not (type(start) is int and 0 <= start <= len(self.messages)):
            raise InvalidArgumentError(
                argument="unbranched_from",
                reason="the number of a message was expected, or how many there are",
            )
        keep_optional_text(self, "prompt_version", "tool_set")
        if self.params is not None and not (isinstance(self.params, ExactJson) and self.params.is_object):
            raise InvalidArgumentError(argument="params", reason="an ExactJson object was expected")

    def render(
        self,
        provider: str,
        *,
        model: str,
        params: Mapping[str, Any] | ExactJson | None = None,
        policy: RenderPolicy | None = None,
    ) -> Rendered:
        """This request in ``provider``'s own form. ``params``: model settings, merged into the body.

        What the provider would reject is changed as ``policy`` says (default: ``RenderPolicy()``) and noted; the
        request itself is never changed. The same request, model, params and policy give the same bytes.

        Raises:
            UnsupportedProviderError: if the provider is not known.
            UnreplayableError: if ``policy`` refuses what would have to be changed.
            InvalidArgumentError: if ``params`` would overwrite the model, system prompt, tools or messages.
        """
        _check_model(model)
        if policy is not None and not isinstance(policy, RenderPolicy):
            raise InvalidArgumentError(argument="policy", reason="a RenderPolicy was expected")
        return find_provider(provider).render(
            self, model=model, params=params, policy=RenderPolicy() if policy is None else policy
        )

    def check(
        self,
        provider: str,
        *,
        model: str,
        sdk: bool = False,
        params: Mapping[str, Any] | ExactJson | None = None,
    ) -> tuple[Finding, ...]:
        """What ``provider`` would reject of this request as it stands, in the order of the messages.

        Content of other providers counts as ``render`` would hand it over; nothing else is repaired first. With
        ``sdk``, the request types of the provider's official SDK are asked too. ``params``: the settings that rules
        depend on, such as ``thinking`` or ``store`` (default: those the request was ingested with).

        Raises:
            UnsupportedProviderError: if the provider is not known.
            MissingExtraError: with ``sdk``, if the provider's SDK is not installed.
            InvalidArgumentError, InvalidJsonError: if ``params`` are no JSON object.
        """
        _check_model(model)
        asked = self if params is None else replace(self, params=params_object(params))
        return find_provider(provider).check(asked, model=model, sdk=sdk)

    def continuations(self, provider: str) -> tuple[Continuation, ...]:
        """How ``provider`` can go on from what it keeps of exactly this path: hints that save tokens, never the record.

        Read from ``generations``: OpenAI's ``previous_response_id`` and ``conversation``, Anthropic's ``thread`` and
        ``container``. None is offered that another path has, or may have, gone on with: what is kept for one line only
        (all but ``previous_response_id``) is offered only from ``unbranched_from`` on, where each message was the first
        below the one above it and nothing stands below the last. ``store.replay`` knows that of the selected leaf.
        A provider may have let go of it: then send the whole request.

        Raises:
            UnsupportedProviderError: if the provider is not known.
        """
        read = find_provider(provider).read_handles
        return () if read is None else continuations(self, read)

    def estimate_tokens(self, count: TokenCounter | None = None) -> TokenEstimate:
        """About how many tokens this request is.

        Anchored on the newest answer whose ``generations`` record has a usage: what the provider counted up to there is
        taken, and only what follows is estimated. ``count`` gives the tokens of a text (default: a quarter of its
        characters, rounded up); an image, document or recording counts 1,200.

        Raises:
            InvalidArgumentError: if ``count`` cannot be called, or gives no whole number of 0 or more.
        """
        return estimate(self, checked_counter(count))

    @classmethod
    def from_provider(
        cls, provider: str, body: str | bytes | Mapping[str, Any], *, model: str | None = None
    ) -> Request:
        """The request in a body of ``provider``'s API. ``model``: who gave the answers in it, if not ``body``'s model.

        Give text or bytes where you can: parsed JSON has already lost its number spelling.

        Raises:
            UnsupportedProviderError: if the provider is not known.
            InvalidJsonError: if text or bytes are not JSON.
            InvalidMessageError: if the JSON is no body of that provider; ``place`` is a path into the body.
        """
        request = find_provider(provider).read_request(body, model=model)
        return cls(
            request.system,
            request.tools,
            request.messages,
            params=request.params,
            generations=request.generations,
        )

    def to_json(self) -> bytes:
        """The library's own JSON form in UTF-8, exact and deterministic, with a schema number."""
        return encode_request(self).encode()

    @classmethod
    def from_json(cls, source: str | bytes) -> Request:
        """The request that ``to_json`` wrote.

        Raises:
            InvalidJsonError: if ``source`` is not JSON.
            InvalidMessageError: for a missing or unknown member or one of a wrong type; ``place`` says where.
            SchemaTooNewError: if a newer release wrote it.
        """
        return cls(**decode_request(source))


def _check_model(model: object) -> None:
    if not isinstance(model, str) or not model:
        raise InvalidArgumentError(
            argument="model", reason=f"the name of a model was expected, not {brief(model)}"
        )


def _tuple_of(values: object, types: tuple[type, ...], argument: str) -> tuple[Any, ...]:
    if not isinstance(values, (tuple, list)):
        raise InvalidArgumentError(
            argument=argument, reason=f"a tuple was expected, not {type(values).__name__}"
        )
    for index, value in enumerate(values):
        if not isinstance(value, types):
            raise InvalidArgumentError(
                argument=f"{argument}[{index}]", reason=f"{type(value).__name__} was not expected"
            )
    return tuple(values)
