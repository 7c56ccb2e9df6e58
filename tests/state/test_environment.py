"""What a child finds in its environment."""

from __future__ import annotations

import pytest

from signaltty_core.base.version import VERSION
from signaltty_core.state.environment import child_environment, kept_configuration, pane_token, pane_variables

ALWAYS = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "TERM_PROGRAM": "signaltty",
    "TERM_PROGRAM_VERSION": VERSION,
    "LC_CTYPE": "C.UTF-8",
}


def test_an_empty_environment_becomes_a_terminals() -> None:
    assert child_environment({}, {}, {}) == ALWAYS


@pytest.mark.parametrize(
    "name",
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "ZENTTY_PANE_ID", "ZENTTY_ANYTHING", "SHIV_ROOT", "ITERM_SESSION_ID"),
        *("LC_TERMINAL", "LC_TERMINAL_VERSION", "WEZTERM_PANE", "KITTY_WINDOW_ID", "WT_SESSION", "TMUX", "TMUX_PANE"),
        *("STY", "ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID", "CODEX_THREAD_ID", "CLAUDECODE"),
        *("CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_MESSAGING_TOKEN", "SIGNALTTY_PANE"),
        *("SIGNALTTY_SOCKET", "SIGNALTTY_BIN", "SIGNALTTY_PYTHON", "SIGNALTTY_PANE_TOKEN", "SIGNALTTY_STATUS_SOCKET"),
        *("SIGNALTTY_PARENT_PANE", "SIGNALTTY_TASK"),
    ],
)
def test_what_belongs_to_another_terminal_or_agent_is_not_inherited(name: str) -> None:
    assert child_environment({name: "x"}, {}, {}) == ALWAYS


@pytest.mark.parametrize("name", ["HOME", "PATH", "USER", "MY_TOOL", "SIGNALTTY_LOG", "GIT_DIR", "CLAUDE_CONFIG_DIR"])
def test_everything_else_is_inherited(name: str) -> None:
    assert child_environment({name: "x"}, {}, {}) == {**ALWAYS, name: "x"}


@pytest.mark.parametrize(
    "name",
    [
        *("EDITOR", "VISUAL", "PAGER", "SHELL", "PATH", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"),
        *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "VIRTUAL_ENV", "SIGNALTTY_X", "CLAUDE_X", "CODEX_X"),
        *("OPENCODE_X", "CURSOR_X", "GEMINI_X", "COPILOT_X", "QWEN_X", "FACTORY_X", "GOOSE_X", "AMP_X", "HERMES_X"),
        *("KIMI_X", "PI_X", "COLORTERM", "TERM"),
    ],
)
def test_a_request_may_set_what_is_known(name: str) -> None:
    assert child_environment({name: "servers"}, {name: "requests"}, {})[name] == "requests"


@pytest.mark.parametrize("name", ["HOME", "LD_PRELOAD", "AWS_SECRET", "PYTHONPATH", "ZENTTY_X", "CLAUDE", ""])
def test_other_names_of_a_request_are_dropped(name: str) -> None:
    assert child_environment({}, {name: "x"}, {}) == ALWAYS


@pytest.mark.parametrize(("name", "value"), [("CLAUDE_\0", "x"), ("CLAUDE_X", "a\0b"), ("CLAUDE_X=Y", "x")])
def test_what_no_environment_can_hold_is_dropped(name: str, value: str) -> None:
    assert child_environment({}, {name: value}, {}) == ALWAYS


def test_the_servers_own_terminal_is_not_the_childs() -> None:
    made = child_environment({"TERM": "dumb", "COLORTERM": "24bit"}, {}, {})
    assert (made["TERM"], made["COLORTERM"]) == ("xterm-256color", "24bit")


@pytest.mark.parametrize(
    ("given", "charset"),
    [
        ({}, {"LC_CTYPE": "C.UTF-8"}),
        ({"LANG": "C"}, {"LANG": "C", "LC_CTYPE": "C.UTF-8"}),
        ({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8"}),
        ({"LANG": "de_DE.utf8"}, {"LANG": "de_DE.utf8"}),
        ({"LC_CTYPE": "en_US.UTF-8"}, {"LC_CTYPE": "en_US.UTF-8"}),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, {"LC_ALL": "C", "LANG": "en_US.UTF-8"}),
        ({"LC_CTYPE": "POSIX"}, {"LC_CTYPE": "C.UTF-8"}),
    ],
)
def test_a_child_writes_utf_8_unless_somebody_says_so_already(given: dict[str, str], charset: dict[str, str]) -> None:
    made = child_environment(given, {}, {})
    assert {name: made[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if name in made} == charset


def test_what_the_pane_must_see_wins_over_everything() -> None:
    fixed = {"SIGNALTTY_PANE": "pane_1", "TERM_PROGRAM": "fixed"}
    made = child_environment({"SIGNALTTY_PANE": "outer"}, {"SIGNALTTY_PANE": "asked", "TERM_PROGRAM": "x"}, fixed)
    assert (made["SIGNALTTY_PANE"], made["TERM_PROGRAM"]) == ("pane_1", "fixed")


def test_a_panes_variables_name_every_place_twice() -> None:
    made = pane_variables(
        pane_id="pane_1",
        workspace_id="ws_1",
        tab_id="tab_1",
        socket_path="/s",
        program="/bin/signaltty",
        python="/bin/python3",
        token="t",
        parent_pane_id="pane_0",
        task_id="task_1",
    )
    assert made == {
        "SIGNALTTY_PANE": "pane_1",
        "SIGNALTTY_SOCKET": "/s",
        "SIGNALTTY_BIN": "/bin/signaltty",
        "SIGNALTTY_PYTHON": "/bin/python3",
        "SIGNALTTY_PANE_TOKEN": "t",
        "SIGNALTTY_PARENT_PANE": "pane_0",
        "SIGNALTTY_TASK": "task_1",
        "ZENTTY_CLI_BIN": "/bin/signaltty",
        "ZENTTY_INSTANCE_SOCKET": "/s",
        "ZENTTY_PANE_TOKEN": "t",
        "ZENTTY_WORKLANE_ID": "ws_1",
        "ZENTTY_PANE_ID": "pane_1",
        "ZENTTY_WINDOW_ID": "tab_1",
        "ZENTTY_AGENT_EVENT_COMMAND": "/bin/signaltty ipc agent-event",
    }


def test_only_configuration_directories_are_kept_and_made_absolute() -> None:
    request = {"CODEX_HOME": "conf/../c", "CLAUDE_CONFIG_DIR": "/abs", "CLAUDE_API_KEY": "secret", "QWEN_HOME": ""}
    assert kept_configuration(request, "/work") == {"CLAUDE_CONFIG_DIR": "/abs", "CODEX_HOME": "/work/c"}


def test_a_token_is_the_panes_own_and_the_same_again() -> None:
    one = pane_token(b"secret", "pane_1")
    assert (len(one), int(one, 16) > 0, one) == (64, True, pane_token(b"secret", "pane_1"))
    assert len({one, pane_token(b"secret", "pane_2"), pane_token(b"other", "pane_1")}) == 3
