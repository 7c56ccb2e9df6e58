"""What a launch comes to, with real files; programs answer as the test says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.agents.install.edit import installing
from signaltty_core.agents.install.setup import NO_INSERT, NO_PROBE, REVIEW, TAKEN, Setup, Wish, set_up, switched_off
from signaltty_core.base.errors import IoError, TimedOut
from signaltty_core.host.config_files import ConfigFiles
from signaltty_core.state.effects import Run, Work
from tests.play import Play

VERSION = (0, b"2.1.400 (Claude Code)\n", b"")
CONFIRMED = (0, b"codex-cli 0.171.0\n", b"")


class Desk:
    """A home directory with a reporter in it. asked: programs that were run."""

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.bin = place / "bin"
        self.bin.mkdir(parents=True)
        self.files = ConfigFiles(str(place / "launch"))
        self.program = str(self.add("signaltty"))
        self.asked: list[list[str]] = []
        self.answer: Any = CONFIRMED

    def add(self, name: str) -> Path:
        file = self.bin / name
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
        return file

    def wish(self, *argv: str, program: str | None = None, **environ: str) -> Wish:
        agent = {"cursor-agent": "cursor"}.get(argv[0].rsplit("/", 1)[-1], argv[0].rsplit("/", 1)[-1])
        known = {"PATH": str(self.bin), **environ}
        return Wish(agent, list(argv), str(self.home), known, known, str(self.home), program or self.program)

    def set_up(self, *argv: str, **more: str) -> Setup:
        play = Play(set_up(self.wish(*argv, **more), self.files))
        while not play.over:
            if isinstance(play.asked, Work):
                try:
                    done = play.asked.function(*play.asked.args)
                except Exception as fault:
                    play.fail(fault)
                else:
                    play.reply(done)
            else:
                assert isinstance(play.asked, Run)
                self.asked.append(play.asked.argv)
                play.fail(self.answer) if isinstance(self.answer, Exception) else play.reply(self.answer)
        made: Setup = play.ended()
        return made


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_claude_is_asked_for_its_version_once_per_file(desk: Desk) -> None:
    claude = desk.add("claude")
    desk.answer = VERSION
    first = desk.set_up("claude", "fix")
    again = desk.set_up(str(claude))
    assert desk.asked == [["claude", "--version"]]
    assert again.argv == [str(claude), "--settings", first.result["file"]]
    assert "StopFailure" in json.loads(Path(first.result["file"]).read_text())["hooks"]
    claude.write_text("#!/bin/sh\n# a newer one\n")
    desk.answer = TimedOut("too slow")
    unknown = desk.set_up("claude")
    assert "StopFailure" not in json.loads(Path(unknown.result["file"]).read_text())["hooks"]
    desk.answer = (0, b"2.1.331", b"")
    older = desk.set_up("claude")
    assert (older.result["file"], len(desk.asked)) == (unknown.result["file"], 4)  # too slow means asked twice


def test_settings_of_the_callers_own_are_left_alone(desk: Desk) -> None:
    made = desk.set_up("claude", "--settings", "mine.json")
    assert made.result == {"agent": "claude", "status": "disabled", "changed": False, "notice": TAKEN}
    assert (made.argv, desk.asked) == (["claude", "--settings", "mine.json"], [])


def test_a_users_file_that_cannot_be_read_is_no_hindrance_per_launch(desk: Desk) -> None:
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{broken")
    made = desk.set_up("claude")
    assert (made.result["status"], made.argv[1]) == ("configured", "--settings")
    assert settings.read_text() == "{broken"


@pytest.mark.parametrize("agent", ["claude", "opencode", "pi", "copilot"])
def test_where_the_users_own_file_reports_nothing_is_added(desk: Desk, agent: str) -> None:
    from signaltty_core.agents.install.agent_files import place_of

    path = place_of(agent).find({}, str(desk.home), "/")
    desk.files.edit(path, installing(agent, "/other/signaltty"))
    before = Path(path).read_bytes()
    made = desk.set_up(agent)
    assert made.result == {"agent": agent, "status": "configured", "changed": False, "file": path}
    assert (made.argv, made.environ, Path(path).read_bytes()) == ([agent], {}, before)


def test_codex_says_what_is_to_be_done_when_its_file_changed(desk: Desk) -> None:
    path = str(desk.home / ".codex" / "hooks.json")
    first = desk.set_up("codex", "fix")
    assert first.result == {"agent": "codex", "status": "configured", "changed": True, "file": path, "notice": REVIEW}
    assert (first.argv, desk.asked) == (["codex", "--no-daemon", "fix"], [["codex", "--no-daemon", "--version"]])
    again = desk.set_up("codex", "fix")
    assert again.result == {"agent": "codex", "status": "configured", "changed": False, "file": path}


@pytest.mark.parametrize("answer", [TimedOut("x"), IoError("no such program"), (2, b"", b"unknown option")])
def test_a_codex_that_does_not_confirm_keeps_its_words(desk: Desk, answer: Any) -> None:
    desk.set_up("codex")
    desk.answer = answer
    made = desk.set_up("codex")
    assert (made.argv, made.result["status"], made.result["notice"]) == (["codex"], "disabled", NO_PROBE)


def test_a_program_that_starts_slowly_once_is_asked_again(desk: Desk) -> None:
    play = Play(set_up(desk.wish("codex"), desk.files))
    while isinstance(play.asked, Work):
        play.reply(play.asked.function(*play.asked.args))
    first = play.asked
    assert isinstance(first, Run)
    made = play.fail(TimedOut("cold")).expect(first).reply(CONFIRMED).ended()
    assert made.argv == ["codex", "--no-daemon"]


def test_a_broken_file_outweighs_a_probe_that_failed(desk: Desk) -> None:
    path = desk.home / ".codex" / "hooks.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    made = desk.set_up("codex")
    reason = "codex was not configured: invalid settings: the root is not an object"
    assert (made.argv, made.result["status"], made.result["notice"]) == (["codex", "--no-daemon"], "error", reason)
    desk.answer = TimedOut("x")
    made = desk.set_up("codex")
    assert (made.argv, made.result["status"], made.result["notice"]) == (["codex"], "error", f"{reason}; {NO_PROBE}")


@pytest.mark.parametrize(
    ("words", "status", "notice"),
    [
        (["exec", "fix"], "configured", None),
        (["--help"], "configured", None),
        (["--no-daemon"], "configured", None),
        (["--remote", "ws://x"], "disabled", NO_INSERT),
        (["--unheard-of"], "disabled", NO_INSERT),
    ],
)
def test_other_calls_of_codex_stay_as_they_are(desk: Desk, words: list[str], status: str, notice: str | None) -> None:
    desk.set_up("codex")
    desk.asked.clear()
    made = desk.set_up("codex", *words)
    assert (made.argv, made.result["status"], made.result.get("notice")) == (["codex", *words], status, notice)
    assert desk.asked == []


def test_a_reporter_that_cannot_be_run_is_replaced_by_the_one_on_path(desk: Desk) -> None:
    made = desk.set_up("pi", program="/nowhere/signaltty")
    assert f'"{desk.program}"' in Path(made.result["file"]).read_text()
    Path(desk.program).chmod(0o644)
    made = desk.set_up("pi", program="/nowhere/signaltty")
    assert (made.result["status"], made.argv) == ("error", ["pi"])
    assert "/nowhere/signaltty cannot be run" in made.result["notice"]


def test_whatever_goes_wrong_the_launch_goes_on(desk: Desk) -> None:
    (desk.home / ".cursor").parent.mkdir()
    (desk.home / ".cursor").write_text("a file where a directory should be")
    made = desk.set_up("cursor-agent")
    assert (made.result["status"], made.argv) == ("error", ["cursor-agent"])
    made = desk.set_up("cursor-agent", program="\0")
    assert (made.result["status"], made.argv) == ("error", ["cursor-agent"])


def test_switched_off_means_nothing_is_touched(desk: Desk) -> None:
    made = switched_off(desk.wish("codex"))
    assert (made.result, made.argv) == ({"agent": "codex", "status": "disabled", "changed": False}, ["codex"])
