"""Vectors of kind status-signals: lines on connections, and what became of the pane."""

from __future__ import annotations

from binascii import a2b_base64

from ....state import hearing, status_line
from ....status import arrivals
from .pane import ReplayStage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

SENDER = {"pid": 300, "start_time": 1}


def play(vector: Record) -> Record:
    """All result keys after the vector's steps."""
    return _Replay().run(vector["steps"])


class _Replay:
    """Connections are numbered as they are accepted; one of an earlier process is dead."""

    def __init__(self) -> None:
        self.stage = ReplayStage("zerostack")
        self.ignored_before = 0
        self._last = 0
        self._named: dict[str, tuple[hearing.Hearing, int]] = {}
        self._deadlines: list[tuple[float, str]] = []

    def run(self, steps: list[Record]) -> Record:
        for step in steps:
            for name in step:
                getattr(self, "_" + name)(step[name])
        fields = self._heard().lines, self.stage.world.instances[self.stage.pane_id].get("signals", status_line.SILENT)
        shown = {"run": fields[1]["run"], "state": fields[1]["state"], "ignored": fields[0].ignored}
        shown["ignored"] += self.ignored_before
        return shown | self.stage.results()

    def _heard(self) -> hearing.Hearing:
        return hearing.of(self.stage.world, self.stage.pane_id)

    def _connection(self, given: Record) -> None:
        self._open("")
        for chunk in given["chunks"]:
            self._write({"on": "", "bytes": chunk})
        if given["end"] == "stall":
            self._wait_ms(arrivals.DEADLINE_S * 1000)
        else:
            self._close("")

    def _open(self, name: str) -> None:
        self._last += 1
        self._named[name] = self._heard(), self._last
        self._heard().lines.open(self._last, SENDER)
        self._deadlines.append((self.stage.at + arrivals.DEADLINE_S, name))

    def _write(self, given: Record) -> None:
        heard, number = self._named[given["on"]]
        self._apply(heard, heard.lines.feed(number, a2b_base64(given["bytes"])))

    def _close(self, name: str, how: str = arrivals.EOF) -> None:
        heard, number = self._named[name]
        self._deadlines = [one for one in self._deadlines if one[1] != name]
        self._apply(heard, heard.lines.end(number, how))

    def _wait_ms(self, passed_ms: float) -> None:
        ends_at = self.stage.at + passed_ms / 1000
        while self._deadlines and self._deadlines[0][0] <= ends_at + 1e-6:
            self.stage.at, name = self._deadlines[0]
            self._close(name, arrivals.DEADLINE)
        self.stage.at = ends_at

    def _seen(self, _given: bool) -> None:
        self.stage.see()

    def _child_exits(self, code: int) -> None:
        self.stage.end_child(code)

    def _new_process(self, _given: bool) -> None:
        self.ignored_before += self._heard().lines.ignored
        self.stage.renew()

    def _hook_holds(self, said: Record) -> None:
        self.stage.hook_says(said)

    def _hook_lets_go(self, _given: bool) -> None:
        self.stage.hook_lets_go()

    def _sender_gone(self, _given: bool) -> None:
        if self.stage.world.instances[self.stage.pane_id].get("signals", {}).get("sender"):
            self.stage.change(status_line.watch)
            self.stage.change(status_line.lose_sender)

    def _apply(self, heard: hearing.Hearing, words: list[tuple[Any, str]]) -> None:
        for sender, word in words:
            if heard is self._heard() and status_line.hear(self.stage.world, self.stage.pane_id):
                self.stage.change(status_line.apply, word, sender)
