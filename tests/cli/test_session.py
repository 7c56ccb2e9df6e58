"""Where the server is, and what a command takes from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from signaltty_core.cli.session import Session, Settings
from signaltty_core.cli.spec import LocalError


def settings(environ: dict[str, str], socket: str | None = None, no_start: bool = False) -> Settings:
    return Settings(environ, 1000, socket, False, no_start)


@pytest.mark.parametrize(
    ("environ", "option", "path"),
    [
        ({"XDG_RUNTIME_DIR": "/run/u"}, None, "/run/u/signaltty/signaltty.sock"),
        ({}, None, "/tmp/signaltty-1000/signaltty.sock"),
        ({"SIGNALTTY_SOCKET": "", "XDG_RUNTIME_DIR": ""}, None, "/tmp/signaltty-1000/signaltty.sock"),
        ({"SIGNALTTY_SOCKET": "/x/a.sock", "XDG_RUNTIME_DIR": "/run/u"}, None, "/x/a.sock"),
        ({"SIGNALTTY_SOCKET": "/x/a.sock"}, "/y/../b.sock", "/b.sock"),
    ],
)
def test_the_socket_is_the_options_the_variables_or_the_usual_one(
    environ: dict[str, str], option: str | None, path: str
) -> None:
    assert settings(environ, option).socket == path


def test_a_relative_socket_stands_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings({}, "s.sock").socket == f"{tmp_path.resolve()}/s.sock"


@pytest.mark.parametrize(("value", "forbidden"), [("1", True), ("0", False), ("", False)])
def test_a_variable_can_forbid_starts(value: str, forbidden: bool) -> None:
    assert settings({"SIGNALTTY_NO_START": value}).no_start is forbidden
    assert settings({"SIGNALTTY_NO_START": value}, no_start=True).no_start is True


def test_the_log_stands_where_the_servers_options_say() -> None:
    session = Session(settings({"HOME": "/home/me"}), [])
    assert session.state_dir() == "/home/me/.local/state/signaltty"
    session.server_options = ["--idle-exit", "0", "--state-dir", "/s"]
    assert session.state_dir() == "/s"


def test_the_pane_is_the_named_one_or_the_own_one() -> None:
    inside, outside = Session(settings({"SIGNALTTY_PANE": "pane_1"}), []), Session(settings({"SIGNALTTY_PANE": ""}), [])
    assert [inside.own_pane(None), inside.own_pane("boss"), outside.own_pane(None)] == ["pane_1", "boss", None]
    with pytest.raises(LocalError, match="not inside a pane"):
        outside.need_pane(None)
