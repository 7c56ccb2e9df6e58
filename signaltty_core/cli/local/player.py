"""Plays a recording inside a pane as if the agent ran there: its bytes at their pace, its hooks by the real command."""

from __future__ import annotations

import os
import select
import subprocess
import termios
import time
import tty

from ...base.program import start_argv
from ...wire.codec import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .recording import Recording

PIECE_S = 0.04  # how often something appears
READ_BYTES = 4096
DENIED = b"\x1b[?1049l\x1b[0m\r\nDenied. The recording goes on only for those who allow it.\r\n"
DENIED_S = 1.0  # to read it
ALLOWS = '"allow"'


class Player:
    """_late_s: how much later than recorded everything is, because somebody was waited for."""

    def __init__(self, recording: Recording, speed: float, verdict_path: str) -> None:
        self._recording = recording
        self._speed = speed
        self._verdict_path = verdict_path
        self._written = 0
        self._began = time.monotonic()
        self._late_s = 0.0
        self._asking: subprocess.Popen[str] | None = None

    def play(self) -> int:
        tty.setraw(0, termios.TCSANOW)  # neither translates what is written nor echoes the terminal's answers
        for step in self._recording.steps:
            if "write" in step:
                self._write_until(step["write"], step["at"])
            self._sleep_until(step["at"])
            if "hook" in step:
                self._call_hook(step["hook"], step["stdin"])
            elif step.get("await") == "key":
                self._await_key()
            elif step.get("await") == "verdict" and not self._await_verdict():
                self._stop_denied()
                break
        return 0

    def _now(self) -> float:
        """Seconds on the recording's clock."""
        return (time.monotonic() - self._began - self._late_s) * self._speed

    def _sleep_until(self, at: float) -> None:
        while (left_s := (at - self._now()) / self._speed) > 0:
            # the terminal's answers to the agent's queries come in meanwhile; unread they would fill the line
            if select.select([0], [], [], left_s)[0]:
                self._read()

    def _write_until(self, offset: int, at: float) -> None:
        """The bytes up to `offset`, spread over the time until `at`: the recording knows no moment in between."""
        first, began = self._written, self._now()
        while self._written < offset:
            share = min((self._now() - began) / max(at - began, 0.001), 1.0)
            due = first + int((offset - first) * share)
            while self._written < due:
                self._written += os.write(1, self._recording.data[self._written : due])
            if self._written < offset:
                self._sleep_until(min(at, self._now() + PIECE_S * self._speed))

    def _call_hook(self, event: str, payload: Any) -> None:
        words = ["hook-event", "--agent", "claude", "--event", event, "--payload-stdin"]
        waits = event == "PermissionRequest"
        if waits:
            words.append("--wait-for-answer")
        hook = subprocess.Popen(
            [*start_argv(), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if waits else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert hook.stdin is not None
        hook.stdin.write(encode(payload))
        hook.stdin.close()
        if waits:
            self._asking = hook
        else:
            hook.wait()

    def _await_verdict(self) -> bool:
        """Whether it is allowed; leaves what the hook printed at `verdict_path`."""
        if self._asking is None or self._asking.stdout is None:
            return True
        began = time.monotonic()
        said = self._asking.stdout.read()
        self._asking.wait()
        self._late_s += time.monotonic() - began
        with open(f"{self._verdict_path}.part", "w", encoding="utf-8") as file:
            file.write(said)
        os.replace(f"{self._verdict_path}.part", self._verdict_path)
        return ALLOWS in said

    def _await_key(self) -> None:
        began = time.monotonic()
        while b"\r" not in self._read():
            pass
        self._late_s += time.monotonic() - began

    def _read(self) -> bytes:
        try:
            data = os.read(0, READ_BYTES)
        except OSError:
            data = b""
        if not data:
            raise SystemExit(1)  # the pane is being closed
        return data

    def _stop_denied(self) -> None:
        """The rest was recorded with a yes."""
        os.write(1, DENIED)
        last = self._recording.steps[-1]
        stop = next(step for step in self._recording.steps if step.get("hook") == "Stop")
        self._call_hook("Stop", {**stop["stdin"], "last_assistant_message": "I may not do that."})
        self._late_s += (self._now() - last["at"] + DENIED_S) / self._speed
        self._sleep_until(last["at"])
        self._call_hook(last["hook"], last["stdin"])
