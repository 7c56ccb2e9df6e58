"""Does what the engine asks of the machine: effects with a reply, and deeds without (engine/ports.py `Host`)."""

from __future__ import annotations

import os

from ..base.limits import CLOSE_ESCALATION_S
from ..keeper.protocol import is_running, started_at
from ..state.effects import Run, SendSignal, Spawn, Together, Work, WriteInput
from . import files
from .os_signals import guard
from .peers import ancestors
from .run import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..base.errors import ProtocolError
    from ..state.effects import Effect
    from .keeper_link import KeeperLink
    from .keeper_reply import Spawned
    from .loop import Loop
    from .ptys import Ptys
    from .workers import Workers

    Done = Callable[[Any, Exception | None], None]

REPAINT_S = 0.05


class Performer:
    """masters of children that are not published yet wait in `_newborn`; they are read from `open_pty` on."""

    def __init__(
        self,
        loop: Loop,
        link: KeeperLink,
        ptys: Ptys,
        workers: Workers,
        state_dir: str,
        on_stop: Callable[[bool], None],
    ) -> None:
        self._loop = loop
        self._link = link
        self._ptys = ptys
        self._workers = workers
        self._state_dir = state_dir
        self._newborn: dict[str, int] = {}
        self.stop = on_stop
        self.guard = guard
        self.ancestors = ancestors
        self.started_at = started_at
        self.is_running = is_running
        self.answer = ptys.answer
        self.resize = ptys.resize

    def perform(self, effect: Effect, done: Done) -> None:
        """Start the work; done(reply, error) comes once."""
        if isinstance(effect, Spawn):
            self._spawn(effect, done)
        elif isinstance(effect, SendSignal):
            self._link.signal(effect.pane_id, effect.name, effect.group, lambda sent: done(sent, None))
        elif isinstance(effect, WriteInput):
            self._ptys.write(effect.pane_id, effect.data, effect.budget_s, done)
        elif isinstance(effect, Work):
            self._workers.run(effect.function, effect.args, done)
        elif isinstance(effect, Run):
            self._run(effect, done)
        elif isinstance(effect, Together):
            self._together(effect, done)
        else:
            raise TypeError(f"no machine for {effect!r}")

    def open_pty(self, pane_id: str) -> None:
        master = self._newborn.pop(pane_id, None)
        if master is not None:
            self._ptys.add(pane_id, master)

    def adopt(self, pane_id: str, master_fd: int) -> None:
        """Take over the master of a child that outlived the server before us."""
        self._newborn[pane_id] = master_fd
        self.open_pty(pane_id)

    def repaint(self, pane_id: str, cols: int, rows: int) -> None:
        """Ask a full-screen program to paint anew: one row less, and back 50 ms later (keeper §3)."""
        self._ptys.resize(pane_id, cols, rows - 1)
        self._loop.after(REPAINT_S, lambda: self._ptys.resize(pane_id, cols, rows))

    def drain(self, pane_id: str) -> None:
        self._ptys.drain(pane_id)

    def end(self, pane_id: str, os_signal: str) -> None:
        """Signal the group, hang up, and kill what remains after a while (behaviour §8.4)."""
        self._link.signal(pane_id, os_signal, True, lambda _sent: None)
        self.forget(pane_id)
        self._loop.after(CLOSE_ESCALATION_S, lambda: self._link.signal(pane_id, "KILL", True, lambda _sent: None))

    def forget(self, pane_id: str) -> None:
        master = self._newborn.pop(pane_id, None)
        if master is not None:
            os.close(master)
        self._ptys.remove(pane_id)
        self._link.forget(pane_id)

    def directory_fault(self, path: str) -> str | None:
        """None for a directory one may enter, else what is wrong. May block: run it as Work."""
        try:
            if not os.path.isdir(path):
                return "is not a directory" if os.path.lexists(path) else "does not exist"
        except (OSError, ValueError) as fault:
            return f"cannot be used: {fault}"
        return None if os.access(path, os.X_OK) else "may not be entered"

    def load_history(self, pane_id: str) -> tuple[list[str], bytes | None, tuple[int, int] | None]:
        saved = files.read_tail(self._state_dir, pane_id)
        text = saved.decode("utf-8", "replace")
        tail = text.split("\n") if text else []
        screen = files.read_screen(self._state_dir, pane_id, saved)
        if screen is None:
            return tail, None, None
        cols, rows, drawn = screen
        return tail, drawn, (cols, rows)

    def _run(self, effect: Run, done: Done) -> None:
        tell, post = effect.on_start, self._loop.post

        def on_start(pid: int) -> None:
            if tell is not None:
                stamp = started_at(pid)
                post(lambda: tell(pid, stamp))

        self._workers.run(
            run, (effect.argv, effect.cwd, effect.env, effect.timeout_s, effect.most_bytes, on_start), done
        )

    def _together(self, effect: Together, done: Done) -> None:
        replies: list[Any] = [None] * len(effect.effects)
        errors: list[Exception] = []
        left = len(replies)

        def receiver(index: int) -> Done:
            def receive(reply: Any, error: Exception | None) -> None:
                nonlocal left
                replies[index] = reply
                if error is not None:
                    errors.append(error)
                left -= 1
                if not left:
                    done(replies, errors[0] if errors else None)

            return receive

        for index, one in enumerate(effect.effects):
            self.perform(one, receiver(index))

    def _spawn(self, effect: Spawn, done: Done) -> None:
        def finish(child: Spawned | None, error: ProtocolError | None) -> None:
            if child is None:
                done(None, error)
                return
            self._newborn[effect.pane_id] = child.master_fd
            done({"pid": child.pid, "start_time": child.start_time}, None)

        self._link.spawn(effect.pane_id, effect.argv, effect.cwd, effect.env, effect.cols, effect.rows, finish)
