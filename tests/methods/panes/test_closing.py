"""What happens to everything a closed pane belonged to."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.methods.panes.closing import OS_SIGNALS, close_pane, parse_os_signal
from tests.methods.shop import Shop


@pytest.mark.parametrize("name", OS_SIGNALS)
def test_a_signal_may_be_written_in_any_case_and_with_sig(name: str) -> None:
    assert {parse_os_signal(one) for one in (name, name.lower(), "SIG" + name, "sig" + name.lower())} == {name}


@pytest.mark.parametrize("name", ["", "SIG", "SIGSIGINT", "STOP", "CONT", "15", " INT", "INT\n", "ſighup"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(BadParams, match="unknown signal"):
        parse_os_signal(name)


def test_no_name_is_term() -> None:
    assert parse_os_signal(None) == "TERM"


def test_a_live_pane_exits_before_it_is_closed() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    before = shop.world.seq
    shop.ask("pane.close", pane_id=pane["id"])
    assert shop.since(before) == ["pane.exited", "agent.exited", "attention.created", "tab.updated", "pane.closed"]


def test_an_ended_pane_is_only_closed() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    shop.change(lambda draft: draft.pane(pane["id"]).update(live={"state": "exited", "code": 0}))
    before = shop.world.seq
    shop.ask("pane.close", pane_id=pane["id"])
    assert shop.since(before) == ["tab.updated", "pane.closed"]


def test_the_deeds_of_a_close_wait_for_the_disk() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    draft = shop.draft()
    close_pane(shop.call(), draft, pane["id"], "HUP")
    assert shop.machine.deeds[-1][0] == "open_runtime"
    for deed in draft.then:
        deed()
    assert shop.machine.deeds[-2:] == [("end", pane["id"], "HUP"), ("drop", pane["id"])]


def test_the_first_remaining_leaf_is_active_and_the_tab_stays() -> None:
    shop = Shop()
    first = shop.spawn(shop.workspace())
    second = shop.split(first["id"])
    third = shop.split(second["id"])
    shop.ask("pane.close", pane_id=first["id"])
    assert shop.tab(first["tab_id"])["active_pane_id"] == third["id"]
    shop.ask("pane.close", pane_id=third["id"])
    assert shop.tab(first["tab_id"])["active_pane_id"] == second["id"]
    shop.ask("pane.close", pane_id=second["id"])
    tab = shop.tab(first["tab_id"])
    assert (tab["layout"], "active_pane_id" in tab) == (None, False)


def test_a_waiting_hook_of_a_closed_pane_ends() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    shop.waiters.open(pane["id"], "d")
    shop.ask("pane.close", pane_id=pane["id"])
    assert shop.waiters.outcome(pane["id"], "d") == {"cancelled": "moved_on"}


def test_a_parent_may_be_closed_and_stays_recorded() -> None:
    shop = Shop()
    id = shop.workspace()
    parent = shop.spawn(id)
    child = shop.spawn(id, parent_pane_id=parent["id"])
    shop.ask("pane.close", pane_id=parent["id"])
    assert shop.world.panes[child["id"]]["parent_pane_id"] == parent["id"]
