"""A stage whose effects are really performed: Git runs, files are read, one after the other in this thread."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from signaltty_core.host.git_files import GitFiles
from signaltty_core.host.run import run
from signaltty_core.state.effects import Effect, Run, Sleep, Synced, Together, Until, Work
from tests.e2e.repositories import PLAIN
from tests.fake import Stage


class RealGit(Stage):
    """ran: the argument lists of everything that was run."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        files = GitFiles(str(directory / "private"))
        self.settings.git_files = lambda: files
        self.settings.environ = {**os.environ, **PLAIN}
        self.ran: list[list[str]] = []

    def do(self, coroutine: Any) -> Any:
        """The procedure's result; raises its failure."""
        reply, error = None, None
        while True:
            try:
                effect = coroutine.send(reply) if error is None else coroutine.throw(error)
            except StopIteration as stop:
                return stop.value
            reply, error = None, None
            try:
                reply = self._perform(effect)
            except Exception as fault:
                error = fault

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Run):
            self.ran.append(effect.argv)
            told = effect.on_start
            start = (lambda pid: told(pid, 1)) if told is not None else None
            return run(effect.argv, effect.cwd, effect.env, effect.timeout_s, effect.most_bytes, start)
        if isinstance(effect, Work):
            return effect.function(*effect.args)
        if isinstance(effect, Together):
            return [self._perform(one) for one in effect.effects]
        if isinstance(effect, Sleep):
            time.sleep(effect.seconds)
            return None
        if isinstance(effect, Until):
            found = effect.check()
            assert found is not None, "it would wait for ever"
            return found
        assert isinstance(effect, Synced), effect
        return None
