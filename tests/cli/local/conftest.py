"""A real server in a private place, for commands that need one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.cli.local.screen import Screen
from tests.e2e.rig import Rig

Attach = Callable[..., Screen]


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    try:
        yield rig
    finally:
        rig.end()


@pytest.fixture
def attach(rig: Rig) -> Iterator[Attach]:
    made: list[Screen] = []

    def start(*words: str, **size: int) -> Screen:
        made.append(Screen(rig, "attach", *words, **size))
        return made[-1]

    yield start
    for screen in made:
        screen.end()
