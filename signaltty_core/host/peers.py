"""Who is at the other end, and who its parents are."""

from __future__ import annotations

import sys
from _socket import SOL_SOCKET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket

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
    found: list[int] = []
    while pid > 0 and len(found) < limit and pid not in found:
        parent = _parent(pid)
        if parent is None:
            break
        found.append(pid)
        pid = parent
    return found


def _parent(pid: int) -> int | None:
    from ..keeper.protocol import stat_fields  # a server starts without it

    fields = stat_fields(pid)
    if fields is not None:
        return int(fields[1]) if fields else None
    from subprocess import run  # systems without /proc

    try:
        shown = run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, timeout=2, check=False).stdout
        return int(shown)
    except (OSError, ValueError):
        return None
