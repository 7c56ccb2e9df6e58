"""Questions that last, whatever time was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..client.scripted import ScriptedServer
from .conftest import Run


@pytest.fixture
def refusing(tmp_path: Path) -> Iterator[ScriptedServer]:
    """It refuses every wait, as a real server does one of an impossible length."""
    made = ScriptedServer(tmp_path / "s.sock")
    made.answers["pane.get"] = {"pane": {}, "wait_baseline": {"pane_id": "p"}}
    for method in ("wait", "task.wait", "pane.wait_for_output"):
        made.answers[method] = Exception("BAD_PARAMS", "timeout_s: outside 0..604800", {"path": "timeout_s"})
    yield made
    made.close()


@pytest.mark.parametrize("line", ["wait --pane p --until done", "task wait t", "pane wait-output p ready"])
@pytest.mark.parametrize("seconds", ["-20", "1e300"])
def test_a_time_no_clock_can_hold_is_refused_by_the_server_alone(
    run: Run, refusing: ScriptedServer, line: str, seconds: str
) -> None:
    said = "signaltty: timeout_s: outside 0..604800 (BAD_PARAMS)\n"
    assert run(*line.split(), "--timeout", seconds) == (1, "", said)
    assert [params["timeout_s"] for method, params in refusing.asked if method != "pane.get"] == [float(seconds)]
