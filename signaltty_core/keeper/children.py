"""All children of the keeper: the requests about them, their end, and their output while no server listens."""

from __future__ import annotations

import os
from binascii import b2a_base64

from .child import Child, SpawnError, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import selectors
    from collections.abc import Callable, Iterator
    from typing import Any

    from .protocol import Message

    Answer = tuple[Message, int]

_READ_BYTES = 64 << 10
_DRAIN_BYTES = 256 << 10  # per child and pass, so that one that floods does not hold up a connection
_EVENT_READ = 1


class Children:
    """answer gives a reply and the master that goes with it, -1 without one.

    nofile: soft and hard descriptor limit of the next children."""

    def __init__(self, selector: selectors.BaseSelector, nofile: tuple[int, int]) -> None:
        self.nofile = nofile
        self._selector = selector
        self._current: dict[str, Child] = {}
        self._retired: list[Child] = []  # forgotten, and their pane id lives again
        self._draining = False
        self._requests: dict[str, Callable[[Message], Answer]] = {
            "spawn": self._spawn,
            "list": self._list,
            "adopt": self._adopt,
            "forget": self._forget,
            "signal": self._signal,
        }

    def __iter__(self) -> Iterator[Child]:
        yield from self._current.values()
        yield from self._retired

    def is_any_running(self) -> bool:
        return any(child.running for child in self)

    def is_any_unread(self) -> bool:
        """Whether an exit status is kept that no server has acknowledged."""
        return any(not child.running and not child.forgotten for child in self)

    def answer(self, message: Message) -> Answer:
        handler = self._requests.get(str(message.get("request")))
        if handler is None:
            return {"error": f"unknown request: {message.get('request')}"}, -1
        try:
            return handler(message)
        except (KeyError, TypeError, ValueError) as fault:
            return {"error": f"bad {message['request']}: {fault}"}, -1

    def reap(self) -> tuple[list[Child], list[int]]:
        """The children of panes that have just ended and want a notice, and all other pids that were waited for."""
        ended: list[Child] = []
        others: list[int] = []
        by_pid = {child.pid: child for child in self if child.running}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            child = by_pid.get(pid)
            if child is None:
                others.append(pid)
            else:
                child.end(status)
                if not child.forgotten:
                    ended.append(child)
        self.drop_spent()
        return ended, others

    def drop_spent(self) -> None:
        """Let go of forgotten children whose group is empty."""
        for child in [*self]:
            child.look_at_group()
            if child.forgotten and child.group_gone:
                if child in self._retired:
                    self._retired.remove(child)
                else:
                    del self._current[child.pane_id]

    def drain(self, wanted: bool) -> None:
        """Read the masters, or leave them to the server."""
        self._draining = wanted
        for child in self:
            self._watch(child) if wanted else self._unwatch(child)

    def signal_groups(self, *names: str) -> None:
        for child in self:
            for name in names:
                child.signal(name, group=True)

    def forsake(self, kill_due: float) -> None:
        """Their server is gone: what it had closed and still runs is nobody's to end but ours."""
        for child in self:
            if child.running and child.forgotten and child.kill_due is None:
                child.kill_due = kill_due

    def end_forsaken(self, now: float) -> float | None:
        """Kill those whose time has come; when the next one's comes."""
        wait: list[float] = []
        for child in self:
            if child.running and child.kill_due is not None:
                if now < child.kill_due:
                    wait.append(child.kill_due)
                else:
                    child.signal("KILL", group=True)
        return min(wait, default=None)

    def hang_up(self) -> None:
        """As a terminal that goes away: the servers may hold the masters too, so the hang-up is sent as a signal."""
        self.signal_groups("HUP", "CONT")
        for child in self:
            self._close(child)

    def _spawn(self, message: Message) -> Answer:
        argv = _strings(message["argv"])
        env = {_text(name): _text(value) for name, value in message["env"].items()}
        cwd, pane_id = _text(message["cwd"]), _text(message["pane_id"])
        cols, rows = _size(message["cols"]), _size(message["rows"])
        former = self._current.get(pane_id)
        if former is not None and former.running and not former.forgotten:
            return {"error": f"pane {pane_id} has a running child", "errno": 17, "what": "fork"}, -1  # EEXIST
        try:
            child = spawn(pane_id, argv, cwd, env, cols, rows, self.nofile)
        except SpawnError as fault:
            return {"error": str(fault), "errno": fault.number, "what": fault.what}, -1
        if former is not None:
            self._close(former)
            former.forgotten = True
            self._retired.append(former)
        self._current[pane_id] = child
        self.drop_spent()
        return {"pid": child.pid, "start_time": child.start_time}, child.master

    def _list(self, _message: Message) -> Answer:
        return {"children": [child.as_wire() for child in self]}, -1

    def _adopt(self, message: Message) -> Answer:
        child = self._current.get(message["pane_id"])
        if child is None or child.master < 0:
            return {"error": f"no child of pane {message['pane_id']}"}, -1
        data, dropped = child.drained.take()
        return {"data": b2a_base64(data, newline=False).decode("ascii"), "dropped": dropped}, child.master

    def _forget(self, message: Message) -> Answer:
        child = self._current.get(message["pane_id"])
        if child is None:
            return {"forgotten": False}, -1
        self._close(child)
        child.forgotten = True
        child.drained.take()
        self.drop_spent()
        return {"forgotten": True}, -1

    def _signal(self, message: Message) -> Answer:
        child = self._current.get(message["pane_id"])
        refusal = child.signal(message["signal"], message.get("group") is True) if child is not None else "gone"
        return ({"sent": True} if refusal is None else {"error": refusal}), -1

    def _close(self, child: Child) -> None:
        self._unwatch(child)
        child.close_master()

    def _watch(self, child: Child) -> None:
        if child.master >= 0 and child.master not in self._selector.get_map():
            self._selector.register(child.master, _EVENT_READ, lambda _mask: self._read(child))

    def _unwatch(self, child: Child) -> None:
        if child.master >= 0 and child.master in self._selector.get_map():
            self._selector.unregister(child.master)

    def _read(self, child: Child) -> None:
        left_bytes = _DRAIN_BYTES
        while left_bytes > 0:
            try:
                data = os.read(child.master, _READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""  # EIO: nobody holds the other side
            if not data:
                self._unwatch(child)
                return
            child.drained.add(data)
            left_bytes -= len(data)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("a text without NUL is wanted")
    os.fsencode(value)  # raises a ValueError here, not in the child
    return value


def _strings(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("argv is a list of texts, the first one the program")
    return [_text(item) for item in value]


def _size(value: Any) -> int:
    if not isinstance(value, int) or not 0 < value < 1 << 16:
        raise ValueError("a size is 1 to 65535")
    return value
