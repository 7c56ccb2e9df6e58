"""What every test has: a directory of its own whose path is short."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In place of pytest's own, which holds user, run, worker and test name: a socket below it may have a path too
    long to be bound, or one long enough for its runtime directory to stand elsewhere (persistence §1)."""
    with tempfile.TemporaryDirectory(prefix="st", dir=os.path.realpath("/tmp"), ignore_cleanup_errors=True) as made:
        yield Path(made)
