"""`demo`: a recorded agent in a real pane, and beside it what signaltty sees, asks and answers.

Nothing is pretended but the agent: server, pane, hooks, question, answer and verdict take the roads they always take.
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import tty

from ...base.errors import IoError, NoSuchServer, ProtocolError, TimedOut
from ...base.program import restart_argv, start_argv
from ...base.text import visible
from ...client.conn import connect
from ..session import Session, write_output
from ..spec import LocalError
from . import recording as recordings
from .player import Player

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Settings
    from .recording import Recording

STAGE = "SIGNALTTY_DEMO_STAGE"  # set for the player in the pane: a directory both sides know
UNATTENDED_S = 1.5  # the question is on the screen long enough to be read
ATTENDED_S = 15.0
VERDICT_S = 5.0
WHOLE_S = 120.0
SCREEN_LINES = 8
WATCHED = ["agent.*", "attention.*", "decision.*", "pane.exited", "pane.closed"]
MEANINGS = {
    "idle": "ready for a prompt",
    "working": "busy",
    "blocked": "waits for a person",
    "done": "the turn is over",
    "failed": "the turn has failed",
}
HINTS = (
    ("signaltty new -- claude", "start an agent of your own"),
    ("signaltty ls", "see every agent and its state"),
    ("signaltty wait --pane PANE --until blocked,done", "wait for one from a script"),
)


def run(settings: Settings, scenario: str, speed: float, keep: bool = False) -> int:
    """Play a recording and show what comes of it; leaves nothing behind, a server started for it neither.

    keep: let such a server run on. Inside the demo's own pane: be the agent.
    """
    if speed <= 0:
        raise LocalError("--speed must be above 0")
    recording = recordings.load(scenario)
    stage = settings.environ.get(STAGE)
    if stage:
        return Player(recording, speed, f"{stage}/verdict").play()
    for os_signal in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(os_signal, _leave)
    started = not _is_running(settings.socket)
    session = Session(settings, [])
    demo = Demo(session, recording, speed)
    try:
        demo.show()
    finally:
        demo.clean_up(stop=started and not keep)
    return 0


class Demo:
    """The person's side of it. _question: what is to be answered: a pending decision, or {} for a key in the pane."""

    def __init__(self, session: Session, recording: Recording, speed: float) -> None:
        self._session = session
        self._recording = recording
        self._speed = speed
        self._stage = tempfile.mkdtemp(prefix="signaltty-demo-")
        self._workspace_id = ""
        self._pane_id = ""
        self._began = time.monotonic()
        self._question: dict[str, Any] | None = None
        self._answer_at = 0.0
        self._attended = sys.stdin is not None and os.isatty(0) and os.isatty(1)
        self._paint = os.isatty(1) and not session.settings.environ.get("NO_COLOR")

    def show(self) -> None:
        session = self._session
        workspace = session.call("workspace.create", {"name": "demo", "cwd": self._stage})["workspace"]
        self._workspace_id = workspace["id"]
        events = session.dial()
        events.call("subscribe", {"events": WATCHED})
        self._began = time.monotonic()
        self._spawn()
        self._say(f"{self._recording.title}: a recording, played in pane {self._pane_id}.", "")
        modes = termios.tcgetattr(0) if self._attended else None
        try:
            if modes is not None:
                tty.setcbreak(0, termios.TCSANOW)  # a key counts without Enter; Ctrl+C still interrupts
            while self._look(events):
                pass
        finally:
            if modes is not None:
                termios.tcsetattr(0, termios.TCSANOW, modes)
            events.close()
        self._say("", "Next:", *(f"  {command:<50}{meaning}" for command, meaning in HINTS))

    def clean_up(self, stop: bool) -> None:
        """Close the workspace, and end the server when it was started for this and nobody else uses it."""
        try:
            if self._workspace_id:
                self._session.call("workspace.close", {"workspace_id": self._workspace_id})
            if stop and self._session.call("server.status", {})["workspaces"] == 0:
                self._session.call("server.shutdown", {})
        except ProtocolError:
            pass  # the server has gone, and what was here with it
        finally:
            self._session.hang_up()
            shutil.rmtree(self._stage, ignore_errors=True)

    def _spawn(self) -> None:
        recording = self._recording
        words = ["demo", "--scenario", recording.name, "--speed", f"{self._speed:g}"]
        params = {
            "workspace_id": self._workspace_id,
            "argv": [*restart_argv(), *words],
            "env": {STAGE: self._stage, "SIGNALTTY_HOOKS": ""},
            "cols": recording.cols,
            "rows": recording.rows,
            "label": "demo",
        }
        self._pane_id = self._session.call("pane.spawn", params)["pane"]["id"]

    def _look(self, events: Any) -> bool:
        """Whatever happens next; False once the program has ended."""
        left_s = (self._answer_at if self._question is not None else self._began + WHOLE_S) - time.monotonic()
        wanted = [events.fileno(), 0] if self._attended else [events.fileno()]
        ready = select.select(wanted, [], [], max(left_s, 0))[0]
        if events.fileno() in ready:
            return self._take_events(events)
        if 0 in ready:
            self._take_key(os.read(0, 64))
        elif self._question is not None:
            self._answer("once")
        else:
            raise LocalError(f"the recording did not end within {WHOLE_S:g} seconds")
        return True

    def _take_events(self, events: Any) -> bool:
        limit_s = 0.001
        while True:
            try:
                frame = events.next_event(limit_s)
            except TimedOut:
                return True
            if frame is None:
                raise IoError("the server closed the connection")
            if frame["payload"].get("pane_id") == self._pane_id and not self._on_event(
                frame["event"], frame["payload"]
            ):
                return False
            limit_s = 0  # only those that came in the same packet

    def _on_event(self, event: str, payload: dict[str, Any]) -> bool:
        kind, _, name = event.partition(".")
        if event in ("pane.exited", "pane.closed"):
            code = payload.get("code")
            self._note("exited", f"with code {code}" if code is not None else "")
            return False
        if kind == "agent":
            self._note(payload["lifecycle"], MEANINGS.get(name, ""))
            if name == "blocked" and self._recording.awaits("key"):
                self._ask_for_key()
            elif name in ("done", "failed"):
                self._show_screen()
        elif kind == "attention" and name != "cleared":
            self._note("attention", payload["attention"])
        elif event == "decision.created":
            self._ask(payload["decision"])
        elif event == "decision.answered":
            self._question = None
            self._note("answered", f"with {payload['option_id']}")
            self._show_verdict()
        elif event == "decision.cleared":
            self._question = None
        return True

    def _ask(self, decision: dict[str, Any]) -> None:
        self._question = decision
        self._answer_at = time.monotonic() + (ATTENDED_S if self._attended else UNATTENDED_S / self._speed)
        self._note("question", f"decision {decision['id']}")
        self._tell(*decision["prompt"].split("\n"))
        self._tell(*(f"  {option['id']} — {option['label']}" for option in decision["options"]))
        if self._attended:
            self._tell(f"Press a to allow it (or Enter), d to deny it. Left alone, it is allowed in {ATTENDED_S:g} s.")

    def _ask_for_key(self) -> None:
        self._question = {}
        self._answer_at = time.monotonic() + (ATTENDED_S if self._attended else UNATTENDED_S / self._speed)
        if self._attended:
            self._tell(f"Press Enter for the first choice. Left alone, it is made in {ATTENDED_S:g} s.")

    def _take_key(self, keys: bytes) -> None:
        if not keys:
            self._attended = False
        elif self._question is not None and keys[:1] in b"aAyY\r\n":
            self._answer("once")
        elif self._question and keys[:1] in b"dDnN":
            self._answer("deny")

    def _answer(self, option: str) -> None:
        """From a process of its own, as from any other terminal."""
        question, self._question = self._question, None
        words = ["pane", "input", self._pane_id, "--data", "\r"]
        if question:
            words = ["decision", "answer", "--pane", self._pane_id, "--decision", question["id"], "--option", option]
        else:
            self._show_screen()
        shown = " ".join("$'\\r'" if word == "\r" else shlex.quote(word) for word in words)
        self._note("command", f"signaltty {shown}")
        command = [*start_argv(), "--socket", self._session.settings.socket, *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self._tell(*(done.stdout + done.stderr).splitlines())

    def _show_verdict(self) -> None:
        """What the agent has read from its hook, which had been waiting since the question."""
        path = f"{self._stage}/verdict"
        until = time.monotonic() + VERDICT_S
        while not os.path.exists(path) and time.monotonic() < until:
            time.sleep(0.01)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                said = file.read()
            self._note("verdict", "the agent's hook, which had waited, printed")
            self._tell(*said.splitlines())

    def _show_screen(self) -> None:
        text = self._session.call("pane.read", {"pane_id": self._pane_id, "mode": "screen"})["text"]
        lines = [line.rstrip() for line in text.split("\n") if line.strip(" \u2500")]
        self._tell(*(f"| {line}" for line in lines[-SCREEN_LINES:]))

    def _note(self, word: str, text: str) -> None:
        """One line of the timeline."""
        from ..show import COLOURS

        shown = f"{word:<11}"
        if self._paint and word in COLOURS:
            shown = f"\x1b[{COLOURS[word]}m{shown}\x1b[0m"
        write_output(f"{time.monotonic() - self._began:6.1f} s  {shown}{visible(text)}".rstrip() + "\n")

    def _tell(self, *lines: str) -> None:
        self._say(*(f"{'':21}{line}" for line in lines))

    def _say(self, *lines: str) -> None:
        write_output("".join(visible(line) + "\n" for line in lines))


def _is_running(socket_path: str) -> bool:
    try:
        connect(socket_path).close()
    except NoSuchServer:
        return False
    return True


def _leave(os_signal: int, frame: object) -> None:
    raise SystemExit(128 + os_signal)
