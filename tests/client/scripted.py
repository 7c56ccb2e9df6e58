"""A server of a few lines for tests of the client: answers what it was told to, and remembers what it was asked."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from signaltty_core.base.version import VERSION

STATUS = {
    "version": VERSION,
    "protocol": "signaltty/1",
    "uptime_s": 7.9,
    "workspaces": 1,
    "tabs": 2,
    "panes": 3,
    "live_panes": 2,
    "seq": 5,
    "pid": 4711,
}


class ScriptedServer:
    """`answers`: by method a result, a function of the params, or an error as Exception(code, message, details).

    `events`: raw lines sent behind the reply to a method, after which the connection is closed.
    """

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.answers: dict[str, Any] = {"server.status": STATUS}
        self.events: dict[str, list[bytes]] = {}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def asked(self) -> list[tuple[str, dict[str, Any]]]:
        """The requests, without the greeting every connection begins with."""
        return [request for request in self.requests if request[0] != "server.status"]

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer, peer.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                self.requests.append((request["method"], request["params"]))
                peer.sendall(self._reply(request))
                for event in self.events.get(request["method"], []):
                    peer.sendall(event)
                if request["method"] in self.events:
                    return

    def _reply(self, request: dict[str, Any]) -> bytes:
        frame: dict[str, Any] = {"protocol": "signaltty/1", "id": request["id"]}
        answer = self.answers.get(request["method"], Exception("UNKNOWN_METHOD", request["method"], {}))
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(request["params"])
        if isinstance(answer, Exception):
            code, message, details = answer.args
            frame |= {"ok": False, "error": {"code": code, "message": message, "details": details}}
        else:
            frame |= {"ok": True, "result": answer}
        return json.dumps(frame).encode() + b"\n"
