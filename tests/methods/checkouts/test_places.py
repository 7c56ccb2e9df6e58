"""Directories being used against directories being removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.methods.checkouts.places import Entering
from signaltty_core.methods.checkouts.worktree_calls import Removing
from signaltty_core.state.effects import Work
from tests.methods.real_git import RealGit
from tests.methods.shop import Shop


@pytest.fixture
def stage(tmp_path: Path) -> RealGit:
    return RealGit(tmp_path)


def enter(stage: RealGit, path: str) -> Entering:
    entering = Entering(stage.call(), path)
    stage.do(entering.begin())
    return entering


def test_nothing_is_entered_below_what_is_being_removed_also_through_a_link(stage: RealGit, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    os.symlink(tmp_path / "tree", tmp_path / "link")
    with Removing(stage.call(), str(tmp_path / "tree")):
        for path in ("tree", "tree/sub", "link", "link/sub", "tree/../tree/x"):
            with pytest.raises(BadParams, match="being removed"):
                enter(stage, str(tmp_path / path))
        enter(stage, str(tmp_path / "tree-beside")).end()
        with pytest.raises(BadParams, match="being removed"), Removing(stage.call(), str(tmp_path / "tree/sub")):
            pass
    enter(stage, str(tmp_path / "tree")).end()
    assert list(stage.world.claims.entered()) == []


def test_what_was_entered_is_known_until_its_end(stage: RealGit) -> None:
    first, second = enter(stage, "/a"), enter(stage, "/a")
    first.end()
    first.end()
    assert list(stage.world.claims.entered()) == ["/a"]
    second.end()
    assert list(stage.world.claims.entered()) == []


def test_a_pane_is_entering_from_its_launch_until_it_is_published() -> None:
    shop = Shop()
    workspace = shop.workspace()
    assert list(shop.world.claims.entered()) == []
    play = shop.play("pane.spawn", workspace_id=workspace, argv=["cat"], cwd="/work/tree")
    while isinstance(play.asked, Work):
        play.reply(None)
    assert list(shop.world.claims.entered()) == ["/work/tree"]
    play.reply({"pid": 1, "start_time": 1}).ended()
    assert list(shop.world.claims.entered()) == []


def test_a_workspace_is_not_made_where_a_removal_runs() -> None:
    shop = Shop()
    with Removing(shop.call(), "/work/tree"):
        play = shop.play("workspace.create", cwd="/work/tree/sub").reply("/work/tree/sub")
        with pytest.raises(BadParams, match="being removed"):
            play.ended()
    assert (list(shop.world.claims.entered()), shop.events) == ([], [])
