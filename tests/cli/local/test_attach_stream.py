"""What attach does with the stream: the picture in the person's terminal is the pane's, whatever is lost on the way."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.terminal.terminal import Terminal
from tests.cli.local.conftest import Attach
from tests.cli.local.screen import Screen
from tests.e2e.played_agent import CORPUS
from tests.e2e.rig import Rig, wait_until

RECORDING = CORPUS / "claude-allow.bin"
DIALOG, DONE = 5485, 8185  # offsets at which the picture rests


def picture(screen: Screen) -> str:
    """What the person sees."""
    terminal = Terminal(100, 30, version="0")
    terminal.feed(screen.read(), 0.0)
    return terminal.read_screen()


@pytest.fixture
def cat(rig: Rig) -> str:
    """A pane that shows the recording up to the dialog, and the next part after one more line was typed."""
    typed = "head -n 1 >/dev/null"
    first, rest = f"head -c {DIALOG} {RECORDING}", f"tail -c +{DIALOG + 1} {RECORDING} | head -c {DONE - DIALOG}"
    pane = rig.new_pane("sh", "-c", f"stty raw -echo; {typed}; {first}; {typed}; {rest}; exec sleep 1000")
    rig.cli("pane", "resize", pane, "--cols", "100", "--rows", "30")
    rig.cli("pane", "input", pane, "--data", "\n")
    wait_until(lambda: "Do you want to proceed?" in show(rig, pane), "the dialog")
    return pane


def show(rig: Rig, pane: str) -> str:
    return str(rig.call("pane.read", pane_id=pane, mode="screen")["text"])


def test_the_picture_is_the_panes_after_the_snapshot_and_after_more_output(rig: Rig, attach: Attach, cat: str) -> None:
    screen = attach(cat, cols=100, rows=30)
    wait_until(lambda: picture(screen) == show(rig, cat), "the dialog in the terminal")
    assert "Do you want to proceed?" in picture(screen)
    screen.type(b"\n")
    wait_until(lambda: "done 12:16" in show(rig, cat), "the end of the turn")
    wait_until(lambda: picture(screen) == show(rig, cat), "the end of the turn in the terminal")


class Script:
    """A server that attaches as it is told: each attaching takes the next reply and the events behind it."""

    def __init__(self, path: Path, attachings: list[tuple[str, int, list[dict[str, Any]]]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._attachings = attachings
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def attached(self) -> list[dict[str, Any]]:
        return [request["params"] for request in self.requests if request["method"] == "pane.attach"]

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer, peer.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                self.requests.append(request)
                result: dict[str, Any] = {"pane": {"id": "pane_1"}, "version": "0", "written": 1}
                events: list[dict[str, Any]] = []
                if request["method"] == "pane.attach":
                    text, offset, events = self._attachings.pop(0)
                    result = {"snapshot_b64": encoded(text), "output_offset": offset, "live": {"state": "live"}}
                frames = [{"id": request["id"], "ok": True, "result": result}, *events]
                head = {"protocol": "signaltty/1"}
                peer.sendall(b"".join(json.dumps({**head, **frame}).encode() + b"\n" for frame in frames))


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def event(name: str, **payload: Any) -> dict[str, Any]:
    return {"type": "event", "event": name, "seq": 1, "payload": {"pane_id": "pane_1", **payload}}


def output(text: str, end: int) -> dict[str, Any]:
    return event("pty.data", data_b64=encoded(text), output_offset=end)


@pytest.fixture
def script(rig: Rig, request: pytest.FixtureRequest) -> Iterator[Script]:
    script = Script(rig.socket, request.param)
    yield script
    script.close()
    rig.socket.unlink()


ENDED = event("pane.exited", code=0)
GAP = [
    ("first picture", 10, [output("|abc", 14), output("LOST", 20), output("QUEUED", 26)]),
    ("second picture", 26, [output("OLD", 26), output("old|def", 30), ENDED]),
]
SNAPSHOT = event("pty.snapshot", snapshot_b64=encoded("whole picture"), output_offset=50, size={"cols": 90, "rows": 25})
LAGGING = [("first picture", 10, [output("|abc", 14), SNAPSHOT, output("OLD", 50), output("|def", 54), ENDED])]


@pytest.mark.parametrize("script", [GAP], indirect=True)
def test_a_gap_in_the_output_attaches_anew_and_nothing_is_shown_twice(script: Script, attach: Attach) -> None:
    screen = attach("somebody")
    assert screen.status() == 0
    assert len(script.attached()) == 2
    assert b"second picture|def" in screen.seen
    assert [word for word in (b"LOST", b"QUEUED", b"OLD", b"old") if word in screen.seen] == []


@pytest.mark.parametrize("script", [LAGGING], indirect=True)
def test_a_snapshot_from_the_server_replaces_the_picture(script: Script, attach: Attach) -> None:
    screen = attach("somebody")
    assert screen.status() == 0
    assert len(script.attached()) == 1
    reset = screen.seen.rindex(b"\x1b[H\x1b[2J", 0, screen.seen.index(b"whole picture"))
    assert screen.seen[reset:].startswith(b"\x1b[H\x1b[2Jwhole picture|def")
    assert b"OLD" not in screen.seen


@pytest.mark.parametrize("script", [[("picture", 0, [event("pane.exited", code=None, signal="KILL")])]], indirect=True)
def test_a_killed_program_is_told_apart(script: Script, attach: Attach) -> None:
    screen = attach("somebody")
    assert screen.status() == 0
    assert b"[pane_1 ended by KILL]" in screen.seen


@pytest.mark.parametrize("script", [[("picture", 0, [])]], indirect=True)
def test_the_size_and_the_looking_are_told_when_attaching(script: Script, attach: Attach) -> None:
    screen = attach("somebody", "--no-mark-seen", cols=77, rows=33)
    screen.until(b"picture")
    assert script.attached() == [{"pane_id": "pane_1", "mark_seen": False, "cols": 77, "rows": 33}]
    screen.type(b"\x1d")
    assert screen.status() == 0
