"""Programs run to their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signaltty_core.base.errors import IoError, TimedOut
from signaltty_core.host.run import run
from tests.server.rig import is_running, wait_until

ENV = {"PATH": os.environ["PATH"]}


def test_output_and_status_come_back(tmp_path: Path) -> None:
    script = "pwd; echo err >&2; echo $A; exit 3"
    assert run(["sh", "-c", script], str(tmp_path), {**ENV, "A": "b"}, 10) == (3, f"{tmp_path}\nb\n".encode(), b"err\n")


def test_a_program_has_no_input_and_no_terminal() -> None:
    code, out, _ = run(["sh", "-c", "cat; tty; true"], "/", ENV, 10)
    assert (code, out) == (0, b"not a tty\n")


def test_much_output_does_not_block_and_of_errors_the_beginning_is_kept() -> None:
    script = "echo first >&2; head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"
    _, out, err = run(["sh", "-c", script], "/", ENV, 20)
    assert (len(out), len(err), err[:6]) == (3_000_000, 8192, b"first\n")


def test_a_program_that_prints_more_than_wanted_is_ended() -> None:
    _, out, _ = run(["yes"], "/", ENV, 20, 1000)
    assert out == b"y\n" * 500 + b"y"


def test_what_a_program_leaves_behind_with_its_output_is_killed_and_not_waited_for(tmp_path: Path) -> None:
    script = f"sleep 300 & echo $! > {tmp_path}/pid; echo said"
    assert run(["sh", "-c", script], "/", ENV, 60)[:2] == (0, b"said\n")
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid), "the end of what was left behind")


def test_descendants_in_sessions_of_their_own_die_with_the_deadline(tmp_path: Path) -> None:
    script = f"setsid sh -c 'echo $$ > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; sleep 300' & sleep 300"
    with pytest.raises(TimedOut):
        run(["sh", "-c", script], "/", ENV, 2)
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid), "the end of the descendant")


def test_the_pid_is_told_once_it_runs() -> None:
    told: list[int] = []
    _, out, _ = run(["sh", "-c", "echo $$"], "/", ENV, 10, None, told.append)
    assert [str(pid) for pid in told] == out.decode().split()


@pytest.mark.parametrize(
    ("argv", "cwd", "said"),
    [
        (["no-such-program"], "/", "cannot run no-such-program: No such file or directory"),
        (["sh"], "/nowhere", "cannot enter /nowhere: No such file or directory"),
        (["sh"], "/etc/passwd", "cannot enter /etc/passwd: Not a directory"),
        (["/etc/passwd"], "/", "cannot run /etc/passwd: Permission denied"),
    ],
)
def test_what_cannot_be_started_is_an_error(argv: list[str], cwd: str, said: str) -> None:
    with pytest.raises(IoError) as failure:
        run(argv, cwd, ENV, 10)
    assert failure.value.message == said


def test_a_program_that_takes_too_long_dies_with_its_children(tmp_path: Path) -> None:
    script = f"(trap '' TERM HUP; sleep 100 & echo $! > {tmp_path}/pid; wait) & wait"
    began = time.monotonic()
    with pytest.raises(TimedOut):
        run(["sh", "-c", script], "/", ENV, 0.5)
    assert time.monotonic() - began < 50  # the script takes a hundred
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid), "the end of the grandchild")


def test_what_a_program_leaves_behind_dies_with_it(tmp_path: Path) -> None:
    script = f"sleep 100 >/dev/null 2>&1 & echo $! > {tmp_path}/pid"
    assert run(["sh", "-c", script], "/", ENV, 10)[0] == 0
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid), "the end of the grandchild")


def test_a_program_killed_by_a_signal_has_a_negative_status() -> None:
    assert run(["sh", "-c", "kill -KILL $$"], "/", ENV, 10)[0] == -signal.SIGKILL


@pytest.mark.parametrize(
    "lacking",
    [
        pytest.param("def refuse(pid): raise OSError(38, 'no such call')\nos.pidfd_open = refuse", id="an-old-kernel"),
        pytest.param("os.__dict__.pop('pidfd_open', None)", id="no-descriptor"),
        pytest.param("[os.__dict__.pop(name, None) for name in ('pidfd_open', 'waitid')]", id="ps-alone"),
    ],
)
def test_an_end_is_noticed_on_systems_that_lack_calls_for_it(lacking: str, tmp_path: Path) -> None:
    """In a process of its own, whose `os` is made as poor as theirs."""
    code = f"""
import os
{lacking}
from signaltty_core.base.errors import TimedOut
from signaltty_core.host.run import run
env = dict(PATH=os.environ["PATH"])
print(run(["sh", "-c", "echo out; echo err >&2; exit 3"], "/", env, 20))
print(run(["sh", "-c", "sleep 1000 & echo left behind"], "/", env, 20))
print(len(run(["sh", "-c", "head -c 3000000 /dev/zero"], "/", env, 20)[1]))
try:
    run(["sleep", "1000"], "/", env, 0.3)
except TimedOut:
    print("late")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    said = [r"(3, b'out\n', b'err\n')", r"(0, b'left behind\n', b'')", "3000000", "late"]
    assert done.stdout.splitlines() == said, done.stderr
