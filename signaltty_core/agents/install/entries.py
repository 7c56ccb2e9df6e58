"""What is wanted of a hooks file, and the two shapes in which agents write it down (agents §8.2)."""

from __future__ import annotations

from .command import is_managed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .json_text import Path


class Entry:
    """One event that is to run `command`. timeout: in the unit of the agent."""

    __slots__ = ("command", "event", "matcher", "timeout")

    def __init__(self, event: str, command: str, timeout: int, matcher: str = "") -> None:
        self.event = event
        self.command = command
        self.timeout = timeout
        self.matcher = matcher


class Groups:
    """Elements that hold a list of commands under `hooks`: claude, codex, gemini, qwen, droid, goose."""

    __slots__ = ("_has_matcher",)
    command = "command"
    ours: tuple[str, ...] = ("", "AskUserQuestion")  # the matchers of agents §8.2

    def __init__(self, *, has_matcher: bool = True) -> None:
        self._has_matcher = has_matcher

    def fields(self, entry: Entry) -> dict[str, Any]:
        return {"type": "command", "command": entry.command, "timeout": entry.timeout}

    def element(self, entry: Entry) -> dict[str, Any]:
        group: dict[str, Any] = {"matcher": entry.matcher} if self._has_matcher else {}
        return {**group, "hooks": [self.fields(entry)]}

    def handlers(self, elements: list[Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Every command of an event: its way from the event's list, and what stands there."""
        for index, group in enumerate(elements):
            inside = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(inside if isinstance(inside, list) else ()):
                if isinstance(handler, dict):
                    yield (index, "hooks", place), handler

    def is_bare(self, element: dict[str, Any]) -> bool:
        """Whether nothing of somebody else is lost with this element, which holds no command any more."""
        return not element.get("hooks") and set(element) <= {"hooks", "matcher"} and self._is_ours(element)

    def _is_ours(self, element: dict[str, Any]) -> bool:
        return element.get("matcher", "") in self.ours


class Items:
    """Elements that are the command themselves: cursor and copilot. fixed: members every command has beside."""

    __slots__ = ("_fixed", "_timeout", "command")

    def __init__(self, command: str, timeout: str, fixed: dict[str, Any]) -> None:
        self.command = command
        self._timeout = timeout
        self._fixed = fixed

    def fields(self, entry: Entry) -> dict[str, Any]:
        return {**self._fixed, self.command: entry.command, self._timeout: entry.timeout}

    element = fields

    def handlers(self, elements: list[Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Every command of an event: its way from the event's list, and what stands there."""
        for index, item in enumerate(elements):
            if isinstance(item, dict):
                yield (index,), item

    def is_bare(self, element: dict[str, Any]) -> bool:
        """An element is removed as the command it is; nothing is left of it."""
        return False


if TYPE_CHECKING:
    Shape = Groups | Items


def managed(shape: Shape, elements: object) -> list[tuple[Path, dict[str, Any]]]:
    """Our own commands among the elements of an event."""
    if not isinstance(elements, list):
        return []
    return [(path, handler) for path, handler in shape.handlers(elements) if is_managed(handler.get(shape.command))]
