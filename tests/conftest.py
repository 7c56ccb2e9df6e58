"""What every test has: a directory of its own whose path is short, and no limit of time for made-up inputs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# a machine that stands still for a second proves nothing
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In place of pytest's own, which holds user, run, worker and test name: a socket below it may have a path too
    long to be bound, or one long enough for its runtime directory to stand elsewhere (persistence §1)."""
    with tempfile.TemporaryDirectory(prefix="st", dir=os.path.realpath("/tmp"), ignore_cleanup_errors=True) as made:
        yield Path(made)
