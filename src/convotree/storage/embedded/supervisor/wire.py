"""Just enough of MongoDB's wire protocol (OP_MSG, BSON) to ask an engine whether it answers and to make a user.

Written out here because the supervisor has no driver: it runs on the standard library alone.
Sources: https://bsonspec.org/spec.html and the MongoDB specification of OP_MSG.
"""

import socket
import struct
from collections.abc import Callable, Mapping
from typing import Final

_HEADER: Final = struct.Struct("<iiii")
_OP_MSG: Final = 2013
_BODY_AT: Final = 21  # header, flags and the kind byte of the one section
_LARGEST_REPLY: Final = 1 << 20

HEADER_SIZE: Final = _HEADER.size


class WireError(Exception):
    """What came back is no answer of a MongoDB server, or says that the command failed."""


def encode_message(command: Mapping[str, object], *, database: str = "admin") -> bytes:
    body = _encode_document({**command, "$db": database})
    return _HEADER.pack(_BODY_AT + len(body), 1, 0, _OP_MSG) + struct.pack("<IB", 0, 0) + body


def length_of_message(header: bytes) -> int:
    """The length in bytes of the message that begins with this header, the header included."""
    length, _, _, operation = _HEADER.unpack(header)
    if operation != _OP_MSG or not _BODY_AT < length <= _LARGEST_REPLY:
        raise WireError("not the answer of a MongoDB server")
    return int(length)


def decode_message(message: bytes) -> dict[str, object]:
    """The reply's document; raises `WireError` if it says that the command failed."""
    try:
        reply = _decode_document(message, _BODY_AT)[0]
    except (struct.error, IndexError, ValueError) as error:
        raise WireError("not the answer of a MongoDB server") from error
    if reply.get("ok") != 1.0:
        raise WireError(str(reply.get("errmsg", "the command failed")))
    return reply


def call(port: int, command: Mapping[str, object], *, patience: float) -> dict[str, object]:
    """Runs one command on a connection of its own; blocks up to ``patience`` seconds for each step."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        connection.sendall(encode_message(command))
        header = _receive(connection, HEADER_SIZE)
        return decode_message(header + _receive(connection, length_of_message(header) - HEADER_SIZE))


def _receive(connection: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        piece = connection.recv(size - len(received))
        if not piece:
            raise WireError("the connection ended inside an answer")
        received += piece
    return bytes(received)


def _encode_document(document: Mapping[str, object]) -> bytes:
    elements = b"".join(_encode_element(name, value) for name, value in document.items())
    return struct.pack("<i", len(elements) + 5) + elements + b"\0"


def _encode_element(name: str, value: object) -> bytes:
    key = name.encode() + b"\0"
    if isinstance(value, str):
        text = value.encode() + b"\0"
        return b"\x02" + key + struct.pack("<i", len(text)) + text
    if isinstance(value, bool):
        return b"\x08" + key + (b"\1" if value else b"\0")
    if isinstance(value, int):
        return b"\x10" + key + struct.pack("<i", value)
    if isinstance(value, Mapping):
        return b"\x03" + key + _encode_document(value)
    if isinstance(value, list):
        return b"\x04" + key + _encode_document({str(place): item for place, item in enumerate(value)})
    raise TypeError(f"{name}: {type(value).__name__} has no place in a command of the supervisor")


def _number(form: str) -> Callable[[bytes, int], tuple[object, int]]:
    reader = struct.Struct(form)
    return lambda data, at: (reader.unpack_from(data, at)[0], at + reader.size)


def _decode_text(data: bytes, at: int) -> tuple[str, int]:
    end = at + 4 + _length_at(data, at)
    return data[at + 4 : end - 1].decode(), end


def _decode_binary(data: bytes, at: int) -> tuple[bytes, int]:
    end = at + 5 + _length_at(data, at)
    return data[at + 5 : end], end


def _decode_array(data: bytes, at: int) -> tuple[list[object], int]:
    items, end = _decode_document(data, at)
    return list(items.values()), end


def _decode_document(data: bytes, at: int) -> tuple[dict[str, object], int]:
    end = at + _length_at(data, at)
    at += 4
    document: dict[str, object] = {}
    while data[at]:
        name_end = data.index(b"\0", at + 1)
        decode = _DECODERS.get(data[at])
        if decode is None:
            raise ValueError(f"BSON type {data[at]} is not expected in an answer")
        name = data[at + 1 : name_end].decode()
        document[name], at = decode(data, name_end + 1)
        if at >= end:
            raise ValueError("an element reaches past its document")
    return document, end


def _length_at(data: bytes, at: int) -> int:
    (length,) = struct.unpack_from("<i", data, at)
    if not 0 <= length <= len(data) - at:
        raise ValueError("a length reaches past the message")
    return int(length)


_DECODERS: Final[Mapping[int, Callable[[bytes, int], tuple[object, int]]]] = {
    0x01: _number("<d"),
    0x02: _decode_text,
    0x03: _decode_document,
    0x04: _decode_array,
    0x05: _decode_binary,
    0x07: lambda data, at: (data[at : at + 12], at + 12),
    0x08: lambda data, at: (data[at] != 0, at + 1),
    0x09: _number("<q"),
    0x0A: lambda data, at: (None, at),
    0x10: _number("<i"),
    0x11: _number("<Q"),
    0x12: _number("<q"),
}
