"""The whole engine around a real World, with a host, a journal and channels that do what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from signaltty_core.engine.client import Client
from signaltty_core.engine.hub import Hub
from signaltty_core.engine.ingest import Ingest
from signaltty_core.engine.ledger import Ledger
from signaltty_core.engine.listener import Listener
from signaltty_core.engine.machine import Machine
from signaltty_core.engine.panes import Panes
from signaltty_core.engine.procedures import Runner
from signaltty_core.engine.router import Router
from signaltty_core.engine.vigil import Vigil
from signaltty_core.engine.waiters import Waiters
from signaltty_core.engine.watch import Watches
from signaltty_core.host.timers import Timer, Timers
from signaltty_core.methods.call import Call
from signaltty_core.state.effects import Effect, Sleep, Synced, Until
from signaltty_core.state.world import Draft
from tests.fake import START, Stage

Record = dict[str, Any]


class FakeClock:
    """Stands still until `Engine.advance`. set_by_s: by how much somebody has set the wall clock. reading_s: how much
    later it seems to be each time somebody asks for the exact time.
    """

    def __init__(self) -> None:
        self.passed_s = 0.0
        self.set_by_s = 0.0
        self.reading_s = 0.0
        self.read_s = 0.0
        self.timers = Timers()
        self._given = 0

    def wall(self) -> float:
        return START + self.passed_s + self.set_by_s

    def now(self) -> float:
        return 1000.0 + self.passed_s

    def exact(self) -> float:
        self.read_s += self.reading_s
        return self.now() + self.read_s

    def random(self, count: int) -> bytes:
        self._given += 1
        return self._given.to_bytes(count, "big")

    def after(self, seconds: float, run: Callable[[], None]) -> Timer:
        return self.timers.at(self.now() + seconds, run)


class FakeJournal:
    """Writes nothing; `lines` is what it was given. What is reported synced is the test's affair."""

    def __init__(self) -> None:
        self.limit = 1 << 40
        self.lines: list[Record] = []
        self.batches: list[int] = []
        self.proven_after: int | None = None

    def ensure(self, next_seq: int) -> None:
        assert next_seq < self.limit

    def append(self, last_seq: int, lines: bytes) -> None:
        self.batches.append(last_seq)
        self.lines += [json.loads(line) for line in lines.splitlines()]


class FakeHost:
    """deeds: what was asked for. started: pid -> start stamp of what runs. waiting: effects that
    nobody has answered yet, with what takes the answer."""

    def __init__(self) -> None:
        self.deeds: list[tuple[Any, ...]] = []
        self.started: dict[int, int] = {}
        self.waiting: list[tuple[Effect, Callable[[Any, Exception | None], None]]] = []
        self.history: dict[str, tuple[list[str], bytes | None, tuple[int, int] | None]] = {}

    def perform(self, effect: Effect, done: Callable[[Any, Exception | None], None]) -> None:
        self.waiting.append((effect, done))

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in ("open_pty", "answer", "resize", "end", "forget", "stop"):
            raise AttributeError(name)
        return lambda *args: self.deeds.append((name, *args))

    def guard(self, run: Callable[[], Any]) -> Any:
        return run()

    def directory_fault(self, path: str) -> str | None:
        return None

    def ancestors(self, pid: int, limit: int) -> list[int]:
        return [pid]

    def started_at(self, pid: int) -> int | None:
        return self.started.get(pid)

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return start_time is not None and self.started.get(pid) == start_time

    def load_history(self, pane_id: str) -> tuple[list[str], bytes | None, tuple[int, int] | None]:
        return self.history.get(pane_id, ([], None, None))


class FakeProcesses:
    """groups: pane -> its terminal's foreground. gone: groups and pids that have no process left."""

    def __init__(self) -> None:
        self.groups: dict[str, int] = {}
        self.gone: set[int] = set()

    def foreground(self, pane_id: str) -> int | None:
        return self.groups.get(pane_id)

    def has_members(self, group: int) -> bool:
        return group not in self.gone

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return pid not in self.gone

    def is_own_name(self, host: str) -> bool:
        return host in ("", "localhost")


class FakeEars:
    """muted: panes whose socket was closed."""

    def __init__(self) -> None:
        self.muted: list[str] = []

    def listen(self, pane_id: str) -> tuple[str | None, str | None]:
        return f"/run/x/s/{pane_id}.sock", None

    def mute(self, pane_id: str) -> None:
        self.muted.append(pane_id)


class FakeChannel:
    def __init__(self) -> None:
        self.is_paused = False
        self.is_open = True
        self.closes_when_sent = False
        self.on_close: Callable[[], None] = lambda: None

    def wake(self) -> None:
        assert self.is_open

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False

    def close_when_sent(self) -> None:
        self.closes_when_sent = True

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.on_close()


class Peer:
    """A connection as its owner sees it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.channel = FakeChannel()
        self.client = Client(self.channel, engine.world, engine.hub, engine.panes, 77, 0)
        self.channel.on_close = lambda: engine.router.on_gone(self.client)
        engine.router.clients.add(self.client)

    def say(self, method: str, id: str = "c1", **params: Any) -> None:
        self.line(json.dumps({"protocol": "signaltty/1", "id": id, "method": method, "params": params}).encode())

    def line(self, line: bytes) -> None:
        self.engine.router.on_line(self.client, line)

    def heard(self, most: int = 1 << 30) -> list[Record]:
        """What may be sent by now; a channel that closes when sent is closed then, as the host does."""
        frames: list[Record] = []
        while len(frames) < most and (line := self.engine.router.next_line(self.client)) is not None:
            frames.append(json.loads(line))
        if self.channel.closes_when_sent and self.engine.router.is_idle(self.client):
            self.channel.close()
        return frames

    def ask(self, method: str, **params: Any) -> Any:
        self.say(method, **params)
        self.engine.sync()
        (frame,) = [frame for frame in self.heard() if "id" in frame]
        assert frame["ok"], frame
        return frame["result"]


class Engine:
    """syncs: whether the disk keeps up by itself; else `sync` says when it has. on_change: who hears of commits."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.world = self.stage.world
        self.clock = FakeClock()
        self.host = FakeHost()
        self.journal = FakeJournal()
        self.faults: list[BaseException] = []
        self.hub = Hub(self.world.seq, lambda: self.journal.proven_after)
        self.watches = Watches(self.clock)
        self.waiters = Waiters()
        self.on_change: list[Callable[[], None]] = [self.watches.on_change]
        self.ledger = Ledger(self.world, self.hub, self.journal, lambda: [heard() for heard in self.on_change] and None)
        self.panes = Panes(self.world, self.host, {})  # type: ignore[arg-type]
        self.processes = FakeProcesses()
        self.ears = FakeEars()
        self.vigil = Vigil(self.world, self.ledger, self.clock, self.processes)
        self.machine = Machine(self.panes, self.host, self.ledger, self.clock, self.ears)  # type: ignore[arg-type]
        self.listener = Listener(
            self.world, self.ledger, self.clock, self.vigil, lambda pane_id: pane_id in self.machine.unborn
        )
        self.ingest = Ingest(
            self.world,
            self.panes,
            self.machine,
            self.ledger,
            self.host,  # type: ignore[arg-type]
            self.clock,
            self.processes,
            self.vigil,
        )
        self.runner = Runner(self._perform)
        self.router = Router(
            self.ledger, self.runner, self._make_call, self.faults.append, lambda pane: pane in self.machine.unborn
        )
        self.machine.on_born = self.router.born

    def peer(self) -> Peer:
        return Peer(self)

    def pane(self, kind: str = "generic", **fields: Any) -> str:
        """A live pane; what was numbered for it counts as synced."""
        pane_id = self.stage.pane(kind, **fields)
        self.ledger.committed = self.ledger.synced = self.world.seq
        self.hub.floor = self.world.seq
        return pane_id

    def draft(self) -> Draft:
        return Draft(self.world, self.clock.wall())

    def sync(self) -> None:
        self.ledger.on_synced(self.ledger.committed)

    def settle(self) -> None:
        """The end of a pass of the loop."""
        self.watches.settle()

    def advance(self, seconds: float) -> None:
        """Time passes; timers run when they are due."""
        ends_at = self.clock.passed_s + seconds
        while (wait_s := self.clock.timers.wait_s(self.clock.now())) is not None:
            if self.clock.passed_s + wait_s > ends_at:
                break
            self.clock.passed_s += wait_s
            for timer in self.clock.timers.take_due(self.clock.now()):
                if timer.run is not None:
                    timer.run()
            self.settle()
        self.clock.passed_s = ends_at

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
            settings=self.stage.settings,
            catalog=self.stage.catalog,
        )

    def _perform(self, effect: Effect, done: Callable[[Any, Exception | None], None]) -> Any:
        if isinstance(effect, Until):
            return self.watches.add(effect, done)
        if isinstance(effect, Sleep):
            return self.clock.after(effect.seconds, lambda: done(None, None)).cancel
        if isinstance(effect, Synced):
            self.ledger.when_synced(lambda: done(None, None))
            return None
        self.host.perform(effect, done)
        return None
