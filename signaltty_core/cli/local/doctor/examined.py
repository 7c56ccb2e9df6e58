"""What `doctor` examines and what it says of each thing: a finding is ok, warn or fail."""

from __future__ import annotations

from ....base.errors import NoSuchServer, ProtocolError
from ....base.paths import config_dir, runtime_dir
from ....client.conn import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ....client.conn import Connection
    from ...session import Session

OK, WARN, FAIL = "ok", "warn", "fail"
SERVER_S = 2.0  # as long as `status` takes at most (cli §1.4)


class Finding:
    """One line of the report."""

    __slots__ = ("detail", "name", "status")

    def __init__(self, name: str, status: str, detail: str) -> None:
        self.name = name
        self.status = status
        self.detail = detail


class Machine:
    """Where this user's signaltty is, and the server that answers there.

    status: what the server says of itself; None with `silence` as the reason. Nothing here starts a server.
    """

    __slots__ = ("connection", "environ", "runtime", "silence", "socket", "state", "status", "uid")

    def __init__(self, session: Session) -> None:
        settings = session.settings
        self.environ: Mapping[str, str] = settings.environ
        self.uid = settings.uid
        self.socket = settings.socket
        self.runtime = runtime_dir(settings.socket, settings.uid)
        self.state = session.state_dir()
        self.connection: Connection | None = None
        self.status: dict[str, Any] | None = None
        self.silence: ProtocolError | None = None
        try:
            self.connection = connect(self.socket, SERVER_S)
            self.status = self.connection.call("server.status", {}, SERVER_S)
        except ProtocolError as fault:
            self.connection = None
            self.silence = fault

    def has_server(self) -> bool:
        return self.status is not None

    def lacks_server(self) -> bool:
        """Whether it is certain that none runs; a server that does not answer is not absent."""
        return isinstance(self.silence, NoSuchServer)

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request; None without a server, and for what it cannot answer."""
        if self.connection is None:
            return None
        try:
            return self.connection.call(method, params, SERVER_S)
        except ProtocolError:
            return None

    def configured(self, variable: str, name: str) -> str:
        """The directory of manifests or plugins: what the variable names, else the one of that name."""
        return self.environ.get(variable) or f"{config_dir(self.environ, self.uid)}/{name}"


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
