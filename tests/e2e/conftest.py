"""What end-to-end tests begin with: a private place, or a server that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.rig import Rig
from tests.server.rig import Server, Shop, running


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    try:
        yield rig
    finally:
        rig.end()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def shop(server: Server) -> Shop:
    return Shop(server)
