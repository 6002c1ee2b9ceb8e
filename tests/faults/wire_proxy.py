"""A proxy between a client and the server that loses the answer to a chosen command, as a broken network does."""

import asyncio
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import Enum
from urllib.parse import parse_qsl, urlencode, urlsplit

from anyio.from_thread import start_blocking_portal

HEADER = struct.Struct("<iiii")
OP_MSG = 2013


# What drivers say on their own account.
_OWN = frozenset(
    {"", "hello", "isMaster", "ismaster", "ping", "endSessions", "saslStart", "saslContinue", "buildInfo"}
)
DELAY_SECONDS = 0.05


class Trouble(Enum):
    """What happens to one message."""

    CUT = "cut"
    """It never reaches the server, and the connection is gone."""
    UNANSWERED = "unanswered"
    """The server does what it says, and the connection is gone before the answer comes."""
    DELAY = "delayed"


class WireProxy:
    """Forwards whole messages of MongoDB's protocol. ``lost``: the commands whose answers never came. ``seen``: how
    many messages of the library came since the last ``disturb``.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._to_lose: list[str] = []
        self.lost: list[str] = []
        self.seen = 0
        self._nth = 0
        self._trouble = Trouble.DELAY

    def disturb(self, nth: int, trouble: Trouble) -> None:
        """Let ``trouble`` come over the ``nth`` message of the library from now on, counted from 1; 0: over none."""
        self.seen, self._nth, self._trouble = 0, nth, trouble

    def lose_answer_to(self, *commands: str) -> None:
        """The next command of each of these names is done by the server, and the connection closed instead."""
        self._to_lose += commands

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a client."""
        try:
            server_reader, server_writer = await asyncio.open_connection(self._host, self._port)
            answers = asyncio.ensure_future(_pump(server_reader, writer))
            try:
                while (message := await _message(reader)) is not None:
                    name = _command_of(message)
                    trouble = self._trouble_for(name)
                    if trouble is Trouble.CUT:
                        return
                    if trouble is Trouble.DELAY:
                        await asyncio.sleep(DELAY_SECONDS)
                    if trouble is not Trouble.UNANSWERED:
                        server_writer.write(message)
                        await server_writer.drain()
                        continue
                    answers.cancel()
                    with suppress(asyncio.CancelledError):
                        await answers
                    server_writer.write(message)
                    await _message(server_reader)
                    self.lost.append(name)
                    return
            finally:
                answers.cancel()
                server_writer.close()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def _trouble_for(self, name: str) -> Trouble | None:
        if name in self._to_lose:
            self._to_lose.remove(name)
            return Trouble.UNANSWERED
        if name in _OWN:
            return None
        self.seen += 1
        return self._trouble if self.seen == self._nth else None


@contextmanager
def wire_proxy(uri: str) -> Iterator[tuple[WireProxy, str]]:
    """A proxy before the server of ``uri``, and the URI that leads through it.

    In a thread of its own: motor's clients block the loop when they close, and wait for an answer then.
    """
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_serving(uri)) as proxy_and_uri,
    ):
        yield proxy_and_uri


@asynccontextmanager
async def _serving(uri: str) -> AsyncIterator[tuple[WireProxy, str]]:
    split = urlsplit(uri)
    credentials, _, host = split.netloc.rpartition("@")
    name, _, port = host.partition(",")[0].partition(":")
    proxy = WireProxy(name, int(port or 27017))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        own_port = server.sockets[0].getsockname()[1]
        options = {key: value for key, value in parse_qsl(split.query) if key != "replicaSet"}
        through = urlencode({**options, "directConnection": "true"})
        user = f"{credentials}@" if credentials else ""
        yield proxy, f"mongodb://{user}127.0.0.1:{own_port}/?{through}"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


async def _message(reader: asyncio.StreamReader) -> bytes | None:
    try:
        header = await reader.readexactly(HEADER.size)
        return header + await reader.readexactly(HEADER.unpack(header)[0] - HEADER.size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _command_of(message: bytes) -> str:
    if HEADER.unpack_from(message)[3] != OP_MSG:
        return ""
    # Flags, the kind of the first section, the document's length and the type of its first element.
    start = HEADER.size + 4 + 1 + 4 + 1
    return message[start : message.index(b"\x00", start)].decode()
