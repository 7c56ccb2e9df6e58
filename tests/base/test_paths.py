"""Where files stand."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from zlib import crc32

import pytest
from platformdirs.unix import Unix

from signaltty_core.base import paths


def test_the_default_socket_stands_in_the_runtime_directory() -> None:
    assert paths.default_socket({"XDG_RUNTIME_DIR": "/run/user/7"}, 7) == "/run/user/7/signaltty/signaltty.sock"
    assert paths.default_socket({"XDG_RUNTIME_DIR": "/run/user/7/"}, 7) == "/run/user/7/signaltty/signaltty.sock"


@pytest.mark.parametrize("base", [None, "", "relative/dir"])
def test_without_a_usable_variable_it_stands_in_tmp(base: str | None) -> None:
    environ = {} if base is None else {"XDG_RUNTIME_DIR": base}
    assert paths.default_socket(environ, 7) == "/tmp/signaltty-7/signaltty.sock"


def test_a_long_runtime_directory_leaves_no_room_for_a_status_socket() -> None:
    """Edge case 162."""
    longest = "/" + "r" * (100 - len("/signaltty/s/0123456789abcdef.sock") - 1)
    assert paths.default_socket({"XDG_RUNTIME_DIR": longest}, 7) == longest + "/signaltty/signaltty.sock"
    assert paths.default_socket({"XDG_RUNTIME_DIR": longest + "r"}, 7) == "/tmp/signaltty-7/signaltty.sock"


def test_the_runtime_directory_follows_from_the_socket_alone() -> None:
    """Edge case 161."""
    assert paths.runtime_dir("/run/user/7/signaltty/signaltty.sock", 7) == "/run/user/7/signaltty"
    assert paths.runtime_dir("/tmp/signaltty-7/signaltty.sock", 7) == "/tmp/signaltty-7"
    assert paths.runtime_dir("/tmp/signaltty-8/signaltty.sock", 7) == "/tmp/signaltty-8/signaltty.sock.d"
    assert paths.runtime_dir("/tmp/x/s.sock", 7) == "/tmp/x/s.sock.d"


def test_a_long_socket_path_has_its_runtime_directory_in_tmp() -> None:
    path = "/tmp/" + "d" * 90 + "/s.sock"
    assert paths.runtime_dir(path, 7) == f"/tmp/signaltty-7/{crc32(path.encode()):08x}.d"


@pytest.mark.parametrize(
    ("find", "variable", "below_home", "fallback"),
    [
        (partial(paths.state_dir, can_make=lambda _: True), "XDG_STATE_HOME", ".local/state", "/tmp/signaltty-state-7"),
        (paths.config_dir, "XDG_CONFIG_HOME", ".config", "/tmp/signaltty-config-7"),
        (paths.cache_dir, "XDG_CACHE_HOME", ".cache", "/tmp/signaltty-cache-7"),
    ],
)
def test_each_directory_has_its_variable_its_home_and_its_fallback(
    find: object, variable: str, below_home: str, fallback: str
) -> None:
    assert callable(find)
    assert find({variable: "/v", "HOME": "/h"}, 7) == "/v/signaltty"
    assert find({variable: "", "HOME": "/h"}, 7) == f"/h/{below_home}/signaltty"
    assert find({variable: "relative", "HOME": "/h/"}, 7) == f"/h/{below_home}/signaltty"
    assert find({}, 7) == fallback


def test_a_home_that_takes_no_new_directory_leaves_the_state_in_tmp(tmp_path: Path) -> None:
    asked: list[str] = []

    def can_make(directory: str) -> bool:
        asked.append(directory)
        return False

    assert paths.state_dir({"HOME": str(tmp_path)}, 7, can_make) == "/tmp/signaltty-state-7"
    assert asked == [f"{tmp_path}/.local/state/signaltty"]
    (tmp_path / ".local/state/signaltty").mkdir(parents=True)
    assert paths.state_dir({"HOME": str(tmp_path)}, 7, can_make) == f"{tmp_path}/.local/state/signaltty"


def test_the_directories_are_those_platformdirs_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library itself would double a server's start (performance §1.2)."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = {"HOME": str(tmp_path)}
    library = Unix("signaltty")
    assert paths.state_dir(environ, 7) == library.user_state_dir
    assert paths.config_dir(environ, 7) == library.user_config_dir
    assert paths.cache_dir(environ, 7) == library.user_cache_dir


def test_plugins_are_where_the_variable_says_else_beside_the_configuration() -> None:
    environ = {"HOME": "/home/x"}
    assert paths.plugin_dir(environ, 7) == "/home/x/.config/signaltty/plugins"
    environ["SIGNALTTY_PLUGIN_DIR"] = "/p"
    assert paths.plugin_dir(environ, 7) == "/p"
    # what a plugin starts is told the place of that plugin
    assert paths.plugin_dir({"SIGNALTTY_PLUGIN_DIR": "/p/chime", "SIGNALTTY_PLUGIN_NAME": "chime"}, 7) == "/p"
