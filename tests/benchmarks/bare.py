"""Connections to an engine with no library behind them: nothing is sent but what is said here."""

from __future__ import annotations

import itertools
import selectors
import socket
import time
from collections.abc import Callable, Iterator

CHUNK = 1 << 20
# A greeting of ZMTP 3.0: a signature, the version, the mechanism in 20 bytes, whether this is a server, and filler.
SIGNATURE = b"\xff\0\0\0\0\0\0\0\0\x7f"
MORE, LONG, COMMAND = 1, 2, 4  # flags of a frame


# Stands in place of bytes: wait for the engine's half of a handshake without keys. To libzmq, bytes sent sooner are no
# message but a broken handshake.
HANDSHAKE = b""
GREETING = 64  # bytes; then a READY: its flags, its length in a byte, its content


def greeting(mechanism: bytes) -> bytes:
    return SIGNATURE + b"\3\0" + mechanism.ljust(20, b"\0") + bytes(32)


def introduction(socket_type: bytes) -> list[bytes]:
    """A handshake without keys."""
    properties = b"\5READY" + b"\x0bSocket-Type" + len(socket_type).to_bytes(4, "big") + socket_type
    return [greeting(b"NULL"), bytes([COMMAND, len(properties)]) + properties, HANDSHAKE]


def header(flags: int, size: int) -> bytes:
    return bytes([flags | LONG]) + size.to_bytes(8, "big")


def frame(flags: int, body: bytes) -> bytes:
    return header(flags, len(body)) + body


def chunks(block: bytes, size: int) -> Iterator[bytes]:
    """`block` again and again, `size` bytes in all."""
    while size > 0:
        yield block[:size]
        size -= min(size, len(block))


class Bare:
    """A connection that sends what an iterator gives until the engine ends it, and drops what comes."""

    def __init__(self, port: str, parts: Iterator[bytes]):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.socket.setblocking(False)
        self.parts = parts
        self.left = memoryview(b"")
        self.heard = b""  # the first bytes received
        self.sent = 0
        self.done = False  # all was sent

    def is_ready(self) -> bool:
        """Whether the engine's half of a handshake without keys has come."""
        at = GREETING + 2
        return len(self.heard) >= at and len(self.heard) >= at + self.heard[GREETING + 1]

    def advance(self) -> bool:
        """Sends and reads what is possible now. False when the engine has ended the connection."""
        try:
            while came := self.socket.recv(CHUNK):
                self.heard += came[: CHUNK - len(self.heard)]
            return False
        except BlockingIOError:
            pass
        except OSError:
            return False
        try:
            while not self.done:
                if not self.left:
                    part = next(self.parts, None)
                    if part is None:
                        self.done = True
                        return True
                    if part is HANDSHAKE and not self.is_ready():
                        self.parts = itertools.chain([HANDSHAKE], self.parts)
                        return True
                    self.left = memoryview(part)
                    continue
                count = self.socket.send(self.left)
                self.sent += count
                self.left = self.left[count:]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def send_all(
    ports: list[str], make: Callable[[], Iterator[bytes]], seconds: float, again: bool, most: int | None = None
) -> tuple[int, int]:
    """Over one connection to each of `ports` what `make` gives, until all is sent, at least `seconds`, or what was
    sent is `most` bytes. `again`: who is cut off comes again at once. Returns bytes sent and connections ended."""
    selector = selectors.DefaultSelector()
    sent = ended = 0
    live: set[Bare] = set()

    def add(port: str) -> None:
        try:
            bare = Bare(port, make())
        except OSError:
            return
        live.add(bare)
        selector.register(bare.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, (bare, port))

    for port in ports:
        add(port)
    deadline = time.monotonic() + seconds
    while live and (time.monotonic() < deadline or any(not bare.done for bare in live)):
        if again and time.monotonic() >= deadline:
            break
        for key, _ in selector.select(0.2):
            bare, port = key.data
            before, was_done = bare.sent, bare.done
            alive = bare.advance()
            sent += bare.sent - before
            if alive and bare.done and not was_done:
                selector.modify(bare.socket, selectors.EVENT_READ, key.data)
            if alive:
                continue
            ended += 1
            selector.unregister(bare.socket)
            bare.socket.close()
            live.discard(bare)
            if again and time.monotonic() < deadline:
                add(port)
        if most is not None and sent >= most:
            break
    for bare in live:
        bare.socket.close()
    selector.close()
    return sent, ended
