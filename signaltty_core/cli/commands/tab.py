"""`tab …`: tabs and how their panes are laid out."""

from __future__ import annotations

from ...wire.codec import NotJson, decode
from ..launch import environment_for
from ..session import read_stdin
from ..spec import CLOSING_SIGNAL, ID, NUMBER, PATH, TEXT, TURNS, WORKSPACE, Argument, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

_TAB = Argument("TAB", "tab_id", ID)
_FILE = Argument("FILE", "file", PATH)
_WORKSPACE = Option("--workspace", WORKSPACE, "The workspace.", param="workspace_id", required=True)


def create(session: Session, values: dict[str, Any]) -> None:
    result = session.call("tab.create", values)
    session.show(result, f"tab {result['tab']['id']}")


def close(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("tab.close", values), f"closed {values['tab_id']}")


def set_ratio(session: Session, values: dict[str, Any]) -> None:
    """The ratio shown is the one that holds now: the server keeps it between 0.05 and 0.95."""
    params = {**values, "path": values.get("path", [])}
    result = session.call("tab.set_ratio", params)
    split = result["tab"]["layout"]
    for turn in params["path"]:
        split = split["second" if turn else "first"]
    session.show(result, f"ratio {split['ratio']:g}")


def set_layout(session: Session, values: dict[str, Any]) -> None:
    layout = _read_layout(values["file"])
    result = session.call("tab.set_layout", {"tab_id": values["tab_id"], "layout": layout.get("root", layout)})
    session.show(result, "layout set")


def export(session: Session, values: dict[str, Any]) -> None:
    session.settings.json = True
    session.show(session.call("layout.export", values))


def apply(session: Session, values: dict[str, Any]) -> None:
    layout = _read_layout(values["file"])
    params = {"workspace_id": values["workspace_id"], "root": layout.get("root", layout)}
    title = values.get("title", layout.get("title"))
    if title is not None:
        params["title"] = title
    params["env"] = environment_for(session.settings.environ, [])
    result = session.call("layout.apply", params)
    panes = result["panes"]
    session.show(result, f"tab {result['tab']['id']}", *(made["pane"]["id"] for made in panes))
    if not session.settings.json:
        for made in panes:
            session.show_notice(made)


def _read_layout(file: str) -> dict[str, Any]:
    """A tree, or what `tab export` printed, from a file or standard input."""
    name = "standard input" if file == "-" else file
    try:
        if file == "-":
            data = read_stdin()
        else:
            with open(file, "rb") as source:
                data = source.read()
        layout = decode(data)
    except OSError as fault:
        raise LocalError(f"cannot read {name}: {fault.strerror}") from None
    except NotJson as fault:
        raise LocalError(f"{name} is not JSON: {fault}") from None
    if not isinstance(layout, dict):
        raise LocalError(f"{name} holds no JSON object")
    return layout


COMMANDS = (
    Command(
        "tab create",
        "Make an empty tab.",
        create,
        _WORKSPACE,
        Option("--title", TEXT, "Its title; default: tab."),
    ),
    Command(
        "tab close",
        "End every pane of a tab and remove it.",
        close,
        _TAB,
        CLOSING_SIGNAL,
    ),
    Command(
        "tab set-ratio",
        "Move the divider of a split.",
        set_ratio,
        _TAB,
        Argument("RATIO", "ratio", NUMBER),
        Option("--path", TURNS, "Which split: 0 for first, 1 for second, from the root; default: the root."),
        example="signaltty tab set-ratio TAB 0.3 --path 0,1",
    ),
    Command("tab set-layout", "Arrange a tab's panes as a tree; FILE or -.", set_layout, _TAB, _FILE),
    Command("tab export", "Print a tab's tree with its programs, for `tab apply`.", export, _TAB),
    Command(
        "tab apply",
        "Make a tab from a tree and start its programs; FILE or -.",
        apply,
        _FILE,
        _WORKSPACE,
        Option("--title", TEXT, "The tab's title."),
        example="signaltty tab export TAB > morning.json; signaltty tab apply morning.json --workspace api",
    ),
)
