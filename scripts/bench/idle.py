"""What idle panes cost: CPU time, wake-ups and memory of server and keeper, beside tmux with as many windows.

Usage: idle.py [--panes 100] [--seconds 20]. Linux (reads /proc). Needs dist/signaltty; tmux is skipped when missing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Cost:
    """CPU seconds, context switches and resident kilobytes of one process at one moment."""

    def __init__(self, pid: int) -> None:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.cpu_s = (int(stat[11]) + int(stat[12])) * TICK_S
        lines = dict(line.partition(":")[::2] for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        self.wakeups = int(lines["voluntary_ctxt_switches"])
        self.resident_kb = int(lines["VmRSS"].split()[0])


def measure(name: str, pid: int, seconds: float) -> None:
    before = Cost(pid)
    time.sleep(seconds)
    after = Cost(pid)
    cpu = (after.cpu_s - before.cpu_s) / seconds * 100
    wakeups = (after.wakeups - before.wakeups) / seconds
    print(f"{name:10} cpu {cpu:6.2f} %   wake-ups {wakeups:6.2f}/s   resident {after.resident_kb / 1024:7.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--panes", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="stt-", dir="/tmp"))
    (place / "run").mkdir(mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": f"{place}/run", "XDG_STATE_HOME": f"{place}/state"}

    def run(*words: str) -> str:
        command = [str(ROOT / "dist/signaltty"), "--json", *words]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    try:
        workspace = json.loads(run("workspace", "create", "--cwd", str(place)))["workspace"]["id"]
        for _ in range(given.panes):
            run("pane", "spawn", "--workspace", workspace, "--", "sleep", "100000")
        server = json.loads(run("status"))["pid"]
        keeper = next(
            int(path.name)
            for path in Path("/proc").iterdir()
            if path.name.isdigit() and f"--runtime {place}/run" in _command(path)
        )
        time.sleep(6)  # the tails of the new panes are written once
        measure("server", server, given.seconds)
        measure("keeper", keeper, given.seconds)
    finally:
        run("server", "stop", "--force")
        shutil.rmtree(place, ignore_errors=True)
    if shutil.which("tmux") is None:
        print("tmux is not installed: no comparison (on Debian: apt install tmux)")
        return
    tmux = ["tmux", "-L", f"idle{os.getpid()}", "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "sleep 100000"], check=True)
    try:
        for _ in range(given.panes - 1):
            subprocess.run([*tmux, "new-window", "-d", "sleep 100000"], check=True)
        pid = subprocess.run([*tmux, "display", "-p", "#{pid}"], check=True, capture_output=True, text=True).stdout
        measure("tmux", int(pid), given.seconds)
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)


def _command(path: Path) -> str:
    try:
        return (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    main()
