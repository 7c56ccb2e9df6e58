"""workspace.*"""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams, IoError, NoSuchWorkspace, TimedOut
from signaltty_core.git import info
from signaltty_core.state.effects import Run, Work
from tests.methods.shop import Shop, answered


def test_a_workspace_is_a_directory_looked_at_by_git() -> None:
    shop = Shop()
    play = shop.play("workspace.create", name=" My\x1b[1m API ", cwd="/work/../repo/")
    play.expect(Work(shop.machine.directory_fault, "/work/../repo/")).reply(None)
    environ = info.environment({})
    play.expect(Run([*info.ROOT], "/repo", environ, 5.0)).reply((0, b"/repo\n", b""))
    play.expect(Run([*info.STATUS], "/repo", environ, 5.0)).reply((0, b"# branch.head main\0", b""))
    made = play.ended()["workspace"]
    assert made == {
        "id": "ws_" + f"{1:032x}",
        "name": "My API",
        "handle": "my-api",
        "cwd": "/repo",
        "git": {"root": "/repo", "name": "repo", "branch": "main", "detached": False, "dirty": False},
        "tabs": [],
        "auto_resume": False,
        "created_at": "2027-01-15T08:00:00.000Z",
        "updated_at": "2027-01-15T08:00:00.000Z",
    }
    assert shop.events == [(1, "workspace.created", {"workspace": made})]


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ((128, b"", b"fatal"), None, {"detached": False}),
        (IoError("no git"), None, {"detached": False}),
        (TimedOut("slow"), None, {"detached": False}),
        ((0, b"/r\n", b""), TimedOut("slow"), {"root": "/r", "name": "r", "detached": False}),
        ((0, b"/r\n", b""), (1, b"", b""), {"root": "/r", "name": "r", "detached": False}),
    ],
)
def test_a_git_that_fails_makes_a_workspace_all_the_same(first: object, second: object, found: object) -> None:
    shop = Shop()
    play = shop.play("workspace.create", cwd="/r").reply(None)
    for answer in (first, second):
        if answer is not None:
            play = play.fail(answer) if isinstance(answer, Exception) else play.reply(answer)
    assert play.ended()["workspace"]["git"] == found


@pytest.mark.parametrize("cwd", ["", "relative", "./x", "~", "/a\0b"])
def test_a_relative_directory_is_refused_without_a_look(cwd: str) -> None:
    """Edge case 145."""
    shop = Shop()
    with pytest.raises(BadParams, match="cwd: expected an absolute path"):
        shop.play("workspace.create", cwd=cwd).ended()
    assert shop.events == []


def test_a_directory_that_is_none_is_refused_with_the_reason() -> None:
    shop = Shop()
    play = shop.play("workspace.create", cwd="/gone").reply("does not exist")
    with pytest.raises(BadParams, match="cwd: /gone does not exist"):
        play.ended()


def test_names_and_directories_have_defaults() -> None:
    shop = Shop()
    made = answered(shop.play("workspace.create", name=" \t "))["workspace"]
    assert (made["cwd"], made["name"], made["handle"]) == ("/home/x", "x", "x")
    root = answered(shop.play("workspace.create", cwd="/"))["workspace"]
    assert (root["name"], root["handle"]) == ("/", "ws")


def test_handles_differ_and_stand_for_ids_but_an_id_wins() -> None:
    shop = Shop()
    ids = [shop.workspace(name="Same") for _ in range(3)]
    assert [shop.world.workspaces[id]["handle"] for id in ids] == ["same", "same-2", "same-3"]
    assert shop.ask("workspace.get", workspace_id="same-2")["workspace"]["id"] == ids[1]
    shop.ask("workspace.close", workspace_id="same-2")
    assert shop.world.workspaces[shop.workspace(name="same")]["handle"] == "same-2"


def test_a_rename_changes_the_name_alone() -> None:
    shop = Shop()
    id = shop.workspace(name="old")
    shop.at += 5
    renamed = shop.ask("workspace.rename", workspace_id="old", name="New")["workspace"]
    assert (renamed["name"], renamed["handle"], renamed["updated_at"]) == ("New", "old", "2027-01-15T08:00:05.000Z")
    before = shop.world.seq
    assert shop.ask("workspace.rename", workspace_id=id, name="New")["workspace"] == renamed
    assert shop.world.seq == before
    for blank in ("", "  ", "\x07"):
        with pytest.raises(BadParams):
            shop.ask("workspace.rename", workspace_id=id, name=blank)


def test_a_workspace_shows_tabs_and_panes_in_their_order() -> None:
    shop = Shop()
    id = shop.workspace()
    first = shop.spawn(id)
    other = shop.spawn(id)
    beside = shop.split(first["id"])
    shown = shop.ask("workspace.get", workspace_id=id)
    assert [tab["id"] for tab in shown["tabs"]] == [first["tab_id"], other["tab_id"]]
    assert [pane["id"] for pane in shown["panes"]] == [first["id"], beside["id"], other["id"]]
    assert shop.ask("workspace.list") == {"workspaces": [shown["workspace"]]}


def test_closing_a_workspace_removes_everything_in_it_and_nothing_else() -> None:
    shop = Shop()
    kept = shop.spawn(shop.workspace(name="kept"))
    id = shop.workspace(name="gone")
    panes = [shop.spawn(id), shop.spawn(id)]
    before = shop.world.seq
    with pytest.raises(BadParams):
        shop.ask("workspace.close", workspace_id=id, signal="STOP")
    assert shop.ask("workspace.close", workspace_id=id) == {"closed": True}
    ends = ["pane.exited", "agent.exited", "attention.created", "pane.closed", "tab.closed"]
    assert shop.since(before) == [*ends, *ends, "workspace.closed"]
    assert (list(shop.world.panes), list(shop.world.instances)) == ([kept["id"]], [kept["id"]])
    assert list(shop.world.tabs) == [kept["tab_id"]]
    assert [pane["id"] for pane in panes if pane["id"] in shop.world.panes] == []
    with pytest.raises(NoSuchWorkspace):
        shop.ask("workspace.get", workspace_id=id)


def test_a_look_that_finds_nothing_new_is_no_event() -> None:
    shop = Shop()
    id = shop.workspace()
    before = shop.world.seq
    answered(shop.play("workspace.refresh_git", workspace_id=id))
    assert shop.world.seq == before


def test_a_look_tells_of_the_branch_only_when_that_has_changed() -> None:
    shop = Shop()
    id = shop.workspace()

    def events_of(status: bytes) -> list[str]:
        before = shop.world.seq
        play = shop.play("workspace.refresh_git", workspace_id=id)
        shown = play.reply((0, b"/work\n", b"")).reply((0, status, b"")).ended()["workspace"]
        assert shown == shop.world.workspaces[id]
        return shop.since(before)

    assert events_of(b"# branch.head main\0") == ["workspace.updated", "git.branch_changed"]
    assert shop.events[-1][2] == {"workspace_id": id, "branch": "main"}
    assert events_of(b"# branch.head main\0001 .M changed\0") == ["workspace.updated"]
    assert shop.world.workspaces[id]["git"]["dirty"] is True
    assert events_of(b"# branch.head (detached)\0") == ["workspace.updated", "git.branch_changed"]
    assert shop.events[-1][2] == {"workspace_id": id, "branch": None}


def test_a_workspace_closed_during_the_look_is_gone() -> None:
    shop = Shop()
    id = shop.workspace()
    play = shop.play("workspace.refresh_git", workspace_id=id)
    shop.ask("workspace.close", workspace_id=id)
    with pytest.raises(NoSuchWorkspace):
        play.reply((128, b"", b"")).ended()
