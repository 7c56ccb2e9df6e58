"""The scan of processes: when it looks, and what it records."""

from __future__ import annotations

from typing import Any

from signaltty_core.agents.catalog import Catalog
from signaltty_core.engine.scan import Scan
from signaltty_core.state.effects import Work
from tests.engine.stage import Engine

Wanted = list[tuple[str, int, "int | None", str]]


class Scanned(Engine):
    """asked: the panes of every look. found: what the next looks find."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        super().__init__()
        self.asked: list[list[str]] = []
        self.found: dict[str, tuple[str, str]] = {}
        self.promoted: list[str] = []
        self.scan = Scan(
            self.world,
            self.ledger,
            self.clock,
            self.host,  # type: ignore[arg-type]
            self.panes,
            self.processes,
            catalog or Catalog(),
            self.look,
            self.promoted.append,
        )

    def look(self, wanted: Wanted) -> dict[str, tuple[str, str]]:
        self.asked.append([pane_id for pane_id, *_ in wanted])
        return {pane_id: self.found[pane_id] for pane_id, *_ in wanted if pane_id in self.found}

    def pass_by(self, seconds: float) -> None:
        """Time passes, and workers do their work at once."""
        for _ in range(int(seconds)):
            self.advance(1)
            while self.host.waiting:
                effect, done = self.host.waiting.pop(0)
                assert isinstance(effect, Work)
                done(effect.function(*effect.args), None)
                self.sync()


def test_an_agent_typed_into_a_shell_is_found_and_never_lost_again() -> None:
    engine = Scanned()
    pane = engine.pane(argv=["bash"])
    watcher = engine.peer()
    watcher.ask("subscribe")
    engine.scan.arm()
    engine.found[pane] = ("claude", "/work")
    engine.pass_by(11)
    assert engine.world.panes[pane]["agent"] == {"kind": "claude"}
    assert engine.world.panes[pane]["lifecycle"] == "unknown"
    assert engine.promoted == [pane]
    engine.found[pane] = ("bash", "/elsewhere")
    engine.pass_by(10)
    record = engine.world.panes[pane]
    assert (record["agent"]["kind"], record["cwd"]) == ("claude", "/elsewhere")
    told = [frame["event"] for frame in watcher.heard() if "event" in frame]
    assert told == ["pane.updated", "pane.updated"]
    assert engine.panes.get(pane).process == "bash"


def test_facts_that_do_not_change_are_no_event() -> None:
    engine = Scanned()
    pane = engine.pane(argv=["bash"])
    engine.found[pane] = ("vim", "/work")
    engine.scan.arm()
    before = engine.world.seq
    engine.pass_by(60)
    assert (engine.world.seq, engine.panes.get(pane).process) == (before, "vim")


def test_a_manifest_s_programs_are_found_too() -> None:
    engine = Scanned(Catalog("", lambda: [("a.toml", b'[agent]\nkind = "codex"\nbinaries = ["sleep"]')]))
    pane = engine.pane(argv=["sh"])
    engine.found[pane] = ("sleep", "/")
    engine.scan.arm()
    engine.pass_by(11)
    record = engine.world.panes[pane]
    assert (record["agent"]["kind"], record["cwd"]) == ("codex", "/")


def test_a_quiet_pane_is_looked_up_once_a_minute_and_a_busy_one_every_ten_seconds() -> None:
    engine = Scanned()
    quiet, busy = engine.pane(), engine.pane()
    engine.scan.arm()
    for _ in range(12):
        engine.ingest.on_output(busy, b"x")
        engine.pass_by(10)
    assert [quiet in asked for asked in engine.asked] == [True] * 3 + [False] * 5 + [True] + [False] * 3
    assert all(busy in asked for asked in engine.asked)


def test_without_a_live_pane_there_is_no_timer() -> None:
    engine = Scanned()
    pane = engine.pane()
    engine.scan.arm()
    engine.ingest.on_exit(pane, 0, None)
    engine.pass_by(11)
    assert engine.asked == []
    assert engine.clock.timers.wait_s(engine.clock.now()) is None


def test_what_is_found_of_a_process_that_has_ended_is_left_alone() -> None:
    engine = Scanned()
    pane = engine.pane(argv=["bash"])
    engine.found[pane] = ("claude", "/work")
    engine.scan.arm()
    engine.advance(11)
    ((effect, done),) = engine.host.waiting
    result: Any = effect.function(*effect.args)  # type: ignore[attr-defined]
    engine.ingest.on_exit(pane, 0, None)
    done(result, None)
    done(None, OSError())
    assert engine.world.panes[pane]["agent"]["kind"] == "generic"
