"""`pane …`: list, start, arrange and end panes. What goes in and out of one is in pane_io.py."""

from __future__ import annotations

from ..launch import environment_for, program_of
from ..session import absolute
from ..show import kind_of, state_of
from ..spec import (
    CLOSING_SIGNAL,
    DIRECTION,
    ID,
    INTEGER,
    OS_SIGNAL,
    PANE,
    PATH,
    TEXT,
    VARIABLE,
    WORKSPACE,
    Argument,
    Command,
    Option,
    one_of,
)
from .pane_io import COMMANDS as IO_COMMANDS
from .terminal import ATTACH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

_PANE = Argument("PANE", "pane_id", PANE)
_TARGET = Argument("TARGET", "target_pane_id", PANE)
_ENV = Option("--env", VARIABLE, "A variable for the program; may be repeated.", many=True)
_CWD = Option("--cwd", PATH, "Directory of the program.")


def list_panes(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.list", values)
    rows = (
        (pane["id"], pane.get("name") or "-", kind_of(pane), state_of(pane), pane["attention"], pane["title"])
        for pane in result["panes"]
    )
    session.show_rows(result, rows, none="no panes")


def spawn(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.spawn", _launch(session, values))
    session.show(result, f"pane {result['pane']['id']}")


def split(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.split", _launch(session, values))
    session.show(result, f"pane {result['pane']['id']}")


def get(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.get", values)
    pane = result["pane"]
    states = f"live={pane['live']['state']} lifecycle={pane['lifecycle']} attention={pane['attention']}"
    session.show(result, f"{pane['id']} {pane['title']} {states}", *_decision_lines(pane.get("pending_decision")))


def send_signal(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.signal", values)
    session.show(result, f"sent {values['signal']} to {values['pane_id']}")


def resize(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.resize", values)
    size = result["pane"]["pty_size"]
    session.show(result, f"resized {result['pane']['id']} to {size['cols']}x{size['rows']}")


def rename(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.rename", values)
    named = f"renamed {result['pane']['id']} to {values.get('name')}"
    session.show(result, named if "name" in values else "name cleared")


def swap(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("pane.swap", values), "swapped")


def move(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("pane.move", values), "moved")


def close(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("pane.close", values), f"closed {values['pane_id']}")


def mark_seen(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.mark_seen", values)
    session.show(result, f"marked seen {result['pane']['id']}")


def explain(session: Session, values: dict[str, Any]) -> None:
    # rarely asked for: other commands of panes need not read it
    from .pane_explain import explain as run

    run(session, values)


def resume(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.resume", {**values, "env": environment_for(session.settings.environ, [])})
    session.show(result, f"resumed {result['pane']['id']}")


def _launch(session: Session, values: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a start: paths absolute, part of the caller's environment, a program."""
    environ = session.settings.environ
    params = {**values, "argv": values["argv"] or program_of(environ)}
    params["env"] = environment_for(environ, values.get("env", []))
    if "cwd" in params:
        params["cwd"] = absolute(params["cwd"])
    return params


def _decision_lines(decision: dict[str, Any] | None) -> list[str]:
    if decision is None:
        return []
    lines = [f"decision {decision['id']}: {decision['prompt']}"]
    lines += [f"  {option['id']} — {option['label']}" for option in decision["options"]]
    if not decision.get("answerable", True):
        lines.append("  (read-only: answer in the terminal)")
    return lines


COMMANDS = (
    Command(
        "pane list",
        "List panes with the state of their agents.",
        list_panes,
        Option("--workspace", WORKSPACE, "Only panes of this workspace.", param="workspace_id"),
        Option("--tab", ID, "Only panes of this tab.", param="tab_id"),
    ),
    Command(
        "pane spawn",
        "Start a program in a new pane of a workspace.",
        spawn,
        Option("--workspace", WORKSPACE, "The workspace.", param="workspace_id", required=True),
        Option("--tab", ID, "An empty tab; default: the active one when empty, else a new one.", param="tab_id"),
        _CWD,
        Option("--agent", TEXT, "Which agent the program is, when its name does not say so.", param="agent_hint"),
        Option("--parent-pane", PANE, "The pane that asked for this one.", param="parent_pane_id"),
        Option("--label", TEXT, "A short text about the pane's purpose."),
        Option("--relationship", one_of("fork", "subagent"), "What the pane is to its parent."),
        _ENV,
        rest="CMD…",
        example="signaltty pane spawn --workspace api -- codex",
    ),
    Command(
        "pane split",
        "Start a program in a new pane beside or below another.",
        split,
        _PANE,
        Option("--direction", DIRECTION, "Where the new pane goes.", default="right"),
        _CWD,
        _ENV,
        rest="CMD…",
        example="signaltty pane split PANE --direction down -- htop",
    ),
    Command("pane get", "Show one pane, and the question it waits with.", get, _PANE),
    Command("pane explain", "Show why a pane is in its state.", explain, _PANE, example="signaltty pane explain PANE"),
    *IO_COMMANDS,
    Command(
        "pane signal",
        "Send a signal to a pane's program.",
        send_signal,
        _PANE,
        Option("--signal", OS_SIGNAL, "INT, TERM, KILL, HUP, QUIT, WINCH, USR1 or USR2.", default="INT"),
        Option("--group", None, "Send it to the program's whole process group."),
    ),
    Command(
        "pane resize",
        "Change a pane's size.",
        resize,
        _PANE,
        Option("--cols", INTEGER, "Columns, 20 to 500.", required=True),
        Option("--rows", INTEGER, "Rows, 5 to 200.", required=True),
    ),
    Command(
        "pane rename", "Give a pane a name, or take it away.", rename, _PANE, Argument("NAME", "name", required=False)
    ),
    Command("pane swap", "Let two panes change places.", swap, _PANE, _TARGET),
    Command(
        "pane move",
        "Put a pane beside or below another.",
        move,
        _PANE,
        _TARGET,
        Option("--direction", DIRECTION, "Where it goes, seen from TARGET.", default="right"),
    ),
    Command("pane close", "End a pane's program and remove the pane.", close, _PANE, CLOSING_SIGNAL),
    Command("pane mark-seen", "Note that somebody has looked at a pane.", mark_seen, _PANE),
    Command("pane resume", "Start a pane's agent again, in the session it had.", resume, _PANE),
    ATTACH.named("pane attach"),
)
