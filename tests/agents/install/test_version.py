"""Versions as programs say them."""

from __future__ import annotations

import pytest

from signaltty_core.agents.install.version import parse


@pytest.mark.parametrize(
    ("said", "version"),
    [
        (b"2.1.332 (Claude Code)\n", (2, 1, 332)),
        (b"claude v10.0.1", (10, 0, 1)),
        (b"2.1", None),
        (b"", None),
        (b"\xff 1.2.3", (1, 2, 3)),
        (b"1.2.3-beta 4.5.6", (4, 5, 6)),
        (b"x" * 5000 + b" 1.2.3", None),
    ],
)
def test_the_first_whole_version_counts(said: bytes, version: tuple[int, ...] | None) -> None:
    assert parse(said) == version
