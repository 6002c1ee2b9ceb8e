"""A streamed answer of ``generateContent``, put together from its chunks."""

from __future__ import annotations

from typing import Any, Final

from convotree.replay.gemini.answer import is_end
from convotree.replay.gemini.partial_calls import PartialCall, begins_call, check_partial_call
from convotree.replay.gemini.spelling import either
from convotree.replay.reading import MisreadError, wrong_type

__all__ = ["Stream"]

_SIGNATURE: Final = "thoughtSignature"


class Stream:
    """Adds up chunks: each brings parts; pieces of one text become one part, signed pieces stay apart (rule G9).

    What is named again (usage, the stop reason, what the text is grounded in) is the newest.
    """

    def __init__(self) -> None:
        self._answer: dict[str, Any] = {}
        self._candidates: dict[int, _Candidate] = {}
        self._blocked = False

    @property
    def complete(self) -> bool:
        """Whether every candidate says why it ended, or the prompt was blocked."""
        if not self._candidates:
            return self._blocked
        return all(is_end(either(one.rest, "finishReason")) for one in self._candidates.values())

    def add(self, event: dict[str, Any]) -> None:
        """Take the next chunk.

        Raises:
            MisreadError: if it is none; nothing of it is taken.
        """
        if event.get("error") is not None:
            raise MisreadError(".error", "this is an error, not a chunk of an answer")
        candidates = event.get("candidates")
        if candidates is None:
            feedback = either(event, "promptFeedback")
            if feedback is None and either(event, "usageMetadata") is None:
                wrong_type("candidates", "an array", candidates)
            self._blocked = self._blocked or feedback is not None
            candidates = []
        if type(candidates) is not list:
            wrong_type("candidates", "an array", candidates)
        for number, candidate in enumerate(candidates):
            try:
                _check_candidate(candidate)
            except MisreadError as error:
                raise error.within(f".candidates[{number}]") from None
        for candidate in candidates:
            index = candidate.get("index", 0)
            self._candidates.setdefault(index, _Candidate()).add(candidate)
        self._answer.update((key, value) for key, value in event.items() if key != "candidates")

    def answer(self) -> dict[str, Any]:
        """The answer so far.

        Raises:
            MisreadError: if no chunk with a candidate has come, nor that the prompt was blocked.
        """
        if not self._candidates and not self._blocked:
            raise MisreadError(".candidates", "nothing of an answer has come yet")
        answer: dict[str, Any] = {}
        if self._candidates:
            answer["candidates"] = [self._candidates[index].whole() for index in sorted(self._candidates)]
        return {**answer, **self._answer}


class _Candidate:
    """One candidate in the making. Texts are kept in pieces until they are asked for, so that many stay linear."""

    def __init__(self) -> None:
        self.rest: dict[str, Any] = {}
        self._content: dict[str, Any] | None = None
        self._parts: list[dict[str, Any] | PartialCall] = []
        self._pieces: list[str] = []

    def add(self, candidate: dict[str, Any]) -> None:
        content = candidate.get("content")
        if content is not None:
            self._content = self._content or {}
            self._content.update((key, value) for key, value in content.items() if key != "parts")
            for part in content.get("parts") or ():
                self._add_part(part)
        self.rest.update((key, value) for key, value in candidate.items() if key != "content")

    def whole(self) -> dict[str, Any]:
        self._join()
        if self._content is None:
            return dict(self.rest)
        parts = [part.whole() if isinstance(part, PartialCall) else part for part in self._parts]
        content = {"parts": parts, **self._content} if parts else dict(self._content)
        return {"content": content, **self.rest}

    def _add_part(self, part: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, PartialCall) and last.open and type(either(part, "functionCall")) is dict:
            last.add(part)
            return
        if _is_piece(part):
            if type(last) is dict and _is_piece(last) and _without_text(last) == _without_text(part):
                self._pieces.append(part["text"])
                return
            if part["text"] == "":
                # Many a last chunk says nothing; unstreamed there is no such part.
                return
        self._join()
        if begins_call(part):
            call = PartialCall()
            call.add(part)
            self._parts.append(call)
        else:
            self._parts.append(part)

    def _join(self) -> None:
        last = self._parts[-1] if self._parts else None
        if self._pieces and type(last) is dict:
            self._parts[-1] = {**last, "text": "".join([last["text"], *self._pieces])}
            self._pieces = []


def _is_piece(part: dict[str, Any]) -> bool:
    """Whether it is text that no signature ends."""
    return type(part.get("text")) is str and either(part, _SIGNATURE) is None


def _without_text(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != "text"}


def _check_candidate(candidate: Any) -> None:
    if type(candidate) is not dict:
        wrong_type("", "an object", candidate)
    if type(candidate.get("index", 0)) is not int:
        wrong_type("index", "a whole number", candidate["index"])
    content = candidate.get("content")
    if content is None:
        return
    if type(content) is not dict:
        wrong_type("content", "an object", content)
    parts = content.get("parts")
    if parts is not None and type(parts) is not list:
        raise MisreadError(".content.parts", "an array was expected")
    for number, part in enumerate(parts or ()):
        if type(part) is not dict:
            raise MisreadError(f".content.parts[{number}]", "an object was expected")
        try:
            check_partial_call(part)
        except MisreadError as error:
            raise error.within(f".content.parts[{number}]") from None
