"""What the server does for tasks unasked: what becomes of them at its start, and a watch on silent workers."""

from __future__ import annotations

from ..engine.watchdog import Watchdog
from ..state import tasks
from ..state.world import Draft, is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ..methods.call import Call
    from ..state.effects import Effect
    from ..state.world import Record
    from .assembly import Server

    Heard = Callable[[int, list[tuple[str, Record]]], None]


class TaskSide:
    """One per server; made with its first task."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._watchdog = Watchdog(server.world, server.ledger, server.clock, server.options.worker_silent_s)

    def stop(self) -> None:
        self._watchdog.stop()

    def on_change(self) -> None:
        """A task has changed."""
        self._watchdog.on_change()

    def settle(self, call: Call, run_behind: Callable[[Coroutine[Effect, Any, None]], None]) -> None:
        """Tasks whose worker is gone have failed; one that still waits for its first prompt goes on (keeper §3)."""
        world = self._server.world
        draft = Draft(world, self._server.clock.wall())
        waiting = []
        for task in world.tasks.values():
            pane = world.panes.get(task.get("pane_id") or "")
            if tasks.is_terminal(task):
                continue
            if pane is None or not is_live(pane):
                tasks.move(draft, task["id"], "failed", {"stage": "restart", "reason": "server_restarted"})
            elif task["state"] == "pending":
                waiting.append(task["id"])
        self._server.ledger.commit(draft)
        if waiting:
            from ..methods.tasks import first_prompt  # few servers find one

            for task_id in waiting:
                run_behind(first_prompt.run(call, task_id))
        self._watchdog.on_change()
