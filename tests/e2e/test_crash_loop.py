"""The short form of the crash loop: the same checks as the script's, with fewer servers."""

from __future__ import annotations

from scripts.soak.crash_loop import measure


def test_servers_killed_at_random_moments_cost_nothing_that_was_acknowledged() -> None:
    figures = measure(rounds=6, panes=8, restart=False, longest_s=0.3)
    assert (figures["children lost"], figures["acknowledged changes lost"], figures["exit codes right"]) == (0, 0, 6)


def test_servers_replaced_in_order_lose_no_output_either() -> None:
    figures = measure(rounds=4, panes=8, restart=True, longest_s=0.3)
    assert (figures["children lost"], figures["acknowledged changes lost"], figures["gaps in the output"]) == (0, 0, 0)
