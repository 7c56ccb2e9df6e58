"""What a server puts off: objects made at their first use, and the collector's quiet once all stands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")


class _Later:
    """Stands for an object that is made at its first use."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(), name)


def later(make: Callable[[], T]) -> T:
    stand_in: Any = _Later(make)
    return stand_in  # type: ignore[no-any-return]


def once(make: Callable[[], T]) -> Callable[[], T]:
    """make() at the first call, its result ever after."""
    made: list[T] = []

    def get() -> T:
        if not made:
            made.append(make())
        return made[0]

    return get


def settle_memory() -> None:
    """What exists now stays; collect the rest rarely, for a full pass over big histories stops everything."""
    import gc

    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)
