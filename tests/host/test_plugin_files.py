"""Plugins found on disk, whatever lies beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.base.limits import MANIFEST_BYTES
from signaltty_core.host.plugin_files import read_plugin, read_plugins


def test_one_directory_each_and_whatever_is_no_plugin_is_ignored(tmp_path: Path) -> None:
    for name, manifest in (("b", b"second"), ("a", b"first")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plugin.toml").write_bytes(manifest)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    assert read_plugins(str(tmp_path)) == [("a", b"first"), ("b", b"second"), ("linked", b"first")]
    assert read_plugin(str(tmp_path), "b") == b"second"
    assert read_plugin(str(tmp_path), "empty") is None


def test_a_missing_directory_is_an_empty_set(tmp_path: Path) -> None:
    assert read_plugins(str(tmp_path / "nowhere")) == []


def test_a_directory_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(IoError) as caught:
        read_plugins(str(tmp_path / "file"))
    assert caught.value.message == f"cannot list {tmp_path}/file: Not a directory"


def test_a_manifest_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    for name in ("pipe", "folder", "big", "loop"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "plugin.toml")
    (tmp_path / "folder" / "plugin.toml").mkdir()
    (tmp_path / "big" / "plugin.toml").write_bytes(b"#" * (MANIFEST_BYTES + 1))
    (tmp_path / "loop" / "plugin.toml").symlink_to("plugin.toml")
    assert dict(read_plugins(str(tmp_path))) == {
        "big": f"plugin.toml is larger than {MANIFEST_BYTES} bytes",
        "folder": "plugin.toml is no regular file",
        "loop": f"plugin.toml: {os.strerror(40)}",
        "pipe": "plugin.toml is no regular file",
    }
