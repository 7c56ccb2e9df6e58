"""How a server ends: told to, told to leave the panes alone, or because the disk refuses (persistence §8, §10)."""

from __future__ import annotations

import os

from ..state.world import Draft
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .assembly import Server

FLUSH_S = 0.5  # a client that does not read cannot hold up the end for longer
DISK_S = 1.0  # before that, what it is to be told must be on disk
HANG_UP_S = 1.0
POLL_S = 0.02
HOOKS_S = 1.0
OVERDUE_S = 6.0  # twice what persistence §8 allows


class Ending:
    """begun: no further exit or connection counts. status: the process's exit status."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.begun = False
        self.status = 0
        self._keep_panes = False
        self._remaining: set[str] = set()
        self._unborn: set[str] = set()
        self._until = 0.0
        self._disk_until = 0.0
        self._told = 0
        self._hooks_until: float | None = None

    def begin(self, keep_panes: bool) -> None:
        """Announce the end; the reply that asked for it still goes out."""
        if self.begun:
            return
        server = self._server
        self.begun = True
        self._keep_panes = keep_panes
        draft = Draft(server.world, server.clock.wall())
        draft.emit("server.will_shutdown", {})
        server.ledger.commit(draft)
        self._told = server.ledger.committed
        server.waiters.release_all("shutdown")
        server.watches.on_change()
        self._until = server.clock.now() + FLUSH_S
        self._disk_until = server.clock.now() + DISK_S
        server.loop.after(0, self._flush)
        server.loop.after(OVERDUE_S, self._give_up)

    def _give_up(self) -> None:
        """Something of ours went wrong on the way: an end that was asked for comes all the same."""
        try:
            log("the end took too long; the process leaves as it is")
        finally:
            os._exit(1)

    def fail(self, reason: str) -> None:
        """The disk refuses: nothing more is acknowledged; the keeper keeps the children for the next server."""
        try:
            log(f"{reason}; the server stops")
        finally:
            os._exit(1)

    def _flush(self) -> None:
        """Wait until everybody was told, then drop all connections."""
        server = self._server
        # up to what was told of the end: clients that go on changing things would have it wait for ever
        if server.ledger.synced < self._told and server.clock.now() < self._disk_until:
            self._until = server.clock.now() + FLUSH_S
        if any(len(client.outbox) for client in server.router.clients) and server.clock.now() < self._until:
            server.loop.after(POLL_S, self._flush)
            return
        document = server.upkeep.document()
        server.upkeep.save_tails()
        server.port.close()
        server.side.signal_port.close()
        server.side.vigil.stop()
        server.side.sweep.stop()
        server.side.screens.stop()
        server.side.scan.stop()
        server.tasks.stop()
        # ending its call gives a birth up that the keeper may just have done
        self._unborn = set(server.side.machine.unborn)
        server.journal.close(document)
        # What calls take back as they end is nothing that happened: Git may still be at work, and its intent on disk is
        # what tells the next server of it.
        for client in list(server.router.clients):
            server.router.end(client)
            client.drop()
        for procedure in list(server.runner.live):
            server.runner.cancel(procedure)
        if self._keep_panes:
            self._finish()
            return
        self._remaining = self._unborn | {pane["id"] for pane in server.world.live_panes()}
        for pane_id in self._remaining:
            server.side.link.signal(pane_id, "HUP", True, lambda _sent: None)
            server.side.host.forget(pane_id)
        self._until = server.clock.now() + HANG_UP_S
        self._await_children()

    def _await_children(self) -> None:
        """Until every group has gone; what remains after a second is killed."""
        server = self._server
        if not self._remaining:
            self._finish()
            return
        overdue = server.clock.now() >= self._until
        for pane_id in list(self._remaining):
            # a window-size signal harms nobody and tells whether anybody is left
            killed = overdue or pane_id in self._unborn
            server.side.link.signal(pane_id, "KILL" if killed else "WINCH", True, self._heed(pane_id))
        if overdue:
            server.loop.after(POLL_S, self._finish)
        else:
            server.loop.after(POLL_S, self._await_children)

    def _heed(self, pane_id: str) -> Callable[[bool], None]:
        def heed(sent: bool) -> None:
            if sent:
                self._unborn.discard(pane_id)
            elif pane_id not in self._unborn:  # else its birth may still be on the way to a keeper that starts
                self._remaining.discard(pane_id)

        return heed

    def _finish(self) -> None:
        """Hooks may end what they do, but nobody waits for them for long (plugins §2).

        Their time begins here: a slow disk, which they must wait for before they start, would else leave them none.
        """
        server = self._server
        if self._hooks_until is None:
            self._hooks_until = server.clock.exact() + HOOKS_S
        if server.plugins.is_busy() and server.clock.exact() < self._hooks_until:
            server.loop.after(POLL_S, self._finish)
            return
        server.plugins.stop()
        server.side.link.bye()
        server.side.link.close()
        server.side.ptys.close()
        server.loop.stop()
