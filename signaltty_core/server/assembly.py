"""The server as a whole: engine and host joined, started, and ended in order (persistence §8, §9)."""

from __future__ import annotations

import os
import sys

from ..base.errors import ProtocolError
from ..base.program import is_unpacked
from ..engine.client import Client
from ..engine.hub import Hub
from ..engine.ledger import Ledger
from ..engine.nobody import Nobody
from ..engine.procedures import Runner
from ..engine.router import Router
from ..engine.turns import Turns
from ..engine.waiters import Waiters
from ..engine.watch import Watches
from ..host import files
from ..host.journal_file import JournalFile
from ..host.loop import Loop
from ..host.os_signals import end_on_signals
from ..host.clock import Clock
from ..host.program_link import plain_program
from ..host.reserve import raise_descriptor_limit
from ..host.rpc_port import RpcPort
from ..methods.call import Call, Settings
from ..state.effects import ReadBack, Sleep, Synced, Until
from ..state.world import World
from .ending import Ending
from .later import later, once, settle_memory
from .log import log, log_fault
from .plugin_side import PluginSide
from .upkeep import Upkeep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any, TypeVar

    from ..agents.catalog import Catalog
    from ..engine.ports import Cancel, Done
    from ..host.config_files import ConfigFiles
    from ..host.git_files import GitFiles
    from ..host.conn import Conn
    from ..state.effects import Effect
    from .claim import Claim
    from .options import Options
    from ..state.world import Record
    from .pane_side import PaneSide
    from .task_side import TaskSide

    T = TypeVar("T")

WARM_UP_S = 0.05


class Server:
    """Built from claimed locks; `run` serves until the end."""

    def __init__(self, options: Options, claimed: Claim, *, detached: bool, started_at: float) -> None:
        self.options = options
        self.claimed = claimed
        self._nofile = raise_descriptor_limit()
        self.loop = Loop(log_fault)
        self.clock = Clock(self.loop)
        self.journal = JournalFile(
            options.state_dir,
            self.loop.post,
            self._on_synced,
            lambda fault: self.ending.fail(str(fault)),
            lambda fault: self.upkeep.on_snapshot(fault),
            lambda path: self.upkeep.on_journal_lost(path),
        )
        loaded = self.journal.open()
        for warning in loaded.warnings:
            log(warning)
        self.world = World()
        self.world.tables.update(loaded.tables)
        self.world.seq = loaded.next_seq - 1
        self.hub = Hub(self.world.seq, self.journal.retained_after)
        self.watches = Watches(self.clock)
        self.waiters = Waiters()
        self.ledger = Ledger(self.world, self.hub, self.journal, self._on_change)
        self._heads = {pane_id: saved["head"] for pane_id, saved in loaded.history.items()}
        self._side: PaneSide | None = None
        self._catalog: Catalog | None = None
        self.runner = Runner(self._perform)
        self.router = Router(self.ledger, self.runner, self._make_call, log_fault, self._is_unborn)
        self.turns = Turns(self.world, self.runner, self.clock, lambda: self._make_call(Nobody()), log_fault)
        self.ledger.on_events = self._on_events
        self._tasks: TaskSide | None = None
        self.plugins = PluginSide(self)
        program = os.path.abspath(sys.argv[0])
        self.settings = Settings(
            socket_path=options.socket_path,
            runtime_dir=options.runtime_dir,
            state_dir=options.state_dir,
            pid=os.getpid(),
            program=program,
            hook_program=plain_program(program, options.runtime_dir),
            python=sys.executable,
            environ=dict(os.environ),
            home=os.path.expanduser("~"),
            started_at=started_at,
            token_secret=once(lambda: files.token_secret(options.state_dir)),
            config_files=once(lambda: _config_files(options.state_dir)),
            git_files=once(lambda: _git_files(options.runtime_dir)),
            allow_self_approval=options.allow_self_approval,
            data_dir=options.data_dir,
            max_tasks=options.max_tasks,
        )
        self.upkeep = Upkeep(self)
        self.ledger.on_fleeting = self.upkeep.note_fleeting
        self.ending = Ending(self)
        self.port = RpcPort(self.loop, options.socket_path, self._on_peer, log)
        self.loop.after_pass.append(self.watches.settle)
        end_on_signals(self.loop, lambda: self.ending.begin(False), detached=detached)
        self._rolled = loaded.rolled

    def run(self) -> int:
        """Take over what lives, then serve."""
        if self.world.panes or os.path.exists(self.options.runtime_dir + "/keeper.sock"):
            from .takeover import take_over

            take_over(self)
        if self.world.live_panes():
            self.upkeep.save_at_start()
        if self.world.tasks:
            self.tasks.settle(self._make_call(Nobody()), self.run_behind)
        if self.world.tables["intents"]:
            from ..methods.checkouts import reconcile

            reconcile.begin(self._make_call(Nobody()))
        self.port.open()
        self.upkeep.start()
        from ..methods import server  # noqa: F401 - a client's first question, `server.status`

        loaded = list(sys.modules)
        self.loop.after(WARM_UP_S, lambda: self._warm_up(loaded))
        self.loop.run()
        return self.ending.status

    @property
    def side(self) -> PaneSide:
        """What panes need."""
        if self._side is None:
            from .pane_side import PaneSide

            self._side = PaneSide(self, self._heads, self._nofile)
        return self._side

    @property
    def tasks(self) -> TaskSide:
        """What tasks need."""
        if self._tasks is None:
            from .task_side import TaskSide

            self._tasks = TaskSide(self)
        return self._tasks

    @property
    def catalog(self) -> Catalog:
        """What is known of agents; nothing is read before somebody asks."""
        if self._catalog is None:
            from ..agents.catalog import Catalog

            directory = self.options.agents_dir
            self._catalog = Catalog(directory, lambda: files.read_manifests(directory), log)
        return self._catalog

    def _on_events(self, first: int, events: list[tuple[str, Record]]) -> None:
        self.turns.on_events(first, events)
        if any(event.startswith("task.") for event, _ in events):
            self.tasks.on_change()

    def _on_change(self) -> None:
        self.watches.on_change()
        if self._side is not None:
            self._side.screens.on_change()

    def _warm_up(self, loaded: list[str]) -> None:
        """Keep what a start loads for the next one, then have ready what the first pane will want."""
        try:
            if is_unpacked():
                from ..host.unpacked import prune
                from .quickstart import save

                save(sys.path[0], loaded)
                self.side.workers.run(prune, (sys.path[0], self.clock.wall()), _note_pruned)
            self._load_rest()
        finally:
            settle_memory()

    def _load_rest(self) -> None:
        from ..terminal import terminal  # noqa: F401

        self.upkeep.prune(self.side.workers)
        if (self._rolled or self.world.panes) and not self.world.live_panes():
            self.upkeep.save_snapshot()
        self.side.sweep.arm()
        self.side.scan.arm()
        self.side.screens.look_at_all()

    def _is_unborn(self, pane_id: str) -> bool:
        return self._side is not None and pane_id in self._side.machine.unborn

    def _make_call(self, caller: Client | Nobody) -> Call:
        return Call(
            self.world,
            at=self.clock.wall(),
            clock=self.clock.wall,
            caller=caller,
            machine=later(lambda: self.side.machine),
            waiters=self.waiters,
            commit=self.ledger.commit,
            random=self.clock.random,
            settings=self.settings,
            catalog=later(lambda: self.catalog),
            background=self.run_behind,
            plugins=self.plugins,
        )

    def run_behind(self, coroutine: Coroutine[Effect, Any, None]) -> None:
        """Run what nobody waits for; the server's end cancels it."""

        def finish(_result: Any, fault: Exception | None) -> None:
            if fault is not None:
                log_fault(fault)

        self.runner.start(coroutine, finish)

    def _on_peer(self, conn: Conn, pid: int | None, uid: int, refusal: ProtocolError | None) -> None:
        client = Client(conn, self.world, self.hub, later(lambda: self.side.panes), pid, uid)
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

    def _on_synced(self, seq: int) -> None:
        self.ledger.on_synced(seq)
        for client in self.router.clients:
            if len(client.outbox):
                client.wake()
        self.upkeep.note_change()

    def _perform(self, effect: Effect, done: Done) -> Cancel | None:
        if isinstance(effect, Until):
            return self.watches.add(effect, done)
        if isinstance(effect, Sleep):
            return self.loop.after(effect.seconds, lambda: done(None, None)).cancel
        if isinstance(effect, Synced):
            self.ledger.when_synced(lambda: done(None, None))
        elif isinstance(effect, ReadBack):
            from ..host import read_back  # few connections ask for what the memory no longer holds

            read_back.perform(self.journal, self.side.workers, effect, done)
        else:
            self.side.host.perform(effect, done)
        return None


def _note_pruned(deleted: list[str] | None, fault: Exception | None) -> None:
    if fault is not None:
        log(f"unpacked programs of former versions were not deleted: {fault}")
    elif deleted:
        log(f"deleted what former versions had unpacked: {', '.join(deleted)}")


def _config_files(state_dir: str) -> ConfigFiles:
    from ..host.config_files import ConfigFiles  # with the first agent that is started

    return ConfigFiles(os.path.join(state_dir, "launch"))


def _git_files(runtime_dir: str) -> GitFiles:
    from ..host.git_files import GitFiles  # with the first question about a checkout

    return GitFiles(runtime_dir)
