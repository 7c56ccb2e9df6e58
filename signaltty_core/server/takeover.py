"""What a new server finds: children that outlived the one before, and panes whose children did not (keeper §3,
persistence §7). Runs to its end before the first client is answered."""

from __future__ import annotations

import os

from ..base import ids
from ..state import decisions, progress, records
from ..state.world import Draft, is_live
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..base.errors import ProtocolError
    from ..state.world import Record
    from .assembly import Server

PATIENCE_S = 5.0


def take_over(server: Server) -> None:
    """Adopt living panes, record ends that were missed, restore the rest."""
    _complete(server)
    adopted = _Adoption(server).run() if os.path.exists(server.options.runtime_dir + "/keeper.sock") else set()
    _restore(server, adopted)


def _complete(server: Server) -> None:
    """Give every pane all process facts: the journal leaves some out, an older snapshot others (persistence §4.2)."""
    draft = Draft(server.world, server.clock.wall())
    for pane_id in server.world.panes:
        made = records.instance(pane_id, ids.make("process", server.clock.random(16)), server.world.seq, {})
        found = server.world.instances.get(pane_id, {})
        if any(name not in found for name in made):
            draft.put("instances", {**made, **found})
    server.ledger.commit(draft)


class _Adoption:
    """The conversation with a keeper that was found."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._open = 0
        self._adopted: set[str] = set()

    def run(self) -> set[str]:
        """Ids of the panes that live on, or whose end was recorded just now."""
        server = self._server
        if not server.side.link.connect_existing():
            return set()
        self._open = 1
        server.side.link.list(self._on_list)
        ends_at = server.clock.now() + PATIENCE_S
        while self._open and server.clock.now() < ends_at:
            server.loop.turn(0.05)
        if self._open:
            log("the keeper did not hand over everything in time")
        return self._adopted

    def _on_list(self, children: list[Record], error: ProtocolError | None) -> None:
        self._open -= 1
        if error is not None:
            log(f"the keeper did not list its children: {error.message}")
            return
        for child in children:
            pane = self._server.world.panes.get(child["pane_id"])
            if child.get("forgotten"):
                continue
            if pane is None or not is_live(pane):
                self._server.side.host.end(child["pane_id"], "TERM")
            else:
                self._open += 1
                self._adopt(child)

    def _adopt(self, child: Record) -> None:
        pane_id = child["pane_id"]
        self._adopted.add(pane_id)
        if child["running"]:
            _listen_again(self._server, pane_id)
            _show_progress(self._server, pane_id)

        def take(master: int, drained: bytes, dropped: int, error: ProtocolError | None) -> None:
            self._open -= 1
            server = self._server
            if error is None:
                server.side.host.adopt(pane_id, master)
            elif child["running"]:
                log(f"pane {pane_id} could not be taken over: {error.message}")
                self._adopted.discard(pane_id)
                return
            if dropped:
                log(f"pane {pane_id}: {dropped} bytes of output were lost while no server ran")
            if drained:
                server.side.ingest.on_drained(pane_id, drained)
            if child["running"]:
                _release_waiter(server, pane_id)
                size = server.world.panes[pane_id]["pty_size"]
                server.side.host.repaint(pane_id, size["cols"], size["rows"])
            else:
                server.side.host.drain(pane_id)
                server.side.ingest.on_exit(pane_id, child.get("code"), child.get("signal"))

        self._server.side.link.adopt(pane_id, take)


def _listen_again(server: Server, pane_id: str) -> None:
    """Bind the status socket that the child was told, under the very same path (status-signals §1.1)."""
    path = server.world.instances[pane_id].get("status_socket")
    if path is not None:
        fault = server.side.signal_port.listen_again(pane_id, path)
        if fault is not None:
            log(f"pane {pane_id}: no status socket: {fault}")
    server.side.vigil.follow(pane_id)


def _show_progress(server: Server, pane_id: str) -> None:
    """Journal and snapshot tell different parts of it: the pane shows what its sources are known to have told."""
    draft = Draft(server.world, server.clock.wall())
    progress.show(draft, pane_id)
    server.ledger.commit(draft)


def _release_waiter(server: Server, pane_id: str) -> None:
    """A hook that waited for the dead server is gone; the agent's own prompt decides (keeper §3)."""
    decision = server.world.panes[pane_id].get("pending_decision")
    if decision is not None and decision["answerable"] and decision["id"].startswith(ids.PREFIXES["permission"]):
        draft = Draft(server.world, server.clock.wall())
        decisions.clear(draft, pane_id, "native_cancelled")
        server.ledger.commit(draft)


def _restore(server: Server, adopted: set[str]) -> None:
    """Panes without a child: not live, a new process instance, a decision only for reading."""
    draft = Draft(server.world, server.clock.wall())
    for pane_id, pane in server.world.panes.items():
        if pane_id in adopted:
            continue
        process = ids.make("process", server.clock.random(16))
        draft.put("instances", records.instance(pane_id, process, server.world.seq, {}))
        if is_live(pane):
            edited = draft.pane(pane_id)
            edited["live"] = {"state": "exited", "code": None}
            edited["restore_state"] = "RESUMABLE" if pane["agent"].get("resume_argv") else "RESTORED"
            edited.pop("progress", None)
            if "pending_decision" in edited:
                edited["pending_decision"] = {**edited["pending_decision"], "answerable": False}
    server.ledger.commit(draft)
