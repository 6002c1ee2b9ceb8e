"""Whether a server answers, asked without a driver and without blocking the event loop."""

from typing import Final

import anyio

from convotree.storage.embedded.supervisor import wire

__all__ = ["answers"]

_PATIENCE_SECONDS: Final = 2.0


async def answers(port: int) -> bool:
    """Whether a MongoDB server on this loopback port answers ``hello`` within two seconds."""
    with anyio.move_on_after(_PATIENCE_SECONDS):
        try:
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await stream.send(wire.encode_message({"hello": 1}))
                received = b""
                expected = wire.HEADER_SIZE
                while len(received) < expected:
                    received += await stream.receive()
                    if expected == wire.HEADER_SIZE <= len(received):
                        expected = wire.length_of_message(received[: wire.HEADER_SIZE])
                wire.decode_message(received)
        except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, wire.WireError):
            return False
        return True
    return False
