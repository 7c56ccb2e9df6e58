"""Which module of commands/ holds which first word, and the groups of the help text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .spec import Command

MODULES: dict[str, str] = {
    "new": "new",
    "ls": "overview",
    "attention": "overview",
    "board": "board",
    "focus": "overview",
    "wait": "wait",
    "events": "events",
    "attach": "terminal",
    "demo": "terminal",
    "pane": "pane",
    "workspace": "workspace",
    "worktree": "worktree",
    "tab": "tab",
    "task": "task",
    "decision": "decision",
    "notify": "notification",
    "notification": "notification",
    "report-session": "report",
    "report": "report",
    "status-signal": "status_signal",
    "hook-event": "hook",
    "agents": "agents",
    "session": "session_list",
    "ipc": "hook",
    "version": "server",
    "status": "server",
    "server": "server",
    "daemon": "server",
    "keeper": "server",
    "schema": "contract",
    "call": "contract",
    "debug": "debug",
    "integration": "integration",
    "plugin": "plugin",
    "skill": "skill",
    "doctor": "discovery",
    "completion": "discovery",
    "complete": "discovery",
    "man": "discovery",
}

# title, first words, one example: what the bare program prints
GROUPS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("Start and look", ("new", "board", "ls", "attach", "attention", "demo"), "signaltty new --cwd ~/api -- claude"),
    ("Wait and answer", ("wait", "events", "decision", "focus", "session"),
     "signaltty wait --pane P --until done,blocked"),
    ("Hand out work", ("task",), "signaltty task start --repo ~/api --objective 'fix the login test' --agent codex"),
    ("Panes and where they are", ("pane", "workspace", "tab", "worktree"), "signaltty pane read PANE --lines 40"),
    ("Report from inside a pane", ("notify", "notification", "report", "report-session", "hook-event", "ipc",
     "status-signal"),
     "signaltty notify --title 'tests are green'"),
    ("Agents", ("integration", "skill", "plugin"), "signaltty integration install codex"),
    ("Find out", ("doctor", "completion", "man"), "signaltty doctor"),
    ("The server", ("status", "server", "agents", "version", "schema", "call"), "signaltty server stop --force"),
)  # fmt: skip


def load(first: str) -> tuple[Command, ...]:
    """The commands of the module that holds the first word; empty for an unknown word."""
    module = MODULES.get(first)
    if module is None:
        return ()
    # the builtin: `importlib` is a package of its own and brings `warnings` along
    found = __import__(f"signaltty_core.cli.commands.{module}", fromlist=["COMMANDS"])
    commands: tuple[Command, ...] = found.COMMANDS
    return commands


def every() -> list[Command]:
    """All commands, each once."""
    found: list[Command] = []
    for first in MODULES:
        found.extend(command for command in load(first) if command.words[0] == first)
    return found
