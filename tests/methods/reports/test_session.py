"""report-session: ids, the caller's own resume command, and what replaces it."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane
from tests.fake import Stage


def report(stage: Stage, pane: str, session: Any = "s1", **more: Any) -> Any:
    return stage.ask("report-session", pane_id=pane, agent_session_id=session, **more)["pane"]["agent"]


def test_a_session_brings_kind_and_resume_command_and_is_published() -> None:
    stage = Stage()
    pane = stage.pane("generic", argv=["bash"])
    assert report(stage, pane, agent="claude") == {
        "kind": "claude",
        "agent_session_id": "s1",
        "resume_argv": ["claude", "--resume", "s1"],
    }
    assert stage.told() == ["pane.updated"]
    assert stage.events[0][2]["pane"] == stage.world.panes[pane]


@pytest.mark.parametrize("agent", [None, "nobody", "none"])
def test_a_missing_or_unknown_agent_counts_as_generic(agent: str | None) -> None:
    stage = Stage()
    assert report(stage, stage.pane(), agent=agent) == {"kind": "generic", "agent_session_id": "s1"}


@pytest.mark.parametrize("session", ["", "-x", "a\nb", "a\x9bb", "x" * 513, "a\ud800"])
def test_an_invalid_session_id_is_refused(session: str) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams, match="agent_session_id"):
        report(stage, pane, session)
    assert stage.told() == []


def test_a_session_id_may_have_512_characters() -> None:
    stage = Stage()
    assert report(stage, stage.pane(), "x" * 512)["agent_session_id"] == "x" * 512


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["claude"] * 65,
        ["x", "y" * 8192],
        ["x", "é" * 4096],
        ["claude", "a\x07"],
        ["claude", "a\ud800"],
        ["/usr/bin/claude"],
        ["-claude"],
        [""],
        ["a b"],
    ],
)
def test_a_resume_command_outside_the_limits_is_refused(argv: list[str]) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams, match=r"^resume_argv"):
        report(stage, pane, resume_argv=argv)


@pytest.mark.parametrize("argv", [["c"] * 64, ["x", "y" * 8191], ["A-z_0.9", "any thing"]])
def test_a_resume_command_at_the_limits_is_taken(argv: list[str]) -> None:
    stage = Stage()
    assert report(stage, stage.pane(), resume_argv=argv)["resume_argv"] == argv


def test_an_own_resume_command_lives_as_long_as_agent_and_session() -> None:
    stage = Stage()
    pane = stage.pane()
    own = ["claude-wrap", "--again"]
    report(stage, pane, agent="claude", resume_argv=own)

    def hook(session: str) -> Any:
        payload = {"session_id": session}
        stage.ask("hook-event", agent="claude", event="UserPromptSubmit", pane_id=pane, payload=payload)
        return stage.world.panes[pane]["agent"]["resume_argv"]

    assert hook("s1") == own
    assert hook("s2") == ["claude", "--resume", "s2"]


def test_an_absolute_program_of_the_same_name_is_kept_for_the_resume() -> None:
    stage = Stage()
    pane = stage.pane(argv=["/opt/x/claude", "--model", "opus"])
    other = stage.pane(argv=["/opt/x/claude-beta"])
    assert report(stage, pane, agent="claude")["resume_argv"] == ["/opt/x/claude", "--resume", "s1"]
    assert report(stage, other, agent="claude")["resume_argv"] == ["claude", "--resume", "s1"]


def test_another_session_grows_the_generation_and_the_first_does_not() -> None:
    """Edge case 44, the bookkeeping."""
    stage = Stage()
    pane = stage.pane()
    seen = []
    for session in ("s1", "s1", "s2", "s1"):
        report(stage, pane, session, agent="claude")
        seen.append(stage.world.instances[pane]["session_generation"])
    assert seen == [0, 0, 1, 2]


def test_another_session_takes_the_question_from_its_waiter() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = stage.play(
        "hook-event",
        agent="claude",
        event="PermissionRequest",
        pane_id=pane,
        payload={"session_id": "s1", "tool_name": "Bash", "tool_input": {}},
        wait_for_answer=True,
    )
    report(stage, pane, "s1", agent="claude")
    assert not waiting.look().over
    report(stage, pane, "s2", agent="claude")
    assert stage.events[-1][2]["reason"] == "native_cancelled"
    assert waiting.look().ended()["cancelled"] == "moved_on"


def test_a_restored_pane_becomes_resumable() -> None:
    stage = Stage()
    pane = stage.pane(live={"state": "exited", "code": None}, restore_state="RESTORED")
    report(stage, pane, agent="claude")
    assert stage.world.panes[pane]["restore_state"] == "RESUMABLE"


def test_an_unknown_pane_is_refused() -> None:
    with pytest.raises(NoSuchPane):
        report(Stage(), "pane_none")


@pytest.mark.parametrize("wrong", [{"pane_id": 1}, {"agent_session_id": 1}, {"agent": 1}, {"resume_argv": "x"}])
def test_wrong_types_name_the_faulty_field(wrong: dict[str, Any]) -> None:
    stage = Stage()
    with pytest.raises(BadParams, match=f"^{next(iter(wrong))}"):
        stage.ask("report-session", **{"pane_id": stage.pane(), "agent_session_id": "s1", **wrong})
