"""Questions that last: asked again when their server is lost and its keeper brings it back."""

from __future__ import annotations

from time import monotonic

from ..base.errors import IoError, TimedOut
from ..base.limits import WAIT_S
from .session import reply_limit_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..client.conn import Connection
    from .session import Session

LOST_SERVER_S = 5.0  # how long the keeper may need to bring a lost server back


def ask_through(session: Session, timeout_s: float, ask: Callable[[Connection, float | None], Any]) -> Any:
    """The answer, whichever server gives it in the end.

    ask: gets a connection and the seconds that are left; None where nothing has been lost yet.
    """
    ends_at = monotonic() + timeout_s
    left_s: float | None = None
    while True:
        connection = session.connection(0.0 if left_s is None else LOST_SERVER_S)
        try:
            result = ask(connection, left_s)
        except TimedOut:
            if left_s is None:
                raise
            raise TimedOut(f"it did not come within {timeout_s:g} s; the server was lost and is back") from None
        except IoError:
            if not connection.is_lost or not session.has_keeper():
                raise
            session.hang_up()
            left_s = max(0.0, ends_at - monotonic())
            continue
        session.notice_version(connection)
        return result


def call_through(session: Session, method: str, params: dict[str, Any]) -> Any:
    """The result of one request whose `timeout_s` says how long it lasts."""

    def ask(connection: Connection, left_s: float | None) -> Any:
        asked = params if left_s is None else {**params, "timeout_s": left_s}
        return connection.call(method, asked, reply_limit_s(method, asked))

    return ask_through(session, params.get("timeout_s", WAIT_S), ask)
