"""`skill …` in a home directory of its own, and the document's own commands against the table and a real server."""

from __future__ import annotations

import json
import shlex

import pytest

from signaltty_core.base.version import VERSION
from signaltty_core.cli import table
from signaltty_core.cli.local.skill_text import INSTALLED, TEXT, sum_of
from signaltty_core.cli.words import parse
from tests.e2e.rig import Rig

HOMES = (".agents", ".claude", ".codex")


def shown_commands() -> list[str]:
    """Every line of the document's code blocks."""
    blocks = TEXT.split("```\n")[1::2]
    return [line for block in blocks for line in block.splitlines()]


def test_the_document_begins_with_its_mark_and_says_when_to_act() -> None:
    first, second = TEXT.splitlines()[:2]
    assert (first.startswith("<!-- signaltty skill"), first.endswith("-->"), second) == (True, True, "---")
    assert f"version {VERSION}, sum " in first
    assert "only when `SIGNALTTY_PANE` is set" in TEXT


def test_an_installed_document_begins_with_what_agents_read_first() -> None:
    lines = INSTALLED.splitlines()
    end = lines.index("---", 1)
    assert (lines[0], lines[1], lines[2]) == ("---", "name: signaltty", "description: >-")
    assert lines[end + 1].startswith("<!-- signaltty skill") and lines[end + 1].endswith(" -->")
    assert sorted(lines) == sorted(TEXT.splitlines())


@pytest.mark.parametrize("line", shown_commands())
def test_every_command_of_the_document_is_one_the_program_takes(line: str) -> None:
    words = shlex.split(line)
    assert words[0] == "signaltty"
    fitting = [command for command in table.load(words[1]) if list(command.words) == words[1 : 1 + len(command.words)]]
    command = max(fitting, key=lambda one: len(one.words))
    values = parse(command, words[1 + len(command.words) :])
    if command.check is not None:
        command.check(values)


def test_the_baseline_of_the_document_works_as_it_says(rig: Rig) -> None:
    pane = rig.result("new", "--", "/bin/cat")["pane_id"]
    baseline = json.dumps(rig.result("pane", "get", pane)["wait_baseline"])
    rig.cli("hook-event", "--agent", "claude", "--event", "UserPromptSubmit", "--pane", pane)
    rig.cli("hook-event", "--agent", "claude", "--event", "Stop", "--pane", pane)
    said = rig.result("wait", "--pane", pane, "--until", "done,failed,blocked", "--after-baseline", baseline)
    assert said["lifecycle"] == "done"


def test_cat_prints_the_document(rig: Rig) -> None:
    assert rig.cli("skill", "cat").stdout == TEXT
    assert rig.result("skill", "cat") == {"version": VERSION, "text": TEXT}


def test_check_knows_a_pane_by_its_variable(rig: Rig) -> None:
    inside = rig.cli("skill", "check", env={"SIGNALTTY_PANE": "pane_1"})
    assert (inside.stdout, inside.stderr) == ("managed pane pane_1\n", "")
    for env in ({}, {"SIGNALTTY_PANE": ""}):
        outside = rig.cli("skill", "check", status=1, env=env)
        assert (outside.stdout, outside.stderr) == ("", "signaltty: not inside a pane: SIGNALTTY_PANE is not set\n")
    assert not rig.socket.exists()


def test_install_twice_and_uninstall_twice(rig: Rig) -> None:
    files = [rig.home / name / "skills" / "signaltty" / "SKILL.md" for name in HOMES]
    assert rig.result("skill", "status") == {
        "skills": [{"dir": str(file.parent), "installed": False} for file in files]
    }
    assert rig.cli("skill", "install").stdout == "".join(f"installed {file}\n" for file in files)
    assert [file.read_text() for file in files] == [INSTALLED] * 3
    assert rig.cli("skill", "install").stdout == "already installed\n"
    assert rig.result("skill", "install") == {"files": [str(file) for file in files], "changed": False}
    assert [one["installed"] for one in rig.result("skill", "status")["skills"]] == [True] * 3
    assert rig.result("skill", "uninstall") == {"files": [str(file) for file in files], "changed": True}
    assert [file.parent.exists() for file in files] == [False] * 3
    assert rig.cli("skill", "uninstall").stdout == "not installed\n"


def test_an_older_version_is_replaced_and_other_content_is_left_alone(rig: Rig) -> None:
    """Edge case 58."""
    ours, theirs, linked = (rig.home / name / "skills" / "signaltty" / "SKILL.md" for name in HOMES)
    for file in (ours, theirs, linked):
        file.parent.mkdir(parents=True)
    ours.write_text("<!-- signaltty skill, version 0.0.1 -->\nold\n")
    theirs.write_text("my own notes\n")
    elsewhere = rig.home / "notes.md"
    elsewhere.write_text("<!-- signaltty skill -->\nlinked\n")
    linked.symlink_to(elsewhere)
    said = rig.cli("--json", "skill", "install")
    assert json.loads(said.stdout) == {"files": [str(ours)], "changed": True}
    assert said.stderr == "".join(f"signaltty: {file} is not ours and stays as it is\n" for file in (theirs, linked))
    assert (ours.read_text(), theirs.read_text()) == (INSTALLED, "my own notes\n")
    assert elsewhere.read_text() == "<!-- signaltty skill -->\nlinked\n"
    assert rig.cli("skill", "status").stdout == (
        f"{ours.parent}: installed\n{theirs.parent}: not ours\n{linked.parent}: not ours\n"
    )
    (ours.parent / "more.md").write_text("kept\n")
    assert rig.result("skill", "uninstall") == {"files": [str(ours)], "changed": True}
    assert (ours.parent.exists(), theirs.exists(), linked.is_symlink()) == (True, True, True)


def test_a_later_version_replaces_ours_and_spares_what_was_changed_by_hand(rig: Rig) -> None:
    ours, edited, front = (rig.home / name / "skills" / "signaltty" / "SKILL.md" for name in HOMES)
    rig.cli("skill", "install")
    rest = "---\nname: signaltty\n---\nold\n"
    older = f"---\nname: signaltty\n---\n<!-- signaltty skill, version 0.0.9, sum {sum_of(rest.encode())} -->\nold\n"
    ours.write_text(older)
    edited.write_text(INSTALLED + "\nAlso greet the person.\n")
    front.write_text(INSTALLED.replace("name: signaltty", "name: terminals"))
    kept = (edited.read_text(), front.read_text())
    said = rig.cli("--json", "skill", "install")
    assert json.loads(said.stdout) == {"files": [str(ours)], "changed": True}
    assert said.stderr == "".join(
        f"signaltty: {file} is changed by hand and stays as it is\n" for file in (edited, front)
    )
    assert ours.read_text() == INSTALLED
    gone = rig.cli("--json", "skill", "uninstall")
    assert (json.loads(gone.stdout), gone.stderr) == ({"files": [str(ours)], "changed": True}, said.stderr)
    assert (edited.read_text(), front.read_text()) == kept


def test_another_home_and_one_that_cannot_be_written(rig: Rig) -> None:
    other = rig.place / "other"
    rig.cli("skill", "install", "--home", str(other))
    assert (other / ".codex" / "skills" / "signaltty" / "SKILL.md").read_text() == INSTALLED
    assert list(rig.home.iterdir()) == []
    blocked = rig.place / "file"
    blocked.write_text("")
    said = rig.cli("skill", "install", "--home", str(blocked), status=1)
    path = blocked / ".agents" / "skills" / "signaltty" / "SKILL.md"
    assert said.stderr == f"signaltty: cannot read {path}: Not a directory\n"
