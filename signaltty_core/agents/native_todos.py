"""The counter that a todo tool of an agent implies (agent-status §15.3)."""

from __future__ import annotations

from .base import fold
from .native import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..status.envelope import Event
    from .base import Tool

TODO_TOOLS = ("todowrite", "todo")
_DONE_STATES = ("completed", "done")
_DONE_MARKS = ("[x]", "[completed]")
_OPEN_MARKS = ("[ ]", "[pending]", "[in_progress]")


def count(event: Event, tool: Tool) -> None:
    """Give the event the counter; an empty list takes it away, other tools say nothing."""
    if tool.name is None or fold(tool.name) not in TODO_TOOLS:
        return
    given = tool.input or {}
    todos = given.get("todos")
    if given.get("merge") is True or not isinstance(todos, (list, str)):
        return
    if isinstance(todos, list):
        done = [text(each, "status") in _DONE_STATES for each in todos if isinstance(each, dict)]
        total = len(todos)
    else:
        lines = [line.lower() for line in todos.splitlines()]
        marked = [line for line in lines if any(mark in line for mark in (*_DONE_MARKS, *_OPEN_MARKS))]
        done = [any(mark in line for mark in _DONE_MARKS) for line in marked]
        total = len(marked)
    if total:
        event.progress = {"done": sum(done), "total": total}
    elif not todos:
        event.empties_progress = True
