"""New records and the values they start with."""

from __future__ import annotations

import pytest

from signaltty_core.state import records

AT = 1_800_000_000.0
MOMENT = "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize(
    ("cols", "rows", "size"),
    [
        (None, None, (80, 24)),
        (5000, 1, (500, 5)),
        (1, 5000, (20, 200)),
        (-(10**30), 10**30, (20, 200)),
        (0, None, (20, 24)),
        (20, 200, (20, 200)),
        (500, 5, (500, 5)),
    ],
)
def test_a_size_is_clamped_and_never_refused(cols: int | None, rows: int | None, size: tuple[int, int]) -> None:
    assert records.size(cols, rows) == {"cols": size[0], "rows": size[1]}


def test_a_taken_handle_gets_the_next_number() -> None:
    assert records.handle("My API!!", []) == "my-api"
    assert records.handle("My API!!", ["my-api"]) == "my-api-2"
    assert records.handle("My API!!", ["my-api", "my-api-2", "my-api-4"]) == "my-api-3"
    assert records.handle("", ["ws"]) == "ws-2"


def test_a_numbered_handle_may_be_longer_than_32() -> None:
    assert records.handle("x" * 40, ["x" * 32]) == "x" * 32 + "-2"


def test_a_workspace_starts_without_tabs() -> None:
    assert records.workspace("ws_1", "n", "h", "/d", {"detached": False}, AT) == {
        "id": "ws_1",
        "name": "n",
        "handle": "h",
        "cwd": "/d",
        "git": {"detached": False},
        "tabs": [],
        "auto_resume": False,
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }


def test_a_tab_starts_empty() -> None:
    assert records.tab("tab_1", "ws_1", "t", AT) == {
        "id": "tab_1",
        "workspace_id": "ws_1",
        "title": "t",
        "layout": None,
        "created_at": MOMENT,
    }


def test_a_pane_starts_live_and_unknown_with_its_lineage() -> None:
    made = records.pane(
        "pane_1",
        "ws_1",
        "tab_1",
        title="sh",
        cwd="/d",
        argv=["sh"],
        pty_size=records.size(None, None),
        agent={"kind": "generic"},
        at=AT,
        lineage={"label": "l"},
    )
    assert made == {
        "id": "pane_1",
        "workspace_id": "ws_1",
        "tab_id": "tab_1",
        "title": "sh",
        "cwd": "/d",
        "argv": ["sh"],
        "pty_size": {"cols": 80, "rows": 24},
        "live": {"state": "live"},
        "restore_state": "LIVE",
        "agent": {"kind": "generic"},
        "lifecycle": "unknown",
        "last_lifecycle": "unknown",
        "attention": "none",
        "created_at": MOMENT,
        "last_activity_at": MOMENT,
        "label": "l",
    }


def test_an_instance_starts_at_the_servers_number() -> None:
    made = records.instance("pane_1", "proc_1", 41, {"pid": 7, "start_time": 9})
    assert (made["id"], made["process_instance"], made["pid"], made["start_time"]) == ("pane_1", "proc_1", 7, 9)
    assert (made["lifecycle_seq"], made["attention_seq"], made["session_generation"], made["transitions"]) == (
        41,
        41,
        0,
        {},
    )


def test_a_notification_is_cleaned_and_placed() -> None:
    pane = {"id": "pane_1", "workspace_id": "ws_1"}
    made = records.notification(
        "notif_1", pane=pane, title="\x1b[1m", body="b" * 3000, severity="info", source="cli", at=AT
    )
    assert made == {
        "id": "notif_1",
        "title": "signaltty",
        "body": "b" * 2000,
        "severity": "info",
        "source": "cli",
        "created_at": MOMENT,
        "pane_id": "pane_1",
        "workspace_id": "ws_1",
    }
    alone = records.notification("n", pane=None, title="t", body="", severity="error", source="osc9", at=AT)
    assert ("pane_id" in alone, "workspace_id" in alone, alone["body"]) == (False, False, "")
