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
            coroutine = procedure.coroutine
            try:
                effect = coroutine.send(reply) if error is None else coroutine.throw(error)
            except StopIteration as stop:
                self._end(procedure, stop.value, None)
                return
            except Exception as fault:
                self._end(procedure, None, fault)
                return
            reception = _Reception(self, procedure)
            cancel = self._perform(effect, reception.done)
            if reception.landed is None:
                reception.waiting = True
                procedure.cancel_effect = cancel
                return
            reply, error = reception.landed

    def _end(self, procedure: Procedure, result: Any, fault: Exception | None) -> None:
        self.live.discard(procedure)
        procedure.finish(result, fault)


class _Reception:
    """Takes one effect's reply: one that lands at once is handed to the running step, a later one makes a new step."""

    __slots__ = ("_procedure", "_runner", "landed", "waiting")

    def __init__(self, runner: Runner, procedure: Procedure) -> None:
        self._runner = runner
        self._procedure = procedure
        self.landed: tuple[Any, Exception | None] | None = None
        self.waiting = False

    def done(self, reply: Any, error: Exception | None) -> None:
        if self.waiting:
            self._runner._step(self._procedure, reply, error)
        else:
            self.landed = (reply, error)
