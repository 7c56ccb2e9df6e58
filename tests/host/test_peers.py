"""Who is at the other end."""

from __future__ import annotations

import os
import subprocess
import sys

from signaltty_core.host.peers import ancestors, peer_of


def test_a_peer_is_known_by_the_kernel() -> None:
    import socket

    one, other = socket.socketpair()
    assert peer_of(one) == (os.getpid(), os.geteuid())
    one.close()
    other.close()


def test_ancestors_come_nearest_first() -> None:
    script = "sh -c 'echo $$ $PPID; read x; true'; true"
    child = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    pid, parent = map(int, child.stdout.readline().split())
    line = ancestors(pid, 64)
    assert (line[:3], parent) == ([pid, child.pid, os.getpid()], child.pid)
    assert line[-1] == 1
    assert ancestors(pid, 2) == [pid, child.pid]
    child.communicate("\n")
    assert ancestors(pid, 64) == []


def test_odd_names_do_not_confuse() -> None:
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b') R 1 (', 0, 0, 0); print('named', flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "named\n"
    assert ancestors(child.pid, 2) == [child.pid, os.getpid()]
    child.communicate("\n")


def test_what_is_no_process_has_no_ancestors() -> None:
    assert [ancestors(pid, 64) for pid in (0, -1, 1 << 22)] == [[], [], []]
