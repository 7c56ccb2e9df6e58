"""pane.resume: who may be resumed, in what order things happen, and what the pane looks like afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane, SpawnFailed
from signaltty_core.state import attention, decisions, lifecycle
from signaltty_core.state.effects import Spawn, Work
from tests.methods.shop import Shop, answered, up_to_spawn

RESUME = ["claude", "--resume", "s-1"]


def ended(shop: Shop, **agent: Any) -> str:
    """A pane whose child has ended, and that could go on."""
    known = {"kind": "claude", "agent_session_id": "s-1", "resume_argv": RESUME, **agent}
    pane_id = shop.pane(agent={name: value for name, value in known.items() if value is not None})
    shop.change(lifecycle.end_child, pane_id, 0, None)
    return pane_id


def test_a_resumed_pane_has_a_new_process_and_an_unknown_state() -> None:
    shop = Shop()
    pane_id = ended(shop, config_env={"CLAUDE_CONFIG_DIR": "/cc"})
    before = shop.world.instances[pane_id]
    shop.change(lambda draft: draft.pane(pane_id).update(title="some title"))
    seq = shop.world.seq
    play = up_to_spawn(shop.play("pane.resume", pane_id=pane_id))
    assert isinstance(play.asked, Spawn)
    assert (play.asked.argv, play.asked.cwd, play.asked.env["CLAUDE_CONFIG_DIR"]) == (RESUME, "/work", "/cc")
    pane = play.reply({"pid": 9, "start_time": 2}).ended()["pane"]
    shown = ("id", "live", "restore_state", "lifecycle", "last_lifecycle", "title", "argv")
    assert [pane[name] for name in shown] == [
        pane_id,
        {"state": "live"},
        "LIVE",
        "unknown",
        "exited",
        "claude",
        ["claude"],
    ]
    instance = shop.world.instances[pane_id]
    assert instance["process_instance"] != before["process_instance"]
    assert (instance["pid"], instance["attention_seq"], instance["spoken"]) == (9, seq, [])
    made = [payload for number, event, payload in shop.events if number > seq and event == "pane.created"]
    assert made == [{"pane": shop.world.panes[pane_id], "resumed": True}]
    assert ("open_runtime", pane_id, 80, 24) in shop.machine.deeds


def test_a_resume_takes_the_callers_path_and_keeps_the_place_of_the_session() -> None:
    shop = Shop()
    pane_id = ended(shop, config_env={"CLAUDE_CONFIG_DIR": "/cc"})
    env = {"PATH": "/tools", "CLAUDE_CONFIG_DIR": "/other", "CODEX_HOME": "/other", "SECRET": "never"}
    play = up_to_spawn(shop.play("pane.resume", pane_id=pane_id, env=env))
    assert isinstance(play.asked, Spawn)
    assert {name: play.asked.env.get(name) for name in env} == {
        "PATH": "/tools",
        "CLAUDE_CONFIG_DIR": "/cc",
        "CODEX_HOME": None,
        "SECRET": None,
    }
    play.reply({"pid": 9, "start_time": 2}).ended()
    assert shop.world.panes[pane_id]["agent"]["config_env"] == {"CLAUDE_CONFIG_DIR": "/cc"}


def test_what_the_last_process_asked_is_over() -> None:
    shop = Shop()
    pane_id = ended(shop)
    asked = decisions.make("d-1", "Go on?", [{"id": "y", "label": "Yes"}], answerable=True, at=shop.at)
    shop.change(decisions.set_decision, pane_id, asked)
    shop.change(attention.raise_to, pane_id, "permission_required")
    seq = shop.world.seq
    answered(shop.play("pane.resume", pane_id=pane_id))
    assert shop.state(pane_id) == ("unknown", "unread")
    assert "pending_decision" not in shop.world.panes[pane_id]
    cleared = [payload for number, event, payload in shop.events if number > seq and event == "decision.cleared"]
    assert cleared == [{"pane_id": pane_id, "decision_id": "d-1", "reason": "pane_exited"}]


def test_other_levels_of_attention_stay() -> None:
    shop = Shop()
    pane_id = ended(shop)
    shop.change(attention.raise_to, pane_id, "error")
    answered(shop.play("pane.resume", pane_id=pane_id))
    assert shop.state(pane_id) == ("unknown", "error")


def test_one_resume_at_a_time() -> None:
    """Edge case 18."""
    shop = Shop()
    pane_id = ended(shop)
    first = shop.play("pane.resume", pane_id=pane_id)
    assert isinstance(first.asked, Work)
    with pytest.raises(BadParams, match="already live"):
        shop.play("pane.resume", pane_id=pane_id).ended()
    answered(first)
    with pytest.raises(BadParams, match="already live"):
        shop.play("pane.resume", pane_id=pane_id).ended()


def test_what_cannot_be_resumed() -> None:
    shop = Shop()
    with pytest.raises(NoSuchPane):
        shop.play("pane.resume", pane_id="pane_9").ended()
    with pytest.raises(BadParams, match="already live"):
        shop.play("pane.resume", pane_id=shop.pane()).ended()
    with pytest.raises(BadParams, match="no resume command"):
        shop.play("pane.resume", pane_id=ended(shop, resume_argv=None)).ended()


def test_a_directory_that_is_gone_is_named_and_the_pane_stays_free() -> None:
    shop = Shop()
    pane_id = ended(shop)
    play = shop.play("pane.resume", pane_id=pane_id).reply("does not exist")
    with pytest.raises(BadParams, match="/work does not exist"):
        play.ended()
    answered(shop.play("pane.resume", pane_id=pane_id))


def test_a_program_that_does_not_start_leaves_the_pane_and_its_socket_as_they_were() -> None:
    shop = Shop()
    pane_id = ended(shop)
    before = (shop.world.panes[pane_id], shop.world.instances[pane_id], shop.world.seq)
    play = up_to_spawn(shop.play("pane.resume", pane_id=pane_id)).fail(SpawnFailed("no such program"))
    with pytest.raises(SpawnFailed):
        play.ended()
    assert (shop.world.panes[pane_id], shop.world.instances[pane_id], shop.world.seq) == before
    assert "mute" not in [deed[0] for deed in shop.machine.deeds]
    answered(shop.play("pane.resume", pane_id=pane_id))


def test_a_pane_that_is_closed_meanwhile_gets_no_process() -> None:
    shop = Shop()
    pane_id = ended(shop)
    play = up_to_spawn(shop.play("pane.resume", pane_id=pane_id))
    shop.change(lambda draft: draft.remove(pane_id))
    with pytest.raises(NoSuchPane):
        play.reply({"pid": 9, "start_time": 2}).ended()
    assert ("end", pane_id, "KILL") in shop.machine.deeds
