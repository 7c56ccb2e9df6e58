"""The server as a whole: engine and host joined, started, and ended in order (persistence §8, §9)."""

from __future__ import annotations

import os
import sys

from ..base import program
from ..base.errors import ProtocolError
from ..engine.client import Client
from ..engine.hub import Hub
from ..engine.ingest import Ingest
from ..engine.ledger import Ledger
from ..engine.machine import Machine
from ..engine.panes import Panes
from ..engine.procedures import Runner
from ..engine.router import Router
from ..engine.waiters import Waiters
from ..engine.watch import Watches
from ..host import files
from ..host.journal_file import JournalFile
from ..host.keeper_link import KeeperLink
from ..host.loop import Loop
from ..host.os_signals import end_on_signals
from ..host.perform import Clock, Performer
from ..host.ptys import Ptys
from ..host.rpc_port import RpcPort
from ..host.workers import Workers
from ..methods.call import Call, Settings
from ..state.effects import Sleep, Synced, Until
from ..state.world import World
from .ending import Ending
from .log import log, log_fault
from .takeover import take_over
from .upkeep import Upkeep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine.ports import Cancel, Done
    from ..host.conn import Conn
    from ..state.effects import Effect
    from .claim import Claim
    from .options import Options


class Server:
    """Built from claimed locks; `run` serves until the end."""

    def __init__(self, options: Options, claimed: Claim, *, detached: bool, started_at: float) -> None:
        self.options = options
        self.claimed = claimed
        nofile = _raise_descriptor_limit()
        self.loop = Loop(log_fault)
        self.clock = Clock(self.loop)
        self.journal = JournalFile(
            options.state_dir, self.loop.post, self._on_synced, self._on_journal_failure, self._on_snapshot
        )
        loaded = self.journal.open()
        for warning in loaded.warnings:
            log(warning)
        self.world = World()
        self.world.tables.update(loaded.tables)
        self.world.seq = loaded.next_seq - 1
        self.hub = Hub(self.world.seq)
        self.watches = Watches(self.clock)
        self.waiters = Waiters()
        self.ledger = Ledger(self.world, self.hub, self.journal, self.watches.on_change)
        self.ptys = Ptys(self.loop, self._on_output, lambda pane_id: None)
        self.workers = Workers(self.loop)
        restart = program.restart_argv()
        self.link = KeeperLink(
            self.loop,
            options.runtime_dir,
            keeper_argv=[*restart, "keeper", "run", "--runtime", options.runtime_dir],
            server_argv=[*restart, "server", "run", *options.argv],
            log_path=os.path.join(options.state_dir, "server.log"),
            on_exited=self._on_exited,
            on_lost=lambda: log("the keeper is gone; its children live on"),
            nofile=nofile,
        )
        self.host = Performer(
            self.loop, self.link, self.ptys, self.workers, options.state_dir, lambda keep: self.ending.begin(keep)
        )
        heads = {pane_id: saved["head"] for pane_id, saved in loaded.history.items()}
        self.panes = Panes(self.world, self.host, heads)
        self.machine = Machine(self.panes, self.host, self.ledger, self.clock)
        self.ingest = Ingest(self.world, self.panes, self.machine, self.ledger, self.host, self.clock)
        self.runner = Runner(self._perform)
        self.router = Router(
            self.ledger, self.runner, self._make_call, log_fault, lambda pane_id: pane_id in self.machine.unborn
        )
        self.machine.on_born = self.router.born
        self.settings = Settings(
            socket_path=options.socket_path,
            runtime_dir=options.runtime_dir,
            state_dir=options.state_dir,
            pid=os.getpid(),
            program=os.path.abspath(sys.argv[0]),
            python=sys.executable,
            environ=dict(os.environ),
            home=os.path.expanduser("~"),
            started_at=started_at,
            token_secret=_once(lambda: files.token_secret(options.state_dir)),
            allow_self_approval=options.allow_self_approval,
        )
        self.upkeep = Upkeep(self)
        self.ending = Ending(self)
        self.port = RpcPort(self.loop, options.socket_path, self._on_peer)
        self.loop.after_pass.append(self.watches.settle)
        end_on_signals(self.loop, lambda: self.ending.begin(False), detached=detached)
        self._rolled = loaded.rolled

    def run(self) -> int:
        """Take over what lives, then serve."""
        take_over(self)
        if self._rolled:
            self.upkeep.save_snapshot()
        self.port.open()
        self.upkeep.start()
        _settle_memory()
        self.loop.run()
        return self.ending.status

    def _make_call(self, client: Client) -> Call:
        return Call(
            self.world,
            at=self.clock.wall(),
            clock=self.clock.wall,
            caller=client,
            machine=self.machine,
            waiters=self.waiters,
            commit=self.ledger.commit,
            random=self.clock.random,
            settings=self.settings,
        )

    def _on_peer(self, conn: Conn, pid: int | None, uid: int, refusal: ProtocolError | None) -> None:
        client = Client(conn, self.world, self.hub, self.panes, pid, uid)
        conn.next_line = lambda: self.router.next_line(client)
        conn.is_idle = lambda: self.router.is_idle(client)
        conn.on_line = lambda line: self.router.on_line(client, line)
        conn.on_eof = lambda: self.router.on_eof(client)
        conn.on_overlong = lambda error: self.router.refuse(client, error)
        conn.on_gone = lambda: self._on_gone(client)
        self.router.clients.add(client)
        self.upkeep.note_life()
        if refusal is not None:
            self.router.refuse(client, refusal)
        elif self.ending.begun:
            conn.close()
        else:
            conn.start()

    def _on_gone(self, client: Client) -> None:
        self.port.count -= 1
        self.router.on_gone(client)
        self.upkeep.note_life()

    def _on_output(self, pane_id: str, data: bytes) -> None:
        self.ingest.on_output(pane_id, data)

    def _on_exited(self, pane_id: str, code: int | None, os_signal: str | None) -> None:
        if self.ending.begun:
            return  # what ends because we end restores as having been live (persistence §8)
        if pane_id in self.machine.unborn:
            self.loop.after(0.001, lambda: self._on_exited(pane_id, code, os_signal))
            return
        self.host.drain(pane_id)
        self.ingest.on_exit(pane_id, code, os_signal)
        self.upkeep.note_life()

    def _on_synced(self, seq: int) -> None:
        self.ledger.on_synced(seq)
        for client in self.router.clients:
            if len(client.outbox):
                client.wake()
        self.upkeep.note_change()

    def _on_snapshot(self, fault: Exception | None) -> None:
        if fault is not None:
            log(f"the snapshot was not written: {fault}")

    def _on_journal_failure(self, fault: Exception) -> None:
        self.ending.fail(f"the journal cannot be written: {fault}")

    def _perform(self, effect: Effect, done: Done) -> Cancel | None:
        if isinstance(effect, Until):
            return self.watches.add(effect, done)
        if isinstance(effect, Sleep):
            return self.loop.after(effect.seconds, lambda: done(None, None)).cancel
        if isinstance(effect, Synced):
            self.ledger.when_synced(lambda: done(None, None))
        else:
            self.host.perform(effect, done)
        return None


def _raise_descriptor_limit() -> int:
    """Raise our own soft limit to the hard one; gives the old soft one, which children get back (behaviour §13)."""
    from resource import RLIMIT_NOFILE, getrlimit, setrlimit

    soft, hard = getrlimit(RLIMIT_NOFILE)
    try:
        setrlimit(RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        pass  # macOS refuses an infinite one
    return soft


def _once(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """make() at the first call, its result ever after."""
    made: list[bytes] = []

    def get() -> bytes:
        if not made:
            made.append(make())
        return made[0]

    return get


def _settle_memory() -> None:
    """What exists now stays; collect the rest rarely, for a full pass over big histories stops everything."""
    import gc

    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
