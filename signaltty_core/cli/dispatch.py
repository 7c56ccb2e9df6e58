"""Finds the command of a line, runs it, turns what goes wrong into a sentence and an exit status.

Every command is read by hand and imports only what it shows; click comes in for the wording of every mistake
(performance §1.4).
"""

from __future__ import annotations

import os

from ..base.errors import ProtocolError
from ..base.program import is_unpacked
from ..base.text import visible
from ..wire.codec import encode
from . import table
from .session import OutputClosed, Session, Settings, write_error, write_output
from .spec import LocalError, Usage
from .words import Unusual, leading, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .spec import Command

INTERRUPTED = 130
# code: what a person may do next
NEXT_STEPS = {
    "NO_SUCH_SERVER": "`signaltty server start` starts one",
    "NO_SUCH_WORKSPACE": "`signaltty workspace list` shows them",
    "NO_SUCH_TAB": "`signaltty ls` shows them",
    "NO_SUCH_PANE": "`signaltty ls` shows them",
    "NO_SUCH_TASK": "`signaltty task list` shows them",
    "NO_SUCH_DECISION": "`signaltty pane get PANE` shows what the pane waits for",
    "PANE_EXITED": "`signaltty pane get PANE` shows how it ended; an agent goes on with `signaltty pane resume PANE`",
    "IDENTITY_CHANGED": "the program of that pane has been replaced; `signaltty pane get PANE` shows the one there now",
    "RATE_LIMITED": "wait a moment and try again",
    "AGENT_BUSY": "`signaltty pane read PANE` shows why; `signaltty wait --pane PANE --until idle,done`, then again",
    "AGENT_NOT_READY": "`signaltty pane read PANE --mode screen` shows it; a shell takes `signaltty pane input PANE`",
    "SPAWN_FAILED": "the program is looked for on the PATH of this shell",
    "MERGE_CONFLICT": "bring the target into the task's worktree, commit there, and finish again",
}
TOO_MANY_TASKS = "`signaltty task list` shows them; one that has ended or is canceled makes room"
KEPT_TASK = "the task is kept as failed: `signaltty task finish {} --discard` removes its worktree"


def dispatch(argv: list[str]) -> int:
    """Run one command line; its exit status."""
    try:
        return _run_line(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OutputClosed:
        return 0
    except ImportError as fault:
        if is_unpacked() and "SIGNALTTY_REPAIR" not in os.environ:
            raise  # a file of the cache is gone: the boot code unpacks anew and runs the line again
        return explain(fault, "--json" in argv)
    except Exception as fault:
        # the last stop before a person: a mistake of ours becomes one sentence
        return explain(fault, "--json" in argv)


def _run_line(argv: list[str]) -> int:
    try:
        command, words = find(argv)
        values = parse(command, words)
    except Unusual:
        from . import help

        said = help.answer(argv)
        if said is not None:
            write_output(said)
            return 0
        # 30 ms of imports, paid by mistakes alone
        from .build import run_by_click

        return run_by_click(argv)
    return run(command, values, argv)


def find(argv: list[str]) -> tuple[Command, list[str]]:
    """The command of a line and the words behind its name, global options included. Raises Unusual for a mistake."""
    before, words = leading(argv)
    for command in table.load(words[0]) if words else ():
        if command.words[0] != words[0]:
            continue
        if len(command.words) == 1:
            return command, [*before, *words[1:]]
        between, rest = leading(words[1:])
        if rest and rest[0] == command.words[1]:
            return command, [*before, *between, *rest[1:]]
    raise Unusual


def run(command: Command, values: dict[str, Any], argv: list[str]) -> int:
    """Run a command with its values, global ones included."""
    socket, json, no_start = (values.pop(name, None) for name in ("socket", "json", "no_start"))
    try:
        if command.check is not None:
            command.check(values)
        settings = Settings(os.environ, os.geteuid(), socket, bool(json), bool(no_start))
        return command.run(Session(settings, argv), values) or 0
    except Usage as fault:
        complain(str(fault), "USAGE", {}, bool(json), coded=False)
        return command.usage_status
    except (ProtocolError, LocalError) as fault:
        return explain(fault, bool(json))


def explain(fault: Exception, json: bool) -> int:
    """The sentence for a failure, on standard error; exit status 1. A traceback only for SIGNALTTY_DEBUG=1."""
    if os.environ.get("SIGNALTTY_DEBUG") == "1":
        import traceback

        traceback.print_exception(fault)
    if isinstance(fault, ProtocolError):
        return complain(fault.message, fault.code, fault.details, json, coded=bool(fault.code))
    if isinstance(fault, LocalError):
        return complain(str(fault), "LOCAL", {}, json, coded=False)
    return complain(f"unexpected {type(fault).__name__}: {fault}", "INTERNAL", {}, json, coded=True)


def complain(message: str, code: str, details: dict[str, Any], json: bool, *, coded: bool) -> int:
    """One failure in the form asked for (cli §1.1, §1.2); gives 1. coded: whether people see the code."""
    if json:
        error = {"code": code or "LOCAL", "message": message, "details": details}
        write_error(encode({"ok": False, "error": error}))
    else:
        write_error(visible(f"signaltty: {message} ({code})" if coded else f"signaltty: {message}"))
        if os.isatty(2):  # a script gets the one line the contract names (cli §1.2)
            for step in next_steps(code, details):
                write_error(visible(f"  {step}"))
    return 1


def next_steps(code: str, details: dict[str, Any]) -> list[str]:
    """What a person may do after a failure."""
    steps = [NEXT_STEPS[code]] if code in NEXT_STEPS else []
    if "active_tasks" in details:
        steps = [TOO_MANY_TASKS]
    if "stage" in details and "task_id" in details:
        steps.append(KEPT_TASK.format(details["task_id"]))
    return steps
