"""The caller of what the server does unasked."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Nobody:
    """Fulfils methods.call.Caller for procedures that no connection asked for."""

    pid: int | None = None
    uid = -1

    def hold(self) -> None:
        """Nobody hangs up."""

    def attach(self, pane_id: str, mark_seen: bool) -> NoReturn:
        raise TypeError("nobody looks at a pane")

    def detach(self, pane_id: str) -> bool:
        return False

    def subscribe(self, events: list[str] | None, task_ids: list[str] | None, from_seq: int | None) -> NoReturn:
        raise TypeError("nobody subscribes")
