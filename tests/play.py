"""Drive a waiting handler by hand: say which effect must come, and what the world answers."""

from __future__ import annotations

from typing import Any

from signaltty_core.base.errors import TimedOut
from signaltty_core.state.effects import Effect, Until


class Play:
    """One run of a coroutine, stopped at each effect.

    asked: the effect it waits for, None once it is over; then `result` or `error` says how it ended.
    """

    def __init__(self, coroutine: Any) -> None:
        self._coroutine = coroutine
        self.asked: Effect | None = None
        self.result: Any = None
        self.error: Exception | None = None
        self.over = False
        self._step(lambda: coroutine.send(None))

    def expect(self, effect: Effect) -> Play:
        """The handler must wait for exactly this."""
        assert self.asked == effect, f"asked {self.asked!r} ({self.error!r}), expected {effect!r}"
        return self

    def reply(self, value: Any = None) -> Play:
        """Answer the effect it waits for."""
        assert not self.over, f"over already: {self.result!r}, {self.error!r}"
        self._step(lambda: self._coroutine.send(value))
        return self

    def fail(self, error: Exception) -> Play:
        """Let the effect fail."""
        assert not self.over, f"over already: {self.result!r}, {self.error!r}"
        self._step(lambda: self._coroutine.throw(error))
        return self

    def look(self) -> Play:
        """Run the check of the Until it waits for, as the engine does after a change."""
        until = self._until()
        try:
            found = until.check()
        except Exception as error:
            return self.fail(error)
        return self if found is None else self.reply(found)

    def time_out(self) -> Play:
        """The Until's time has run out."""
        self._until()
        return self.fail(TimedOut("timed out"))

    def close(self) -> Play:
        """The caller has gone: the coroutine's `finally` blocks run and nobody gets a reply."""
        self._coroutine.close()
        self.over, self.asked = True, None
        return self

    def ended(self) -> Any:
        """The result; the handler must be over and must not have failed."""
        assert self.over, f"still waits for {self.asked!r}"
        if self.error is not None:
            raise self.error
        return self.result

    def _until(self) -> Until:
        assert isinstance(self.asked, Until), f"waits for {self.asked!r}, not Until ({self.result!r}, {self.error!r})"
        return self.asked

    def _step(self, step: Any) -> None:
        try:
            self.asked = step()
        except StopIteration as stop:
            self.asked, self.over, self.result = None, True, stop.value
        except Exception as error:
            self.asked, self.over, self.error = None, True, error
