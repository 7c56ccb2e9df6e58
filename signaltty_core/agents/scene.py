"""What the outcome of a hook may look at: the pane, its process, and how the last turn ended (agents §2.3)."""

from __future__ import annotations

from ..base.clock import passed_s, seconds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record

QUIET_S = 2.0  # how long a tool that begins, or a repeated end, still belongs to the turn that has ended


class Scene:
    """name: how the agent is called to a person. ended: records of the tools that the hook says have ended."""

    __slots__ = ("at", "ended", "instance", "name", "pane", "same_session")

    def __init__(
        self, pane: Record, instance: Record, *, at: float, name: str, same_session: bool, ended: list[Record]
    ) -> None:
        self.pane = pane
        self.instance = instance
        self.at = at
        self.name = name
        self.same_session = same_session
        self.ended = ended

    def is_interrupted(self) -> bool:
        """Idle since an interrupt that a hook reported, with nothing after it."""
        return self._is_idle_since("interrupted_since")

    def is_stopped(self) -> bool:
        """The same, or since one that only the program's own report showed."""
        return self.is_interrupted() or self._is_idle_since("stopped_since")

    def _is_idle_since(self, field: str) -> bool:
        since = self.instance.get(field)
        return self.pane["lifecycle"] == "idle" and since is not None and since == self.pane.get("lifecycle_since")

    def is_settled(self) -> bool:
        """Whether enough time has passed since the turn's end for a tool to be one of a new turn."""
        ended_at = self.instance.get("turn_ended_at")
        if ended_at is None:
            ended_at = seconds_of(self.pane.get("lifecycle_since", ""))
        return passed_s(ended_at, self.at) >= QUIET_S
