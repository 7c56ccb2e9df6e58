"""Runs inside a pane and behaves like the recorded agent: its bytes, and its hooks at the places where they came.

    played_agent.py SCENARIO LOG

Every hook that has ended is a JSON line in LOG. A hook whose answer somebody waits for holds the recording up. Between
the last turn and the end of the program it waits until LOG.go exists.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
import tty
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "agents"
PIECE_BYTES = 997  # cuts sequences and characters
END_OF_TURNS = "(end of turns)"
LEAD_S = 0.3  # the hooks' clock starts that much later than the terminal's


def hooks_of(scenario: str) -> list[dict[str, Any]]:
    lines = (CORPUS / "claude-hooks.jsonl").read_text(encoding="utf-8").splitlines()
    return [hook for hook in map(json.loads, lines) if hook["scenario"] == scenario]


def offset_at(recording: dict[str, Any], t: float) -> int:
    """How many bytes had been written at a moment, between the known ones in proportion."""
    known = sorted({(0.0, 0), *((one["t"], one["offset"]) for one in recording["states"] + recording["inputs"])})
    for (t0, first), (t1, last) in itertools.pairwise(known):
        if t < t1:
            return int(first + (last - first) * max(t - t0, 0) / (t1 - t0))
    return int(known[-1][1])


class Hooks:
    """Runs hooks as the agent does: in order, except that a permission request stays open beside the dialog, and the
    notice about that dialog comes meanwhile."""

    def __init__(self, log_path: str) -> None:
        self._log = open(log_path, "a", encoding="utf-8")
        self._open: tuple[str, subprocess.Popen[str]] | None = None

    def run(self, event: str, payload: Any) -> None:
        if event != "Notification":
            self.await_open()
        program = os.environ["SIGNALTTY_BIN"]
        command = [sys.executable, program] if program.endswith(".py") else [program]
        words = ["hook-event", "--agent", "claude", "--event", event, "--payload-stdin"]
        if event == "PermissionRequest":
            words.append("--wait-for-answer")
        pipe = subprocess.PIPE
        hook = subprocess.Popen([*command, *words], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(payload))
        hook.stdin.close()
        hook.stdin = None
        if event == "PermissionRequest":
            self._open = (event, hook)
        else:
            self._note(event, hook)

    def await_open(self) -> None:
        if self._open is not None:
            self._note(*self._open)
            self._open = None

    def say(self, line: dict[str, Any]) -> None:
        self._log.write(json.dumps(line) + "\n")
        self._log.flush()

    def _note(self, event: str, hook: subprocess.Popen[str]) -> None:
        stdout, stderr = hook.communicate()
        self.say({"event": event, "status": hook.returncode, "stdout": stdout, "stderr": stderr})


def main(scenario: str, log_path: str) -> None:
    tty.setraw(0)  # neither translates what is written nor echoes the terminal's answers
    data = (CORPUS / f"claude-{scenario}.bin").read_bytes()
    recording = json.loads((CORPUS / f"claude-{scenario}.json").read_text(encoding="utf-8"))
    while os.get_terminal_size(1) != (recording["cols"], recording["rows"]):
        time.sleep(0.01)
    end_of_turns = recording["states"][-2]["offset"]
    written = 0

    def write_until(offset: int) -> None:
        nonlocal written
        while written < offset:
            written += os.write(1, data[written : min(written + PIECE_BYTES, offset)])

    hooks = Hooks(log_path)
    *turns, last = hooks_of(scenario)
    for hook in turns:
        write_until(min(offset_at(recording, hook["t"] + LEAD_S), end_of_turns))
        hooks.run(hook["event"], hook["stdin"])
    hooks.await_open()
    write_until(end_of_turns)
    hooks.say({"event": END_OF_TURNS})
    while not os.path.exists(log_path + ".go"):
        time.sleep(0.01)
    write_until(len(data))
    hooks.run(last["event"], last["stdin"])


if __name__ == "__main__":
    main(*sys.argv[1:])
