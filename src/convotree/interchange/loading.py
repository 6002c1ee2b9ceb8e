"""Reading an export of another product: which format it is, and who reads it."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Final

from convotree.domain.parsed import ParsedExport
from convotree.errors import InvalidArgumentError, InvalidFileError
from convotree.interchange.chatgpt import ChatGptReader
from convotree.interchange.librechat import LibreChatReader
from convotree.interchange.reader import Confidence, Reader
from convotree.interchange.source import SourceText

__all__ = ["load", "loads"]

_READERS: Final[tuple[Reader, ...]] = (ChatGptReader(), LibreChatReader())


def load(path: str | PathLike[str]) -> ParsedExport:
    """The conversations in an export of another product, as values for ``ConversationStore.import_``.

    The format is recognised by what the file holds, never by its name. The file is read whole, and blocks while it
    is: from a coroutine call it in a thread. The same file always gives the same value, ids included.

    Raises:
        InvalidArgumentError: if ``path`` is no path.
        InvalidFileError: if the file cannot be read, is of no known format, or holds no conversation that can be
            read; ``place`` names byte, line and column, or the entry. What is wrong beside good conversations is
            listed in ``problems`` instead, of the export and of each conversation.
    """
    name = path if isinstance(path, str) else fspath(path) if isinstance(path, PathLike) else None
    if not isinstance(name, str):
        raise InvalidArgumentError(argument="path", reason=f"a path was expected, not {type(path).__name__}")
    try:
        content = Path(name).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidFileError(file=name, place="", reason=f"cannot be read: {reason}") from error
    return loads(content, name=name)


def loads(content: str | bytes, *, name: str = "<text>") -> ParsedExport:
    """The conversations in an export that was read already; ``name`` stands for it in errors.

    Raises:
        InvalidArgumentError: if ``content`` is neither text nor bytes.
        InvalidFileError: as ``load``.
    """
    if not isinstance(name, str):
        raise InvalidArgumentError(
            argument="name", reason=f"a string was expected, not {type(name).__name__}"
        )
    if not isinstance(content, (str, bytes)):
        raise InvalidArgumentError(
            argument="content", reason=f"text or bytes were expected, not {type(content).__name__}"
        )
    source = SourceText(content, name=name)
    confidence, best = max(((reader.detect(source), reader) for reader in _READERS), key=lambda pair: pair[0])
    if confidence is not Confidence.NONE:
        return best.read(source)
    root = source.json  # raises, if the trouble is that this is no JSON
    known = ", ".join(sorted(reader.format for reader in _READERS))
    elements = root.elements()
    size = f" of {len(elements)} elements" if root.is_array else ""
    keys = [key for span in (root, *elements[:1]) for key, _ in span.pairs()][:8]
    shown = f" with the keys {', '.join(map(repr, keys))}" if keys else ""
    raise InvalidFileError(
        file=name,
        place="top level",
        reason=f"{root.kind}{size}{shown} is no export that is known; known are {known}",
    )
