"""`signaltty attach` in a real terminal of its own, and everything it has written there."""

from __future__ import annotations

import os
import select
import termios

from ptyprocess import PtyProcess

from tests.e2e.rig import COMMAND, Rig, wait_until


class Screen:
    def __init__(self, rig: Rig, *words: str, cols: int = 90, rows: int = 25) -> None:
        self.seen = b""
        self.pty = PtyProcess.spawn([*COMMAND, *words], cwd=str(rig.home), env=rig.environment, dimensions=(rows, cols))
        self.before = termios.tcgetattr(self.pty.fd)

    def read(self) -> bytes:
        """Everything so far, what is there now included."""
        while select.select([self.pty.fd], [], [], 0.02)[0]:
            try:
                data = os.read(self.pty.fd, 1 << 16)
            except OSError:
                break
            if not data:
                break
            self.seen += data
        return self.seen

    def until(self, wanted: bytes) -> bytes:
        wait_until(lambda: wanted in self.read(), repr(wanted))
        return self.seen

    def type(self, data: bytes) -> None:
        os.write(self.pty.fd, data)

    def status(self) -> int:
        """The exit status once it has ended, 128 + n for a signal nobody caught."""

        def ended() -> bool:
            self.read()
            return not self.pty.isalive()

        wait_until(ended, f"the end of attach after {self.seen!r}")
        self.read()
        status = self.pty.exitstatus
        return int(128 + self.pty.signalstatus if status is None else status)

    def end(self) -> None:
        self.pty.close(force=True)
