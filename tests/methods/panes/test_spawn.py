"""pane.spawn, pane.split, layout.apply: checks, order, and what happens when the place goes away meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane, NoSuchTab, NoSuchTask, NoSuchWorkspace, SpawnFailed
from signaltty_core.state.effects import Spawn
from tests.methods.shop import Shop, answered, up_to_spawn

LEAF = {"type": "pane", "argv": ["cat"]}


def spawned(shop: Shop, workspace_id: str, **params: Any) -> Spawn:
    """The order a spawn gives to the keeper."""
    play = up_to_spawn(shop.play("pane.spawn", workspace_id=workspace_id, **{"argv": ["cat"], **params}))
    assert isinstance(play.asked, Spawn)
    order = play.asked
    play.reply({"pid": 1, "start_time": 1}).ended()
    return order


def test_a_spawn_expects_the_pane_starts_it_publishes_it_and_opens_it() -> None:
    shop = Shop()
    id = shop.workspace()
    play = up_to_spawn(shop.play("pane.spawn", workspace_id=id, argv=["cat"], cols=1, rows=10**6))
    assert (list(shop.world.panes), [deed[0] for deed in shop.machine.deeds]) == ([], ["expect", "listen"])
    pane = play.reply({"pid": 4711, "start_time": 12}).ended()["pane"]
    assert [deed[0] for deed in shop.machine.deeds] == ["expect", "listen", "open_runtime"]
    assert shop.machine.deeds[-1] == ("open_runtime", pane["id"], 20, 200)
    assert shop.told(1) == ["tab.created", "workspace.updated", "pane.created", "tab.updated"]
    instance = shop.world.instances[pane["id"]]
    assert (instance["pid"], instance["start_time"], instance["lifecycle_seq"], instance["attention_seq"]) == (
        4711,
        12,
        1,
        1,
    )


def test_the_child_is_told_the_tab_it_ends_up_in() -> None:
    shop = Shop()
    id = shop.workspace()
    for has_tab in (False, False, True, False):
        params = {"tab_id": shop.ask("tab.create", workspace_id=id)["tab"]["id"]} if has_tab else {}
        order = spawned(shop, id, **params)
        assert order.env["ZENTTY_WINDOW_ID"] == shop.world.panes[order.pane_id]["tab_id"]


def test_an_empty_active_tab_is_used_and_a_full_one_makes_a_new_one() -> None:
    """Edge case 144."""
    shop = Shop()
    id = shop.workspace()
    empty = shop.ask("tab.create", workspace_id=id, title="mine")["tab"]["id"]
    first = shop.spawn(id)
    assert first["tab_id"] == empty
    second = shop.spawn(id)
    assert (second["tab_id"] != empty, shop.tab(second["tab_id"])["title"]) == (True, "agents")
    assert shop.world.workspaces[id]["active_tab_id"] == second["tab_id"]
    with pytest.raises(BadParams, match=r"pane\.split"):
        shop.spawn(id, tab_id=empty)


def test_a_tab_of_another_workspace_is_refused_before_anything_starts() -> None:
    """Edge case 15."""
    shop = Shop()
    here, there = shop.workspace(), shop.workspace()
    tab = shop.ask("tab.create", workspace_id=there)["tab"]["id"]
    with pytest.raises(BadParams, match="another workspace"):
        shop.spawn(here, tab_id=tab)
    assert shop.machine.deeds == []


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"workspace_id": "none"}, NoSuchWorkspace),
        ({"tab_id": "none"}, NoSuchTab),
        ({"parent_pane_id": "none"}, NoSuchPane),
        ({"task_id": "none"}, NoSuchTask),
        ({"cwd": "relative"}, BadParams),
        ({"argv": [""]}, BadParams),
    ],
)
def test_faults_are_found_before_anything_starts(params: dict[str, Any], fault: type[Exception]) -> None:
    shop = Shop()
    given = {"workspace_id": shop.workspace(), "argv": ["cat"], **params}
    with pytest.raises(fault):
        answered(shop.play("pane.spawn", **given))
    assert shop.machine.deeds == []


def test_a_program_that_cannot_be_started_leaves_no_trace() -> None:
    """Edge case 14."""
    shop = Shop()
    id = shop.workspace()
    before = shop.world.seq
    play = up_to_spawn(shop.play("pane.spawn", workspace_id=id, argv=["none"]))
    with pytest.raises(SpawnFailed):
        play.fail(SpawnFailed("cannot start none")).ended()
    assert (shop.world.seq, shop.world.panes, len(shop.world.tabs)) == (before, {}, 0)
    assert [deed[0] for deed in shop.machine.deeds] == ["expect", "listen", "mute", "give_up"]


@pytest.mark.parametrize(
    ("close", "fault"), [("workspace.close", NoSuchWorkspace), ("tab.close", NoSuchTab), ("taken", BadParams)]
)
def test_a_place_that_goes_away_meanwhile_ends_the_child(close: str, fault: type[Exception]) -> None:
    """Edge case 16."""
    shop = Shop()
    id = shop.workspace()
    tab = shop.ask("tab.create", workspace_id=id)["tab"]["id"]
    play = up_to_spawn(shop.play("pane.spawn", workspace_id=id, tab_id=tab, argv=["cat"]))
    if close == "taken":
        shop.spawn(id, tab_id=tab)
    else:
        shop.ask(close, **({"workspace_id": id} if close == "workspace.close" else {"tab_id": tab}))
    panes = list(shop.world.panes)
    with pytest.raises(fault):
        play.reply({"pid": 1, "start_time": 1}).ended()
    assert [deed[0] for deed in shop.machine.deeds][-2:] == ["give_up", "end"]
    assert shop.machine.deeds[-1][2] == "KILL"
    assert list(shop.world.panes) == panes


def test_two_spawns_at_once_share_no_tab() -> None:
    shop = Shop()
    id = shop.workspace()
    plays = [up_to_spawn(shop.play("pane.spawn", workspace_id=id, argv=["cat"])) for _ in range(3)]
    panes = [play.reply({"pid": 1, "start_time": 1}).ended()["pane"] for play in plays]
    assert len({pane["tab_id"] for pane in panes}) == 3


@pytest.mark.parametrize(
    ("argv", "stored", "title"),
    [
        (["cat", "x"], ["cat", "x"], "cat"),
        (["./bin/tool"], ["/work/bin/tool"], "tool"),
        (["../tool"], ["/tool"], "tool"),
        (["/abs/../tool"], ["/abs/../tool"], "tool"),
        (["dir/"], ["/work/dir"], "dir"),
    ],
)
def test_a_relative_program_is_stored_absolute(argv: list[str], stored: list[str], title: str) -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace(), *argv)
    assert (pane["argv"], pane["title"]) == (stored, title)


@pytest.mark.parametrize(
    ("argv", "hint", "kind"),
    [
        (["codex"], None, "codex"),
        (["/usr/bin/claude"], None, "claude"),
        (["sh"], None, "generic"),
        (["sh"], "claude", "claude"),
        (["claude"], "unheard-of", "none"),
    ],
)
def test_the_kind_follows_the_hint_else_the_program(argv: list[str], hint: str | None, kind: str) -> None:
    """Edge case 20."""
    shop = Shop()
    assert shop.spawn(shop.workspace(), *argv, agent_hint=hint)["agent"]["kind"] == kind


def test_lineage_is_recorded_and_texts_are_cleaned() -> None:
    shop = Shop()
    id = shop.workspace()
    root = shop.spawn(id)
    child = shop.spawn(id, parent_pane_id=root["id"], label="\x1b[1mfix\u202e", relationship="subagent")
    grandchild = shop.spawn(id, parent_pane_id=child["id"])
    assert {key: child[key] for key in ("parent_pane_id", "root_pane_id", "label", "relationship")} == {
        "parent_pane_id": root["id"],
        "root_pane_id": root["id"],
        "label": "fix",
        "relationship": "subagent",
    }
    assert (grandchild["parent_pane_id"], grandchild["root_pane_id"]) == (child["id"], root["id"])
    assert spawned(shop, id, parent_pane_id=root["id"]).env["SIGNALTTY_PARENT_PANE"] == root["id"]


def test_only_configuration_directories_of_the_environment_are_stored() -> None:
    shop = Shop()
    id = shop.workspace()
    pane = shop.spawn(id, "codex", env={"CODEX_HOME": "conf", "CODEX_API_KEY": "secret", "HOME": "/x"})
    assert pane["agent"] == {"kind": "codex", "config_env": {"CODEX_HOME": "/work/conf"}}
    assert "secret" not in repr(shop.world.tables) + repr(shop.events)
    beside = up_to_spawn(shop.play("pane.split", pane_id=pane["id"]))
    assert isinstance(beside.asked, Spawn)
    assert (beside.asked.env["CODEX_HOME"], "CODEX_API_KEY" in beside.asked.env) == ("/work/conf", False)


def test_a_split_takes_directory_size_and_shell() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace(), cwd="/elsewhere", cols=100, rows=30)
    before = shop.world.seq
    play = up_to_spawn(shop.play("pane.split", pane_id=pane["id"], env={"SHELL": "/bin/zsh"}))
    assert isinstance(play.asked, Spawn)
    assert (play.asked.argv, play.asked.cwd, play.asked.cols, play.asked.rows) == (["/bin/zsh"], "/elsewhere", 100, 30)
    made = play.reply({"pid": 1, "start_time": 1}).ended()["pane"]
    tab = shop.tab(pane["tab_id"])
    assert (tab["active_pane_id"], tab["layout"]["second"]["pane_id"]) == (made["id"], made["id"])
    assert shop.since(before) == ["pane.created", "tab.updated"]


@pytest.mark.parametrize(
    ("close", "fault"), [("pane.close", NoSuchTab), ("tab.close", NoSuchTab), ("workspace.close", NoSuchWorkspace)]
)
def test_a_sibling_that_goes_away_meanwhile_ends_the_child(close: str, fault: type[Exception]) -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    play = up_to_spawn(shop.play("pane.split", pane_id=pane["id"], argv=["cat"]))
    named = {"pane": {"pane_id": pane["id"]}, "tab": {"tab_id": pane["tab_id"]}}
    shop.ask(close, **named.get(close.split(".")[0], {"workspace_id": pane["workspace_id"]}))
    with pytest.raises(fault):
        play.reply({"pid": 1, "start_time": 1}).ended()
    assert shop.machine.deeds[-1][0] == "end"
    assert shop.world.panes == {}


def test_a_sibling_that_moves_meanwhile_is_split_where_it_is() -> None:
    shop = Shop()
    id = shop.workspace()
    pane, other = shop.spawn(id), shop.spawn(id)
    play = up_to_spawn(shop.play("pane.split", pane_id=pane["id"], argv=["cat"]))
    shop.ask("pane.move", pane_id=pane["id"], target_pane_id=other["id"])
    assert play.reply({"pid": 1, "start_time": 1}).ended()["pane"]["tab_id"] == other["tab_id"]


def test_a_whole_tree_is_made_in_tree_order() -> None:
    shop = Shop()
    id = shop.workspace()
    root = {"type": "split", "dir": "down", "first": {**LEAF, "name": "a"}, "second": {"type": "pane", "cwd": "/x"}}
    before = shop.world.seq
    made = answered(shop.play("layout.apply", workspace_id=id, root=root))
    first, second = (one["pane"] for one in made["panes"])
    assert (first["name"], first["cwd"], second["argv"], second["cwd"]) == ("a", "/work", ["sh"], "/x")
    assert made["tab"]["layout"] == {
        "type": "split",
        "dir": "down",
        "ratio": 0.5,
        "first": {"type": "pane", "pane_id": first["id"]},
        "second": {"type": "pane", "pane_id": second["id"]},
    }
    assert (made["tab"]["title"], made["tab"]["active_pane_id"]) == ("layout", first["id"])
    assert shop.since(before) == ["tab.created", "workspace.updated", "pane.created", "pane.created", "tab.updated"]


def test_a_tree_of_which_one_program_fails_is_undone() -> None:
    shop = Shop()
    id = shop.workspace()
    root = {"type": "split", "dir": "down", "first": LEAF, "second": LEAF}
    before = shop.world.seq
    play = up_to_spawn(shop.play("layout.apply", workspace_id=id, root=root))
    play.reply({"pid": 1, "start_time": 1})
    with pytest.raises(SpawnFailed):
        play.fail(SpawnFailed("no")).ended()
    assert [deed[0] for deed in shop.machine.deeds] == [
        *("expect", "listen", "expect", "listen"),
        *("mute", "give_up", "mute", "give_up", "end"),
    ]
    assert (shop.world.seq, shop.world.panes) == (before, {})


def test_a_name_taken_meanwhile_undoes_the_tree() -> None:
    shop = Shop()
    id = shop.workspace()
    other = shop.spawn(id)
    play = up_to_spawn(shop.play("layout.apply", workspace_id=id, root={**LEAF, "name": "mine"}))
    shop.ask("pane.rename", pane_id=other["id"], name="mine")
    with pytest.raises(SpawnFailed, match="mine is taken"):
        play.reply({"pid": 1, "start_time": 1}).ended()
    assert list(shop.world.panes) == [other["id"]]


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ({}, "root.type"),
        ({"type": "split", "first": LEAF, "second": LEAF}, "root.dir"),
        ({"type": "split", "dir": "right", "first": LEAF}, "root.second"),
        ({"type": "split", "dir": "right", "first": LEAF, "second": 7}, "root.second"),
        ({"type": "split", "dir": "right", "ratio": "x", "first": LEAF, "second": LEAF}, "root.ratio"),
        ({**LEAF, "argv": "cat"}, "root"),
        ({**LEAF, "argv": ["a\0"]}, "root"),
        ({**LEAF, "argv": [""]}, "argv[0]"),
        ({**LEAF, "cwd": 7}, "root"),
        ({**LEAF, "name": 7}, "root"),
        ({**LEAF, "name": "Upper"}, "root"),
        ({"type": "split", "dir": "right", "first": {**LEAF, "name": "a"}, "second": {**LEAF, "name": "a"}}, "root"),
    ],
)
def test_a_faulty_tree_is_refused_by_its_path(root: dict[str, Any], path: str) -> None:
    shop = Shop()
    with pytest.raises(BadParams) as caught:
        answered(shop.play("layout.apply", workspace_id=shop.workspace(), root=root))
    assert caught.value.details["path"] == path
    assert shop.machine.deeds == []


def test_the_child_is_told_where_to_report_and_the_socket_is_remembered() -> None:
    shop = Shop()
    id = shop.workspace()
    order = spawned(shop, id)
    path = f"/run/x/s/{order.pane_id}.sock"
    assert order.env["SIGNALTTY_STATUS_SOCKET"] == path
    assert shop.world.instances[order.pane_id]["status_socket"] == path


def test_a_pane_without_a_socket_starts_all_the_same_and_says_why() -> None:
    shop = Shop()
    id = shop.workspace()
    shop.machine.deaf = "the directory is a symbolic link"
    order = spawned(shop, id, argv=["zerostack"])
    assert ("SIGNALTTY_STATUS_SOCKET" in order.env, order.argv) == (False, ["zerostack"])
    assert shop.world.instances[order.pane_id]["status_socket_fault"] == "the directory is a symbolic link"


def test_zerostack_alone_is_given_its_socket_as_an_option_which_is_not_stored() -> None:
    shop = Shop()
    id = shop.workspace()
    for argv, is_told in (
        (["zerostack"], True),
        (["/opt/zerostack", "-p", "hi"], True),
        (["zerostack", "--", "--status-socket"], True),
        (["zerostack", "--status-socket=/x"], False),
        (["zerostack", "--status-socket", "/x"], False),
        (["claude"], False),
    ):
        order = spawned(shop, id, argv=argv)
        path = f"/run/x/s/{order.pane_id}.sock"
        end = argv.index("--") if "--" in argv else len(argv)
        wanted = [*argv[:end], "--status-socket", path, *argv[end:]] if is_told else argv
        assert (order.argv, shop.world.panes[order.pane_id]["argv"]) == (wanted, argv)
