"""A shell's directory is followed once the machine has looked at it, and only to where it is by then."""

from __future__ import annotations

from signaltty_core.state.effects import Work
from tests.engine.stage import Engine


def goes_to(engine: Engine, pane_id: str, path: str, host: str = "") -> None:
    engine.ingest.on_output(pane_id, b"\x1b]7;file://%s%s\x07" % (host.encode(), path.encode()))


def answer(engine: Engine, index: int, fault: str | None) -> None:
    effect, done = engine.host.waiting.pop(index)
    assert isinstance(effect, Work)
    done(fault, None)


def test_a_directory_that_exists_becomes_the_panes() -> None:
    engine = Engine()
    pane_id = engine.pane()
    goes_to(engine, pane_id, "/srv")
    assert engine.world.panes[pane_id]["cwd"] == "/work"
    answer(engine, 0, None)
    assert engine.world.panes[pane_id]["cwd"] == "/srv"


def test_one_that_does_not_exist_or_is_elsewhere_does_not() -> None:
    engine = Engine()
    pane_id = engine.pane()
    goes_to(engine, pane_id, "/nowhere")
    answer(engine, 0, "does not exist")
    goes_to(engine, pane_id, "/srv", "another.example")
    assert (engine.world.panes[pane_id]["cwd"], engine.host.waiting) == ("/work", [])


def test_the_newest_counts_whatever_is_looked_at_first() -> None:
    engine = Engine()
    pane_id = engine.pane()
    goes_to(engine, pane_id, "/a")
    goes_to(engine, pane_id, "/b")
    answer(engine, 1, None)
    answer(engine, 0, None)
    assert engine.world.panes[pane_id]["cwd"] == "/b"


def test_a_pane_closed_meanwhile_is_left_alone() -> None:
    engine = Engine()
    pane_id = engine.pane()
    goes_to(engine, pane_id, "/a")
    engine.peer().ask("pane.close", pane_id=pane_id)
    answer(engine, 0, None)
    assert engine.world.panes == {}
