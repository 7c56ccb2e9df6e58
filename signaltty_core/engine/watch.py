"""Conditions somebody waits for: looked at on every change and at least every so often (`Until`).

A condition is looked at inside the very commit that may fulfil it, so that no state is missed, however short; whoever
waits is resumed a little later, from `settle`, so that no handler is interrupted half-way.
"""

from __future__ import annotations

from ..base.errors import TimedOut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.effects import Until
    from .ports import Cancel, Clock, Done, Timer


class _Watch:
    __slots__ = ("done", "effect", "expires_at", "timer")

    def __init__(self, effect: Until, done: Done, expires_at: float) -> None:
        self.effect = effect
        self.done = done
        self.expires_at = expires_at
        self.timer: Timer | None = None


class Watches:
    """All pending conditions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pending: dict[_Watch, None] = {}
        self._fulfilled: list[tuple[Done, Any, Exception | None]] = []

    def add(self, effect: Until, done: Done) -> Cancel | None:
        """Look once now; then wait. Returns what gives the wait up."""
        watch = _Watch(effect, done, self._clock.now() + effect.timeout_s)
        if self._look(watch):
            return None
        if effect.timeout_s <= 0:
            done(None, _expired(effect))
            return None
        self._pending[watch] = None
        self._schedule(watch)
        return lambda: self._forget(watch)

    def on_change(self) -> None:
        """The World has changed: look at every condition."""
        for watch in list(self._pending):
            self._look(watch)

    def settle(self) -> None:
        """Resume whoever's condition came true."""
        while self._fulfilled:
            done, reply, error = self._fulfilled.pop(0)
            done(reply, error)

    def _look(self, watch: _Watch) -> bool:
        try:
            reply = watch.effect.check()
            error: Exception | None = None
        except Exception as fault:
            reply, error = None, fault
        if reply is None and error is None:
            return False
        self._forget(watch)
        self._fulfilled.append((watch.done, reply, error))
        return True

    def _schedule(self, watch: _Watch) -> None:
        left_s = watch.expires_at - self._clock.now()
        watch.timer = self._clock.after(max(0.0, min(watch.effect.every_s, left_s)), lambda: self._tick(watch))

    def _tick(self, watch: _Watch) -> None:
        if watch not in self._pending or self._look(watch):
            return
        if self._clock.now() >= watch.expires_at:
            self._forget(watch)
            self._fulfilled.append((watch.done, None, _expired(watch.effect)))
        else:
            self._schedule(watch)

    def _forget(self, watch: _Watch) -> None:
        self._pending.pop(watch, None)
        if watch.timer is not None:
            watch.timer.cancel()


def _expired(effect: Until) -> TimedOut:
    return TimedOut(f"nothing matched within {effect.timeout_s:.3g} s", timeout_s=effect.timeout_s)
