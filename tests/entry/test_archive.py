"""The file itself: its header under every shell, its interpreters, its way of unpacking."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from signaltty_core.host.unpacked import command_lines
from tests.e2e.rig import wait_until

from .conftest import ROOT

HOOK = ["hook-event", "--agent", "claude", "--event", "Stop", "--strict", "--socket", "/nonexistent/s"]
NOBODY = "signaltty: no server answers at /nonexistent/s (NO_SUCH_SERVER)\n"
OLD = sorted(Path.home().glob(".pyenv/versions/3.[6-9].*/bin/python3"))
GOOD = sorted(path for path in Path.home().glob(".pyenv/versions/3.1[0-4].*/bin/python3"))


def run(command: list[str], **env: str) -> tuple[int, str, str]:
    done = subprocess.run(
        command, env={"PATH": "/usr/bin:/bin", **env}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def unpack(file: Path, **env: str) -> tuple[int, str, str]:
    """A run that goes through the archive, and so unpacks."""
    return run([sys.executable, "-SE", str(file), *HOOK], **env)


def below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_the_header_is_short_and_plain(file: Path) -> None:
    data = file.read_bytes()
    header = data[: data.index(b"def hook_event")]
    assert (header[:10], len(header) < 8192, header.isascii()) == (b"#!/bin/sh\n", True, True)


def test_the_file_is_a_whole_archive(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        first = min(info.header_offset for info in archive.infolist())
        names = set(archive.namelist())
    assert file.read_bytes()[first : first + 4] == b"PK\x03\x04"
    assert {"__main__.py", "environment.json", "files.txt", "site-packages/signaltty.py"} <= names


def test_what_is_bundled_runs_everywhere(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
    assert [name for name in names if name.endswith((".so", ".pyd", ".dylib", ".pyc"))] == []
    pins = (ROOT / "scripts" / "pins" / "carried.txt").read_text().split()
    metadata = {name.split("/")[1] for name in names if ".dist-info/" in name}
    assert metadata == {pin.replace("==", "-") + ".dist-info" for pin in pins}


def test_the_same_sources_give_the_same_bytes(file: Path, tmp_path: Path) -> None:
    made: list[bytes] = []
    for name in ("one", "two"):
        copy = tmp_path / name
        for part in ("signaltty_core", "scripts", "build"):
            source = tmp_path / "one" / part if made else ROOT / part
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__", "build-*"))
        for part in ("signaltty.py", "signaltty_words.py", "LICENSE", "NOTICE"):
            shutil.copy(ROOT / part, copy / part)
        subprocess.run([sys.executable, copy / "scripts" / "build.py"], check=True, timeout=300)
        made.append((copy / "dist" / "signaltty").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("shell", [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "ash"]], ids=" ".join)
def test_every_shell_reads_the_header(file: Path, tmp_path: Path, shell: list[str]) -> None:
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not installed here")
    command = [*shell, str(file), *HOOK]
    assert run(command, HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable) == (1, "", NOBODY)
    unpack(file, HOME=str(tmp_path))
    assert run(command, HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable) == (1, "", NOBODY)


@pytest.mark.parametrize("python", GOOD, ids=lambda path: str(path).split("/")[-3])
def test_every_supported_python_runs_it(file: Path, tmp_path: Path, python: Path) -> None:
    environment = {"HOME": str(tmp_path), "SIGNALTTY_PYTHON": str(python)}
    assert run([str(file), *HOOK], **environment) == (1, "", NOBODY)
    assert run([str(python), str(file), *HOOK], **environment) == (1, "", NOBODY)
    assert run([str(file), *HOOK], **environment) == (1, "", NOBODY)


def bin_with(folder: Path, **programs: Path) -> str:
    """A search path that holds these interpreters and nothing else but the shell's own tools."""
    folder.mkdir()
    for name, target in programs.items():
        (folder / name.replace("_", ".")).symlink_to(target)
    return str(folder)


@pytest.mark.skipif(not OLD, reason="no Python from 3.6 to 3.9 is installed here")
@pytest.mark.parametrize("python", OLD, ids=lambda path: str(path).split("/")[-3])
@pytest.mark.parametrize("unpacked", [False, True], ids=["cold", "warm"])
def test_a_python_that_is_too_old_gives_way_to_a_newer_one(
    file: Path, tmp_path: Path, python: Path, unpacked: bool
) -> None:
    if unpacked:
        unpack(file, HOME=str(tmp_path))
    path = bin_with(tmp_path / "bin", python3=python, python3_12=Path(sys.executable).resolve())
    assert run([str(file), *HOOK], HOME=str(tmp_path), PATH=path) == (1, "", NOBODY)
    assert run([str(python), str(file), *HOOK], HOME=str(tmp_path), PATH=path) == (1, "", NOBODY)
    if unpacked:
        (boot,) = tmp_path.glob(".cache/signaltty/*/site-packages/signaltty_boot.py")
        command = [str(python), "-SE", str(boot), str(file), *HOOK]
        assert run(command, HOME=str(tmp_path), PATH=path) == (1, "", NOBODY)


@pytest.mark.skipif(not OLD, reason="no Python from 3.6 to 3.9 is installed here")
def test_without_a_newer_python_one_sentence_says_so(file: Path, tmp_path: Path) -> None:
    """Edge case 180."""
    python = OLD[-1]
    path = bin_with(tmp_path / "bin", python3=python)
    version = str(python).split("/")[-3]
    sentence = f"signaltty: needs Python 3.10 or newer, found {version}\n"
    for words in (HOOK, ["ls"]):
        assert run([str(file), *words], HOME=str(tmp_path), PATH=path) == (1, "", sentence)
        assert run([str(python), str(file), *words], HOME=str(tmp_path), PATH=path) == (1, "", sentence)


def test_without_any_python_one_sentence_says_so(file: Path, tmp_path: Path) -> None:
    path = bin_with(tmp_path / "bin")
    expected = (1, "", "signaltty: needs Python 3.10 or newer, found none\n")
    assert run([str(file), "ls"], HOME=str(tmp_path), PATH=path) == expected


def test_an_interpreter_that_has_gone_is_replaced(file: Path, tmp_path: Path) -> None:
    path = bin_with(tmp_path / "bin", python3=Path(sys.executable).resolve())
    environment = {"HOME": str(tmp_path), "PATH": path, "SIGNALTTY_PYTHON": "/nonexistent/python3"}
    assert run([str(file), *HOOK], **environment) == (1, "", NOBODY)


def test_a_hot_word_unpacks_nothing(file: Path, tmp_path: Path) -> None:
    run([str(file), *HOOK], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable)
    assert list(tmp_path.iterdir()) == []


def test_the_first_run_writes_below_the_cache_and_nowhere_else(file: Path, tmp_path: Path) -> None:
    """Edge case 181."""
    assert unpack(file, HOME=str(tmp_path)) == (1, "", NOBODY)
    folder = next((tmp_path / ".cache" / "signaltty").iterdir()) / "site-packages"
    with zipfile.ZipFile(file) as archive:
        inside = {name[14:] for name in archive.namelist() if name.startswith("site-packages/")}
        listed = {line.split(" ", 4)[4] for line in archive.read("files.txt").decode().splitlines()}
    assert all(".dist-info/" in name or name.endswith(("py.typed", ".pyi")) for name in inside - listed)
    assert below(tmp_path) == {f"{folder.relative_to(tmp_path)}/{name}" for name in listed}


def test_the_cache_variable_wins_when_it_is_absolute(file: Path, tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    unpack(file, HOME=str(home), XDG_CACHE_HOME=str(cache))
    assert ([path.name for path in cache.iterdir()], home.exists()) == (["signaltty"], False)
    unpack(file, HOME=str(home), XDG_CACHE_HOME="cache")
    assert [path.name for path in home.iterdir()] == [".cache"]


def test_a_copy_with_blanks_in_its_path_shares_what_is_unpacked(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a b" / "other name"
    copy.parent.mkdir()
    shutil.copy(file, copy)
    unpack(file, HOME=str(tmp_path))
    assert unpack(copy, HOME=str(tmp_path)) == (1, "", NOBODY)
    assert run([str(copy), *HOOK], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable) == (1, "", NOBODY)
    assert len(list((tmp_path / ".cache" / "signaltty").iterdir())) == 1


def test_twenty_first_runs_at_once_unpack_once(file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-SE", str(file), *HOOK]
    runs = [
        subprocess.Popen(command, env={"HOME": str(tmp_path)}, stderr=subprocess.PIPE, text=True) for _ in range(20)
    ]
    assert [(each.communicate(timeout=60)[1], each.returncode) for each in runs] == [(NOBODY, 1)] * 20
    cache = tmp_path / ".cache" / "signaltty"
    assert [path.name.split("_")[0] for path in cache.iterdir()] == ["signaltty"]
    assert not [path for path in cache.iterdir() if path.suffix]


def test_a_first_run_that_is_killed_is_completed_by_the_next(file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-SE", str(file), *HOOK]
    cache = tmp_path / ".cache" / "signaltty"
    process = subprocess.Popen(command, env={"HOME": str(tmp_path)}, stderr=subprocess.DEVNULL)
    while not list(cache.glob("*.half")) and process.poll() is None:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert unpack(file, HOME=str(tmp_path)) == (1, "", NOBODY)
    assert [path.suffix for path in cache.iterdir()] == [""]


def test_an_archive_that_is_damaged_unpacks_nothing(file: Path, warm_home: Path, tmp_path: Path) -> None:
    """Unless it is unpacked already below /tmp, where a run without a home unpacks: nothing is needed of it then."""
    (build,) = (warm_home / ".cache" / "signaltty").iterdir()
    elsewhere = Path(f"/tmp/signaltty-cache-{os.geteuid()}", build.name)
    with zipfile.ZipFile(file) as archive:
        entry = archive.getinfo("site-packages/signaltty_core/cli/dispatch.py")
    copy = tmp_path / "signaltty"
    data = bytearray(file.read_bytes())
    data[entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2] ^= 0x55
    copy.write_bytes(data)
    was_elsewhere = elsewhere.exists()
    status, out, said = unpack(copy, HOME=str(tmp_path / "home"))
    assert (status, out, said.count("\n")) == (1, "", 1)
    is_refused = said.startswith("signaltty: there is no place to unpack the program: ") and "is damaged" in said
    assert is_refused or (said == NOBODY and elsewhere.exists())
    assert not (is_refused and was_elsewhere)
    unpacked = [path.name for path in (tmp_path / "home" / ".cache" / "signaltty").iterdir()]
    assert [name for name in unpacked if not name.endswith(".half")] == []


def test_a_server_deletes_what_old_versions_have_unpacked(file: Path, place: Path) -> None:
    (place / "run").mkdir(mode=0o700)
    environment = {"HOME": str(place), "XDG_RUNTIME_DIR": str(place / "run"), "SIGNALTTY_PYTHON": sys.executable}
    root = place / ".cache" / "signaltty"
    for name, used_at in (("signaltty_00000000000000aa", 1.0), ("signaltty_00000000000000bb", time.time())):
        (root / name / "site-packages").mkdir(parents=True)
        for path in (root / name / "site-packages", root / name):
            os.utime(path, (used_at, used_at))
    try:
        assert run([str(file), "server", "start"], **environment)[0] == 0
        wait_until(lambda: not list(root.glob("*00aa*")), "the end of the old version")
        (own,) = (path for path in root.iterdir() if "00bb" not in path.name)
        assert (own / "site-packages" / "signaltty_boot.py").exists()
        log = place / ".local" / "state" / "signaltty" / "server.log"
        said = "deleted what former versions had unpacked: signaltty_00000000000000aa"
        wait_until(lambda: said in log.read_text(), "its line in the log")
    finally:
        assert run([str(file), "server", "stop", "--force"], **environment)[0] == 0
        wait_until(lambda: str(place).encode() not in command_lines(), "the end of the server")


@pytest.mark.parametrize("victim", ["signaltty.py", "signaltty_boot.py"])
def test_what_a_cleaner_took_is_written_again(file: Path, tmp_path: Path, victim: str) -> None:
    unpack(file, HOME=str(tmp_path))
    folder = next((tmp_path / ".cache" / "signaltty").iterdir()) / "site-packages"
    whole = below(folder)
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    (folder / victim).unlink()
    words = ["--json", *HOOK]  # not the header's hot road: that one needs no unpacked file
    status, _, said = run([str(file), *words], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable)
    assert (status, "NO_SUCH_SERVER" in said) == (1, True)
    assert below(folder) == whole


@pytest.mark.parametrize("victims", [["signaltty.py"], ["signaltty_boot.py"], ["signaltty_core/cli/dispatch.py"], []])
def test_files_that_a_power_cut_emptied_are_written_again(file: Path, tmp_path: Path, victims: list[str]) -> None:
    unpack(file, HOME=str(tmp_path))
    folder = next((tmp_path / ".cache" / "signaltty").iterdir()) / "site-packages"
    whole = {name: (folder / name).read_bytes() for name in below(folder)}
    for cached in folder.rglob("*.pyc"):
        cached.unlink()
    for name in victims or whole:
        (folder / name).write_bytes(b"")
    words = ["--json", *HOOK]
    status, _, said = run([str(file), *words], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable)
    assert (status, "NO_SUCH_SERVER" in said) == (1, True)
    assert run([str(file), "version"], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable)[0] == 0
    assert {name: (folder / name).read_bytes() for name in below(folder)} == whole


def test_a_hot_word_too_gets_its_module_back(file: Path, tmp_path: Path) -> None:
    unpack(file, HOME=str(tmp_path))
    folder = next((tmp_path / ".cache" / "signaltty").iterdir()) / "site-packages"
    whole = below(folder)
    (folder / "signaltty_words.py").unlink()
    words = ["report", "--status", "completed", "--summary", "s", "--task", "t", "--socket", "/nonexistent/s"]
    done = run([str(file), *words], HOME=str(tmp_path), SIGNALTTY_PYTHON=sys.executable)
    assert done == (1, "", "signaltty: no server is running (NO_SUCH_SERVER)\n")
    assert below(folder) == whole


@pytest.mark.parametrize("home", ["/dev/null", "", None], ids=["unwritable", "empty", "unset"])
def test_without_a_home_a_private_folder_serves(file: Path, home: str | None) -> None:
    private = Path(f"/tmp/signaltty-cache-{os.getuid()}")
    environment = {} if home is None else {"HOME": home}
    assert unpack(file, **environment) == (1, "", NOBODY)
    status = private.stat()
    assert (status.st_mode & 0o777, status.st_uid) == (0o700, os.getuid())
    assert run([str(file), *HOOK], SIGNALTTY_PYTHON=sys.executable, **environment) == (1, "", NOBODY)
