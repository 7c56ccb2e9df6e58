"""Everything that only panes need: keeper, PTYs, terminals, workers. Made at its first use, a moment after the start.

A server that was just started answers its first request before any of this is imported (performance §1.6).
"""

from __future__ import annotations

import os

from ..base import program
from ..base.limits import ANCESTORS_MAX
from ..engine.ingest import Ingest
from ..engine.listener import Listener
from ..engine.machine import Machine
from ..engine.panes import Panes
from ..engine.scan import Scan
from ..engine.screens import Screens
from ..engine.sweep import Sweep
from ..engine.vigil import Vigil
from ..host.keeper_link import KeeperLink
from ..host.peers import ancestors
from ..host.perform import Performer
from ..host.process_scan import scan
from ..host.processes import Processes
from ..host.ptys import Ptys
from ..host.signal_port import SignalPort
from ..host.workers import Workers
from ..keeper.protocol import is_running
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .assembly import Server


class PaneSide:
    """heads: newest line number per pane of the servers before. nofile: soft descriptor limit children get back."""

    def __init__(self, server: Server, heads: dict[str, int], nofile: int) -> None:
        self._server = server
        options, loop = server.options, server.loop
        restart = program.restart_argv()
        self.ptys = Ptys(loop, self._on_output, lambda pane_id: None, self._digest)
        self.workers = Workers(loop)
        self.link = KeeperLink(
            loop,
            options.runtime_dir,
            keeper_argv=[*restart, "keeper", "run", "--runtime", options.runtime_dir],
            server_argv=[*restart, "server", "run", *options.argv],
            log_path=os.path.join(options.state_dir, "server.log"),
            on_exited=self._on_exited,
            on_lost=lambda: log("the keeper is gone; its children live on"),
            nofile=nofile,
        )
        self.host = Performer(loop, self.link, self.ptys, self.workers, options.state_dir, server.ending.begin)
        self.processes = Processes(self.ptys)
        self.vigil = Vigil(server.world, server.ledger, server.clock, self.processes)
        self.listener = Listener(
            server.world, server.ledger, server.clock, self.vigil, lambda pane_id: pane_id in self.machine.unborn
        )
        self.signal_port = SignalPort(loop, options.runtime_dir, self.listener, self._locate)
        self.panes = Panes(server.world, self.host, heads)
        self.machine = Machine(self.panes, self.host, server.ledger, server.clock, self.signal_port)
        self.machine.on_born = self._on_born
        self.ingest = Ingest(
            *(server.world, self.panes, self.machine, server.ledger, self.host, server.clock),
            processes=self.processes,
            vigil=self.vigil,
        )
        self.sweep = Sweep(server.world, server.ledger, self.host, server.clock)
        self.machine.on_sessions = self.sweep.arm
        self.ingest.on_prompt = self.sweep.on_prompt
        self.screens = Screens(
            *(server.world, server.ledger, server.clock, self.machine, server.catalog, server.waiters)
        )
        self.ingest.on_screen = self.screens.on_output
        self.machine.on_rules = self.screens.look_at_all
        self.machine.on_look = self.screens.look_now
        self.scan = Scan(
            *(server.world, server.ledger, server.clock, self.host, self.panes, self.processes, server.catalog, scan),
            on_promoted=self.screens.look_at,
        )
        self.machine.on_open = self.scan.arm
        fault = self.signal_port.open()
        if fault is not None:
            log(f"no general status socket: {fault}")

    def _on_born(self) -> None:
        """What the child said first is older than what others ask about its pane."""
        self.listener.born()
        self._server.router.born()

    def _locate(self, pid: int) -> str | None:
        """The live pane whose child is the nearest ancestor of the process (status-signals §6)."""
        world = self._server.world
        children = {world.instances[pane["id"]].get("pid"): pane["id"] for pane in world.live_panes()}
        for ancestor in ancestors(pid, ANCESTORS_MAX + 1):
            pane_id = children.get(ancestor)
            if pane_id is not None and is_running(ancestor, world.instances[pane_id].get("start_time")):
                return str(pane_id)
        return None

    def _on_output(self, pane_id: str, data: bytes) -> int:
        return self.ingest.on_output(pane_id, data)

    def _digest(self, pane_id: str, most_bytes: int) -> int:
        return self.ingest.digest(pane_id, most_bytes)

    def _on_exited(self, pane_id: str, code: int | None, os_signal: str | None) -> None:
        server = self._server
        if server.ending.begun:
            return  # what ends because we end restores as having been live (persistence §8)
        if pane_id in self.machine.unborn:
            server.loop.after(0.001, lambda: self._on_exited(pane_id, code, os_signal))
            return
        self.host.drain(pane_id)
        self.ingest.on_exit(pane_id, code, os_signal)
        server.upkeep.note_life()
