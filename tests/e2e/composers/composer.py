"""A program with the input line of an agent, for a PTY: it shows pastes, submits on Enter, works a while.

    composer.py MODE LOG

What was submitted is a JSON line in LOG, byte for byte. Its state is told as program status (OSC 7501). MODE is any of
these words, joined by commas:

    early        an Enter within 80 ms of a paste, or in the same read, is a line break (Gemini, Cline)
    late         it needs 0.7 s to take a paste in; an Enter until 80 ms later is a line break (Qwen under load)
    slow         it looks at its input only every 0.4 s
    dialog       150 ms after a paste a dialog takes the input line's place; Enter picks its first answer
    shy          for a second it neither draws nor reads, and leaves the terminal as it was
    trust        it begins with a dialog; after one Enter it is ready
    draft        somebody has typed into the input line already
    deaf         the first Enter of every paste is lost
    mute         nothing of what is pasted is shown
    placeholder  a paste is shown as `[Pasted text #1 +2 lines]`
    restless     a paste makes it tell of work for an instant
    stuck        it takes the prompt and tells nothing
    untold       it tells no state; its screen looks like claude's, at work, asking and ready
    report       after its work it runs the words in $COMPOSER_THEN
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import termios
import time
import tty

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
EARLY_S, LATE_S, DIALOG_S, WORK_S = 0.08, 0.7, 0.15, 0.05
SHY_S = 1.0
UNTOLD_S = 1.5  # a screen is looked at twice a second
RULE = "─" * 60


class Composer:
    def __init__(self, modes: set[str], log_path: str) -> None:
        self.modes = modes
        self.log_path = log_path
        self.text = "an unfinished thought" if "draft" in modes else ""
        self.shown = self.text
        self.waiting = b""
        self.pasted_at: float | None = None
        self.dialog_at: float | None = None
        self.in_dialog = False
        self.pastes = 0
        self.lost = False

    def log(self, **line: object) -> None:
        with open(self.log_path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def run(self) -> None:
        attributes = termios.tcgetattr(0)
        if "shy" in self.modes:
            time.sleep(SHY_S)
        tty.setraw(0, termios.TCSANOW)
        write("\x1b[?2004h")
        if "trust" in self.modes:
            self.ask()
        else:
            self.tell("idle")
            self.draw()
        try:
            while True:
                self.turn()
        finally:
            termios.tcsetattr(0, termios.TCSANOW, attributes)

    def turn(self) -> None:
        wait_s = None if self.dialog_at is None else max(0.0, self.dialog_at - time.monotonic())
        ready, _, _ = select.select([0], [], [], wait_s)
        if not ready:
            self.dialog_at = None
            self.ask()
            return
        if "slow" in self.modes:
            time.sleep(0.4)
        data = os.read(0, 1 << 16)
        if not data:
            sys.exit(0)
        self.take(self.waiting + data)

    def take(self, data: bytes) -> None:
        self.waiting = b""
        while data:
            if data.startswith(BEGIN):
                end = data.find(END)
                if end < 0:
                    self.waiting = data
                    return
                self.paste(data[len(BEGIN) : end].decode())
                data = data[end + len(END) :]
            elif BEGIN.startswith(data):
                self.waiting = data
                return
            else:
                self.key(data[:1])
                data = data[1:]

    def paste(self, text: str) -> None:
        self.pastes += 1
        if "late" in self.modes:
            time.sleep(LATE_S)
        self.pasted_at = time.monotonic()
        self.lost = False
        if self.in_dialog:
            self.log(swallowed=text)
            return
        self.text += text
        lines = text.count("\n") + 1
        self.shown += f"[Pasted text #{self.pastes} +{lines} lines]" if "placeholder" in self.modes else text
        if "dialog" in self.modes:
            self.dialog_at = time.monotonic() + DIALOG_S
        if "restless" in self.modes:
            self.tell("working")
            self.tell("idle")
        self.draw()

    def key(self, key: bytes) -> None:
        if key == b"\r":
            self.enter()
        elif key == b"\n":
            self.text, self.shown = self.text + "\n", self.shown + "\n"
            self.draw()
        elif key == b"\x15":
            self.text, self.shown = "", ""
            self.draw()
        elif key == b"\x7f":
            self.text, self.shown = self.text[:-1], self.shown[:-1]
            self.draw()
        elif key >= b" ":
            self.text += key.decode(errors="replace")
            self.shown = self.text
            self.draw()

    def enter(self) -> None:
        if self.in_dialog:
            self.log(picked="first")
            self.in_dialog = False
            self.tell("idle")
            self.draw()
            return
        since_s = time.monotonic() - self.pasted_at if self.pasted_at is not None else 1e9
        tolerance_s = EARLY_S if self.modes & {"early", "late"} else 0.0
        if since_s < tolerance_s:
            self.text, self.shown = self.text + "\n", self.shown + "\n"
            self.draw()
            return
        if "deaf" in self.modes and not self.lost:
            self.lost = True
            return
        if not self.text:
            return
        text, self.text, self.shown, self.pasted_at = self.text, "", "", None
        self.log(submitted=text)
        if "stuck" in self.modes:
            self.draw()
            return
        self.tell("working")
        write(f"\r\n> {text[:40]!r}\r\n")
        if "untold" in self.modes:
            write(f"{RULE}\r\n❯ \r\n{RULE}\r\n  ⏸ manual mode on · esc to interrupt")
            time.sleep(UNTOLD_S)
        time.sleep(WORK_S)
        if "report" in self.modes:
            subprocess.run(["sh", "-c", os.environ["COMPOSER_THEN"]], stdin=subprocess.DEVNULL, check=False)
        self.tell("done")
        self.draw()

    def tell(self, state: str) -> None:
        if "untold" not in self.modes:
            write(f"\x1b]7501;state={state}\x1b\\")

    def ask(self) -> None:
        self.in_dialog = True
        write(
            "\x1b[2J\x1b[H Bash command\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel"
        )
        self.tell("blocked:kind=permission")

    def draw(self) -> None:
        shown = "" if "mute" in self.modes else self.shown.replace("\n", "\r\n  ")
        write(f"\x1b[2J\x1b[H{RULE}\r\n❯ {shown}\r\n{RULE}\r\n  ? for shortcuts")


def write(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    Composer(set(sys.argv[1].split(",")), sys.argv[2]).run()
