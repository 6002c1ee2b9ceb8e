"""Who counts as a server that answers."""

import asyncio
import socket

import pytest

from convotree.storage.embedded.answering import answers


async def test_a_port_where_nobody_listens() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        assert await answers(probe.getsockname()[1]) is False


@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"\x40\0\0\0"])
async def test_a_server_of_another_kind_or_one_that_hangs_up_inside_its_answer(said: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(said)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        assert await answers(server.sockets[0].getsockname()[1]) is False
