"""Who is at the other end, and who its parents are."""

from __future__ import annotations

import sys
from _socket import SOL_SOCKET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Mapping

_SO_PEERCRED = 17  # Linux: struct ucred {pid, uid, gid}
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID = 0, 1, 2  # macOS: struct xucred {version, uid, ...}


def peer_of(sock: Socket) -> tuple[int | None, int]:
    """(pid, uid) of the connected peer as the kernel knows them; pid None where it does not tell."""
    if sys.platform == "linux":
        raw = sock.getsockopt(SOL_SOCKET, _SO_PEERCRED, 12)
        return int.from_bytes(raw[0:4], sys.byteorder), int.from_bytes(raw[4:8], sys.byteorder)
    raw = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
    try:
        pid: int | None = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
    except OSError:
        pid = None
    return pid, int.from_bytes(raw[4:8], sys.byteorder)


def ancestors(pid: int, limit: int) -> list[int]:
    """The process and its parents, nearest first, at most `limit` of them; empty when it is gone."""
    from ..keeper.protocol import stat_fields  # a server starts without it

    found: list[int] = []
    while pid > 0 and len(found) < limit and pid not in found:
        fields = stat_fields(pid)
        if fields is None:
            from .ps import parents  # systems without /proc

            return ancestors_in(parents(), pid, limit)
        if not fields:
            break
        found.append(pid)
        pid = int(fields[1])
    return found


def ancestors_in(parents: Mapping[int, int], pid: int, limit: int) -> list[int]:
    """The same from a table of parents."""
    found: list[int] = []
    while pid in parents and len(found) < limit and pid not in found:
        found.append(pid)
        pid = parents[pid]
    return found
