"""Which program runs in a pane, from made-up process tables and from the real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signaltty_core.host.process_scan import Table, children_by_parents, name_of, process_name, scan


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("/usr/bin/vim file", "vim"),
        ("-bash", "bash"),
        ("node /usr/local/bin/codex --x", "codex"),
        ("/usr/bin/node --require hook.js -r x /opt/pkg/bin/claude.js", "claude"),
        ("node --import=x cli.mjs", "cli"),
        ("node --loader l --import i server.js", "server"),
        ("bun run tool.ts", "tool"),
        ("bun tool.ts run", "tool"),
        ("deno run -r x main.ts", "main"),
        ("node run.js", "run"),
        ("python3 -m http.server", "http.server"),
        ("python3.11 -W ignore -X dev script.py", "script"),
        ("python -c print()", "python"),
        ("node -e 1", "node"),
        ("node --eval 1", "node"),
        ("node -p 1", "node"),
        ("node", "node"),
        ("python3 -m", "python3"),
        ("node --version", "node"),
        ("node /", "node"),
        ("python3 .hidden", ".hidden"),
        ("", None),
    ],
)
def test_a_command_line_has_a_name(line: str, name: str | None) -> None:
    assert name_of(line.split()) == name


def table(tree: dict[int, list[int]], lines: dict[int, str]) -> Table:
    return Table(lambda pid: tree.get(pid, []), lambda pid: lines.get(pid, "").split(), lambda pid: None)


def test_the_deepest_program_that_is_no_shell_gives_the_name() -> None:
    tree = {1: [2], 2: [4, 3], 4: [5]}
    lines = {1: "-bash", 2: "node /bin/claude", 3: "old", 4: "bash -c x", 5: "sleep 1"}
    assert process_name(table(tree, lines), 1) == "sleep"
    assert process_name(table(tree, {**lines, 5: "sh"}), 1) == "claude"
    assert process_name(table({}, lines), 1) == "bash"
    assert process_name(table({}, lines), 9) is None


def test_the_search_goes_eight_levels_deep() -> None:
    tree = {number: [number + 1] for number in range(1, 30)}
    assert process_name(table(tree, {number: f"p{number}" for number in range(1, 30)}), 1) == "p9"


def test_a_real_child_is_found_with_its_directory(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = f'cd {tmp_path}; {sys.executable} -c \'import time; open("ready", "w"); time.sleep(60)\'; true'
    child = subprocess.Popen(["sh", "-c", command], start_new_session=True)
    try:
        until = time.monotonic() + 20
        while not ready.exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        (tmp_path / "link").symlink_to(tmp_path)
        real, link = str(tmp_path.resolve()), str(tmp_path / "link")
        name = os.path.basename(sys.executable)
        assert scan([("pane_1", child.pid, None, "/"), ("pane_2", 0x3FFFFFF0, None, "/")]) == {"pane_1": (name, real)}
        assert scan([("pane_1", child.pid, None, link)]) == {"pane_1": (name, link)}
        assert scan([("pane_1", os.getpid(), child.pid, "/")])["pane_1"][1] == real
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def test_children_are_known_without_the_kernels_lists_of_them() -> None:
    children = [subprocess.Popen(["sleep", "1000"]) for _ in range(3)]
    try:
        found = children_by_parents()(os.getpid())
        assert [pid for pid in found if pid in [child.pid for child in children]] == [
            child.pid for child in reversed(children)
        ]
        assert children_by_parents()(children[0].pid) == []
    finally:
        for child in children:
            child.kill()
            child.wait()
