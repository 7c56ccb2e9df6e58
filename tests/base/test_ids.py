"""Forms of identifiers."""

from __future__ import annotations

import re

import pytest

from signaltty_core.base import ids


@pytest.mark.parametrize(
    ("noun", "prefix"),
    [
        ("workspace", "ws_"),
        ("tab", "tab_"),
        ("pane", "pane_"),
        ("notification", "notif_"),
        ("task", "task_"),
        ("context", "tctx_"),
        ("permission", "permission_"),
        ("process", "proc_"),
    ],
)
def test_an_id_is_a_prefix_and_32_hex_digits(noun: str, prefix: str) -> None:
    made = ids.make(noun, bytes(range(16)))
    assert made == prefix + "000102030405060708090a0b0c0d0e0f"
    assert re.fullmatch(prefix + "[0-9a-f]{32}", made)
