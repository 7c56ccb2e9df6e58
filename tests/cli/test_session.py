"""Where the server is, and what a command takes from the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signaltty_core.cli.session import Session, Settings, reply_limit_s
from signaltty_core.cli.spec import LocalError


@pytest.mark.parametrize(
    ("method", "params", "limit_s"),
    [
        ("pane.get", {}, 30),
        ("workspace.create", {}, 30),
        ("task.diff", {}, 30),
        ("workspace.close", {}, 300),
        ("worktree.list", {}, 300),
        ("worktree.remove", {}, 300),
        ("task.start", {}, 300),
        ("task.finish", {}, 300),
        ("task.pr_open", {}, 300),
        ("task.pr_refresh", {}, 300),
        ("wait", {}, 3610),
        ("wait", {"timeout_s": 5}, 15),
        ("task.wait", {"timeout_s": 0.5}, 10.5),
        ("pane.wait_for_output", {"timeout_s": 604_800}, 604_810),
        ("pane.submit", {}, 35.3),
        ("pane.submit", {"stall_timeout_s": 100, "submit_delay_ms": 2000}, 132),
        ("hook-event", {"wait_timeout_s": 60}, 30),
        ("hook-event", {"wait_for_answer": True}, 130),
        ("hook-event", {"wait_for_answer": True, "wait_timeout_s": 60}, 70),
    ],
)
def test_an_answer_may_take_as_long_as_what_was_asked_for(method: str, params: dict[str, Any], limit_s: float) -> None:
    assert reply_limit_s(method, params) == pytest.approx(limit_s)


@pytest.mark.parametrize("refused", ["5", None, [], -1, 1e300])
def test_a_time_the_server_refuses_is_no_limit(refused: Any) -> None:
    assert reply_limit_s("wait", {"timeout_s": refused}) == 3610


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
