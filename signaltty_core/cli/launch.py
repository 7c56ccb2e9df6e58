"""What a started program gets from the person who starts it: a default command and part of the environment (cli §2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SENT = (
    *("PATH", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "EDITOR", "VISUAL", "PAGER"),
    *("SHELL", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"),
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "VIRTUAL_ENV", "SIGNALTTY_INTEGRATION"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR", "COPILOT_HOME"),
    *("QWEN_HOME", "FACTORY_HOME_OVERRIDE", "PI_CODING_AGENT_DIR", "KIMI_CODE_HOME"),
)


def environment_for(environ: Mapping[str, str], given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The caller's variables that go along, then those named on the line."""
    return {**{name: environ[name] for name in SENT if name in environ}, **dict(given)}


def program_of(environ: Mapping[str, str]) -> list[str]:
    """What runs in a pane when nobody says."""
    return [environ.get("SHELL") or "sh"]
