"""Codes and how failures travel."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import CODES, Internal, NoSuchPane, from_wire

SEED = [
    *("BAD_PROTOCOL", "UNKNOWN_METHOD", "BAD_PARAMS", "NO_SUCH_SERVER", "NO_SUCH_WORKSPACE", "NO_SUCH_TAB"),
    *("NO_SUCH_PANE", "NO_SUCH_TASK", "NO_SUCH_DECISION", "AGENT_BUSY", "AGENT_NOT_READY", "MERGE_CONFLICT"),
    *("PANE_EXITED", "PANES_ALIVE", "SPAWN_FAILED", "IO_ERROR", "TIMEOUT", "IDENTITY_CHANGED", "RATE_LIMITED"),
    *("FORBIDDEN", "INTERNAL"),
]


def test_the_codes_are_those_of_the_contract() -> None:
    assert sorted(CODES) == sorted(SEED)
    assert {code: kind.code for code, kind in CODES.items()} == {code: code for code in SEED}


@pytest.mark.parametrize("code", SEED)
def test_every_error_survives_the_wire(code: str) -> None:
    sent = CODES[code]("what happened", pane_id="pane_1", message="a detail may have any name")
    got = from_wire(sent.as_wire())
    assert (type(got), got.as_wire()) == (CODES[code], sent.as_wire())
    assert str(got) == "what happened"


def test_an_error_without_details_shows_an_empty_object() -> None:
    assert NoSuchPane("none").as_wire() == {"code": "NO_SUCH_PANE", "message": "none", "details": {}}


def test_an_unknown_code_of_a_newer_server_is_kept() -> None:
    got = from_wire({"code": "BRAND_NEW", "message": "x", "details": None})
    assert (type(got), got.code, got.details) == (Internal, "BRAND_NEW", {})


def test_an_error_object_without_anything_is_still_an_error() -> None:
    assert from_wire({}).as_wire() == {"code": "INTERNAL", "message": "", "details": {}}
