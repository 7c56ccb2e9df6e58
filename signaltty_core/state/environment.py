"""The environment of a pane's child (behaviour §8.1); the server's own and the request's are arguments."""

from __future__ import annotations

from ..base.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_REMOVED = frozenset(
    [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "ITERM_SESSION_ID",
        "LC_TERMINAL",
        "LC_TERMINAL_VERSION",
        "WEZTERM_PANE",
        "KITTY_WINDOW_ID",
        "WT_SESSION",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "ZELLIJ",
        "ZELLIJ_SESSION_NAME",
        "ZELLIJ_PANE_ID",
        "CODEX_THREAD_ID",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "SIGNALTTY_PANE",
        "SIGNALTTY_SOCKET",
        "SIGNALTTY_BIN",
        "SIGNALTTY_PYTHON",
        "SIGNALTTY_PANE_TOKEN",
        "SIGNALTTY_STATUS_SOCKET",
        "SIGNALTTY_PARENT_PANE",
        "SIGNALTTY_TASK",
    ]
)
_REMOVED_PREFIXES = ("ZENTTY_", "SHIV_")
_TAKEN = frozenset(
    [
        "TERM",
        "COLORTERM",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "SHELL",
        "PATH",
        "TZ",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "SSH_CONNECTION",
        "VIRTUAL_ENV",
    ]
)
_TAKEN_PREFIXES = tuple(
    [
        "SIGNALTTY_",
        "CLAUDE_",
        "CODEX_",
        "OPENCODE_",
        "CURSOR_",
        "GEMINI_",
        "COPILOT_",
        "QWEN_",
        "FACTORY_",
        "GOOSE_",
        "AMP_",
        "HERMES_",
        "KIMI_",
        "PI_",
    ]
)
CONFIG_DIRS = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OPENCODE_CONFIG_DIR",
    "COPILOT_HOME",
    "QWEN_HOME",
    "FACTORY_HOME_OVERRIDE",
    "PI_CODING_AGENT_DIR",
    "KIMI_CODE_HOME",
)


def child_environment(
    server: Mapping[str, str], request: Mapping[str, str], fixed: Mapping[str, str]
) -> dict[str, str]:
    """server: the server's own variables; request: those of the spawn; fixed: what the pane must see in any case."""
    made = {
        name: value
        for name, value in server.items()
        if name not in _REMOVED and not name.startswith(_REMOVED_PREFIXES) and name not in ("TERM", "COLORTERM")
    }
    made.update(
        (name, value)
        for name, value in request.items()
        if (name in _TAKEN or name.startswith(_TAKEN_PREFIXES)) and "\0" not in name + value and "=" not in name
    )
    made["TERM"] = request.get("TERM") or "xterm-256color"
    made.setdefault("COLORTERM", server.get("COLORTERM") or "truecolor")
    made.update(TERM_PROGRAM="signaltty", TERM_PROGRAM_VERSION=VERSION)
    charsets = " ".join(made.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")).lower()
    if "utf-8" not in charsets and "utf8" not in charsets:
        made["LC_CTYPE"] = "C.UTF-8"
        made.pop("LC_ALL", None)
    made.update(fixed)
    return made


def pane_variables(
    *,
    pane_id: str,
    workspace_id: str,
    tab_id: str,
    socket_path: str,
    program: str,
    python: str,
    token: str,
    parent_pane_id: str | None,
    task_id: str | None,
    status_socket: str | None = None,
    hook_program: str | None = None,
) -> dict[str, str]:
    """What every child of a pane finds in its environment (behaviour §8.1 item 4, agent-status §2).

    hook_program: the program by a path that a shell takes for one word, where its own is none.
    """
    hook_program = hook_program or program
    made = {
        "SIGNALTTY_PANE": pane_id,
        "SIGNALTTY_SOCKET": socket_path,
        "SIGNALTTY_BIN": program,
        "SIGNALTTY_PYTHON": python,
        "SIGNALTTY_PANE_TOKEN": token,
        "ZENTTY_CLI_BIN": hook_program,
        "ZENTTY_INSTANCE_SOCKET": socket_path,
        "ZENTTY_PANE_TOKEN": token,
        "ZENTTY_WORKLANE_ID": workspace_id,
        "ZENTTY_PANE_ID": pane_id,
        "ZENTTY_WINDOW_ID": tab_id,
        "ZENTTY_AGENT_EVENT_COMMAND": f"{hook_program} ipc agent-event",
    }
    if parent_pane_id is not None:
        made["SIGNALTTY_PARENT_PANE"] = parent_pane_id
    if task_id is not None:
        made["SIGNALTTY_TASK"] = task_id
    if status_socket is not None:
        made["SIGNALTTY_STATUS_SOCKET"] = status_socket
    return made


def kept_configuration(request: Mapping[str, str], cwd: str) -> dict[str, str]:
    """The configuration directories an agent must find again on resume, absolute against its cwd (behaviour §3.1)."""
    from posixpath import join, normpath

    return {name: normpath(join(cwd, request[name])) for name in CONFIG_DIRS if request.get(name)}


def pane_token(secret: bytes, pane_id: str) -> str:
    """The pane's token: 64 hex digits, the same after every restart (agent-status §4.4)."""
    from hmac import digest  # with the first pane only

    return digest(secret, pane_id.encode("utf-8", "replace"), "sha256").hex()
