"""What a person at a terminal is shown, and who counts as one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.server.rig import PROGRAM, PYTHON, Shop, b64, running, wait_until

QUESTION = {"id": "d1", "prompt": "Delete all?", "options": [{"id": "yes", "label": "\u202eseY\x1b[8m"}]}
# a line that it reads is run by a shell below it
SHELL = 'stty -echo; printf ready; while read -r line; do case "$line" in ?*) sh -c "($line); echo over" ;; esac; done'


@pytest.mark.parametrize(("options", "outcome"), [((), "FORBIDDEN"), (("--allow-self-approval",), "answered d1")])
def test_what_runs_inside_a_pane_does_not_answer_its_question_unless_allowed(
    options: tuple[str, ...], outcome: str
) -> None:
    """Edge case 178."""
    with running(*options) as server:
        shop = Shop(server)
        asks, other = (shop.run(SHELL, agent_hint=kind)["id"] for kind in ("codex", "generic"))
        shop.shows(other, "ready")
        shop.shows(asks, "ready")
        shop.client.call("hook-event", agent="codex", event="PermissionRequest", pane_id=asks, decision=QUESTION)
        answer = f"{PYTHON} {PROGRAM} decision answer --pane {asks} --decision d1 --option yes\n"
        shop.client.call("pane.input", pane_id=asks, data_b64=b64(answer.encode()))
        shop.shows(asks, "over")
        assert outcome in shop.text(asks)
        assert ("pending_decision" in shop.get(asks)) == (not options)
        if not options:
            shop.client.call("pane.input", pane_id=other, data_b64=b64(answer.encode()))
            shop.shows(other, "over")
            assert "answered d1" in shop.text(other)
            assert shop.get(asks)["lifecycle"] == "working"


def test_nothing_that_hides_or_reorders_text_reaches_a_person(shop: Shop) -> None:
    """Edge case 156: from a program's title and notification, a label, a name, a directory, a question."""
    odd = "a\x1b[31mb\x9b32mc\u202ed\u2066e\u200bf\x07g\x7fh\x85i"
    place = Path(shop.server.work) / odd
    place.mkdir()
    workspace = shop.client.call("workspace.create", cwd=str(place), name=odd)["workspace"]["id"]
    pane = shop.client.call(
        "pane.spawn",
        workspace_id=workspace,
        argv=["sh", "-c", 'printf "\\033]2;%s\\007\\033]9;%s\\007%s" "$1" "$1" "$1"; exec cat', "sh", "t\u202e\x9bt"],
        label=odd,
        agent_hint="claude",
    )["pane"]
    wait_until(lambda: shop.get(pane["id"])["title"] == "tt", "the title")
    shop.client.call("notify", pane_id=pane["id"], title=odd, body=odd)
    shop.client.call("hook-event", agent="claude", event="PermissionRequest", pane_id=pane["id"], decision=QUESTION)
    lines = [
        *(["ls"], ["board"], ["attention"], ["pane", "list"], ["workspace", "list"], ["notification", "list"]),
        *(["pane", "get", pane["id"]], ["pane", "read", pane["id"]], ["workspace", "get", workspace]),
        *(["pane", "rename", pane["id"], odd], ["workspace", "get", odd], [odd], ["pane", "get", f"--{odd}"]),
        *(["hook-event", "--agent", "claude", "--event", odd, "--pane", pane["id"]], ["status-signal", "send", odd]),
    ]
    hidden = {chr(code) for code in (*range(10), *range(11, 32), *range(127, 160))} | set("\u202e\u2066\u200b")
    for words in lines:
        done = subprocess.run(
            [PYTHON, PROGRAM, "--socket", shop.server.path, *words],
            env=shop.server.environ,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        said = done.stdout + done.stderr
        # what a screen shows stays as it is but for controls: whole scripts are written with these marks
        assert said and not (hidden - {"\u202e"} if words[1:2] == ["read"] else hidden) & set(said), (words, said)
        if words[:2] == ["pane", "get"] and not done.returncode:
            assert "\n  yes — \\u202eseY\\u001b[8m\n" in said


def test_a_notification_from_outside_every_pane_has_none(shop: Shop) -> None:
    """Edge case 176."""
    line = [PYTHON, PROGRAM, "--socket", shop.server.path, "notify", "--title", "tests are green"]
    done = subprocess.run(line, env=shop.server.environ, capture_output=True, text=True, timeout=20, check=True)
    newest = shop.client.call("notification.list", limit=1)["notifications"][0]
    assert (done.stdout, done.stderr) == (f"notification {newest['id']}\n", "")
    assert {key: newest.get(key) for key in ("title", "body", "severity", "source", "pane_id", "workspace_id")} == {
        **{"title": "tests are green", "body": "", "severity": "info", "source": "cli"},
        **{"pane_id": None, "workspace_id": None},
    }
