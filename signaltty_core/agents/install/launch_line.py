"""What one launch of an agent is given so that its user's own files stay as they are (agents §8.1)."""

from __future__ import annotations

import json

from . import PER_LAUNCH
from .agent_files import TARGETS, plugin_of
from .hooks_file import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONTENT = "OPENCODE_CONFIG_CONTENT"

# words that make the program do something else than hold a session
_SUBCOMMANDS: dict[str, frozenset[str]] = {
    "claude": frozenset(
        "agents auth auto-mode config doctor gateway install mcp migrate-installer plugin plugins project"
        " remote-control setup-token ultrareview update upgrade".split()
    ),
    "copilot": frozenset("completion help init login logout mcp plugin update version".split()),
    "opencode": frozenset(
        "acp agent attach auth completion console db debug export generate github import mcp models plug plugin pr"
        " providers run serve session stats uninstall upgrade web".split()
    ),
    "pi": frozenset("config install list remove uninstall update".split()),
}


class Given:
    """What a launch gets. files: name and content, to be kept below one directory of ours; main: the one to show."""

    __slots__ = ("files", "main")

    def __init__(self, main: str, files: dict[str, bytes]) -> None:
        self.main = main
        self.files = files


def disabling(agent: str, argv: list[str]) -> bool:
    """Whether the call rules every hook of ours out."""
    words = argv[1 : argv.index("--")] if "--" in argv else argv[1:]
    if agent not in PER_LAUNCH:
        return False
    if words[:1] and words[0] in _SUBCOMMANDS[agent]:
        return True
    if agent == "opencode":
        return "--pure" in words
    return agent == "claude" and ("--bare" in words or not _reads_user_settings(words))


def is_taken(agent: str, argv: list[str], environ: Mapping[str, str]) -> bool:
    """Whether the caller uses the way himself that we would use."""
    words = argv[1 : argv.index("--")] if "--" in argv else argv[1:]
    if agent == "claude":
        return any(word == "--settings" or word.startswith("--settings=") for word in words)
    return agent == "opencode" and bool(environ.get(CONTENT))


def given(agent: str, program: str, version: tuple[int, ...] | None) -> Given:
    """The files of a launch. Raises Refused when the reporter's path cannot be written."""
    plugin = plugin_of(agent)
    if plugin is not None:
        name = "signaltty.js" if agent == "opencode" else "signaltty.ts"
        return Given(name, {name: plugin.make(program)})
    target = TARGETS[agent]
    hooks = target.file.install(EMPTY, target.entries(program, version)[0])
    if agent == "claude":
        return Given("settings.json", {"settings.json": hooks})
    manifest = {"name": "signaltty", "description": "Reports to signaltty.", "version": "1.0.0", "hooks": "hooks.json"}
    return Given("hooks.json", {"plugin.json": json.dumps(manifest, indent=2).encode() + b"\n", "hooks.json": hooks})


def added(agent: str, directory: str, main: str) -> tuple[list[str], dict[str, str]]:
    """The words that stand right after the program, and the variables. directory: where the files are."""
    path = f"{directory}/{main}"
    if agent == "claude":
        return ["--settings", path], {}
    if agent == "pi":
        return ["--extension", path], {}
    if agent == "copilot":
        return ["--plugin-dir", directory], {}
    from urllib.parse import quote  # for this agent alone

    return [], {CONTENT: json.dumps({"plugin": ["file://" + quote(path)]}, separators=(",", ":"))}


def _reads_user_settings(words: list[str]) -> bool:
    """Whether `--setting-sources`, in either form, leaves the user's settings in."""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--setting-sources":
            listed = value if equals else "".join(words[at + 1 : at + 2])
            if "user" not in [source.strip() for source in listed.split(",")]:
                return False
    return True
