"""Records as text for people: columns, states, ages, colours. Nothing here asks a server."""

from __future__ import annotations

import os
import sys

from ..base.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

GAP = "  "
# the states a person should find at a glance; what is quiet stays plain
COLOURS = {
    "working": "36",
    "blocked": "1;33",
    "done": "32",
    "failed": "1;31",
    "error": "1;31",
    "warning": "33",
    "unread": "1;34",
    "permission_required": "1;33",
    "input_required": "1;33",
}
_AGE_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))


def table(rows: Iterable[Iterable[str]], indent: str = "") -> list[str]:
    """Lines of columns two blanks apart; on a terminal aligned, coloured and cut to its width (cli §1.3)."""
    safe = [[visible(cell) for cell in row] for row in rows]
    width = terminal_width()
    if width is None:
        return [(indent + GAP.join(row)).rstrip(" ") for row in safe]
    columns = max((len(row) for row in safe), default=0)
    widths = [max((cells_of(row[index]) for row in safe if index < len(row)), default=0) for index in range(columns)]
    colour = has_colour()
    lines = []
    for row in safe:
        padded = [
            cell if index == len(row) - 1 else cell + " " * (widths[index] - cells_of(cell))
            for index, cell in enumerate(row)
        ]
        line = cut(indent + GAP.join(padded), width).rstrip(" ")
        lines.append(_coloured(line, len(indent), padded) if colour else line)
    return lines


def has_colour() -> bool:
    """Whether somebody at a terminal wants colours (cli §1.3)."""
    return not os.environ.get("NO_COLOR")


def terminal_width() -> int | None:
    """Columns of the terminal behind standard output; None when there is no terminal."""
    if sys.stdout is None or not os.isatty(1):
        return None
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:
        return 80


def cells_of(text: str) -> int:
    """Terminal columns the text takes."""
    if text.isascii():
        return len(text)
    # a C module that only text beyond ASCII needs
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, width: int) -> str:
    """The text's beginning that fits into `width` columns."""
    if cells_of(text) <= width:
        return text
    kept = min(len(text), 4 * width)  # more code points than that never fit, and the search stays short
    while cells_of(text[:kept]) > width:
        kept -= 1
    return text[:kept]


def state_of(pane: dict[str, Any]) -> str:
    """The lifecycle of a live pane, else how it ended (cli §5)."""
    live = pane.get("live") or {}
    if live.get("state") == "live":
        return str(pane.get("lifecycle", "unknown"))
    restored = pane.get("restore_state")
    if restored in ("RESTORED", "RESUMABLE"):
        return str(restored).lower()
    ending = live.get("signal") if live.get("code") is None else live.get("code")
    return f"exited {'?' if ending is None else ending}"


def kind_of(pane: dict[str, Any]) -> str:
    return str((pane.get("agent") or {}).get("kind") or "none")


def branch_of(workspace: dict[str, Any]) -> str:
    return str((workspace.get("git") or {}).get("branch") or "-")


def age(since: str | None, at: float) -> str:
    """How long ago an RFC 3339 time was, in its two greatest units; `-` without one. at: wall seconds."""
    began = wall_seconds(since or "")
    if began is None:
        return "-"
    left = max(0, int(at - began))
    parts: list[str] = []
    for seconds, unit in _AGE_UNITS:
        if left >= seconds or (unit == "s" and not parts):
            parts.append(f"{left // seconds}{unit}")
            left %= seconds
        elif parts:
            break
        if len(parts) == 2:
            break
    return "".join(parts)


def wall_seconds(text: str) -> float | None:
    """Seconds since 1970 of `2026-10-09T12:34:56.789Z`, by arithmetic: strptime would import `re` and `locale`."""
    try:
        year, month, day = int(text[0:4]), int(text[5:7]), int(text[8:10])
        clock = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    except ValueError:
        return None
    # days of the proleptic Gregorian calendar, years counted from March so that the leap day comes last
    shifted = year - (month < 3)
    days = shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719468
    return float(days * 86400 + clock)


def _coloured(line: str, start: int, padded: list[str]) -> str:
    """The line with its known states coloured; start: where the first cell stands. Cells that were cut stay plain."""
    places = []
    for cell in padded:
        word = cell.rstrip(" ")
        code = COLOURS.get(word)
        if code is not None and start + len(word) <= len(line):
            places.append((start, len(word), code))
        start += len(cell) + len(GAP)
    for at, length, code in reversed(places):
        line = f"{line[:at]}\x1b[{code}m{line[at : at + length]}\x1b[0m{line[at + length :]}"
    return line
