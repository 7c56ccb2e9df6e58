"""Tables from disk made consistent: what refers to something missing goes (persistence §3)."""

from __future__ import annotations

from ..state.layout import leaves
from ..state.layout import remove as remove_leaf
from ..state.records import handle as make_handle
from .shapes import odd_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.world import Record

    Tables = dict[str, dict[str, Record]]

_NEEDED: dict[str, dict[str, type]] = {
    "workspaces": {"name": str, "cwd": str},
    "tabs": {"workspace_id": str},
    "panes": {"workspace_id": str, "tab_id": str, "argv": list, "live": dict},
    "tasks": {"context_id": str, "contract": dict, "state": str},
    "baselines": {"pane_id": str, "seq": int, "started_at": str},
    "intents": {"kind": str},
}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "workspaces": {"git": {"detached": False}, "tabs": [], "auto_resume": False, "created_at": "", "updated_at": ""},
    "tabs": {"title": "tab", "layout": None, "created_at": ""},
    "panes": {
        "title": "shell",
        "cwd": "/",
        "pty_size": {"cols": 80, "rows": 24},
        "restore_state": "EXITED",
        "agent": {"kind": "none"},
        "lifecycle": "unknown",
        "last_lifecycle": "unknown",
        "attention": "none",
        "created_at": "",
        "last_activity_at": "",
    },
    "notifications": {"title": "signaltty", "body": "", "severity": "info", "source": "", "created_at": ""},
    "tasks": {"label": "", "disposition": {"outcome": "none"}, "created_at": "", "updated_at": ""},
}


def repair(tables: Tables) -> list[str]:
    """Drop what refers to something missing or cannot be used, give defaults to what may lack; the warnings tell."""
    warnings: list[str] = []
    workspaces, tabs, panes = tables["workspaces"], tables["tabs"], tables["panes"]
    for table, rows in tables.items():
        for id, row in rows.items():
            odd = odd_fields(table, row)
            if odd:
                rows[id] = {name: value for name, value in row.items() if name not in odd}
                warnings.append(f"{table[:-1]} {id}: {', '.join(odd)} cannot be used; dropped")
        _drop(tables, table, [id for id in rows if not _is_whole(table, rows[id])], "is incomplete", warnings)
        defaults = _DEFAULTS.get(table, {})
        for id, row in rows.items():
            if any(name not in row for name in defaults):
                rows[id] = {**defaults, **row}
    lost = [id for id, row in tabs.items() if row["workspace_id"] not in workspaces]
    _drop(tables, "tabs", lost, "has no workspace", warnings)
    lost = [id for id, row in panes.items() if row["tab_id"] not in tabs or row["workspace_id"] not in workspaces]
    _drop(tables, "panes", lost, "has no tab", warnings)
    for id in [id for id in tables["instances"] if id not in tables["panes"]]:
        del tables["instances"][id]
    _repair_workspaces(tables, warnings)
    _repair_layouts(tables, warnings)
    return warnings


def _repair_workspaces(tables: Tables, warnings: list[str]) -> None:
    """Handles for those that have none, and tab lists that name exactly the tabs there are."""
    taken = [row["handle"] for row in tables["workspaces"].values() if isinstance(row.get("handle"), str)]
    for id, row in tables["workspaces"].items():
        changed: Record = {}
        if not isinstance(row.get("handle"), str):
            changed["handle"] = make_handle(row["name"], taken)
            taken.append(changed["handle"])
        owned = [tab_id for tab_id, tab in tables["tabs"].items() if tab["workspace_id"] == id]
        given = row["tabs"] if isinstance(row["tabs"], list) else []
        listed = [tab_id for at, tab_id in enumerate(given) if tab_id in owned and tab_id not in given[:at]]
        kept = listed + [tab_id for tab_id in owned if tab_id not in listed]
        if kept != row["tabs"]:
            warnings.append(f"workspace {id}: its list of tabs is mended")
            changed["tabs"] = kept
        tables["workspaces"][id] = row = {**row, **changed} if changed else row
        if "active_tab_id" in row and row["active_tab_id"] not in kept:
            tables["workspaces"][id] = mended = {key: value for key, value in row.items() if key != "active_tab_id"}
            if kept:
                mended["active_tab_id"] = kept[0]


def _repair_layouts(tables: Tables, warnings: list[str]) -> None:
    """Trees without leaves of panes that are gone."""
    for id, row in tables["tabs"].items():
        try:
            missing = [leaf for leaf in leaves(row["layout"]) if leaf not in tables["panes"]]
        except (KeyError, TypeError, RecursionError):
            warnings.append(f"tab {id}: its layout is not a tree; dropped")
            tables["tabs"][id] = {**row, "layout": None}
            continue
        layout = row["layout"]
        for pane_id in missing:
            layout = remove_leaf(layout, pane_id)
        if missing:
            warnings.append(f"tab {id}: {len(missing)} missing panes are taken out of its layout")
            tables["tabs"][id] = row = {**row, "layout": layout}
        if "active_pane_id" in row and row["active_pane_id"] not in tables["panes"]:
            tables["tabs"][id] = {key: value for key, value in row.items() if key != "active_pane_id"}


def _drop(tables: Tables, table: str, gone: list[str], reason: str, warnings: list[str]) -> None:
    for id in gone:
        del tables[table][id]
        warnings.append(f"{table[:-1]} {id} {reason}; dropped")


def _is_whole(table: str, row: Record) -> bool:
    return all(isinstance(row.get(name), kind) for name, kind in _NEEDED.get(table, {}).items())
