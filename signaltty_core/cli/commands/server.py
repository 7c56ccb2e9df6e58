"""`server …`, `status`, `version`: the server as a process."""

from __future__ import annotations

from time import monotonic

from ...base.errors import IoError, NoSuchServer, PanesAlive, TimedOut
from ...base.text import visible
from ...base.version import PROTOCOL, VERSION
from ..session import absolute, wait_beside_output
from ..spec import DURATION, PATH, POSITIVE, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...client.conn import Connection
    from ..session import Session

STATUS_S = 1.7  # with the interpreter's start an answer, or none, is known within 2 s (cli §1.4)
LEAVING_S = 4.0  # a shutdown takes up to 3 s (persistence §8)
FOLLOW_S = 0.2


def version(session: Session, values: dict[str, Any]) -> None:
    session.show({"version": VERSION, "protocol": PROTOCOL}, f"signaltty {VERSION} ({PROTOCOL})")


def status(session: Session, values: dict[str, Any]) -> None:
    until = monotonic() + STATUS_S
    session.dial_running(STATUS_S)
    result = session.call("server.status", {}, max(until - monotonic(), 0.05))
    counts = f"{result['workspaces']} workspaces, {result['tabs']} tabs, {result['panes']} panes"
    name = f"signaltty {result['version']} ({result['protocol']}) up {int(result['uptime_s'])}s"
    session.show(result, f"{name} — {counts} ({result['live_panes']} live)")


def start(session: Session, values: dict[str, Any]) -> None:
    session.server_options = server_options(values)
    _show_running(session)


def stop(session: Session, values: dict[str, Any]) -> None:
    try:
        connection = session.dial_running()
    except NoSuchServer:
        session.show({"stopped": False}, "no server running")
        return
    try:
        result = session.call("server.shutdown", {"force": True} if "force" in values else {})
    except PanesAlive as refusal:
        refusal.message += "; `signaltty server stop --force` ends them"
        raise
    if not _has_ended(connection):
        session.complain("signaltty: the server has said it stops, but is still there")
    session.show(result, "stopped")


def restart(session: Session, values: dict[str, Any]) -> None:
    """Panes live on at the keeper (keeper.md §3)."""
    session.server_options = server_options(values)
    try:
        connection = session.dial_running()
        # not by session.call: that an old version runs is why somebody restarts
        connection.call("server.shutdown", {"keep_panes": True})
        _has_ended(connection)
    except NoSuchServer:
        pass
    session.hang_up()
    _show_running(session)


def logs(session: Session, values: dict[str, Any]) -> None:
    path = f"{session.state_dir()}/server.log"
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            lines = log.read().split("\n")
            kept = lines[-(values["lines"] + 1) :]
            session.write("\n".join(visible(line) for line in kept))
            while "follow" in values:
                fresh = log.read()
                session.write("\n".join(visible(line) for line in fresh.split("\n")))
                wait_beside_output(None, FOLLOW_S)
    except FileNotFoundError:
        raise LocalError(f"there is no log at {path}") from None
    except OSError as fault:
        raise LocalError(f"cannot read {path}: {fault.strerror}") from None


def be_server(session: Session, values: dict[str, Any]) -> int:
    """For a line that begins with a global option; one that begins with the two words is main.py's."""
    from ...server.main import run

    return run(["--socket", session.settings.socket, *server_options(values)])


def be_keeper(session: Session, values: dict[str, Any]) -> int:
    """Servers start it, in the words that main.py knows; what comes here wants its help."""
    raise LocalError("`keeper run` takes its option behind these two words")


def server_options(values: dict[str, Any]) -> list[str]:
    """The options of `server run` once more as words, paths absolute: a detached server stands in `/`."""
    words: list[str] = []
    for option in OPTIONS:
        value = values.get(option.param)
        if value is None:
            continue
        words.append(option.name)
        if option.kind is not None:
            words.append(
                absolute(value) if option.kind is PATH else f"{value:g}" if option.kind is DURATION else str(value)
            )
    return words


def _show_running(session: Session) -> None:
    result = session.call("server.status", {})
    session.show(result, f"server running (pid {result.get('pid')}) at {session.settings.socket}")


def _has_ended(connection: Connection) -> bool:
    """Whether the server has closed the connection, as it does when it leaves: what is started next must not meet one
    that is on its way out."""
    try:
        while connection.next_event(LEAVING_S) is not None:
            continue
    except TimedOut:
        return False
    except IoError:
        pass
    return True


OPTIONS = (
    Option("--state-dir", PATH, "Where the server keeps what must survive it."),
    Option("--plugin-dir", PATH, "Where plugins are."),
    Option("--agents-dir", PATH, "Where manifests of agents are."),
    Option("--max-tasks", POSITIVE, "Tasks that may run at once.", aliases=("--max-parallel-tasks",)),
    Option("--worker-silent-timeout", DURATION, "A worker that says nothing for so long is asked about."),
    Option("--idle-exit", DURATION, "Leave after so long without panes and clients; 0: never; default 600."),
    Option("--allow-self-approval", None, "Let an agent answer the questions of its own pane."),
)
_START = Command(
    "server start",
    "Start a server unless one runs.",
    start,
    *OPTIONS,
    example="signaltty server start --idle-exit 0",
)

COMMANDS = (
    Command("version", "Print the program's version.", version),
    Command("status", "Say whether a server runs, and how much it holds.", status),
    Command("server status", "Say whether a server runs, and how much it holds.", status),
    _START,
    _START.named("daemon"),
    Command(
        "server stop",
        "End the server, and with --force the panes that live.",
        stop,
        Option("--force", None, "End the programs in the panes too."),
        example="signaltty server stop --force",
    ),
    Command("server restart", "Replace the server by this version; panes live on.", restart, *OPTIONS),
    Command(
        "server logs",
        "Print the server's log.",
        logs,
        Option("-n", POSITIVE, "So many lines from its end.", param="lines", default=100),
        Option("-f", None, "Go on printing what is added.", param="follow"),
    ),
    Command("server run", "Be the server, in the foreground.", be_server, *OPTIONS),
    Command(
        "keeper run",
        "Be the process that holds the terminals.",
        be_keeper,
        Option("--runtime", PATH, "The runtime directory.", required=True),
        hidden=True,
    ),
)
