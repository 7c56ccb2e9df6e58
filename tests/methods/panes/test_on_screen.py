"""Dialogs in front of the first prompt, which the agent's hooks do not tell of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.stage import Engine

QWEN_TRUST = (
    "\x1b]0;Qwen - dir\x07\x1b[2J\x1b[H   ╭─────\r\n   │ Do you trust this folder?\r\n   │ › 1. Trust folder (dir)\r\n"
    "   │   2. Trust parent folder (work)\r\n   │   3. Don't trust (esc)\r\n   ╰─────"
)
QWEN_PROMPT = (
    "\x1b[2J\x1b[H"
    + "─" * 40
    + "\r\n> \x1b[38;5;103m  Type your message\x1b[m\r\n"
    + "─" * 40
    + "\r\n  ⏸ Ask permissions"
)


def started(screen: str) -> tuple[Engine, str]:
    """A Qwen whose start hook has come, with this on its screen."""
    engine = Engine()
    pane = engine.pane("qwen")
    engine.peer().ask("hook-event", agent="qwen", event="SessionStart", pane_id=pane, payload={"session_id": "s1"})
    engine.ingest.on_output(pane, screen.encode())
    assert engine.world.panes[pane]["lifecycle"] == "idle"
    return engine, pane


def submit(engine: Engine, pane: str) -> list[Any]:
    """What is answered at once."""
    peer = engine.peer()
    peer.say("pane.submit", pane_id=pane, text="go on")
    engine.settle()
    engine.sync()
    return [frame for frame in peer.heard() if "id" in frame]


def test_a_dialog_that_no_hook_tells_of_is_not_typed_at() -> None:
    """Enter would trust the folder."""
    engine, pane = started(QWEN_TRUST)
    (reply,) = submit(engine, pane)
    assert reply["error"] == {
        "code": "AGENT_BUSY",
        "message": "a dialog is on the screen; answer that first",
        "details": {"stage": "dialog", "rule": "trust_folder"},
    }
    assert engine.host.waiting == []


@pytest.mark.parametrize(
    ("screen", "rule"),
    [("\x1b]0;Qwen - dir\x07  ➜ dir\r\n  ⠙ Initializing...", "starting"), ("\x1b]0;Qwen - dir\x07", "prompt_box")],
)
def test_an_agent_that_still_starts_is_not_typed_at(screen: str, rule: str) -> None:
    engine, pane = started(screen)
    (reply,) = submit(engine, pane)
    assert reply["error"] == {
        "code": "AGENT_NOT_READY",
        "message": "the agent shows no prompt yet",
        "details": {"lifecycle": "idle", "rule": rule},
    }
    assert engine.host.waiting == []


def test_a_prompt_that_is_not_known_by_its_looks_is_typed_at_in_the_end() -> None:
    engine, pane = started("\x1b]0;Qwen - dir\x07a new kind of prompt")
    assert len(submit(engine, pane)) == 1
    engine.advance(31)
    assert submit(engine, pane) == []


@pytest.mark.parametrize(
    "screen", [QWEN_PROMPT, QWEN_PROMPT.replace("[H", "[HDo you trust this folder?\r\n3. Don't trust\r\n")]
)
def test_a_prompt_box_is_typed_at(screen: str) -> None:
    engine, pane = started(screen)
    assert submit(engine, pane) == []


def test_after_the_first_turn_the_words_of_a_dialog_are_only_words() -> None:
    engine, pane = started(QWEN_PROMPT)
    for event in ("UserPromptSubmit", "Stop"):
        engine.peer().ask("hook-event", agent="qwen", event=event, pane_id=pane, payload={"session_id": "s1"})
    engine.ingest.on_output(pane, QWEN_TRUST.encode())
    assert submit(engine, pane) == []
