"""What an importer had to repair, leave out or keep aside, collected while a file is read."""

from __future__ import annotations

from convotree.domain.parsed import ImportProblem
from convotree.errors import InvalidFileError
from convotree.interchange.json_span import JsonSpan

__all__ = ["Problems"]


class Problems:
    """The problems of one conversation, or those of a file that belong to none, in the order they were met."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[ImportProblem] = []

    def report(self, place: str, what: str) -> None:
        """Note that something at ``place`` was not taken as it stood; ``what`` says what was made of it."""
        self._found.append(ImportProblem(place, what))

    def found(self) -> tuple[ImportProblem, ...]:
        return tuple(self._found)

    def refusal(self, place: str, reason: str) -> InvalidFileError:
        """The error to raise when nothing can be made of what is at ``place``."""
        return InvalidFileError(file=self.file, place=place, reason=reason)

    def members(self, span: JsonSpan, place: str) -> dict[str, JsonSpan]:
        """The members of an object by key; of a repeated key the last counts, as in every JSON parser: reported."""
        members: dict[str, JsonSpan] = {}
        for key, value in span.pairs():
            if key in members:
                self.report(place, f"the key {key!r} occurs twice: the last one counts")
            members[key] = value
        return members
