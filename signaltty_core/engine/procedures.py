"""Runs handlers that must wait. A coroutine awaits an effect and is resumed with its reply; no event loop inside."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ..state.effects import Effect
    from .ports import Cancel, Done


class Procedure:
    """One running handler."""

    __slots__ = ("cancel_effect", "coroutine", "finish")

    def __init__(self, coroutine: Coroutine[Effect, Any, Any], finish: Done) -> None:
        self.coroutine = coroutine
        self.finish = finish
        self.cancel_effect: Cancel | None = None


class Runner:
    """Advances coroutines; owns no descriptor and no clock.

    perform(effect, done): start the work and call done(reply, error) once, later or at once; may return a function
    that gives the work up.
    """

    def __init__(self, perform: Callable[[Effect, Done], Cancel | None]) -> None:
        self._perform = perform
        self.live: set[Procedure] = set()

    def start(self, coroutine: Coroutine[Effect, Any, Any], finish: Done) -> Procedure:
        """Run until the first wait; finish(result, error) is called once at the end."""
        procedure = Procedure(coroutine, finish)
        self.live.add(procedure)
        self._step(procedure, None, None)
        return procedure

    def cancel(self, procedure: Procedure) -> None:
        """Stop waiting: `finally` blocks run, late replies are dropped, finish is not called."""
        if procedure in self.live:
            self.live.discard(procedure)
            if procedure.cancel_effect is not None:
                procedure.cancel_effect()
            procedure.coroutine.close()

    def _step(self, procedure: Procedure, reply: Any, error: Exception | None) -> None:
        while procedure in self.live:
            procedure.cancel_effect = None
            try:
                if error is not None:
                    effect = procedure.coroutine.throw(error)
                else:
                    effect = procedure.coroutine.send(reply)
            except StopIteration as stop:
                self.live.discard(procedure)
                procedure.finish(stop.value, None)
                return
            except Exception as fault:
                self.live.discard(procedure)
                procedure.finish(None, fault)
                return
            landed: list[tuple[Any, Exception | None]] = []
            waiting = False

            def done(reply: Any, error: Exception | None) -> None:
                if waiting:
                    self._step(procedure, reply, error)
                else:
                    landed.append((reply, error))  # noqa: B023 - filled before the loop goes on

            cancel = self._perform(effect, done)
            if not landed:
                waiting = True
                procedure.cancel_effect = cancel
                return
            reply, error = landed[0]
