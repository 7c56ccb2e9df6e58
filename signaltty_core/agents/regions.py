"""Which part of a screen a rule looks at (agents §11.1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINES_MAX = 200
LINE_CHARS = 500
_AFTER_PROMPT = ("•", "■", "✗", "✓")  # lines of Codex's answers: the prompt above them is an old one


class View:
    """One look at a screen: its lines from the top, and the title. Each region is cut out once."""

    __slots__ = ("_cut", "_lines", "_title")

    def __init__(self, lines: Sequence[str], title: str | None) -> None:
        self._lines = [line.rstrip()[:LINE_CHARS] for line in lines]
        self._title = (title or "").rstrip()[:LINE_CHARS]
        self._cut: dict[tuple[str, int | None], str] = {}

    def text(self, region: str, limit: int | None) -> str:
        """The region's lines, joined. limit: how many at most, None for all."""
        found = self._cut.get((region, limit))
        if found is None:
            found = self._cut[region, limit] = self._title if region == "title" else self._lines_of(region, limit)
        return found

    def _lines_of(self, region: str, limit: int | None) -> str:
        kept = [line for line in _SLICES[region](self._lines) if line]
        most = min(limit or LINES_MAX, LINES_MAX)
        return "\n".join(kept[:most] if region == "top" else kept[-most:])


def label(region: str, limit: int | None) -> str:
    """How `pane.explain` calls it."""
    return region if limit is None else f"{region}({limit})"


def limit_of(region: str, lines: int | None) -> int | None:
    """How many lines a rule sees: as it says, else the region's default; a title has none."""
    if region == "title":
        return None
    return lines if lines is not None else REGIONS[region]


def _is_rule(line: str) -> bool:
    trimmed = line.strip()
    return trimmed.startswith("───") or (bool(trimmed) and not trimmed.strip("─"))


def _is_prompt(line: str) -> bool:
    return line == "›" or line.startswith("› ")


def _box(lines: list[str]) -> tuple[int, int] | None:
    """Where the last two rule lines stand."""
    rules = [index for index, line in enumerate(lines) if _is_rule(line)]
    return (rules[-2], rules[-1]) if len(rules) >= 2 else None


def _last_prompt(lines: list[str]) -> int | None:
    return next((index for index in range(len(lines) - 1, -1, -1) if _is_prompt(lines[index])), None)


def _current_prompt(lines: list[str]) -> int | None:
    last = _last_prompt(lines)
    if last is None or any(line.startswith(_AFTER_PROMPT) for line in lines[last + 1 :]):
        return None
    return last


def _prompt_box(lines: list[str]) -> list[str]:
    box = _box(lines)
    return lines[box[0] + 1 : box[1]] if box is not None else []


def _above_prompt_box(lines: list[str]) -> list[str]:
    box = _box(lines)
    return lines[: box[0]] if box is not None else lines


def _after_last_rule(lines: list[str]) -> list[str]:
    last = next((index for index in range(len(lines) - 1, -1, -1) if _is_rule(lines[index])), None)
    return lines if last is None else lines[last + 1 :]


def _after_last_prompt(lines: list[str]) -> list[str]:
    last = _last_prompt(lines)
    return lines if last is None else lines[last:]


def _before_current_prompt(lines: list[str]) -> list[str]:
    current = _current_prompt(lines)
    return lines if current is None else lines[:current]


def _whole(lines: list[str]) -> list[str]:
    return lines


_SLICES: dict[str, Callable[[list[str]], list[str]]] = {
    "bottom": _whole,
    "top": _whole,
    "screen": _whole,
    "prompt_box": _prompt_box,
    "above_prompt_box": _above_prompt_box,
    "after_last_rule": _after_last_rule,
    "after_last_prompt": _after_last_prompt,
    "before_current_prompt": _before_current_prompt,
    "without_current_prompt": _before_current_prompt,
}
# region -> how many lines it holds when the rule does not say
REGIONS: dict[str, int | None] = {"title": None, **dict.fromkeys(_SLICES), "bottom": 12, "top": 12}
