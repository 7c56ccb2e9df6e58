"""The programs `doctor` looks for: git and gh, every agent with its hooks, the user's manifests and plugins."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from shutil import which

from ....agents.catalog import Catalog
from ....agents.install import PER_LAUNCH as LAUNCHED
from ....agents.install import version
from ....agents.install.agent_files import KNOWN, place_of
from ....agents.install.edit import is_installed
from ....agents.install.refusal import Refused
from ....agents.table import KINDS
from ....base.errors import IoError, TimedOut
from ....base.paths import plugin_dir
from ....host.config_files import ConfigFiles
from ....host.files import read_manifests
from ....host.run import run
from .examined import OK, WARN, Finding, count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .examined import Machine

PROBE_S = 5.0  # the first start of a big program waits for the disk
AT_ONCE = 4
PER_LAUNCH = "hooks not installed: one started as a pane's program is set up for that launch"
BY_HAND = "hooks not installed: `signaltty integration install {agent}` lets it report"
GONE = "hooks in {path} run {program}, which cannot be run: `signaltty integration install {agent}` mends them"
TRUST = "; codex asks for trust under /hooks before it runs them"
NO_INSTALLER = "no hooks to install: its screen is read"


def git(machine: Machine) -> Iterator[Finding]:
    for name, need in (("git", "diffs, worktrees and tasks need it"), ("gh", "only `task pr` needs it")):
        path = which(name, path=machine.environ.get("PATH"))
        if path is None:
            yield Finding(name, WARN if name == "git" else OK, f"not found; {need}")
        else:
            yield Finding(name, OK, f"{_version_of(machine, path)} at {path}")


def agents(machine: Machine) -> Iterator[Finding]:
    """A line per agent that is on PATH, one for those that are not."""
    search = machine.environ.get("PATH")
    paths = {
        kind.key: next(filter(None, (which(name, path=search) for name in kind.binaries)), None)
        for kind in KINDS.values()
        if kind.binaries
    }
    present = {agent: path for agent, path in paths.items() if path is not None}
    with ThreadPoolExecutor(AT_ONCE) as workers:
        versions = list(workers.map(lambda path: _version_of(machine, path), present.values()))
    for (agent, path), said in zip(present.items(), versions, strict=True):
        status, hooks = _hooks_of(machine, agent)
        yield Finding(f"agent {agent}", status, f"{said} at {path}; {hooks}")
    absent = [agent for agent in paths if agent not in present]
    if not present:
        yield Finding("agents", WARN, f"none is on PATH; known are {', '.join(absent)}")
    elif absent:
        yield Finding("agents", OK, f"not on PATH: {', '.join(absent)}")


def manifests(machine: Machine) -> Iterator[Finding]:
    told = machine.ask("agents.list", {}) or _read_manifests(machine.configured("SIGNALTTY_AGENTS_DIR", "agents"))
    for broken in told["failures"]:
        yield Finding("manifest", WARN, f"{os.path.join(told['dir'], broken['file'])}: {broken['error']}")
    yield Finding("manifests", OK, f"{count_of(len(told['manifests']), 'manifest')} in {told['dir']}")


def plugins(machine: Machine) -> Iterator[Finding]:
    told = machine.ask("plugin.list", {}) or _read_plugins(plugin_dir(machine.environ, machine.uid))
    for broken in told["failures"]:
        yield Finding("plugin", WARN, f"{broken['dir']}: {broken['error']}")
    for plugin in told["plugins"]:
        for hook in plugin["hooks"]:
            if hook["errors"]:
                text = f"{plugin['name']}: a hook failed {hook['errors']} of {hook['runs']} times"
                yield Finding("plugin", WARN, f"{text}, last: {hook.get('last_error')}")
    yield Finding("plugins", OK, f"{count_of(len(told['plugins']), 'plugin')} in {told['dir']}")


def _hooks_of(machine: Machine, agent: str) -> tuple[str, str]:
    if agent not in KNOWN:
        return OK, NO_INSTALLER
    path = place_of(agent).find(machine.environ, os.path.expanduser("~"), "/")
    files = ConfigFiles("")
    try:
        data = files.read(path)
        found = is_installed(agent, data)
    except (Refused, IoError) as fault:
        return WARN, f"hooks cannot be told: {fault}"
    if not found:
        return OK, PER_LAUNCH if agent in LAUNCHED else BY_HAND.format(agent=agent)
    for program in re.findall(rb"'([^'\\]+)' hook-event ", data or b""):
        if not files.is_executable(os.fsdecode(program)):
            return WARN, GONE.format(path=path, program=os.fsdecode(program), agent=agent)
    return OK, f"hooks installed in {path}{TRUST if agent == 'codex' else ''}"


def _version_of(machine: Machine, path: str) -> str:
    try:
        _, said, _ = run([path, "--version"], "/", dict(machine.environ), PROBE_S, 4096)
    except (IoError, TimedOut):
        return "version unknown"
    number = version.parse(said)
    if number is not None:
        return ".".join(str(part) for part in number)
    return said.decode("utf-8", "replace").strip().partition("\n")[0][:60] or "version unknown"


def _read_manifests(directory: str) -> dict[str, Any]:
    """The manifests as a server would read them."""
    return Catalog(directory, lambda: read_manifests(directory)).listing()


def _read_plugins(directory: str) -> dict[str, Any]:
    """The plugins as a server would read them; none of their hooks has run."""
    from ....agents.manifest import load_toml
    from ....host.plugin_files import read_plugins
    from ....state.plugins import read

    told: dict[str, Any] = {"dir": directory, "plugins": [], "failures": []}
    for name, manifest in read_plugins(directory):
        try:
            if isinstance(manifest, str):
                raise ValueError(manifest)
            told["plugins"].append({"name": read(name, load_toml(manifest)).name, "hooks": []})
        except ValueError as fault:
            told["failures"].append({"dir": name, "error": str(fault)})
    return told
