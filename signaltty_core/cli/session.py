"""What every command works with: where the server is, a connection on demand, standard output and error."""

from __future__ import annotations

import os
import sys

from ..base.errors import NoSuchServer
from ..base.limits import NATIVE_WAIT_S_MAX, WAIT_S, WAIT_S_MAX
from ..base.paths import default_socket, runtime_dir, state_dir
from ..base.program import start_argv
from ..base.text import visible
from ..base.version import VERSION
from ..client.conn import CONNECT_S, REPLY_S, connect
from ..wire.codec import encode
from .spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..client.conn import Connection

KEEPER_PATIENCE_S = 2.0  # cli §3: a lost server is back by then
WAIT_GRACE_S = 10.0
SLOW_S = 300.0  # Git's hooks, great checkouts and stubborn children take their time
SLOW = ("task.start", "task.finish", "task.pr_open", "task.pr_refresh", "worktree.", "workspace.close")
WAITING = ("wait", "pane.wait_for_output", "task.wait")


class OutputClosed(Exception):
    """Nobody reads standard output any more."""


class Settings:
    """The global options, resolved: socket is absolute, whatever said where it is. named_socket: what --socket said."""

    __slots__ = ("environ", "json", "named_socket", "no_start", "socket", "uid")

    def __init__(self, environ: Mapping[str, str], uid: int, socket: str | None, json: bool, no_start: bool) -> None:
        self.environ = environ
        self.uid = uid
        self.json = json
        self.no_start = no_start or environ.get("SIGNALTTY_NO_START") == "1"
        self.named_socket = socket
        self.socket = absolute(socket or environ.get("SIGNALTTY_SOCKET") or default_socket(environ, uid))


class Session:
    """One run of one command."""

    __slots__ = ("_connection", "argv", "server_options", "settings")

    def __init__(self, settings: Settings, argv: list[str]) -> None:
        self.settings = settings
        self.argv = argv
        self.server_options: list[str] = []
        self._connection: Connection | None = None

    def call(self, method: str, params: dict[str, Any], limit_s: float | None = None) -> Any:
        """The result of one request; a server is started when there is none. limit_s: instead of the method's own."""
        connection = self.connection()
        first = connection.server_version is None
        result = connection.call(method, params, reply_limit_s(method, params) if limit_s is None else limit_s)
        if first:
            self.notice_version(connection)
        return result

    def connection(self, patience_s: float = 0.0) -> Connection:
        """The command's connection, made at first use."""
        if self._connection is None:
            self._connection = self.dial(patience_s)
        return self._connection

    def dial(self, patience_s: float = 0.0) -> Connection:
        """One more connection. A server is started only where none answers, so that costs no import before."""
        if not patience_s:
            try:
                return connect(self.settings.socket)
            except NoSuchServer:
                if self.settings.no_start:
                    raise
        from ..client.ondemand import Launch, open_server

        launch = None
        if not self.settings.no_start:
            try:
                program = start_argv()
            except OSError as fault:  # started by a relative path from a directory that is gone
                raise LocalError(f"cannot tell where this program is: {fault.strerror}") from None
            argv = [*program, "server", "run", "--socket", self.settings.socket, *self.server_options]
            launch = Launch(argv, self.state_dir())
        return open_server(self.settings.socket, self.settings.uid, launch, patience_s)

    def dial_running(self, limit_s: float = CONNECT_S) -> Connection:
        """A connection to a server that is there; raises NoSuchServer instead of starting one."""
        self._connection = connect(self.settings.socket, limit_s)
        return self._connection

    def has_keeper(self) -> bool:
        """Whether a keeper lives that brings a lost server back."""
        return os.path.exists(runtime_dir(self.settings.socket, self.settings.uid) + "/keeper.sock")

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def state_dir(self) -> str:
        """Where the server's log stands: what its options name, else the usual place."""
        if "--state-dir" in self.server_options:
            return self.server_options[self.server_options.index("--state-dir") + 1]
        return state_dir(self.settings.environ, self.settings.uid)

    def own_pane(self, given: str | None) -> str | None:
        """The pane named on the line, else the one this process runs in."""
        return given or self.settings.environ.get("SIGNALTTY_PANE") or None

    def need_pane(self, given: str | None) -> str:
        pane = self.own_pane(given)
        if pane is None:
            raise LocalError("not inside a pane: give --pane or set SIGNALTTY_PANE")
        return pane

    def show(self, result: Any, *lines: str) -> None:
        """The result as one JSON line, or the lines for people, their control characters escaped."""
        if self.settings.json:
            self.write(encode(result) + "\n")
        else:
            self.write("".join(visible(line) + "\n" for line in lines))
            self.show_notice(result)

    def show_rows(self, result: Any, rows: Iterable[Iterable[str]], empty: str = "", none: str = "") -> None:
        """The result as one JSON line, or rows of columns.

        empty: what stands for no row; none: the same, but for people at a terminal alone.
        """
        if self.settings.json:
            self.write(encode(result) + "\n")
            return
        from .show import table, terminal_width

        lines = table(rows)
        if not lines and (empty or (none and terminal_width() is not None)):
            lines = [empty or none]
        self.write("".join(line + "\n" for line in lines))

    def show_notice(self, result: Any) -> None:
        """What the setup of an agent has to say goes to standard error (cli §1.3)."""
        setup = result.get("integration") if isinstance(result, dict) else None
        if isinstance(setup, dict) and setup.get("notice"):
            self.complain(f"signaltty: {setup['notice']}")

    def notice_version(self, connection: Connection) -> None:
        theirs = connection.server_version
        if theirs is not None and theirs != VERSION:
            self.complain(
                f"signaltty: the server is version {theirs}, this command {VERSION}; "
                "`signaltty server restart` brings the server up to date and keeps its panes"
            )

    def write(self, text: str) -> None:
        """Text to standard output, unbuffered. Raises OutputClosed."""
        write_output(text)

    def complain(self, line: str) -> None:
        """A line to standard error, its control characters escaped."""
        write_error(visible(line))


def reply_limit_s(method: str, params: dict[str, Any]) -> float:
    """How long the answer to a request may take (cli §1.4). What the server will refuse counts as not given."""

    def given(name: str, otherwise: float) -> float:
        value = params.get(name)
        return value if isinstance(value, (int, float)) and 0 <= value <= WAIT_S_MAX else otherwise

    if method in WAITING:
        return given("timeout_s", WAIT_S) + WAIT_GRACE_S
    if method == "hook-event" and params.get("wait_for_answer") is True:
        return given("wait_timeout_s", NATIVE_WAIT_S_MAX) + WAIT_GRACE_S
    if method == "pane.submit":
        # another submission to the same pane may have to be waited for, and the defaults take six seconds
        return given("stall_timeout_s", 5.0) + given("submit_delay_ms", 300.0) / 1000 + REPLY_S
    return SLOW_S if method.startswith(SLOW) else REPLY_S


def write_output(text: str) -> None:
    """Text to standard output, unbuffered. Raises OutputClosed."""
    # sys.stdout is None when descriptor 1 was closed at the start: by now it may be our socket
    if sys.stdout is None:
        return
    view = memoryview(text.encode("utf-8", "backslashreplace"))
    try:
        while view:
            view = view[os.write(1, view) :]
    except BrokenPipeError:
        raise OutputClosed from None
    except OSError as fault:
        raise LocalError(f"cannot write to standard output: {fault.strerror}") from None


def wait_beside_output(fd: int | None, limit_s: float | None = None) -> None:
    """Until `fd` can be read, or for `limit_s`. Raises OutputClosed once nobody reads standard output any more.

    A write alone would tell it only with the next thing to say, which may be hours away: `events | head -1`.
    """
    import select  # only commands that go on for long wait like this
    import stat

    poll = select.poll()
    if fd is not None:
        poll.register(fd, select.POLLIN)
    if sys.stdout is not None and (stat.S_ISFIFO(mode := os.fstat(1).st_mode) or stat.S_ISSOCK(mode)):
        poll.register(1, 0)  # errors and hang-ups are told unasked
    if any(ready == 1 for ready, _ in poll.poll(None if limit_s is None else limit_s * 1000)):
        raise OutputClosed


def write_error(line: str) -> None:
    """A line to standard error; a closed one is no reason to fail."""
    if sys.stderr is None:
        return
    try:
        os.write(2, line.encode("utf-8", "backslashreplace") + b"\n")
    except OSError:
        pass


def absolute(path: str) -> str:
    """The path, made absolute against the working directory; only a relative one needs that to exist."""
    if os.path.isabs(path):
        return os.path.normpath(path)
    return os.path.normpath(os.path.join(working_directory(), path))


def working_directory() -> str:
    try:
        return os.getcwd()
    except OSError as fault:
        raise LocalError(f"the working directory is unusable: {fault.strerror}") from None


def read_stdin() -> bytes:
    """All of standard input; empty where it is closed."""
    if sys.stdin is None:
        return b""
    chunks = []
    try:
        while chunk := os.read(0, 1 << 16):
            chunks.append(chunk)
    except OSError as fault:
        raise LocalError(f"cannot read standard input: {fault.strerror}") from None
    return b"".join(chunks)
