"""Vectors of kind osc7501: bytes a program wrote, and everything they said."""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64

from ....base.version import VERSION
from ....state import hearing, program_status, speech
from ....status.program import shown
from ....terminal.scanner import Bell, Notification, OutputFilter, Title
from ....terminal.terminal import Terminal
from .pane import CHILD, PROGRAM, ReplayStage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

_RECORD = ("state", "kind", "progress", "app", "title", "msg")
_SUMMARY = ("id", "state", "kind", "progress", "app")
_HERE = ("", "localhost")


def play(vector: Record) -> Record:
    """All result keys after the vector's steps."""
    return _Replay().run(vector["steps"])


class _Replay:
    def __init__(self) -> None:
        self.stage = ReplayStage("generic")
        self._terminal = Terminal(80, 24, version=VERSION)
        self._filter = OutputFilter()
        self._group = PROGRAM
        self._signals: list[Any] = []
        self._cwd: str | None = None
        self._filtered = b""
        self._answers: list[bytes] = []
        self._due: list[tuple[float, Record]] = []
        self._ground = speech.Ground(self.stage.new_id, lambda: self._group, self._look_up, lambda _draft, _pane: None)

    def run(self, steps: list[Record]) -> Record:
        for step in steps:
            for name in step:
                getattr(self, "_" + name)(step[name])
        return self._results()

    def _output(self, given: str) -> None:
        data = a2b_base64(given)
        fed = self._terminal.feed(data, self.stage.at)
        self._answers += fed.answers
        self._filtered += self._filter.feed(data)
        self._heed(fed.signals)

    def _heed(self, signals: list[Any]) -> None:
        self._signals += signals
        self.stage.change(speech.heed, signals, self._ground)
        due = hearing.of(self.stage.world, self.stage.pane_id).program.due
        if due is not None and not due["awaited"]:
            due["awaited"] = True
            self._due.append((self.stage.at + program_status.LOST_END_S, due))

    def _look_up(self, path: str, host: str) -> None:
        if host.lower() in _HERE and os.path.isdir(path):
            self._cwd = path

    def _foreground(self, whose: str) -> None:
        self._group = CHILD if whose == "child" else PROGRAM

    def _program_gone(self, _given: bool) -> None:
        self.stage.change(program_status.drop_unfinished, [PROGRAM, CHILD])

    def _wait_s(self, passed_s: float) -> None:
        ends_at = self.stage.at + passed_s
        while self._due and self._due[0][0] <= ends_at:
            self.stage.at, due = self._due.pop(0)
            self.stage.change(program_status.settle, due)
        self.stage.at = ends_at
        self.stage.change(speech.tire)

    def _seen(self, _given: bool) -> None:
        self.stage.see()

    def _child_exits(self, code: int) -> None:
        self._filtered += self._filter.finish()
        self._heed(self._terminal.finish().signals)
        self.stage.end_child(code)

    def _hook_says(self, said: Record) -> None:
        self.stage.hook_says(said)

    def _told(self, kind: type) -> list[Any]:
        return [signal for signal in self._signals if isinstance(signal, kind)]

    def _results(self) -> Record:
        world, pane_id = self.stage.world, self.stage.pane_id
        ranked = list(hearing.of(world, pane_id).program.ranked())
        titles = [one.text for one in self._told(Title)]
        progress = world.panes[pane_id].get("progress")
        return {
            "filtered": _encode(self._filtered),
            "answers": [_encode(answer) for answer in self._answers],
            "records": {record["id"]: shown(record, _RECORD) for record in ranked},
            "summary": shown(ranked[0], _SUMMARY) if ranked else None,
            "title": titles[-1] if titles else None,
            "cwd": self._cwd,
            "bells": len(self._told(Bell)),
            "notifications": [one._asdict() for one in self._told(Notification)],
            "progress": shown(progress, ("value", "state")) if progress and progress["source"] == "osc9_4" else None,
        } | self.stage.results()


def _encode(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")
