"""What the soak scripts share: figures to print, checks that end a script, clients that find the next server."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.server.rig import Client, Record, Server, is_running, wait_until


class Failed(Exception):
    """What must hold does not."""


def check(holds: object, sentence: str) -> None:
    if not holds:
        raise Failed(sentence)


def show(figures: Mapping[str, object]) -> None:
    for name, value in figures.items():
        print(f"{name:44} {value:.3f}" if isinstance(value, float) else f"{name:44} {value}")


def main(run: Callable[[], Mapping[str, object]]) -> None:
    """Print the figures, or what failed; the exit status tells."""
    try:
        show(run())
    except (Failed, AssertionError) as fault:
        print(f"FAILED: {fault}", file=sys.stderr)
        sys.exit(1)
    print("all held")


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0


class Steady:
    """A client for which a lost server is a pause: `attempt` gives None when the connection ended before the reply."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._client: Client | None = None

    def attempt(self, method: str, **params: Any) -> Any:
        if self._client is None:
            self._client = connect(self._server)
        try:
            return self._client.call(method, **params)
        except (OSError, AssertionError) as fault:
            if hasattr(fault, "code"):
                raise  # an error reply, no loss
            self.close()
            return None

    def ask(self, method: str, **params: Any) -> Any:
        """For what changes nothing: until there is an answer."""
        return wait_until(lambda: self.attempt(method, **params), method, 30)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def connect(server: Server) -> Client:
    """To whichever server answers next."""

    def reach() -> Client | None:
        try:
            return Client(server.path)
        except OSError:
            return None

    found: Client = wait_until(reach, "a server", 30)
    return found


def kill_server(server: Server) -> int:
    """kill -9 of the one that answers now; gives its pid."""
    pid = int(Steady(server).ask("server.status")["pid"])
    os.kill(pid, signal.SIGKILL)
    wait_gone(server, pid)
    return pid


def wait_gone(server: Server, pid: int) -> None:
    if server.process is not None and server.process.pid == pid:
        server.process.wait()
    wait_until(lambda: not is_running(pid), f"the end of {pid}")


def start_next(server: Server) -> float:
    """Start a server beside the one the keeper starts; seconds until one answered a request."""
    began = time.monotonic()
    server.process = server.launch()
    steady = Steady(server)
    status: Record = steady.ask("server.status")
    steady.close()
    check(status["pid"], "a server without a pid")
    return time.monotonic() - began
