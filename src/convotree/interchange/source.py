"""The text of a file that is being imported, with its name for the errors."""

from __future__ import annotations

from functools import cached_property

from convotree.errors import InvalidFileError, InvalidJsonError
from convotree.interchange.json_span import JsonSpan, line_and_column, scan_json

__all__ = ["SourceText"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SourceText:
    """A file's text, read as JSON at most once."""

    def __init__(self, content: str | bytes, *, name: str) -> None:
        """Decode ``content``; a byte order mark before UTF-8 is no part of the text.

        Raises:
            InvalidFileError: if the bytes are not UTF-8; ``place`` names the first wrong byte, counted from 0.
        """
        self.name = name
        self.text = content.removeprefix("\ufeff") if isinstance(content, str) else _decode(content, name)

    @property
    def json(self) -> JsonSpan:
        """The whole text as one JSON value.

        Raises:
            InvalidFileError: if it is not one; ``place`` names line and column.
        """
        if isinstance(self._scanned, InvalidFileError):
            raise self._scanned
        return self._scanned

    @property
    def json_if_any(self) -> JsonSpan | None:
        """The whole text as one JSON value, None if it is not one."""
        return None if isinstance(self._scanned, InvalidFileError) else self._scanned

    @cached_property
    def _scanned(self) -> JsonSpan | InvalidFileError:
        try:
            return scan_json(self.text)
        except InvalidJsonError as error:
            place = line_and_column(self.text, error.position or 0)
            reason = f"not JSON: {error.reason}"
            if self._is_lines(error.position or 0):
                reason = (
                    "one JSON value on each line (JSON Lines), not one JSON document; no known export is that"
                )
            refusal = InvalidFileError(file=self.name, place=place, reason=reason)
            refusal.__cause__ = error
            return refusal

    def _is_lines(self, position: int) -> bool:
        """Whether what ends the document at ``position`` is the second of several lines of JSON."""
        before, after = self.text[:position].strip(), self.text[position:].lstrip()
        if "\n" in before or not before or after[:1] not in ("{", "["):
            return False
        try:
            scan_json(before)
        except InvalidJsonError:
            return False
        return True


def _decode(content: bytes, name: str) -> str:
    offset = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    try:
        return content[offset:].decode()
    except UnicodeDecodeError as error:
        reason = "not UTF-8"
        if content.startswith(b"PK\x03\x04"):
            reason = "a zip archive, not text: unpack it and give a file that was in it"
        raise InvalidFileError(file=name, place=f"byte {error.start + offset}", reason=reason) from error
