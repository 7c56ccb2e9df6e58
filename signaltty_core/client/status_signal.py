"""Sends one status signal: a line on a connection of its own (status-signals §8)."""

from __future__ import annotations

import _socket
import time
from errno import EAGAIN, EINPROGRESS

SEND_S = 1.0
CLOSE_S = 0.7  # above the listener's deadline of 0.5 s
AGAIN_S = 0.02


def send(path: str, line: bytes) -> bool:
    """Deliver the line, then wait a little for the listener to close, so that it can still find out who sent it.

    False when nobody took it within a second.
    """
    until = time.monotonic() + SEND_S
    peer = _connect(path, until)
    if peer is None:
        return False
    try:
        peer.settimeout(max(0.001, until - time.monotonic()))
        peer.sendall(line)
    except OSError:
        peer.close()
        return False
    try:
        peer.shutdown(_socket.SHUT_WR)
        peer.settimeout(CLOSE_S)
        peer.recv(1)
    except OSError:
        pass  # it has the line, whatever it does with the connection
    peer.close()
    return True


def _connect(path: str, until: float) -> _socket.socket | None:
    """A connection; a full queue is tried again until then."""
    while True:
        peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        peer.settimeout(max(0.001, until - time.monotonic()))
        try:
            peer.connect(path)
            return peer
        except (OSError, ValueError) as fault:  # ValueError: a NUL in the path
            peer.close()
            is_full = isinstance(fault, OSError) and fault.errno in (EAGAIN, EINPROGRESS)
            if not is_full or time.monotonic() + AGAIN_S > until:
                return None
        time.sleep(AGAIN_S)
