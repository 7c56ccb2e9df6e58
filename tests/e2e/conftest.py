"""The private place of an end-to-end test as a fixture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.rig import Rig


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    try:
        yield rig
    finally:
        rig.end()
