"""What tests of panes and tabs have in common: a workspace made by hand, programs started by a play."""

from __future__ import annotations

from typing import Any

from signaltty_core.state.effects import Run, Spawn, Work
from tests.fake import Stage
from tests.play import Play

Record = dict[str, Any]


def answered(play: Play, child: Record | None = None) -> Any:
    """Play on with a machine where everything works and no directory is a repository."""
    pid = 5000
    while not play.over:
        if isinstance(play.asked, Work):
            play.reply(None)
        elif isinstance(play.asked, Run):
            play.reply((128, b"", b"not a repository"))
        elif isinstance(play.asked, Spawn):
            pid += 1
            play.reply(child or {"pid": pid, "start_time": 1})
        else:
            raise AssertionError(f"unexpected: {play.asked!r}")
    return play.ended()


def up_to_spawn(play: Play) -> Play:
    """Play on until a child is being started."""
    while not isinstance(play.asked, Spawn):
        play.reply(None)
    return play


class Shop(Stage):
    def workspace(self, **params: Any) -> str:
        made = answered(self.play("workspace.create", **{"cwd": "/work", **params}))
        return str(made["workspace"]["id"])

    def spawn(self, workspace_id: str, *argv: str, **params: Any) -> Record:
        play = self.play("pane.spawn", workspace_id=workspace_id, argv=list(argv) or ["cat"], **params)
        return dict(answered(play)["pane"])

    def split(self, pane_id: str, **params: Any) -> Record:
        return dict(answered(self.play("pane.split", pane_id=pane_id, argv=["cat"], **params))["pane"])

    def tab(self, tab_id: str) -> Record:
        return self.world.tabs[tab_id]

    def since(self, seq: int) -> list[str]:
        return [event for number, event, _ in self.events if number > seq]
