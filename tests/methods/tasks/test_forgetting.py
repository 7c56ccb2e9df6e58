"""Tasks that are over are forgotten, the oldest first, once there are too many of them."""

from __future__ import annotations

from pathlib import Path

from signaltty_core.methods.tasks.forgetting import forget_finished
from signaltty_core.state.tasks import KEPT
from tests.methods.real_git import RealGit


def test_a_task_nobody_finished_counts_once_its_worktree_is_gone(tmp_path: Path) -> None:
    """Edge case 171: the worktrees of all but two were deleted by hand."""
    stage = RealGit(tmp_path)
    draft = stage.draft()
    kept, deleted = tmp_path / "kept", tmp_path / "deleted"
    kept.mkdir()
    for number in range(KEPT + 4):
        row = {"id": f"task_{number}", "state": "completed", "disposition": {"outcome": "none"}}
        row.update(updated_at=f"{number:05}", worktree_path=str(kept if number in (0, 2) else deleted))
        draft.put("tasks", row)
    draft.put("tasks", {**row, "id": "task_open", "state": "working", "updated_at": "0"})
    stage.commit(draft)
    told = list(stage.events)
    stage.do(forget_finished(stage.call()))
    left = [f"task_{number}" for number in range(KEPT + 4) if number not in (1, 3)]
    assert list(stage.world.tasks) == [*left, "task_open"]
    assert stage.events == told
