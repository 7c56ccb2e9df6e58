"""Facts about processes that decide what a pane's program may be believed (engine/ports.py `Processes`)."""

from __future__ import annotations

import os

from ..keeper.protocol import is_running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ptys import Ptys


class Processes:
    """The process table, and the foreground of our terminals."""

    def __init__(self, ptys: Ptys) -> None:
        self._ptys = ptys
        self._name = os.uname().nodename.lower()
        self.is_running = is_running

    def foreground(self, pane_id: str) -> int | None:
        """The process group in the foreground of the pane's terminal; None when nobody knows."""
        master = self._ptys.master(pane_id)
        if master is None:
            return None
        try:
            return os.tcgetpgrp(master) or None
        except OSError:
            return None

    def has_members(self, group: int) -> bool:
        """Whether the process group still has a process; one we may not signal is one."""
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass
        return True

    def is_own_name(self, host: str) -> bool:
        """Whether a URL's host is this machine, with or without its domain (terminal-status §7)."""
        host = host.lower()
        return host in ("", "localhost", self._name) or host.partition(".")[0] == self._name.partition(".")[0]
