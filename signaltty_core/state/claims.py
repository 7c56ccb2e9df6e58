"""Who uses which place at this moment: repositories that change, paths being removed, paths being entered.

In memory only. Of a removal and a launch that race for one directory at most one succeeds (tasks-and-git §7): each
looks for the other's claim in the very step in which it makes its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Claims:
    """held: keys of what one procedure at a time may change. removing: canonical paths whose directory is going."""

    __slots__ = ("_entered", "_next", "held", "removing")

    def __init__(self) -> None:
        self.held: set[str] = set()
        self.removing: set[str] = set()
        self._entered: dict[int, str] = {}
        self._next = 0

    def take(self, key: str) -> bool | None:
        """True when the key is yours from now on, None while it is somebody else's."""
        if key in self.held:
            return None
        self.held.add(key)
        return True

    def give_back(self, key: str) -> None:
        self.held.discard(key)

    def is_removed(self, path: str) -> bool:
        """Whether the path lies in a directory that is being removed."""
        return any(path == gone or path.startswith(gone.rstrip("/") + "/") for gone in self.removing)

    def enter(self, path: str) -> int:
        """Somebody is about to use the path; the ticket ends that."""
        self._next += 1
        self._entered[self._next] = path
        return self._next

    def leave(self, ticket: int) -> None:
        self._entered.pop(ticket, None)

    def entered(self) -> Iterator[str]:
        return iter(list(self._entered.values()))
