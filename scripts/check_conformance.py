"""Hold the conformance tables at the end of docs/protocols.md against the program and its tests.

Usage: check_conformance.py [--write]. Prints one line per fault; exit status 1 when there is one. Every method, event,
error code and message of the three protocols needs a test that names it, by itself or through what it uses of the
tests' files. --write renews the tables from the program's own and keeps the tests they name, wherever those moved.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from signaltty_core.base.errors import CODES  # noqa: E402
from signaltty_core.methods import registry  # noqa: E402
from signaltty_core.methods.server import EVENTS  # noqa: E402
from signaltty_core.status import envelope, signals  # noqa: E402

PAGE = ROOT / "docs" / "protocols.md"
TITLE = "## Conformance"
NOT_YET = "not yet"
_OF_BUILT_INS = frozenset(["get", "pop", "update"])  # as methods they say nothing of what a test uses
# what is known to lack its test
OPEN: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# the published protocols, written out: a name that the program loses must not vanish from here with it
PROMISED: dict[str, frozenset[str]] = {
    "Methods": _words(
        """
        agent-event agents.list agents.reload attention.pending decision.answer focus.next_unread hook-event notify
        pane.attach pane.clear pane.close pane.detach pane.explain pane.get pane.input pane.mark_seen pane.move
        pane.read pane.rename pane.resize pane.resume pane.signal pane.spawn pane.split pane.submit pane.swap
        pane.wait_for_output plugin.list plugin.reload report-session server.schema server.shutdown server.status
        subscribe tab.close tab.create tab.set_layout tab.set_ratio task.cancel task.diff task.file_diff task.finish
        task.get task.list task.pr_open task.pr_refresh task.report task.start task.wait wait workspace.close
        workspace.create workspace.diff workspace.file_diff workspace.get workspace.list workspace.refresh_git
        workspace.rename worktree.create worktree.list worktree.open worktree.remove
        """
    ),
    "Events": _words(
        """
        workspace.created workspace.updated workspace.closed workspace.turn_started worktree.changed tab.created
        tab.updated tab.closed pane.created pane.updated pane.exited pane.closed pane.resized pty.data pty.snapshot
        agent.working agent.blocked agent.done agent.failed agent.idle agent.unknown agent.exited attention.created
        attention.updated attention.cleared decision.created decision.answered decision.cleared notification.created
        task.created task.updated task.result git.branch_changed server.will_shutdown
        """
    ),
    "Error codes": _words(
        """
        BAD_PROTOCOL UNKNOWN_METHOD BAD_PARAMS NO_SUCH_SERVER NO_SUCH_WORKSPACE NO_SUCH_TAB NO_SUCH_PANE NO_SUCH_TASK
        NO_SUCH_DECISION AGENT_BUSY AGENT_NOT_READY MERGE_CONFLICT PANE_EXITED PANES_ALIVE SPAWN_FAILED IO_ERROR
        TIMEOUT IDENTITY_CHANGED RATE_LIMITED FORBIDDEN INTERNAL
        """
    ),
    "Agent status events": _words(
        """
        session.start session.end agent.running agent.idle agent.needs-input agent.input-resolved task.progress
        """
    ),
    "Status signals": _words("start stop git-conflict blocked:permission state:working"),
}


def offered() -> dict[str, list[str]]:
    """What the program itself says it understands and sends."""
    return {
        "Methods": [method.name for method in registry.every()],
        "Events": list(EVENTS),
        "Error codes": list(CODES),
        "Agent status events": sorted(envelope.EVENTS),
        "Status signals": [signals.START, signals.STOP, signals.CONFLICT, signals.BLOCKED, signals.WORKING],
    }


def tables(proofs: dict[str, dict[str, str]]) -> str:
    """The whole section. proofs: title, name -> test."""
    out = [
        TITLE,
        "",
        "Whatever the three protocols promise, and a test that fails without it. `?` marks what may be left out. "
        "`scripts/check_conformance.py`",
        "holds these tables against the program and its tests; `--write` renews them.",
    ]
    for title, names in offered().items():
        known = proofs.get(title, {})
        out += ["", f"### {title}", ""]
        if title == "Methods":
            out += ["| method | parameters | errors of its own | test |", "|---|---|---|---|"]
            out += [f"| `{name}` | {_params(name)} | {_errors(name)} | {_shown(known.get(name))} |" for name in names]
        else:
            out += ["| name | test |", "|---|---|", *(f"| `{name}` | {_shown(known.get(name))} |" for name in names)]
    return "\n".join(out) + "\n"


def proofs_in(section: str) -> dict[str, dict[str, str]]:
    """Title, name -> test, of a section that `tables` wrote and somebody may have edited."""
    found: dict[str, dict[str, str]] = {}
    title = ""
    for line in section.splitlines():
        if line.startswith("### "):
            title = line[4:]
        row = re.fullmatch(r"\| `([^`]+)` \|(?:.* \|)? `(tests/[^`]+)` \|", line)
        if row:
            found.setdefault(title, {})[row[1]] = row[2]
    return found


def faults(
    section: str,
    root: Path = ROOT,
    open_names: frozenset[str] = OPEN,
    promised: Mapping[str, frozenset[str]] = PROMISED,
) -> Iterator[str]:
    """One sentence per promise without its test, or with one that is none."""
    proofs = proofs_in(section)
    if section != tables(proofs):
        yield "docs/protocols.md: the tables are stale; run scripts/check_conformance.py --write"
    for title, names in offered().items():
        for name in sorted(promised[title] - set(names)):
            yield f"{title}: {name} is promised and the program does not have it"
        for name in names:
            test = proofs.get(title, {}).get(name)
            if test is None and name not in open_names:
                yield f"{title}: {name} has no test"
            elif test is not None:
                if name in open_names:
                    yield f"{title}: {name} has a test by now, it is no longer open"
                if not _names(root, test, name):
                    yield f"{title}: {name}: {test} is no test that names it"


def _names(root: Path, test: str, name: str) -> bool:
    """Whether the test exists and holds the name in a text, or a code's class, itself or in what it uses."""
    path, _, function = test.partition("::")
    if not (root / path).exists():
        return False
    known = _definitions(root / path)
    if not isinstance(known.get(function), ast.FunctionDef):
        return False
    kind = CODES[name].__name__ if name in CODES else None
    # a name that is a word of the language as well must be all there is
    pattern = rf"(?<![\w.:-]){re.escape(name)}(?![\w:-]|\.\w)" if re.search(r"\W|_", name) else rf"\s*{name}\s*\Z"
    look = re.compile(pattern).search if re.search(r"\W|_", name) else re.compile(pattern).match
    waiting, seen = [function], {function}
    while waiting:
        for node in ast.walk(known[waiting.pop()]):
            if isinstance(node, ast.Constant):
                text = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
                if isinstance(text, str) and look(text):
                    return True
            word = _word(node)
            if word is not None and word == kind:
                return True
            if word in known and word not in seen:
                seen.add(word)
                waiting.append(word)
    return False


@cache
def _definitions(path: Path) -> dict[str, ast.stmt]:
    """What the file defines, methods included, and what the files of tests define that it imports from."""
    known: dict[str, ast.stmt] = {}
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            beside = ROOT / (str(node.module).replace(".", "/") + ".py")
            if beside.exists():
                known = {**_definitions(beside), **known}
        elif isinstance(node, ast.ClassDef):
            known.update((one.name, one) for one in node.body if isinstance(one, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            known[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            known.update((target.id, node) for target in targets if isinstance(target, ast.Name))
    return known


def _word(node: ast.AST) -> str | None:
    """The name by which a node may use something else."""
    if isinstance(node, ast.Attribute):
        return None if node.attr in _OF_BUILT_INS else node.attr
    if isinstance(node, ast.Name):
        return node.id
    return node.arg if isinstance(node, ast.arg) else None


def _params(name: str) -> str:
    params = registry.find(name).params()
    shown = [f"`{one.name}{'' if one.default is registry.REQUIRED else '?'}`" for one in params]
    return ", ".join(shown) or "none"


def _errors(name: str) -> str:
    return ", ".join(f"`{code}`" for code in registry.find(name).errors if code != "none") or "none"


def _shown(test: str | None) -> str:
    return NOT_YET if test is None else f"`{test}`"


def section_of(page: str) -> tuple[str, str]:
    """What stands before the tables, and the tables."""
    before, _, rest = page.partition(TITLE + "\n")
    return before, TITLE + "\n" + rest if rest else ""


def _home(test: str) -> str:
    """Where the test stands now, if just one of that name does."""
    path, _, function = test.partition("::")
    start = f"def {function}("
    homes = [file for file in sorted((ROOT / "tests").rglob("test_*.py")) if start in file.read_text(encoding="utf-8")]
    if ROOT / path in homes or len(homes) != 1:
        return test
    return f"{homes[0].relative_to(ROOT).as_posix()}::{function}"


def main(arguments: list[str]) -> int:
    before, section = section_of(PAGE.read_text(encoding="utf-8"))
    if "--write" in arguments:
        proofs = proofs_in(section)
        section = tables({title: {name: _home(one) for name, one in known.items()} for title, known in proofs.items()})
        PAGE.write_text(before.rstrip("\n") + "\n\n" + section, encoding="utf-8")
    found = list(faults(section))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
