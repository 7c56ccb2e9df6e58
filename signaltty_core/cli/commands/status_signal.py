"""`status-signal send`: a line of the status-signal protocol, for scripts in a pane (status-signals §8)."""

from __future__ import annotations

from ...base.paths import runtime_dir
from ...client.status_signal import send as deliver
from ..session import absolute
from ..spec import Argument, Command, LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_BYTES = 64


def send(session: Session, values: dict[str, Any]) -> None:
    line: str = values["line"]
    if not 0 < len(line) <= MOST_BYTES or line[0] not in LETTERS or line.strip(LETTERS + "0123456789:._-"):
        raise LocalError(f'not a status line: "{line[: MOST_BYTES + 1]}"')
    path = _path(session)
    if not deliver(path, line.encode("ascii") + b"\n"):
        raise LocalError(f"no listener at {path}")


def _path(session: Session) -> str:
    """Here `--socket` names the status socket."""
    settings = session.settings
    given = settings.named_socket or settings.environ.get("SIGNALTTY_STATUS_SOCKET")
    return absolute(given) if given else runtime_dir(settings.socket, settings.uid) + "/status.sock"


COMMANDS = (
    Command(
        "status-signal send",
        "Report the state of a run: start, stop, git-conflict, blocked:permission or state:working.",
        send,
        Argument("LINE"),
        example="signaltty status-signal send start",
    ),
)
