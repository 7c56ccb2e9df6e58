"""The server's end of the keeper: children are born, signalled and taken over through it, never blocking the loop.

While no keeper runs, the first spawn starts one and waits in a queue. When a keeper is lost its children live on as
orphans, for the server holds their masters too: their signals are sent from here, guarded by pid and start time.
"""

from __future__ import annotations

import os
import resource
import select
import time
from binascii import a2b_base64

from ..base.errors import NoSuchPane, ProtocolError, SpawnFailed
from ..base.version import VERSION
from ..keeper.protocol import PROTOCOL, BadFrame
from .keeper_reply import Spawned, no_descriptor, no_keeper, spawn_error
from .keeper_start import KeeperStart
from .loop import READ, WRITE
from .orphans import Orphans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..keeper.protocol import Channel, Message
    from .loop import Loop
    from .timers import Timer

    SpawnDone = Callable[[Spawned | None, ProtocolError | None], None]
    ListDone = Callable[[list[dict[str, Any]], ProtocolError | None], None]
    AdoptDone = Callable[[int, bytes, int, ProtocolError | None], None]
    Reply = Callable[[Message | None, int], None]

_POLL_S = 0.005  # while a keeper starts: about the time an interpreter needs, divided by four
_REAP_S = 0.1


class KeeperLink:
    """keeper_argv starts a keeper (absolute program), server_argv this server again; log_path takes the output of both.

    on_exited(pane_id, code, signal): a child has ended and was reaped, or, with two None, an orphan has vanished.
    on_lost(): the keeper is gone. nofile: soft descriptor limit of the children, None for that of this moment."""

    def __init__(
        self,
        loop: Loop,
        runtime_dir: str,
        *,
        keeper_argv: list[str],
        server_argv: list[str],
        log_path: str,
        on_exited: Callable[[str, int | None, str | None], None],
        on_lost: Callable[[], None],
        nofile: int | None = None,
    ) -> None:
        self._loop = loop
        self._start = KeeperStart(runtime_dir, keeper_argv)
        self._hello: Message = {
            "keeper": PROTOCOL,
            "version": VERSION,
            "argv": server_argv,
            "log": log_path,
            "nofile": resource.getrlimit(resource.RLIMIT_NOFILE)[0] if nofile is None else nofile,
        }
        self._on_exited = on_exited
        self._on_lost = on_lost
        self._channel: Channel | None = None
        self._is_open = False  # the keeper's first message has come
        self._said_bye = False
        self._next_id = 0
        self._replies: dict[int, Reply] = {}
        self._queued: list[tuple[Message, Reply]] = []  # spawns, until there is a keeper
        self._poll: Timer | None = None
        self._alive: dict[str, tuple[int, int]] = {}  # the keeper's children: pid, start time
        self._orphans = Orphans(loop, lambda pane_id: on_exited(pane_id, None, None))

    def connect_existing(self, patience_s: float = 2.0) -> bool:
        """Find a running keeper at server start; True when it answered. Waits only for one that is there.

        A keeper serves one server at a time, and the kernel may still be closing our predecessor's connection."""
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            if self._channel is None:
                try:
                    self._greet(self._start.reach())
                except SpawnFailed:
                    return False  # the first spawn will say why
            if self._channel is not None:
                select.select([self._channel.socket], [], [], max(0.0, until - time.monotonic()))
                self._ready(READ)
                if self._is_open:
                    return True
            elif not self._start.is_socket_due():
                return False
            time.sleep(_POLL_S)
        self._leave_channel()
        return False

    def spawn(
        self, pane_id: str, argv: list[str], cwd: str, env: dict[str, str], cols: int, rows: int, done: SpawnDone
    ) -> None:
        """Start a program in a pane; done(Spawned, None) or done(None, error), later."""
        request: Message = {
            "request": "spawn",
            "pane_id": pane_id,
            "argv": argv,
            "cwd": cwd,
            "env": env,
            "cols": cols,
            "rows": rows,
        }

        def finish(reply: Message | None, master: int) -> None:
            if reply is None or "error" in reply:
                done(None, spawn_error(reply, argv[0]))
                return
            self._orphans.drop(pane_id)
            self._alive[pane_id] = (reply["pid"], reply["start_time"])
            if master < 0:
                self.signal(pane_id, "KILL", True, lambda _sent: None)
                self.forget(pane_id)
                done(None, no_descriptor())
                return
            done(Spawned(reply["pid"], reply["start_time"], master), None)

        if self._is_open:
            self._ask(request, finish)
        else:
            self._queued.append((request, finish))
            self._begin()

    def list(self, done: ListDone) -> None:
        """The keeper's children as in its `list` reply (keeper §2); error IO_ERROR without a keeper."""

        def finish(reply: Message | None, _master: int) -> None:
            if reply is None or "error" in reply:
                done([], no_keeper())
                return
            for child in reply["children"]:
                if child["running"] and not child.get("forgotten"):
                    self._alive[child["pane_id"]] = (child["pid"], child["start_time"])
            done(reply["children"], None)

        self._ask({"request": "list"}, finish)

    def adopt(self, pane_id: str, done: AdoptDone) -> None:
        """done(master, drained bytes, dropped count, None) or done(-1, b"", 0, error)."""

        def finish(reply: Message | None, master: int) -> None:
            if reply is None:
                done(-1, b"", 0, no_keeper())
            elif "error" in reply:
                done(-1, b"", 0, NoSuchPane(str(reply["error"])))
            elif master < 0:
                done(-1, b"", 0, no_descriptor())
            else:
                done(master, a2b_base64(reply["data"]), reply["dropped"], None)

        self._ask({"request": "adopt", "pane_id": pane_id}, finish)

    def forget(self, pane_id: str) -> None:
        """The keeper closes its master and drops the exit status; a child that still runs ends without a notice."""
        if pane_id in self._orphans:
            self._orphans.forget(pane_id)
        else:
            self._alive.pop(pane_id, None)
            self._ask({"request": "forget", "pane_id": pane_id}, lambda _reply, _master: None)

    def signal(self, pane_id: str, name: str, group: bool, done: Callable[[bool], None]) -> None:
        """done(whether it was sent): False once the child, or with `group` its whole group, is gone."""
        if pane_id in self._orphans:
            done(self._orphans.signal(pane_id, name, group))
        else:
            request: Message = {"request": "signal", "pane_id": pane_id, "signal": name, "group": group}
            self._ask(request, lambda reply, _master: done(reply is not None and reply.get("sent") is True))

    def bye(self) -> None:
        """Tell the keeper that this server goes on purpose; it is not started again."""
        self._said_bye = True
        channel = self._channel
        if channel is not None:
            channel.send({"notice": "bye"})
            until = time.monotonic() + 1.0
            while channel.is_waiting() and not channel.broken and time.monotonic() < until:
                select.select([], [channel.socket], [], 0.05)
                channel.flush()

    def close(self) -> None:
        """Let go of the connection; pending requests get no answer."""
        if self._poll is not None:
            self._poll.cancel()
        self._orphans.close()
        self._replies.clear()
        self._queued.clear()
        self._leave_channel()

    def _begin(self) -> None:
        if self._poll is None:
            self._start.begin(time.monotonic())
            self._attempt()

    def _attempt(self) -> None:
        """One step on the way to a keeper; a timer makes the next."""
        self._poll = None
        if self._is_open:
            return
        try:
            if self._channel is None:
                self._greet(self._start.step(time.monotonic()))
            else:
                self._start.check(time.monotonic())  # it is there, but has not spoken
        except ProtocolError as fault:
            self._leave_channel()
            queued, self._queued = self._queued, []
            for _, reply in queued:
                reply({"error": fault.message, "what": "keeper"}, -1)
        else:
            self._poll = self._loop.after(_POLL_S, self._attempt)

    def _greet(self, channel: Channel | None) -> None:
        if channel is not None:
            self._channel = channel
            channel.send(self._hello)
            self._loop.watch(channel.socket, READ, self._ready)

    def _ask(self, request: Message, reply: Reply) -> None:
        """Send a request; reply gets None when there is no keeper or it is lost meanwhile."""
        if self._channel is None or not self._is_open:
            reply(None, -1)
            return
        self._next_id += 1
        self._replies[self._next_id] = reply
        self._channel.send({**request, "id": self._next_id})
        self._show_interest()

    def _ready(self, mask: int) -> None:
        channel = self._channel
        if channel is None:
            return
        if mask & WRITE:
            channel.flush()
        try:
            messages, is_there = channel.receive() if mask & READ else ([], True)
        except BadFrame:
            messages, is_there = [], False
        for message, master in messages:
            if self._is_open:
                self._take(message, master)
            elif message.get("keeper") == PROTOCOL and "error" not in message:
                self._open()
            else:
                is_there = False  # refused: another server is connected, or this keeper is leaving
        if self._channel is channel:
            if is_there:
                self._show_interest()
            else:
                self._part()

    def _open(self) -> None:
        self._is_open = True
        queued, self._queued = self._queued, []
        for request, reply in queued:
            self._ask(request, reply)

    def _take(self, message: Message, master: int) -> None:
        reply = self._replies.pop(message.get("id", 0), None)
        if reply is not None:
            reply(message, master)
        elif master >= 0:
            os.close(master)  # its request is of no interest any more
        if message.get("notice") == "exited":
            self._alive.pop(message["pane_id"], None)
            self._on_exited(message["pane_id"], message["code"], message["signal"])

    def _show_interest(self) -> None:
        if self._channel is not None:
            self._loop.watch(self._channel.socket, READ | (WRITE if self._channel.is_waiting() else 0), self._ready)

    def _leave_channel(self) -> None:
        self._is_open = False
        channel, self._channel = self._channel, None
        if channel is not None:
            self._loop.forget(channel.socket)
            channel.close()

    def _part(self) -> None:
        """The connection has ended; if it was in use the keeper is lost."""
        was_open = self._is_open
        self._leave_channel()
        if not was_open:
            return
        self._reap()
        self._orphans.take(self._alive)
        self._alive = {}
        replies, self._replies = self._replies, {}
        for reply in replies.values():
            reply(None, -1)
        if not self._said_bye:
            self._on_lost()

    def _reap(self) -> None:
        self._start.reap()
        if not self._start.is_reaped():
            self._loop.after(_REAP_S, self._reap)
