"""A sandbox in which what a document shows can be run as it stands: a home, a repository, small programs in the place
of agents, and something real for every placeholder."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time

from tests.e2e.composers.rig import PROGRAM as COMPOSER
from tests.e2e.rig import COMMAND, LIMIT_S, ROOT, Rig, wait_until
from tests.e2e.yard import git

WORK = (
    "date > $SIGNALTTY_TASK.txt; git add -f *.txt; git commit -qm work; "
    "signaltty report --status completed --summary ready"
)
QUESTION = '{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"}}'
EVENT = '{"version":1,"event":"agent.running","state":{"text":"Working"}}'
FILES = {"hook.json": '{"session_id":"s"}', "event.json": EVENT}
# what reports for the pane it is typed in
INSIDE = tuple(
    f"signaltty {words}" for words in ("hook-event", "notify", "report-session", "status-signal", "ipc agent-event")
)
KEYS = {"attach": b"\x1d", "board --watch": b"q"}  # what ends a command that stays
HANDOVER = '[plugin]\nname = "handover"\n[[command]]\nname = "notes"\nrun = ["echo", "notes"]\n'
VECTORS = ROOT / "tests" / "corpus" / "status" / "agent-status.jsonl"
Said = tuple[int, str, str]


class Stage:
    """One sandbox for many commands."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "SIGNALTTY_INTEGRATION"):
            rig.environment.pop(name)  # the documents name the usual places
        rig.state = rig.home / ".local" / "state"
        self.bin = rig.place / "bin"
        self.bin.mkdir()
        rig.environment["PATH"] = f"{self.bin}:{os.environ['PATH']}"
        rig.environment["BELL_COMMAND"] = "echo"
        self.install("signaltty", f'exec {shlex.join(COMMAND)} "$@"')
        worker = f"export COMPOSER_THEN={shlex.quote(WORK)}; exec {sys.executable} {COMPOSER} plain,report /dev/null"
        for agent in ("claude", "codex"):
            self.install(agent, worker)
        self.install("htop", "exec sleep 1000")
        self.repo = rig.home / "api"
        git(rig.place, "init", "-q", "-b", "main", str(self.repo))
        for name, value in (("user.email", "t@example.org"), ("user.name", "T")):
            git(self.repo, "config", name, value)
        git(self.repo, "commit", "-q", "--allow-empty", "-m", "first")
        (self.repo / "examples").symlink_to(ROOT / "examples")
        (self.repo / ".git" / "info" / "exclude").write_text("*\n")
        for name, content in {**FILES, "vectors.jsonl": VECTORS.read_text().splitlines()[0]}.items():
            (self.repo / name).write_text(content)
        rig.cli("workspace", "create", "--cwd", str(self.repo))
        self._install_plugins()
        self._begun: list[subprocess.Popen[str]] = []

    def install(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def run(self, line: str) -> Said:
        """Exit status, standard output, standard error of a line in the shell it is for."""
        self.rig.cli("server", "start")
        env: dict[str, str] = {}
        line = self._filled(line, env)
        for words, keys in KEYS.items():
            if line.startswith(f"signaltty {words}"):
                return self._run_on_a_terminal(line, keys)
        if line.startswith("signaltty events"):
            return self._follow(line)
        done = subprocess.run(
            [*shell_of(line), line],
            input=EVENT if line == "signaltty ipc agent-event" else "{}" if "--payload-stdin" in line else "",
            capture_output=True,
            text=True,
            env={**self.rig.environment, **env},
            cwd=self.repo,
            timeout=3 * LIMIT_S,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def end(self) -> None:
        for hook in self._begun:
            hook.kill()
            hook.communicate()

    def _filled(self, line: str, env: dict[str, str]) -> str:
        """The line with something real for every placeholder; env gets what a program in a pane would have."""
        if "next-unread" in line:
            self._done_pane()
        if re.search(r"\bPANE\b|\bpane_91…|--pane P\b", line):
            pane, decision = self._pane_for(line)
            line = re.sub(r"\bPANE\b|\bpane_91…|(?<=--pane )P\b", pane, line)
            line = re.sub(r"(?<=--decision )\S+", decision, line)
        if "TAB" in line:
            line = line.replace("TAB", self._tab())
        if re.search(r"\bTASK\b", line):
            line = re.sub(r"\bTASK\b", self._completed_task(), line)
        if "--workspace W" in line:
            self.rig.cli("new", "--cwd", str(self.repo), "--name", "W", "--", "sleep", "1000")
            line = line.replace("--workspace W", "--workspace w")
        if line.startswith("signaltty report "):
            env["SIGNALTTY_TASK"] = self._working_task()
        if line.startswith(INSIDE):
            env.update(self._variables_of_a_pane(), ID="s-7")
        if line == "signaltty server stop":
            self.rig.new_pane("sleep", "1000")
        words = {"AGENT": "codex", "PROGRAM PROMPT": "claude hello", "--from-seq N": "--from-seq 1"}
        for word, real in words.items():
            line = line.replace(word, real)
        return line

    def _pane_for(self, line: str) -> tuple[str, str]:
        """A pane in the state that the line is about, and the question it asks."""
        if "pane resume" in line:
            return self._ended_pane(), ""
        if "done,idle" in line:
            return self._done_pane(), ""
        if "wait-output" in line:
            return self.rig.new_pane("sh", "-c", "echo listening on port 80; read line"), ""
        pane = self.rig.new_pane("claude")
        if "pane submit" in line:
            wait_until(lambda: self.rig.result("pane", "get", pane)["pane"]["lifecycle"] == "idle", "its input line")
            return pane, ""
        return pane, self._asked(pane)

    def _done_pane(self) -> str:
        pane = self.rig.new_pane("cat")
        for event in ("UserPromptSubmit", "Stop"):
            self.rig.cli("hook-event", "--agent", "claude", "--event", event, "--pane", pane)
        return pane

    def _variables_of_a_pane(self) -> dict[str, str]:
        """What a program finds in its environment to report by."""
        told = self.rig.place / "variables"
        told.unlink(missing_ok=True)
        self.rig.new_pane("sh", "-c", f"env > {told}.new; mv {told}.new {told}; exec cat")
        wait_until(told.exists, "the variables of a pane")
        pairs = (line.partition("=") for line in told.read_text().splitlines())
        return {name: value for name, _, value in pairs if name.startswith(("SIGNALTTY_", "ZENTTY_"))}

    def _tab(self) -> str:
        """A tab with four panes, divided three times."""
        pane = self.rig.new_pane("sleep", "1000")
        for direction in ("right", "down", "right"):
            words = ("pane", "split", pane, "--direction", direction, "--", "sleep", "1000")
            made = self.rig.result(*words)["pane"]["id"]
            pane = made if direction == "down" else pane
        return str(self.rig.result("pane", "get", pane)["pane"]["tab_id"])

    def _asked(self, pane: str) -> str:
        """The id of a question that anybody may answer."""
        words = ("hook-event", "--agent", "claude", "--event", "PermissionRequest", "--pane", pane)
        self._begun.append(self.rig.begin(*words, "--wait-for-answer", "--payload", QUESTION))
        question: dict[str, str] = wait_until(
            lambda: self.rig.result("pane", "get", pane)["pane"].get("pending_decision"), "the question"
        )
        return question["id"]

    def _ended_pane(self) -> str:
        pane = self.rig.new_pane("sh", "-c", "read line")
        self.rig.cli("report-session", "--pane", pane, "--session", "s-1", "--", "sleep", "1000")
        self.rig.cli("pane", "input", pane, "--data", "\n")
        wait_until(lambda: self.rig.result("pane", "get", pane)["pane"]["live"]["state"] == "exited", "its end")
        return pane

    def _completed_task(self) -> str:
        words = ("task", "start", "--repo", str(self.repo), "--objective", "win", "--agent", "claude")
        task = str(self.rig.result(*words)["task"]["id"])
        self.rig.cli("task", "wait", task, "--until", "completed", "--timeout", "30")
        return task

    def _working_task(self) -> str:
        words = ("task", "start", "--repo", str(self.repo), "--objective", "win")
        task = str(self.rig.result(*words, "--", sys.executable, COMPOSER, "plain", "/dev/null")["task"]["id"])
        self.rig.cli("task", "wait", task, "--until", "input_required", "--timeout", "30")
        return task

    def _install_plugins(self) -> None:
        place = self.rig.home / ".config" / "signaltty" / "plugins"
        shutil.copytree(ROOT / "examples" / "plugins", place)
        (place / "handover").mkdir()
        (place / "handover" / "plugin.toml").write_text(HANDOVER)
        (place / "chime").mkdir()
        manual = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
        (place / "chime" / "plugin.toml").write_text(manual.split("```toml\n")[1].split("```")[0])
        (place / "chime" / "ring").write_text('#!/bin/sh\necho "$@"\n')
        (place / "chime" / "ring").chmod(0o755)

    def _follow(self, line: str) -> Said:
        """Until the first event, then the key that interrupts."""
        words = shlex.split(line)
        watcher = subprocess.Popen(
            words, env=self.rig.environment, cwd=self.repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert watcher.stdout is not None
        out, pane, kinds = watcher.stdout.fileno(), self.rig.new_pane("cat"), ("UserPromptSubmit", "Stop")
        told = iter(range(1000))

        def seen() -> bool:
            event = kinds[next(told) % 2]
            self.rig.cli("hook-event", "--agent", "claude", "--event", event, "--pane", pane)
            return bool(select.select([out], [], [], 0)[0])

        wait_until(seen, "an event")
        first = os.read(out, 1 << 16).decode().splitlines()[0]
        assert json.loads(first)["type"] == "event"
        watcher.send_signal(signal.SIGINT)
        _, said = watcher.communicate(timeout=LIMIT_S)
        return (0 if watcher.returncode == 130 else watcher.returncode), first + "\n", said.decode()

    def _run_on_a_terminal(self, line: str, keys: bytes) -> Said:
        """All it shows, until the keys that leave it; standard error is on the terminal too."""
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.repo)
            os.execve("/bin/sh", ["sh", "-c", f"exec {line}"], self.rig.environment)
        shown, until, pressed = b"", time.monotonic() + LIMIT_S, False
        while time.monotonic() < until:
            if select.select([fd], [], [], 0.3)[0]:
                try:
                    part = os.read(fd, 1 << 16)
                except OSError:
                    break
                shown += part
            elif shown and not pressed:
                os.write(fd, keys)
                pressed = True
        else:
            os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        return status, shown.decode(errors="replace"), ""


def shell_of(line: str) -> list[str]:
    """The shell a line is for, and what must have happened there before."""
    for name, before in (("zsh", "autoload -U compinit; compinit -u; "), ("fish", "")):
        if f"completion {name}" in line:
            found = shutil.which(name) or name
            return [found, "-c"] if not before else [found, "-c", before + 'eval "$1"', name]
    return [shutil.which("bash") or "/bin/sh", "-c"]
