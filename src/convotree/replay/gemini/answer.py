"""What an answer of ``generateContent`` says beside its content: how it ended, who gave it, what it used."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from convotree.domain.generation import GenerationRecord
from convotree.domain.outcome import Outcome
from convotree.replay.gemini.spelling import either, snake_of
from convotree.replay.gemini.target import API, PROVIDER
from convotree.replay.reading import MisreadError, leaf, load_document, wrong_type

__all__ = ["Answer", "is_end", "read_generation"]

_FAILED: Final = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "MISSING_THOUGHT_SIGNATURE",
        "TOO_MANY_TOOL_CALLS",
        "UNEXPECTED_TOOL_CALL",
    }
)
_NOT_ENDED: Final = (None, "FINISH_REASON_UNSPECIFIED")
CONTENT: Final = "content"

_HELD: Final = frozenset({CONTENT, "finishReason", "finish_reason", "index"})
_LENGTH: Final = 16


def is_end(reason: object) -> bool:
    """Whether a ``finishReason`` says that the model has stopped: unset, it has not."""
    return reason not in _NOT_ENDED


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, as far as its one candidate goes. ``place``: the way to the content."""

    document: dict[str, Any]
    candidate: dict[str, Any]
    content: Any
    place: str

    @classmethod
    def of(cls, document: dict[str, Any]) -> Answer:
        """The answer in a whole response, in a candidate, or in a content.

        Raises:
            MisreadError: if it is an error, or does not hold exactly one candidate.
        """
        if document.get("error") is not None:
            raise MisreadError(".error", "this is an error, not an answer")
        if "candidates" in document or either(document, "promptFeedback") is not None:
            candidates = document.get("candidates")
            if not candidates and either(document, "promptFeedback") is not None:
                # The prompt was blocked: an answer that says nothing.
                return cls(document, {}, None, "")
            if type(candidates) is not list or len(candidates) != 1 or type(candidates[0]) is not dict:
                raise MisreadError(
                    ".candidates", "exactly one candidate was expected; give the one you keep alone"
                )
            candidate = candidates[0]
            return cls(document, candidate, candidate.get(CONTENT), f".candidates[0].{CONTENT}")
        if CONTENT in document or either(document, "finishReason") is not None:
            return cls({}, document, document.get(CONTENT), f".{CONTENT}")
        if "parts" not in document:
            raise MisreadError(".candidates", "this member is missing")
        return cls({}, {}, document, "")

    @property
    def model(self) -> str | None:
        """The model that it names."""
        return _text(self.document, "modelVersion")

    @property
    def response_id(self) -> str | None:
        return _text(self.document, "responseId")

    @property
    def stop_reason(self) -> str | None:
        """Why the model stopped, or why the prompt was blocked."""
        reason = _text(self.candidate, "finishReason")
        feedback = either(self.document, "promptFeedback")
        if reason is None and not self.candidate and type(feedback) is dict:
            return _text(feedback, "blockReason")
        return reason

    @property
    def outcome(self) -> Outcome:
        """``ABORTED`` where a whole response does not say that the model has stopped."""
        reason = self.stop_reason
        if reason in _FAILED:
            return Outcome.FAILED
        names = either(self.document, "responseId") or either(self.document, "usageMetadata")
        unset = reason is not None and not is_end(reason)
        return Outcome.ABORTED if unset or (reason is None and self.candidate and names) else Outcome.COMPLETE

    def digest(self) -> str:
        """What tells this answer from every other."""
        name = self.response_id or leaf(self.document or self.candidate or self.content, "").text
        return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]

    def beside(self) -> dict[str, Any]:
        """What stands beside the content and no field holds."""
        return {key: value for key, value in self.candidate.items() if key not in _HELD}


def read_generation(answer: object, *, model: str | None) -> GenerationRecord:
    """What an answer says of its making; ``model``: the one that was asked."""
    document = load_document(answer, place="answer")
    try:
        read = Answer.of(document)
        usage = either(document, "usageMetadata")
        return GenerationRecord(
            provider=PROVIDER,
            api=API,
            model=model,
            model_answered=read.model,
            response_id=read.response_id,
            stop_reason=read.stop_reason,
            usage=leaf(usage, "usageMetadata") if type(usage) is dict else None,
        )
    except MisreadError as error:
        raise error.as_invalid() from None


def _text(value: dict[str, Any], name: str) -> str | None:
    text = either(value, name)
    if text is not None and type(text) is not str:
        wrong_type(name if name in value else snake_of(name), "a string or null", text)
    return text
