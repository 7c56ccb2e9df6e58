"""The server's end of the keeper: children are born, signalled and taken over through it, never blocking the loop.

While no keeper runs, the first spawn starts one and waits in a queue. When a keeper is lost its children live on as
orphans, for the server holds their masters too: their signals are sent from here, guarded by pid and start time.
"""

from __future__ import annotations

import os
import resource
import time
from binascii import a2b_base64

from ..base.errors import NoSuchPane, ProtocolError, SpawnFailed
from ..base.version import VERSION
from ..keeper.protocol import PROTOCOL
from .keeper_reply import Spawned, no_descriptor, no_keeper, spawn_error
from .keeper_start import KeeperStart
from .keeper_wire import KeeperWire
from .orphans import Orphans
from .reserve import is_reserved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..keeper.protocol import Message
    from .keeper_wire import Reply
    from .loop import Loop
    from .timers import Timer

    SpawnDone = Callable[[Spawned | None, ProtocolError | None], None]
    ListDone = Callable[[list[dict[str, Any]], ProtocolError | None], None]
    AdoptDone = Callable[[int, bytes, int, ProtocolError | None], None]

_POLL_S = 0.005  # while a keeper starts: about the time an interpreter needs, divided by four
_BYE_S = 1.0
_LEAVING_S = 10.0  # well above the 2 s after which a child that was told to end is killed (behaviour §8.4)
_REAP_S = 0.05
_REAP_LONGEST_S = 30.0


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
        hello: Message = {
            "keeper": PROTOCOL,
            "version": VERSION,
            "argv": server_argv,
            "log": log_path,
            "nofile": resource.getrlimit(resource.RLIMIT_NOFILE)[0] if nofile is None else nofile,
        }
        self._loop = loop
        self._start = KeeperStart(runtime_dir, keeper_argv)
        self._wire = KeeperWire(loop, hello, self._opened, self._noticed, self._closed)
        self._on_exited = on_exited
        self._on_lost = on_lost
        self._said_bye = False
        self._queued: list[tuple[Message, Reply]] = []  # spawns, until there is a keeper
        self._poll: Timer | None = None
        self._alive: dict[str, tuple[int, int]] = {}  # the keeper's children: pid, start time
        self._leaving: dict[str, tuple[int, int]] = {}  # forgotten, but perhaps not ended
        self._orphans = Orphans(loop, lambda pane_id: on_exited(pane_id, None, None))

    def connect_existing(self, patience_s: float = 2.0) -> bool:
        """Find a running keeper at server start; True when it answered. Waits only for one that is there.

        A keeper serves one server at a time, and the kernel may still be closing our predecessor's connection."""
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            if not self._wire.is_taken():
                try:
                    channel = self._start.reach()
                except SpawnFailed:
                    return False  # the first spawn will say why
                if channel is not None:
                    self._wire.greet(channel)
                elif not self._start.is_socket_due():
                    return False
            self._wire.await_message(max(0.0, until - time.monotonic()))
            if self._wire.is_open:
                return True
            time.sleep(_POLL_S)
        self._wire.leave()
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
            if master >= 0 and is_reserved(master):
                os.close(master)
                master = -1
            if master < 0:
                self.signal(pane_id, "KILL", True, lambda _sent: None)
                self.forget(pane_id)
                done(None, no_descriptor())
                return
            done(Spawned(reply["pid"], reply["start_time"], master), None)

        if self._wire.is_open:
            self._wire.ask(request, finish)
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

        self._wire.ask({"request": "list"}, finish)

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

        self._wire.ask({"request": "adopt", "pane_id": pane_id}, finish)

    def forget(self, pane_id: str) -> None:
        """The keeper closes its master and drops the exit status; a child that still runs ends without a notice."""
        if pane_id in self._orphans:
            self._orphans.forget(pane_id)
        else:
            known = self._alive.pop(pane_id, None)
            if known is not None:
                self._leaving[pane_id] = known
                self._loop.after(_LEAVING_S, lambda: self._drop_leaving(pane_id, known))
            self._wire.ask({"request": "forget", "pane_id": pane_id}, lambda _reply, _master: None)

    def signal(self, pane_id: str, name: str, group: bool, done: Callable[[bool], None]) -> None:
        """done(whether it was sent): False once the child, or with `group` its whole group, is gone."""
        if pane_id in self._orphans:
            done(self._orphans.signal(pane_id, name, group))
        else:
            request: Message = {"request": "signal", "pane_id": pane_id, "signal": name, "group": group}
            self._wire.ask(request, lambda reply, _master: done(reply is not None and reply.get("sent") is True))

    def bye(self) -> None:
        """Tell the keeper that this server goes on purpose; it is not started again."""
        self._said_bye = True
        self._wire.say("bye", _BYE_S)

    def close(self) -> None:
        """Let go of the connection; pending requests get no answer."""
        if self._poll is not None:
            self._poll.cancel()
        self._orphans.close()
        self._queued.clear()
        self._wire.leave()

    def _begin(self) -> None:
        if self._poll is None:
            self._start.begin(time.monotonic())
            self._attempt()

    def _attempt(self) -> None:
        """One step on the way to a keeper; a timer makes the next."""
        self._poll = None
        if self._wire.is_open:
            return
        try:
            if self._wire.is_taken():
                self._start.check(time.monotonic())  # it is there, but has not spoken
            else:
                channel = self._start.step(time.monotonic())
                if channel is not None:
                    self._wire.greet(channel)
        except SpawnFailed as fault:
            self._wire.leave()
            queued, self._queued = self._queued, []
            for _, reply in queued:
                reply({"error": fault.message, "what": "keeper"}, -1)
        else:
            self._poll = self._loop.after(_POLL_S, self._attempt)

    def _opened(self) -> None:
        queued, self._queued = self._queued, []
        for request, reply in queued:
            self._wire.ask(request, reply)

    def _noticed(self, message: Message) -> None:
        if message["notice"] == "exited":
            self._alive.pop(message["pane_id"], None)
            self._on_exited(message["pane_id"], message["code"], message["signal"])

    def _closed(self) -> None:
        """The keeper is lost: what it held is watched from here."""
        self._reap(_REAP_S)
        self._orphans.take({**self._leaving, **self._alive})
        for pane_id in self._leaving.keys() - self._alive.keys():
            self._orphans.forget(pane_id)
        self._alive = {}
        self._leaving = {}
        if not self._said_bye:
            self._on_lost()

    def _drop_leaving(self, pane_id: str, known: tuple[int, int]) -> None:
        if self._leaving.get(pane_id) == known:
            del self._leaving[pane_id]

    def _reap(self, again_s: float) -> None:
        """Leave no zombie of the keeper we started; it ends a moment after its connection, or much later."""
        self._start.reap()
        if not self._start.is_reaped():
            self._loop.after(again_s, lambda: self._reap(min(again_s * 2, _REAP_LONGEST_S)))
