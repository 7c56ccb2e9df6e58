"""Every command that a document or a help text shows is run as it stands, in a sandbox; what it says has its shape."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from signaltty_core.agents.manifest import parse as parse_manifest
from signaltty_core.cli import table
from signaltty_core.cli.words import Unusual, parse
from tests.e2e.rig import ROOT, Rig
from tests.e2e.stage import Stage

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples" / "plugins" / "README.md")
MADE = "cli.md"  # its running text holds patterns of commands, not commands
BEGIN = r"(?:\$ )?((?:signaltty|eval|cp|mkdir|\./scripts/|\.venv/)\b.*)"
# what begins so is not run here, and why
NOT_RUN = {
    "./scripts/": "works on the checkout itself: these build what is run here, and run this test",
    ".venv/": "works on the checkout itself",
    "signaltty man | man -l -": "needs the program man; the page is read in tests/cli/local/test_man.py",
    "signaltty …": "stands for every command",
}
# what begins so ends otherwise than well, and says so
OTHER_ENDS = {"signaltty server stop": (1, r"signaltty: .* \(PANES_ALIVE\)\n")}
STATE = r"(unknown|working|blocked|done|idle|failed|exited)"
ATTENTION = r"(none|unread|warning|input_required|permission_required|error)"
# what begins so says this, wholly
SAYS = {
    "signaltty new": r"workspace ws_\w+ \([\w-]+\) pane pane_\w+\n",
    "signaltty ls": r"([\w-]+  .*\n(  .*\n)*)+",
    "signaltty board": r"(\d+ panes? needs? you|nobody needs you)  \(.*\n(.*\n)*",
    "signaltty board --watch": r"\x1b.*(needs? you|nobody needs you)  \(.*",
    "signaltty demo": r"(.*\n)+",
    "signaltty attach": r".*\x1b\[.*",
    "signaltty attention": r"(pane_\w+  \w+  .*\n)+|no panes require attention\n",
    "signaltty wait": rf"satisfied: lifecycle={STATE} attention={ATTENTION}\n",
    "signaltty events": r'\{"protocol":"signaltty/1","type":"event",.*\}\n',
    "signaltty pane read": r"(.*\n)*",
    "signaltty pane get": r"pane_\w+ .* live=live .*\ndecision permission_\w+: .*\n  once — .*\n(  .*\n)*|\{.*\}\n",
    "signaltty pane explain": r"pane_\w+ kind=claude .*\n([ *] .*\n)*(.* decides\n)(.*\n)*",
    "signaltty pane split": r"pane pane_\w+\n",
    "signaltty pane spawn": r"pane pane_\w+\n",
    "signaltty pane input": r"wrote 11 bytes\n",
    "signaltty pane submit": rf"submitted: outcome=\w+ seq=\d+ lifecycle={STATE}\n",
    "signaltty pane wait-output": r"listening on port 80\n",
    "signaltty pane rename": r"renamed pane_\w+ to api\n",
    "signaltty pane resume": r"resumed pane_\w+\n",
    "signaltty decision answer": r"answered permission_\w+ with once\n",
    "signaltty notify": r"notification \w+\n",
    "signaltty hook-event": "",
    "signaltty report": r"reported completed: task task_\w+ is completed\n",
    "signaltty task start": r"task task_\w+ pane pane_\w+ \(state=\w+\)\n",
    "signaltty task wait": r"satisfied: 1 tasks\n",
    "signaltty task get": r"task_\w+ state=completed repo=.* branch=.*\n",
    "signaltty task diff": r"(.*\n)*total .*\n(.*\n)*merge into main: clean\n",
    "signaltty task finish": r"finished task task_\w+: (merged into main \(\w+\)|discarded).*\n",
    "signaltty workspace create": r"workspace ws_\w+ \([\w-]+\)\n",
    "signaltty worktree create": r"workspace ws_\w+ \(api-fix\) at /.*/api-fix\n",
    "signaltty tab set-ratio": r"ratio 0.3\n",
    "signaltty tab export": r"tab tab_\w+\n(pane_\w+\n){4}",
    "signaltty report-session": r"session recorded for pane_\w+\n",
    "signaltty status-signal": r".*\n?",
    "signaltty ipc agent-event": "",
    "signaltty debug replay": r"(.*\n)+",
    "signaltty worktree list": r"/.*  main \[main\].*\n(/.*\n)*",
    "signaltty call": r"\{\n(.*\n)*\}\n",
    "signaltty agents": r"(.*  \d+ rules\n)*",
    "signaltty plugin list": r"bell 1.0  .*\nchime 1.0  .*\nhandover .*\nworklog 1.0  .*\n",
    "signaltty plugin reload": r"bell 1.0  .*\nchime 1.0  .*\nhandover .*\nworklog 1.0  .*\n",
    "signaltty plugin run": r"(.+\n)+",
    "signaltty integration install": r"(configured|already configured) codex hooks \(.*hooks.json\)\n",
    "signaltty integration uninstall": r"((removed|not installed) .*\n)+",
    "signaltty integration status": r"(.*: (not )?installed \(.*\)\n)+manifest.*\n",
    "signaltty skill install": r"(installed /.*\n){3}|already installed\n",
    "signaltty skill uninstall": r"(removed /.*\n){3}|not installed\n",
    "signaltty skill status": r"(/.*: (not )?installed\n){3}",
    "signaltty skill cat": r"<!-- signaltty skill.*\n---\n(.*\n)+",
    "signaltty doctor": r"((ok|warn)  .*\n)+",
    "signaltty status": r"signaltty \S+ \(signaltty/1\) up \d+s — .*\n",
    "signaltty server start": r"server running \(pid \d+\) at /.*\n",
    "signaltty server restart": r"server running \(pid \d+\) at /.*\n",
    "signaltty server stop --force": r"stopped\n",
    "signaltty server stop": "",
    "signaltty server logs": r"(.*\n)*",
    "signaltty man": r"\.\\\".*\n\.TH SIGNALTTY 1 (.*\n)+",
    "signaltty completion": r"",  # it goes into a shell
    "eval": "",
    "cp": "",
    "mkdir": "",
}


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def shown() -> list[str]:
    """Every command in a block, every whole command in running text, every example of the help; comments cut off."""
    found = [command.example for command in table.every() if command.example]
    for path in DOCUMENTS:
        for block in (*blocks(path, ""), *blocks(path, "sh")):
            found += [match[1] for match in (re.fullmatch(BEGIN, line) for line in block.splitlines()) if match]
        text = re.sub("^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        if path.name != MADE:
            found += re.findall("`(signaltty [^`]+)`", text)
    return list(dict.fromkeys(re.sub(r"\s+# .*", "", line).strip() for line in found))


def is_name(line: str) -> bool:
    """Whether it names a command, or several, and is no whole one."""
    words = line.split()[1:]
    known = [command for command in table.every() if list(command.words[: len(words)]) == words]
    if not known or [command for command in known if len(command.words) > len(words)]:
        return bool(known)
    try:
        parse(known[0], [])
    except Unusual:
        return True
    return False


def begins(line: str, words: str) -> bool:
    return line.startswith(words) and (words.endswith("/") or line[len(words) : len(words) + 1] in ("", " "))


def entry(line: str, table: dict[str, str]) -> str | None:
    """What the longest fitting beginning has."""
    fitting = [words for words in table if begins(line, words)]
    return table[max(fitting, key=len)] if fitting else None


RUN = [line for line in shown() if entry(line, NOT_RUN) is None and not is_name(line)]
NAMES = [line for line in shown() if entry(line, NOT_RUN) is None and is_name(line)]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    rig = Rig()
    made = Stage(rig)
    try:
        yield made
    finally:
        made.end()
        rig.end()


@pytest.mark.parametrize("line", RUN)
def test_a_shown_command_does_what_it_is_shown_for(stage: Stage, line: str) -> None:
    for shell in ("zsh", "fish"):
        if f"completion {shell}" in line and not shutil.which(shell):
            pytest.skip(f"{shell} is not installed here")
    expected = entry(line, SAYS)
    assert expected is not None, f"SAYS lacks the shape of what {line!r} prints"
    status, out, said = stage.run(line)
    wanted, refusal = OTHER_ENDS.get(line, (0, ""))
    assert (status, "Traceback" in out + said) == (wanted, False), (out, said)
    assert re.fullmatch(expected, out, re.DOTALL if "\x1b" in out else 0), out
    if refusal:
        assert re.fullmatch(refusal, said), said
    assert not [one for one in said.splitlines() if "(INTERNAL)" in one or "unexpected" in one]


@pytest.mark.parametrize("line", NAMES)
def test_a_named_command_has_help(stage: Stage, line: str) -> None:
    words = line.split()[1:]
    said = stage.rig.cli(*words, "--help").stdout
    assert said.startswith(f"Usage: signaltty {' '.join(words)} ")


def test_every_reason_and_shape_is_still_needed() -> None:
    lines = shown()
    tables = (NOT_RUN, SAYS, OTHER_ENDS)
    assert [words for one in tables for words in one if not any(begins(line, words) for line in lines)] == []


def test_the_manifest_that_is_shown_is_one() -> None:
    (text,) = blocks(ROOT / "docs" / "agents.md", "toml")
    made = parse_manifest("mender.toml", text.encode())
    assert (made.kind, made.binaries, [rule.id for rule in made.rules]) == (
        "generic",
        ("mender", "mender-*"),
        ["asks", "works"],
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_shell_blocks_are_what_a_shell_reads() -> None:
    for path in DOCUMENTS:
        for block in blocks(path, "sh"):
            for line in block.splitlines():
                assert shlex.split(line, comments=True) or not line.strip() or line.startswith("#"), line
