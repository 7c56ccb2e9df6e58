"""The line an agent's hook runs, and how we know it again (agents §8.2)."""

from __future__ import annotations

MANAGED = "# signaltty hook-event (managed)"


def hook_command(program: str, agent: str, event: str, *, waits: bool) -> str:
    """A shell line that hands the hook's payload to `program`; the comment at its end marks it as ours."""
    asks = " --wait-for-answer" if waits else ""
    return f"{quote(program)} hook-event --agent {agent} --event {event} --payload-stdin{asks} {MANAGED}"


def quote(word: str) -> str:
    """The word for a shell, in single quotes whatever it holds."""
    return "'" + word.replace("'", "'\\''") + "'"


def is_managed(command: object) -> bool:
    """Whether a command of some settings file is ours."""
    return isinstance(command, str) and command.rstrip().endswith(MANAGED)
