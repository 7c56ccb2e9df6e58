"""What the server does unasked: snapshots, history tails, and its end when nobody needs it (persistence §2, §3, §9).

Everything here is armed by a change; an idle server looks twice a minute at most.
"""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.limits import TAIL_BYTES
from ..journal import snapshot
from .log import log
from .tails import Tails

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.panes import Runtime
    from ..host.timers import Timer
    from ..host.workers import Workers
    from ..state.world import Record, World
    from .assembly import Server
    from .tails import State

SNAPSHOT_S = 60.0
SNAPSHOT_BYTES = 1 << 20
TAILS_S = 4.0  # leaves a second for the writes, so that no kill costs more than the last 5 s (persistence §5)
WRITTEN_AT_ONCE = 16  # at most 64 KiB each wait in memory
START_S = 3.0  # of the 5 s for which clients wait; a slow disk may not keep them for longer
TERMINAL_STATES = ("completed", "failed", "canceled", "rejected")


class Upkeep:
    """One per server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tails = Tails(server.options.state_dir)
        self._states: list[State] = []  # taken, and not yet given to a thread
        self._dirty = False
        self._saved = False
        self._kept: set[str] = set()
        self._idle: Timer | None = None
        self._snapshot_timer: Timer | None = None

    def start(self) -> None:
        """Begin."""
        if self._server.world.live_panes():
            self._save_tails()  # what the keeper handed over is nowhere else
        else:
            self._server.loop.after(TAILS_S, self._save_tails)
        self.note_life()

    def prune(self, workers: Workers) -> None:
        """Delete the tails of panes that are gone."""
        panes = set(self._server.world.panes)
        live = {pane["id"] for pane in self._server.world.live_panes()}
        self._kept = panes
        self._states = [state for state in self._states if state[1] in panes]
        workers.run(self._tails.prune, (self._tails.number(), panes, live), _heed)

    def note_change(self) -> None:
        """Something was journaled: a snapshot is due within a minute, or at once after a megabyte."""
        if self._server.journal.bytes_since_snapshot() >= SNAPSHOT_BYTES:
            self.save_snapshot()
        else:
            self.note_fleeting()

    def note_fleeting(self) -> None:
        """Something changed that only a snapshot keeps."""
        self._dirty = True
        if self._snapshot_timer is None:
            self._snapshot_timer = self._server.loop.after(SNAPSHOT_S, self._on_snapshot_due)

    def save_snapshot(self) -> None:
        """Hand the records over; they are serialised and written elsewhere."""
        self._dirty = False
        self._server.journal.save_snapshot(self.document(), self._server.ledger.committed)

    def save_at_start(self) -> None:
        """Have it on disk before anybody is told a line number that the next server must not give again."""
        self._saved = False
        self.save_snapshot()
        ends_at = self._server.clock.now() + START_S
        while not self._saved and self._server.clock.now() < ends_at:
            self._server.loop.turn(0.05)

    def on_snapshot(self, fault: Exception | None) -> None:
        """One was written, or not: then it is tried again in a minute (persistence §10)."""
        self._saved = True
        if fault is not None:
            log(f"the snapshot was not written: {fault}")
            self.note_fleeting()

    def on_journal_lost(self, path: str) -> None:
        """Somebody took the file away: only a snapshot can hold now what it held."""
        log(f"{path} was taken away while the server used it; it goes on in a new one")
        self.save_snapshot()

    def document(self) -> dict[str, object]:
        """The World of this moment."""
        server = self._server
        return snapshot.build(
            server.world.tables,
            saved_at=rfc3339(server.clock.wall()),
            through_seq=server.ledger.committed,
            history=server.side.panes.heads(),
            activity=server.world.activity,
            heard=_heard(server.world),
        )

    def note_life(self) -> None:
        """A client came or went, a child ended: the time until the idle exit begins anew."""
        limit_s = self._server.options.idle_exit_s
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if limit_s and self._is_idle():
            self._idle = self._server.loop.after(limit_s, self._on_idle)

    def save_tails(self, pane_ids: list[str] | None = None) -> None:
        """Write the tails and screens of changed panes now."""
        states, self._states = self._states, []
        for pane_id, runtime in self._changed():
            if pane_ids is None or pane_id in pane_ids:
                states.append((self._tails.number(), pane_id, *self._taken(pane_id, runtime)))
        try:
            self._tails.write_all(states)
        except OSError as fault:
            _heed(None, fault)

    def _is_idle(self) -> bool:
        server = self._server
        open_task = any(task["state"] not in TERMINAL_STATES for task in server.world.tasks.values())
        return not server.router.clients and not open_task and not server.world.live_panes()

    def _on_idle(self) -> None:
        if self._is_idle():
            log("nobody needs this server; it ends")
            self._server.ending.begin(False)

    def _on_snapshot_due(self) -> None:
        self._snapshot_timer = None
        if self._dirty:
            self.save_snapshot()

    def _changed(self) -> list[tuple[str, Runtime]]:
        return [(pane_id, runtime) for pane_id, runtime in self._server.side.panes.every() if runtime.unsaved]

    def _save_tails(self) -> None:
        """One pane a pass: a hundred snapshots in one go would hold up requests. Many are written at once, for a thread
        costs more to start than a state to write."""
        changed = self._changed()
        if not self._kept <= self._server.world.panes.keys():
            self.prune(self._server.side.workers)  # some that have files are gone

        def save_next() -> None:
            if not changed or self._server.ending.begun:
                return
            pane_id, runtime = changed.pop()
            if pane_id in self._server.world.panes:
                taken = self._taken(pane_id, runtime)
                self._kept.add(pane_id)
                self._states.append((self._tails.number(), pane_id, *taken))
            if self._states and (not changed or len(self._states) >= WRITTEN_AT_ONCE):
                states, self._states = self._states, []
                self._server.side.workers.run(self._tails.write_all, (states,), _heed)
            self._server.loop.after(0, save_next)

        if changed:
            self.note_fleeting()  # line numbers and times of activity
            save_next()
        self._server.loop.after(TAILS_S, self._save_tails)

    def _taken(self, pane_id: str, runtime: Runtime) -> tuple[bytes, bytes | None, int, int]:
        runtime.unsaved = False
        terminal = runtime.terminal
        tail = "\n".join(terminal.tail_lines(TAIL_BYTES)).encode("utf-8", "replace")
        live = self._server.world.panes[pane_id]["live"]["state"] == "live"
        return tail, terminal.snapshot() if live else None, terminal.cols, terminal.rows


def _heed(_result: object, fault: Exception | None) -> None:
    if fault is not None:
        log(f"the history was not written: {fault}")


def _heard(world: World) -> dict[str, Record]:
    if not world.hearings:
        return {}
    from ..state import hearing  # loaded already once there are some, and not before

    return hearing.saved(world)
