"""The board as lines of text, at any width: who needs somebody first, then tasks and workspaces."""

from __future__ import annotations

from ...base.text import visible
from ..show import age, branch_of, cells_of, cut, kind_of, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]
    Cells = dict[str, str]

# how urgent a pane is, by its attention and else by its lifecycle
_BY_ATTENTION = {"error": 0, "permission_required": 1, "input_required": 1, "warning": 2, "unread": 3}
_BY_STATE = {"blocked": 1, "failed": 2, "working": 4}
_QUIET = 5
_TASKS = {"input_required": 0, "completed": 1, "failed": 2, "rejected": 2, "working": 3, "pending": 4}
_WORDS = {"permission_required": "allow?", "input_required": "asks", "error": "error", "warning": "warning"}
MARKS = ("x", "?", "!", "*", ">", " ")
_COLOURS = ("1;31", "1;33", "33", "32", "36", "")
_TASK_MARKS = {"input_required": "?", "completed": "*", "failed": "x", "rejected": "x", "working": ">"}
# least width of the terminal -> columns with their greatest widths; the message gets what is left
LAYOUTS: tuple[tuple[int, tuple[tuple[str, int], ...]], ...] = (
    (160, (("name", 37), ("kind", 10), ("state", 13), ("age", 7), ("place", 32), ("progress", 10))),
    (100, (("name", 16), ("kind", 8), ("state", 11), ("age", 6), ("place", 20), ("progress", 8))),
    (64, (("name", 12), ("kind", 8), ("state", 10), ("age", 6), ("place", 14))),
    (0, (("name", 9), ("state", 8), ("age", 4))),
)
BAR = 5


class Board:
    """What there is, in the order of its urgency."""

    __slots__ = ("panes", "tasks", "waiting", "workspaces")

    def __init__(self, workspaces: list[Record], panes: list[Record], tasks: list[Record]) -> None:
        self.workspaces = workspaces
        self.panes = sorted(panes, key=lambda pane: (urgency_of(pane), _reversed(since_of(pane))))
        self.tasks = sorted(filter(_is_open, tasks), key=lambda task: (_TASKS[task["state"]], task["created_at"]))
        self.waiting = sum(urgency_of(pane) < 3 for pane in panes)


def lines_of(board: Board, at: float, width: int | None, *, colour: bool) -> list[str]:
    """The whole board. width: None cuts nothing. at: wall seconds."""
    places = {one["id"]: one for one in board.workspaces}
    held = f"{_count(len(board.panes), 'pane')}, {_count(len(board.workspaces), 'workspace')}"
    need = f"{_count(board.waiting, 'pane')} {'needs' if board.waiting == 1 else 'need'} you"
    lines = [_fit(f"{need if board.waiting else 'nobody needs you'}  ({held})", width)]
    rows = [(_pane_cells(pane, places, at), urgency_of(pane)) for pane in board.panes]
    lines += _rows(rows, width, colour) or ["  (no panes)"]
    if board.tasks:
        lines += ["", "tasks", *_rows([(_task_cells(task, at), _QUIET) for task in board.tasks], width, colour)]
    if board.workspaces:
        lines += ["", "workspaces"]
        lines += [_fit(_workspace_line(one, board.panes), width) for one in board.workspaces]
    return lines


def key_line(board: Board, width: int | None, *, live: bool) -> str:
    """What to type next."""
    leave = "q leaves; " if live else ""
    if board.panes and urgency_of(board.panes[0]) < 4:
        pane = board.panes[0].get("name") or board.panes[0]["id"]
        forms = (f"{leave}signaltty attach {pane}", f"{leave}attach {pane}", f"attach {pane}", pane)
        fitting = (form for form in forms if width is None or cells_of(form) <= width)  # half an id is of no use
        return next(fitting, None) or _fit(pane, width)
    return _fit(f"{leave}signaltty new -- claude" if not board.panes else f"{leave}signaltty wait --pane PANE", width)


def attention_lines(panes: list[Record], at: float, width: int | None) -> list[str]:
    """The rows of `attention`, with how long each has waited."""
    if not panes:
        return [_fit("no panes require attention", width)]
    rows = [(one["attention"], age(one.get("attention_since"), at), one["pane_id"], one.get("last_message") or "")
            for one in panes]  # fmt: skip
    if width is not None and width < 80:
        rows = [(_WORDS.get(word, word), since, f"{pane[:12]}…", message) for word, since, pane, message in rows]
    widths = [max(cells_of(row[index]) for row in rows) for index in range(3)]
    return [
        _fit("  ".join([*(_pad(cell, widths[index]) for index, cell in enumerate(row[:3])), visible(row[3])]), width)
        for row in rows
    ]


def urgency_of(pane: Record) -> int:
    """0 is most urgent; below 3 somebody is waited for, 3 has news, 4 works, 5 is quiet."""
    by_attention = _BY_ATTENTION.get(pane["attention"], _QUIET)
    return min(by_attention, _BY_STATE.get(state_of(pane), _QUIET))


def since_of(pane: Record) -> str:
    """When it came to what the board says of it."""
    if pane["attention"] in _BY_ATTENTION and "attention_since" in pane:
        return str(pane["attention_since"])
    return str(pane.get("lifecycle_since") or pane["created_at"])


def _pane_cells(pane: Record, places: dict[str, Record], at: float) -> Cells:
    workspace = places.get(pane["workspace_id"])
    decision = pane.get("pending_decision") or {}
    return {
        "mark": MARKS[urgency_of(pane)],
        "name": pane.get("name") or pane["id"],
        "kind": kind_of(pane),
        "state": _WORDS.get(pane["attention"]) or state_of(pane),
        "age": age(since_of(pane), at),
        "place": f"{workspace['handle']}:{branch_of(workspace)}" if workspace else "-",
        "progress": progress_of(pane),
        "message": decision.get("prompt") or pane.get("last_message") or pane["title"],
    }


def _task_cells(task: Record, at: float) -> Cells:
    result = task.get("result") or {}
    return {
        "mark": _TASK_MARKS.get(task["state"], " "),
        "name": task["id"],
        "kind": task.get("agent") or "-",
        "state": "finish?" if task["state"] == "completed" else task["state"].replace("input_required", "asks"),
        "age": age(task["updated_at"], at),
        "place": task.get("branch") or "-",
        "progress": "",
        "message": result.get("summary") or task.get("label") or task["contract"]["objective"],
    }


def progress_of(pane: Record) -> str:
    """`3/7`, or a bar with its percentage; empty without any."""
    progress = pane.get("progress")
    if progress is None:
        return ""
    if progress["kind"] == "count":
        return f"{progress['done']}/{progress['total']}"
    value = progress.get("value")
    if value is None:
        return "…"
    full = round(BAR * value / 100)
    return f"{'█' * full}{'░' * (BAR - full)} {value}%"


def _rows(rows: list[tuple[Cells, int]], width: int | None, colour: bool) -> list[str]:
    columns = next(columns for least, columns in LAYOUTS if width is None or width >= least)
    lines = []
    for cells, urgency in rows:
        message = " ".join(cells["message"].split())
        if all(name != "progress" for name, _ in columns) and cells["progress"]:
            message = f"{cells['progress'].rpartition(' ')[2]} {message}"
        texts = [visible(cells[name]) for name, _ in columns]
        if width is not None:
            wide = [max(cells_of(visible(row[name])) for row, _ in rows) for name, _ in columns]
            sizes = [min(size, most) for size, (_, most) in zip(wide, columns, strict=True)]
            texts = [_pad(_shorten(text, size), size) for text, size in zip(texts, sizes, strict=True) if size]
        line = _fit("  ".join([f"{cells['mark']} {texts[0]}", *texts[1:], visible(message)]), width)
        lines.append(f"\x1b[{_COLOURS[urgency]}m{line}\x1b[0m" if colour and _COLOURS[urgency] else line)
    return lines


def _workspace_line(workspace: Record, panes: list[Record]) -> str:
    inside = [pane for pane in panes if pane["workspace_id"] == workspace["id"]]
    held = _count(len(inside), "pane")
    return visible(f"  {workspace['handle']}  {branch_of(workspace)}  {held}  {workspace['cwd']}")


def _is_open(task: Record) -> bool:
    """Whether something is still to be done about it."""
    return task["state"] in _TASKS and task["disposition"]["outcome"] == "none"


def _reversed(moment: str) -> tuple[int, ...]:
    """A key that puts later moments first."""
    return tuple(-ord(character) for character in moment)


def _shorten(text: str, size: int) -> str:
    return text if cells_of(text) <= size else cut(text, size - 1) + "…"


def _fit(line: str, width: int | None) -> str:
    return line.rstrip() if width is None else _shorten(line.rstrip(), width)


def _pad(text: str, size: int) -> str:
    return text + " " * (size - cells_of(text))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
