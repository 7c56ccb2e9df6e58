"""Reading the directory of manifests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.base.limits import MANIFEST_BYTES
from signaltty_core.host.files import read_manifests


def test_manifests_come_in_name_order_each_with_its_content_or_its_fault(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"two")
    (tmp_path / "a.toml").write_bytes(b"one")
    (tmp_path / "notes.txt").write_bytes(b"no manifest")
    (tmp_path / "c.toml").mkdir()
    os.mkfifo(tmp_path / "d.toml")
    (tmp_path / "e.toml").write_bytes(b"#" * (MANIFEST_BYTES + 1))
    (tmp_path / "f.toml").symlink_to(tmp_path / "a.toml")
    (tmp_path / "g.toml").symlink_to(tmp_path / "nowhere")
    no_file, too_large = "is no regular file", f"is larger than {MANIFEST_BYTES} bytes"
    assert read_manifests(str(tmp_path)) == [
        ("a.toml", b"one"),
        ("b.toml", b"two"),
        ("c.toml", no_file),
        ("d.toml", no_file),
        ("e.toml", too_large),
        ("f.toml", b"one"),
        ("g.toml", no_file),
    ]


def test_a_missing_directory_is_an_empty_set_and_an_unreadable_one_an_error(tmp_path: Path) -> None:
    """Edge case 52."""
    assert read_manifests(str(tmp_path / "none")) == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(IoError, match="cannot list"):
        read_manifests(str(tmp_path / "file"))
