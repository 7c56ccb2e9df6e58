"""Directories that are about to be used, kept apart from those that are being removed (tasks-and-git §7)."""

from __future__ import annotations

from posixpath import realpath

from ...base.errors import BadParams
from ...state.effects import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from ..call import Call


class Entering:
    """`async with`, or `begin` and `end`: no removal of the directory starts before the end."""

    __slots__ = ("_claims", "_ticket", "path")

    def __init__(self, call: Call, path: str) -> None:
        self._claims = call.world.claims
        self._ticket: int | None = None
        self.path = path

    async def begin(self) -> None:
        """Raises BadParams while a directory it lies in is being removed, also when a link leads there."""
        path = self.path
        if self._claims.removing:
            path = await Work(realpath, path)
        if self._claims.is_removed(path) or self._claims.is_removed(self.path):
            raise BadParams(f"{self.path} is in a worktree that is being removed", path="cwd")
        self._ticket = self._claims.enter(path)

    def end(self) -> None:
        """Twice is once."""
        if self._ticket is not None:
            self._claims.leave(self._ticket)
            self._ticket = None

    async def __aenter__(self) -> None:
        await self.begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
