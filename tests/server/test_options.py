"""The options of `server run`."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.server.options import Options

HOME = {"HOME": "/home/x", "XDG_RUNTIME_DIR": "/run/user/7"}


def test_without_words_everything_stands_where_it_belongs() -> None:
    made = Options([], HOME, 7)
    assert (made.socket_path, made.runtime_dir, made.state_dir, made.idle_exit_s, made.allow_self_approval) == (
        "/run/user/7/signaltty/signaltty.sock",
        "/run/user/7/signaltty",
        "/home/x/.local/state/signaltty",
        600.0,
        False,
    )


def test_words_win_over_the_environment() -> None:
    words = ["--socket", "/tmp/x/s.sock", "--state-dir=/tmp/x/state", "--idle-exit", "0", "--allow-self-approval"]
    made = Options(words, {**HOME, "SIGNALTTY_SOCKET": "/tmp/env.sock"}, 7)
    assert (made.socket_path, made.runtime_dir, made.state_dir, made.idle_exit_s, made.allow_self_approval) == (
        "/tmp/x/s.sock",
        "/tmp/x/s.sock.d",
        "/tmp/x/state",
        0.0,
        True,
    )
    assert made.argv == words
    assert Options([], {**HOME, "SIGNALTTY_SOCKET": "/tmp/env.sock"}, 7).socket_path == "/tmp/env.sock"


def test_plugins_are_where_the_option_says_else_the_variable() -> None:
    variable = {**HOME, "SIGNALTTY_PLUGIN_DIR": "/p"}
    assert Options([], HOME, 7).plugin_dir == "/home/x/.config/signaltty/plugins"
    assert Options([], variable, 7).plugin_dir == "/p"
    assert Options(["--plugin-dir", "/q"], variable, 7).plugin_dir == "/q"


@pytest.mark.parametrize(
    "words",
    [
        ["--unknown"],
        ["word"],
        ["--socket"],
        ["--allow-self-approval=yes"],
        *(["--idle-exit", seconds] for seconds in ("-1", "soon", "nan", "inf", "1e10", "")),
    ],
)
def test_what_is_no_option_is_refused_with_its_name(words: list[str]) -> None:
    with pytest.raises(BadParams) as caught:
        Options(words, HOME, 7)
    assert words[0].split("=")[0] in caught.value.message
