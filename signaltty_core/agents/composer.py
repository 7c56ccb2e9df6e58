"""What an agent's input line shows: a draft somebody left there, and that a paste has arrived (tasks-and-git §3)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Run = dict[str, object]

TAIL_CHARS = 24  # enough to be no accident, short enough to fit a narrow input line
DRAFT_CHARS = 80
_GREY = "38;5;246"  # Claude's colour for hints
_PLACEHOLDER = "[paste"  # `[Pasted text #1 +4 lines]`, `[Pasted Content 1200 chars]`, `[paste #1 …]`
_PROMPTS = ("❯", "›", ">")
DRAWN_LATE = ("qwen",)  # whose title and hooks speak long before their prompt is there
_FRAME = frozenset("│┃|❯›>…")


def tail_of(text: str) -> str:
    """What to look for on the screen: the end of the text's last line, without what a frame or wrap may put in."""
    return _squeezed(text.rstrip("\r\n").replace("\r", "\n").rpartition("\n")[2])[-TAIL_CHARS:]


def count(screen: str, tail: str) -> int:
    """How often the end of the text, or a placeholder for pasted text, stands on the screen."""
    squeezed = _squeezed(screen)
    return (squeezed.count(tail) if tail else 0) + squeezed.lower().count(_PLACEHOLDER)


def is_drawn(kind: str, rows: Sequence[Sequence[Run]]) -> bool:
    """Whether the agent's prompt box is on the screen; true where the box is not known."""
    find = _BOXES.get(kind)
    return find is None or find(rows) is not None


def draft(kind: str, rows: Sequence[Sequence[Run]]) -> str | None:
    """The text that is already in the agent's prompt box; None for an empty one, or where the box is not known."""
    find = _BOXES.get(kind)
    box = find(rows) if find is not None else None
    if box is None:
        return None
    typed = _typed_in_qwen if kind == "qwen" else _typed
    lines = ["".join(typed(run) for run in row).replace("\xa0", " ") for row in box]
    lines[0] = lines[0].lstrip().lstrip("".join(_PROMPTS))
    text = "\n".join(line.strip() for line in lines).strip()
    return text[:DRAFT_CHARS] or None


def _typed(run: Run) -> str:
    """The run's text, unless it is a hint: faint, grey, or the cell under the cursor that begins one."""
    text = str(run["text"])
    if run.get("faint") or run.get("fg") == _GREY or (run.get("inverse") and len(text) == 1):
        return " " * len(text)
    return text


def _typed_in_qwen(run: Run) -> str:
    """Qwen leaves what is typed without a colour; its hints and suggestions have one, but for the cell under the
    cursor. Behind a text the cursor is a blank and a zero-width one.
    """
    text = str(run["text"]).replace("\u200b", "")
    is_hint = run.get("fg") or (run.get("bg") and len(text) == 1)
    return " " * len(text) if is_hint else text


def _text(row: Sequence[Run]) -> str:
    return "".join(str(run["text"]) for run in row).replace("\xa0", " ").rstrip()


def _ruled_box(rows: Sequence[Sequence[Run]]) -> Sequence[Sequence[Run]] | None:
    """What stands between the last two rules, where it begins with the prompt's sign."""
    rules = [at for at, row in enumerate(rows) if (line := _text(row).strip()) and not line.strip("─")]
    if len(rules) < 2 or rules[-1] - rules[-2] < 2:
        return None
    box = rows[rules[-2] + 1 : rules[-1]]
    return box if _text(box[0]).lstrip().startswith(_PROMPTS) else None


def _codex_box(rows: Sequence[Sequence[Run]]) -> Sequence[Sequence[Run]] | None:
    """From the last prompt sign to the first blank row below it."""
    start = next((at for at in range(len(rows) - 1, -1, -1) if _text(rows[at]).startswith("›")), None)
    if start is None:
        return None
    end = next((at for at in range(start, len(rows)) if not _text(rows[at]).strip()), len(rows))
    return rows[start:end]


def _squeezed(text: str) -> str:
    return "".join(one for one in text if not one.isspace() and one not in _FRAME and not "─" <= one <= "╿")


_BOXES: dict[str, Callable[[Sequence[Sequence[Run]]], Sequence[Sequence[Run]] | None]] = {
    "claude": _ruled_box,
    "codex": _codex_box,
    "qwen": _ruled_box,  # puts the prompt of an interrupted turn back there
}
