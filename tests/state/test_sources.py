"""Who speaks about a pane and who holds it."""

from __future__ import annotations

from signaltty_core.state import sources
from signaltty_core.state.attention import raise_to
from tests.fake import START, Stage


def test_the_last_word_of_each_source_is_kept_with_its_time() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(sources.speak, pane, "hook", "claude:Stop")
    stage.at = START + 1
    stage.change(sources.speak, pane, "osc7501", "idle", applied=False)
    stage.change(sources.speak, pane, "hook", "claude:\x1b[1mOdd" + "x" * 500)
    said = stage.world.instances[pane]["sources"]
    assert said == {
        "hook": {"value": "claude:Odd" + "x" * 190, "at": "2027-01-15T08:00:01.000Z"},
        "osc7501": {"value": "idle", "at": "2027-01-15T08:00:01.000Z", "applied": False},
    }
    assert stage.world.instances[pane]["spoken"] == ["hook", "osc7501"]


def test_only_the_first_structured_message_is_the_first() -> None:
    stage = Stage()
    pane = stage.pane()
    firsts = [stage.change(sources.speak, pane, source, "x") for source in ("osc9_4", "screen", "osc7501", "hook")]
    assert firsts == [False, False, True, False]
    assert sources.is_hooked(stage.world.instances[pane])


def test_the_first_structured_message_withdraws_only_what_a_screen_rule_raised() -> None:
    for level, by_screen, after in (
        ("input_required", True, "none"),
        ("input_required", False, "input_required"),
        ("error", True, "error"),
    ):
        stage = Stage()
        pane = stage.pane()
        stage.change(raise_to, pane, level)
        draft = stage.draft()
        draft.instance(pane)["screen_raised"] = by_screen
        stage.commit(draft)
        stage.change(sources.speak, pane, "zerostack", "run")
        assert stage.world.panes[pane]["attention"] == after
        assert stage.world.instances[pane]["screen_raised"] is False


def test_a_holder_keeps_lower_ranks_out_until_it_lets_go() -> None:
    stage = Stage()
    pane = stage.pane()

    def held() -> list[str]:
        return [name for name in sources.RANK if sources.is_held_above(stage.world.instances[pane], name)]

    assert held() == []
    stage.change(sources.speak, pane, "hook", "claude:Stop", holds=True)
    stage.change(sources.speak, pane, "hook", "claude:Stop", holds=True)
    assert held() == ["zerostack", "osc7501", "screen", "osc9_4"]
    stage.change(sources.let_go, pane, "hook")
    assert (held(), stage.world.instances[pane]["holds"]) == ([], [])


def test_the_source_that_decided_is_noted() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(sources.decide, pane, "hook")
    assert stage.world.instances[pane]["decided_by"] == "hook"
