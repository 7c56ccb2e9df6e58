"""What is known of agents beyond the built-in table: users' manifests and the bundled screen rules (agents §10, §11.2).

Nothing is read before somebody asks: a server without panes opens no file, and the rules of an agent are read with its
first pane.
"""

from __future__ import annotations

import os

from . import table
from .screen_rules import NO_RULES, RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.world import Record
    from .base import Payload
    from .manifest import Manifest
    from .screen_rules import Rule

    Files = list[tuple[str, "bytes | str"]]

_BUNDLED = frozenset(
    ("claude", "codex", "cursor", "opencode", "pi", "gemini", "copilot", "droid", "qwen", "amp", "hermes")
)
# programs of kind generic whose screens are known -> file
_PROGRAMS = {
    "cline": "cline",
    "kilo": "kilo",
    "kilo-code": "kilo",
    "qodercli": "qoder",
    "qoderclicn": "qoder",
    "qoder": "qoder",
    "qodercn": "qoder",
}


class Catalog:
    """read: the files of the manifests' directory in name order, each with its content, or with what is wrong with it;
    it raises IoError when the directory cannot be listed. directory: for readers. log: takes a sentence per fault."""

    def __init__(
        self, directory: str = "", read: Callable[[], Files] = list, log: Callable[[str], None] = lambda _sentence: None
    ) -> None:
        self.directory = directory
        self._read = read
        self._log = log
        self._manifests: list[Manifest] | None = None
        self._failures: list[Record] = []
        self._sets: dict[tuple[str, str], RuleSet] = {}
        self._bundled: dict[str, RuleSet] = {}

    def reload(self) -> None:
        """Read again and swap the set at once. Raises IoError and keeps the old set when nothing can be listed."""
        files = self._read()
        manifests, failures = [], []
        for file, content in files:
            try:
                manifests.append(_parse(file, content))
            except ValueError as fault:
                failures.append({"file": file, "error": str(fault)})
                self._log(f"manifest {file} is left out: {fault}")
        self._manifests, self._failures = manifests, failures
        self._sets.clear()

    def listing(self) -> Record:
        """The reply of `agents.list`."""
        shown = [
            {"file": each.file, "kind": each.kind, "binaries": list(each.binaries), "screen_rules": len(each.rules)}
            for each in self._all()
        ]
        return {"dir": self.directory, "manifests": shown, "failures": [dict(each) for each in self._failures]}

    def note_runaway(self, rule: Rule) -> None:
        """A user's rule took too long and is off until the next reload."""
        error = f"screen rule {rule.id!r} took longer than 50 ms and is disabled"
        self._failures.append({"file": rule.file, "error": error})
        self._log(f"manifest {rule.file}: {error}")

    def kind_of_program(self, program: str) -> str:
        """The kind whose program is called so, else `generic` (behaviour §5.7)."""
        built_in = table.BY_BINARY.get(program)
        if built_in is not None:
            return built_in
        for each in self._all():
            if each.kind != "generic" and _fits(program, each.binaries):
                return each.kind
        return "generic"

    def session_id_of(self, kind: str, payload: Payload) -> str | None:
        """The session id under a manifest's key, None where no manifest names one or the field holds none."""
        from .sessions import is_session_id

        for each in self._of(kind):
            if each.session_key is not None and is_session_id(payload.get(each.session_key)):
                return str(payload[each.session_key])
        return None

    def resume_of(self, kind: str) -> tuple[str, ...] | None:
        """The manifest's resume command with `{session_id}` in it, None where no manifest has one."""
        return next((each.resume for each in self._of(kind) if each.resume), None)

    def mapping(self, kind: str, event: str) -> dict[str, str]:
        """What users' manifests say an event does, field by field; empty when they are silent."""
        found: dict[str, str] = {}
        for each in self._of(kind):
            found = {**each.lifecycle.get(event, {}), **found}
        return found

    def name_of(self, kind: table.Kind) -> str:
        """How the kind is called to a person; empty for programs of no known kind, which have names of their own."""
        named = next((each.display_name for each in self._of(kind.key) if each.display_name), None)
        return named if named is not None and kind.name else kind.name

    def rules_for(self, kind: str, process: str) -> RuleSet:
        """The rules that apply to a pane of that kind whose program is called so."""
        key = (kind, process if kind == "generic" else "")
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = self._choose(kind, process)
        return found

    def _choose(self, kind: str, process: str) -> RuleSet:
        rules = [
            rule
            for each in self._of(kind)
            if kind != "generic" or not each.binaries or _fits(process, each.binaries)
            for rule in each.rules
        ]
        if rules:
            return RuleSet("user", rules)
        file = _PROGRAMS.get(process) if kind == "generic" else kind if kind in _BUNDLED else None
        return self._load(file) if file is not None else NO_RULES

    def _load(self, file: str) -> RuleSet:
        found = self._bundled.get(file)
        if found is None:
            from .manifest import parse

            with open(os.path.join(os.path.dirname(__file__), "rules", f"{file}.toml"), "rb") as source:
                found = RuleSet("bundled", parse(file, source.read(), bundled=True).rules)
            self._bundled[file] = found
        return found

    def _of(self, kind: str) -> list[Manifest]:
        return [each for each in self._all() if each.kind == kind]

    def _all(self) -> list[Manifest]:
        if self._manifests is None:
            self._manifests = []
            from ..base.errors import IoError

            try:
                self.reload()
            except IoError as fault:
                self._failures = [{"file": self.directory, "error": str(fault)}]
                self._log(str(fault))
        return self._manifests


def _parse(file: str, content: bytes | str) -> Manifest:
    from .manifest import parse  # with the first file

    if isinstance(content, str):
        raise ValueError(content)
    return parse(file, content)


def _fits(program: str, patterns: tuple[str, ...]) -> bool:
    from fnmatch import fnmatchcase  # only where manifests name programs

    return any(fnmatchcase(program, pattern) for pattern in patterns)
