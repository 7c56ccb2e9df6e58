"""`board` and `attention --watch`: fetched once, or kept on the screen as it changes (cli §4.1)."""

from __future__ import annotations

from time import time

from ...base.errors import UnknownMethod
from ...client.conn import REPLY_S
from ..show import has_colour, terminal_width
from .board_text import Board, attention_lines, key_line, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...client.conn import Connection
    from ..session import Session


def run(session: Session, watching: bool) -> int:
    """`board`: plain and once where there is no terminal."""
    if watching and terminal_width() is not None and not session.settings.json:
        from .live import watch  # modes of the terminal: for those who stay

        return watch(session, _fetch, _screen)
    board = _fetch(session.connection())
    width = terminal_width()
    result = {"panes": board.panes, "tasks": board.tasks, "workspaces": board.workspaces}
    if session.settings.json:
        session.show(result)
    else:
        lines = lines_of(board, time(), width, colour=width is not None and has_colour())
        session.write("".join(f"{line}\n" for line in (*lines, "", key_line(board, width, live=False))))
    return 0


def watch_attention(session: Session, limit: int | None) -> int:
    """`attention --watch` on a terminal."""
    from .live import watch

    params = {} if limit is None else {"limit": limit}

    def fetch(connection: Connection) -> Any:
        return connection.call("attention.pending", params)["panes"]

    def screen(panes: Any, cols: int, rows: int) -> list[str]:
        return _cut_to(attention_lines(panes, time(), cols), rows, "q leaves")

    return watch(session, fetch, screen)


def _fetch(connection: Connection) -> Board:
    """Everything at once: all is asked for before the first answer is read."""
    asked = [(method, connection.send(method, {})) for method in ("workspace.list", "pane.list", "task.list")]
    found = []
    for method, id in asked:
        try:
            result = connection.receive(id, REPLY_S, method)
        except UnknownMethod:  # a server from before tasks
            result = {"tasks": []}
        found.append(next(iter(value for value in result.values() if isinstance(value, list))))
    return Board(*found)


def _screen(board: Board, cols: int, rows: int) -> list[str]:
    return _cut_to(lines_of(board, time(), cols, colour=has_colour()), rows, key_line(board, cols, live=True))


def _cut_to(lines: list[str], rows: int, last: str) -> list[str]:
    """The first lines that fit above the last one."""
    room = max(rows - 1, 1)
    if len(lines) > room:
        more = len(lines) - room + 1
        lines = [*lines[: room - 1], f"… {more} more lines"]
    return [*lines, *[""] * (room - len(lines)), last]
