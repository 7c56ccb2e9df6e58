"""The process's own signals."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from signaltty_core.base.errors import TimedOut
from signaltty_core.host.os_signals import guard

ROOT = str(Path(__file__).parents[2])
CHILD = """
import sys
sys.path.insert(0, {root!r})
from signaltty_core.host.loop import Loop
from signaltty_core.host.os_signals import end_on_signals
loop = Loop()
end_on_signals(loop, lambda: (print("asked", flush=True), loop.stop()), detached={detached})
print("ready", flush=True)
loop.run()
"""


def test_a_result_in_time_is_the_result() -> None:
    assert guard(lambda: 7) == 7
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_a_fault_is_the_fault() -> None:
    with pytest.raises(ZeroDivisionError):
        guard(lambda: 1 / 0)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_pattern_gone_astray_is_interrupted() -> None:
    """Edge case 152: without the limit this search takes hours."""
    pattern = re.compile("(a+)+$")
    with pytest.raises(TimedOut):
        guard(lambda: pattern.search("a" * 60 + "b"))
    assert guard(lambda: "goes on") == "goes on"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("detached", [True, False])
def test_a_signal_asks_the_loop_to_stop_and_a_detached_one_ignores_hang_ups(number: int, detached: bool) -> None:
    code = CHILD.format(root=ROOT, detached=detached)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(number)
    if number == signal.SIGHUP and detached:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.3)
        child.send_signal(signal.SIGTERM)
    assert child.communicate(timeout=10)[0] == "asked\n"
    assert child.returncode == 0
