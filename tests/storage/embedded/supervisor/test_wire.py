"""The supervisor's few bytes of wire protocol against the driver's own BSON."""

import datetime
import struct
from typing import Any

import bson
import pytest
from bson import Int64, ObjectId, Timestamp

from convotree.storage.embedded.supervisor import wire

EVERYTHING: dict[str, Any] = {
    "double": 1.5,
    "text": "ünï\0code",
    "document": {"inner": {"deep": 1}},
    "array": [1, "two", {"three": 3.0}],
    "binary": b"\0\1\2",
    "id": ObjectId(b"0123456789ab"),
    "yes": True,
    "no": False,
    "time": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "nothing": None,
    "small": -5,
    "stamp": Timestamp(7, 3),
    "large": Int64(2**40),
    "ok": 1.0,
}


def reply(document: dict[str, Any]) -> bytes:
    body = bson.encode(document)
    return struct.pack("<iiiiIB", 21 + len(body), 9, 1, 2013, 0, 0) + body


def test_a_command_is_what_the_driver_would_send() -> None:
    command = {"createUser": "ü", "n": -3, "roles": [{"role": "root"}], "options": {"j": True, "x": False}}
    message = wire.encode_message(command, database="somewhere")
    assert struct.unpack("<iiiiIB", message[:21]) == (len(message), 1, 0, 2013, 0, 0)
    assert bson.decode(message[21:]) == {**command, "$db": "somewhere"}


def test_what_a_command_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="when: float"):
        wire.encode_message({"when": 1.0})


def test_every_type_that_a_server_answers_with_is_read() -> None:
    assert wire.decode_message(reply(EVERYTHING)) == {
        **EVERYTHING,
        "id": b"0123456789ab",
        "time": 1767225600000,
        "stamp": (7 << 32) + 3,
    }


def test_a_failed_command_says_what_the_server_said() -> None:
    with pytest.raises(wire.WireError, match="no such luck"):
        wire.decode_message(reply({"ok": 0.0, "errmsg": "no such luck"}))


def test_a_cut_or_damaged_answer_is_told_as_such() -> None:
    whole = reply(EVERYTHING)
    for length in range(21, len(whole)):
        with pytest.raises(wire.WireError):
            wire.decode_message(whole[:length])
    for place in range(21, len(whole)):
        damaged = whole[:place] + b"\xff" + whole[place + 1 :]
        try:
            wire.decode_message(damaged)
        except wire.WireError:
            continue


@pytest.mark.parametrize(
    "header",
    [b"HTTP/1.1 400 Bad", struct.pack("<iiii", 20, 0, 0, 2013), struct.pack("<iiii", 2**30, 0, 0, 2013)],
)
def test_a_header_of_something_else_is_told_as_such(header: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.length_of_message(header)
