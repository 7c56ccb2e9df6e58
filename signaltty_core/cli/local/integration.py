"""Puts our hooks into agents' settings files, takes them out, and says what stands there (cli §9, agents §8)."""

from __future__ import annotations

import os
import sys

from ...agents.catalog import Catalog
from ...agents.install import version
from ...agents.install.agent_files import KNOWN, ON_ALL, place_of
from ...agents.install.edit import installing, is_installed, uninstalling
from ...agents.install.refusal import Refused
from ...agents.install.setup import REVIEW, reporter
from ...base.errors import IoError, TimedOut
from ...base.paths import config_dir
from ...host.config_files import ConfigFiles
from ...host.files import read_manifests
from ..session import absolute
from ..spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..session import Session


class Places:
    """Where settings are looked for: what the agents' variables say, or a home directory and nothing else."""

    __slots__ = ("_cwd", "_environ", "_home", "files")

    def __init__(self, environ: Mapping[str, str], home: str | None) -> None:
        self._environ: Mapping[str, str] = environ if home is None else {}
        self._home = absolute(home) if home is not None else os.path.expanduser("~")
        self._cwd = _working_directory()
        self.files = ConfigFiles("")

    def find(self, agent: str) -> str:
        return place_of(agent).find(self._environ, self._home, self._cwd)


def install(session: Session, agent: str, home: str | None, permissions: bool) -> int:
    """`integration install`; the exit status."""
    places = Places(session.settings.environ, home)
    search = session.settings.environ.get("PATH")

    def one(agent: str) -> None:
        path = places.find(agent)
        program = reporter(places.files, os.path.abspath(sys.argv[0]), search)
        known = _claude_version(places.files, search) if agent == "claude" else None
        changed = places.files.edit(path, installing(agent, program, known, permissions=permissions))
        result: dict[str, Any] = {"agent": agent, "file": path, "changed": changed}
        if changed and agent == "codex":
            result["notice"] = REVIEW
        _show(session, result, "configured" if changed else "already configured")

    return _for_each(session, agent, one)


def uninstall(session: Session, agent: str, home: str | None) -> int:
    """`integration uninstall`; the exit status."""
    places = Places(session.settings.environ, home)

    def one(agent: str) -> None:
        path = places.find(agent)
        changed = places.files.edit(path, uninstalling(agent))
        result = {"agent": agent, "file": path, "changed": changed}
        if changed:
            _show(session, result, "removed")
        else:
            session.show(result, f"not installed {agent} hooks ({path})")

    return _for_each(session, agent, one)


def status(session: Session, home: str | None) -> None:
    """`integration status`."""
    places = Places(session.settings.environ, home)
    result: dict[str, Any] = {}
    lines = []
    for agent in KNOWN:
        path = places.find(agent)
        try:
            installed = is_installed(agent, places.files.read(path))
        except (Refused, IoError):
            installed = False
        trust = "provider_review" if agent == "codex" else "provider_managed"
        result[agent] = {"installed": installed, "file": path, "trust": trust}
        lines.append(f"{agent}: {'installed' if installed else 'not installed'} ({path})")
    directory = _agents_dir(session.settings.environ, session.settings.uid)
    result["manifests"] = _manifests(directory)
    session.show(result, *lines, *_manifest_lines(result["manifests"], directory))


def _for_each(session: Session, agent: str, one: Callable[[str], None]) -> int:
    """Do it for the agent, or for all of them: one that is refused does not keep the others waiting."""
    if agent != "all" and agent not in KNOWN:
        raise LocalError(f"there is no installer for {agent[:80]}; there are {', '.join(KNOWN)}")
    failed = 0
    for name in ON_ALL if agent == "all" else (agent,):
        try:
            one(name)
        except (Refused, IoError) as fault:
            reason = str(fault)
            if agent != "all":
                raise LocalError(f"{name}: {reason}") from None
            session.complain(f"signaltty: {name}: {reason}")
            failed = 1
    return failed


def _show(session: Session, result: dict[str, Any], done: str) -> None:
    session.show(result, f"{done} {result['agent']} hooks ({result['file']})")
    if "notice" in result and not session.settings.json:
        session.complain(f"signaltty: {result['notice']}")


def _claude_version(files: ConfigFiles, search: str | None) -> tuple[int, ...] | None:
    found = files.program("claude", search, "/")
    if found is None:
        return None
    from ...host.run import run

    try:
        _, said, _ = run([found[0], "--version"], "/", dict(os.environ), version.PROBE_S)
    except (IoError, TimedOut):
        return None
    return version.parse(said)


def _agents_dir(environ: Mapping[str, str], uid: int) -> str:
    return environ.get("SIGNALTTY_AGENTS_DIR") or f"{config_dir(environ, uid)}/agents"


def _manifests(directory: str) -> list[dict[str, Any]]:
    """Every manifest of the user, read as the server reads it, in name order."""
    catalog = Catalog(directory, lambda: read_manifests(directory))
    try:
        catalog.reload()
    except IoError as fault:
        raise LocalError(fault.message) from None
    listed = catalog.listing()
    told = {one["file"]: {"kind": one["kind"], "ok": True} for one in listed["manifests"]}
    told |= {one["file"]: {"ok": False, "error": one["error"]} for one in listed["failures"]}
    return [
        {"name": file.removesuffix(".toml"), "manifest": {"file": f"{directory}/{file}", **told[file]}}
        for file in sorted(told)
    ]


def _manifest_lines(manifests: list[dict[str, Any]], directory: str) -> list[str]:
    if not manifests:
        return [f"manifests: none ({directory})"]
    return [
        f"manifest {one['name']}: kind={told['kind']} ({told['file']})"
        if told["ok"]
        else f"manifest {one['name']}: BROKEN: {told['error']} ({told['file']})"
        for one in manifests
        for told in [one["manifest"]]
    ]


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"  # it is gone; only a relative variable would need it
