"""Panes with fake composers in them, on a real server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.server.rig import Record, Server, Shop, wait_until

PROGRAM = str(Path(__file__).with_name("composer.py"))


class Composers:
    """A shop that starts composers; what each has submitted stands in a log of its own."""

    def __init__(self, server: Server) -> None:
        self.shop = Shop(server)
        self.client = self.shop.client
        self._logs: dict[str, Path] = {}

    def start(self, modes: str, **params: Any) -> str:
        """The id of a pane whose composer is ready, or asks."""
        pane_id = self.begin(modes, **params)
        wait_until(lambda: self.shop.get(pane_id)["lifecycle"] in ("idle", "blocked"), "a ready composer")
        return pane_id

    def begin(self, modes: str, **params: Any) -> str:
        """The id of a pane whose composer has just been started."""
        log = Path(self.shop.server.directory) / f"composer-{len(self._logs)}.jsonl"
        log.touch()
        pane_id = str(self.shop.spawn(sys.executable, PROGRAM, modes, str(log), **params)["id"])
        self._logs[pane_id] = log
        return pane_id

    def lines(self, pane_id: str) -> list[Record]:
        return [json.loads(line) for line in self._logs[pane_id].read_text(encoding="utf-8").splitlines()]

    def submitted(self, pane_id: str) -> list[str]:
        return [line["submitted"] for line in self.lines(pane_id) if "submitted" in line]

    def submit(self, pane_id: str, text: str, **params: Any) -> Record:
        result: Record = self.client.call("pane.submit", pane_id=pane_id, text=text, **params)
        return result

    def refusal(self, pane_id: str, text: str, **params: Any) -> Record:
        return self.client.refusal("pane.submit", pane_id=pane_id, text=text, **params)

    def state(self, pane_id: str, lifecycle: str) -> Record:
        """The pane once it is in this state."""
        found: Record = wait_until(
            lambda: (pane := self.shop.get(pane_id))["lifecycle"] == lifecycle and pane, f"{pane_id} {lifecycle}"
        )
        return found
