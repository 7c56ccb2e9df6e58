"""What the hot client imports, reads and computes, without a server."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from signaltty_core.base import paths
from signaltty_core.cli import spec, table

from .conftest import ROOT, Program

SHOW = """
import sys
before = set(sys.modules)
sys.path.insert(0, {root!r})
import signaltty
assert signaltty.hot({words!r}) == 0
print(*sorted(set(sys.modules) - before))
"""
CALL = ["hook-event", "--agent", "claude", "--event", "Stop", "--payload", '{"a":1}']


def hot_modules(words: list[str], **env: str) -> list[str]:
    command = [sys.executable, "-SE", "-c", SHOW.format(root=str(ROOT), words=words)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.split()


def test_a_hook_imports_two_c_modules_and_nothing_else() -> None:
    assert hot_modules(CALL, SIGNALTTY_SOCKET="/nonexistent") == ["_json", "_socket", "signaltty"]


def test_the_working_directory_is_not_on_the_module_path(program: Program, place: Path) -> None:
    for name in ("_socket", "_json", "json", "signaltty", "time"):
        (place / f"{name}.py").write_text("raise SystemExit('hijacked')\n")
    command = [*program.command, *CALL, "--strict"]
    done = subprocess.run(
        command, cwd=place, env=program.environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (
        1,
        f"signaltty: no server answers at {program.socket_path} (NO_SUCH_SERVER)\n",
    )


@pytest.mark.parametrize(
    "path",
    [
        "/run/user/1000/signaltty/signaltty.sock",
        f"/tmp/signaltty-{os.getuid()}/signaltty.sock",
        "/tmp/signaltty-99999/signaltty.sock",
        "/srv/a.sock",
        "/srv/signaltty.sock",
        "/" + "x" * 72 + "/a",
        "/" + "x" * 73 + "/a",
        "/" + "ü" * 60 + "/a",
    ],
)
def test_both_copies_find_the_same_runtime_directory(path: str) -> None:
    import signaltty

    assert signaltty.runtime_dir(path) == paths.runtime_dir(path, os.getuid())


@pytest.mark.parametrize("base", [None, "", "/run/user/1000", "/run/user/1000/", "run", "/" + "x" * 65, "/" + "x" * 66])
def test_both_copies_find_the_same_default_socket(base: str | None) -> None:
    environ = {} if base is None else {"XDG_RUNTIME_DIR": base}
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import signaltty; print(signaltty.socket_path({{}}))"
    done = subprocess.run(
        [sys.executable, "-SE", "-c", script], env=environ, capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == paths.default_socket(environ, os.getuid())


@pytest.mark.parametrize("name", ["archive_main.py", "archive_boot.py"])
def test_what_an_old_python_meets_first_is_readable_for_it(name: str) -> None:
    ast.parse((ROOT / "scripts" / name).read_bytes(), feature_version=(3, 6))


def test_the_program_in_the_header_is_readable_for_an_old_python() -> None:
    header = (ROOT / "scripts" / "archive_header.sh").read_text("ascii")
    program = header[header.index("-ISc '") + 6 : header.rindex('\' "$d"')]
    assert program.startswith("import sys\n") and "'" not in program
    ast.parse(program, feature_version=(3, 6))


def known_options(function: str) -> set[str]:
    """The options the hot client reads, taken from its call of `parse`."""
    trees = [ast.parse((ROOT / name).read_bytes()) for name in ("signaltty.py", "signaltty_words.py")]
    (body,) = [
        node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    (call,) = [
        node
        for node in ast.walk(body)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "parse"
    ]
    return {f"--{name}" for argument in call.args[1:] for name in ast.literal_eval(argument).split()}


@pytest.mark.parametrize(
    ("words", "function"),
    [
        (("hook-event",), "hook_event"),
        (("notify",), "notify"),
        (("report",), "report"),
        (("ipc", "agent-event"), "ipc"),
    ],
)
def test_the_help_and_the_hot_client_know_the_same_options(words: tuple[str, ...], function: str) -> None:
    (command,) = [each for each in table.every() if tuple(each.words) == words]
    shown = {option.name for option in (*command.options, *spec.GLOBALS)} - {"--version", "--help"}
    assert shown == known_options(function)
