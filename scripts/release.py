"""Make a release of the commit that is checked out: the file, its manual page, their checksums in dist/VERSION/.

Usage: release.py [--python 3.N]... [--quick] [--dirty]. Builds in two folders under different circumstances, compares
the bytes, and runs tests/e2e with that file on every Python from 3.10 to 3.14 that is found; says which are missing.
`scripts/release` sets up what it needs.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
MINORS = range(10, 15)
QUICK = ("tests/e2e/test_command_line.py", "tests/e2e/test_loss.py", "tests/e2e/test_documents.py")
# what must not show in the bytes
CIRCUMSTANCES: tuple[dict[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8", "UMASK": "022"},
    {"PYTHONHASHSEED": "2", "TZ": "Pacific/Auckland", "LC_ALL": "C", "UMASK": "077"},
)


class Refused(Exception):
    """Why there is no release."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a release twice, compare, and try it on every Python.")
    parser.add_argument("--python", action="append", metavar="3.N", help="only this version; may be repeated")
    parser.add_argument("--quick", action="store_true", help="a few of the end-to-end tests instead of all")
    parser.add_argument("--dirty", action="store_true", help="although something is not committed; it is left out")
    given = parser.parse_args()
    try:
        version, commit = examine(given.dirty)
        print(f"signaltty {version}, commit {commit}", flush=True)
        with tempfile.TemporaryDirectory(prefix="release-") as place:
            checkouts = [Path(place) / name for name in ("one", "another-place/two")]
            publish(checkouts, version)
            return try_everywhere(checkouts[0], given.python, QUICK if given.quick else ("tests/e2e",))
    except Refused as refusal:
        print(f"release: {refusal}", file=sys.stderr)
        return 1


def examine(dirty: bool) -> tuple[str, str]:
    """Version and commit. The version stands in base/version.py alone; the changelog has to know it."""
    source = git("show", "HEAD:signaltty_core/base/version.py")
    found = re.search(r'^VERSION = "(.+)"$', source, re.MULTILINE)
    if found is None:
        raise Refused("base/version.py names no version")
    if not re.search(rf"^## {re.escape(found[1])}\b", git("show", "HEAD:CHANGELOG.md"), re.MULTILINE):
        raise Refused(f"CHANGELOG.md has no heading for {found[1]}")
    if git("status", "--porcelain").strip() and not dirty:
        raise Refused("something is not committed; commit it, or leave it out with --dirty")
    return found[1], git("rev-parse", "HEAD").strip()


def publish(checkouts: list[Path], version: str) -> None:
    """Build in both places; when the bytes are the same, the file and what belongs to it go to dist/VERSION/."""
    built = [build(*each) for each in zip(checkouts, CIRCUMSTANCES, strict=True)]
    if built[0].read_bytes() != built[1].read_bytes():
        kept = Path(tempfile.mkdtemp(prefix="release-differs-"))
        for number, file in enumerate(built):
            shutil.copy(file, kept / str(number))
        raise Refused(f"two builds of the same commit differ; compare {kept}/0 with {kept}/1")
    folder = DIST / version  # dist/signaltty is the build of the working tree
    folder.mkdir(parents=True, exist_ok=True)
    file, page = folder / "signaltty", folder / "signaltty.1"
    beside = folder / f"signaltty.{os.getpid()}"
    shutil.copy(built[0], beside)
    beside.replace(file)
    page.write_bytes(run([str(file), "man"], ROOT))
    said = run([str(file), "--version"], ROOT).decode().strip()
    if not said.startswith(f"signaltty {version} "):
        raise Refused(f"the built file says it is {said!r}")
    sums = "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (file, page))
    (folder / "SHA256SUMS").write_text(sums)
    print(f"two builds, the same {file.stat().st_size} bytes; dist/{version}/:\n{sums}", end="", flush=True)


def build(folder: Path, circumstances: dict[str, str]) -> Path:
    """The file, built from the commit alone."""
    folder.mkdir(parents=True)
    archive = folder.parent / f"{folder.name}.tar"
    git("archive", "--output", str(archive), "HEAD")
    run(["tar", "-xf", str(archive)], folder)
    for carried in (ROOT / "build").glob("carried-*"):  # fetched once; the name is the sum of the pins
        if "." not in carried.name:
            shutil.copytree(carried, folder / "build" / carried.name)
    umask = circumstances["UMASK"]
    command = f'umask {umask}; exec "$@"'
    run(["sh", "-c", command, "sh", sys.executable, "scripts/build.py"], folder, circumstances)
    return folder / "dist" / "signaltty"


def try_everywhere(checkout: Path, wanted: list[str] | None, tests: tuple[str, ...]) -> int:
    """Run the tests of the commit with the file built there; the number of interpreters that fail."""
    program = checkout.parent / "signaltty"  # dist/ changes with the next build, also under a test
    shutil.copy(checkout / "dist" / "signaltty", program)
    failed = 0
    for minor in MINORS:
        name = f"3.{minor}"
        if wanted and name not in wanted:
            continue
        python = next(interpreters(minor), None)
        if python is None:
            print(f"Python {name}: not found, not tried", flush=True)
            continue
        environment = {"SIGNALTTY_E2E_PROGRAM": str(program), "SIGNALTTY_E2E_PYTHON": python}
        place = tempfile.mkdtemp(prefix="sr", dir="/tmp")  # short, for the paths of sockets
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--numprocesses", "3", "--dist", "loadfile"]
        done = subprocess.run(
            [sys.executable, *words, "--basetemp", f"{place}/t", *tests],
            cwd=checkout,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        shutil.rmtree(place, ignore_errors=True)
        lines = done.stdout.strip().splitlines()
        passed = done.returncode == 0
        failed += not passed
        print(f"Python {name} ({python}): {'passed' if passed else 'FAILED'}: {summary(lines)}", flush=True)
        if not passed:
            print("\n".join(lines[-40:]), file=sys.stderr, flush=True)
    return failed


def summary(lines: list[str]) -> str:
    """How many tests did what, counted from the letters of the progress lines."""
    letters = "".join(line.split(" ")[0] for line in lines if re.fullmatch(r"[.sxXFE]+( +\[ *\d+%\])?", line))
    names = {".": "passed", "s": "skipped", "F": "failed", "E": "broken"}
    return ", ".join(f"{letters.count(letter)} {name}" for letter, name in names.items() if letter in letters) or "?"


def interpreters(minor: int) -> Iterator[str]:
    """Paths of CPython 3.`minor` that run, those of pyenv first: its shims on PATH may lead nowhere."""
    version = f"3.{minor}"
    found = [str(path) for path in sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))]
    on_path = shutil.which(f"python{version}")
    for path in [*found, *([on_path] if on_path else [])]:
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([path, "-SEc", code], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            yield path


def git(*words: str) -> str:
    return run(["git", *words], ROOT).decode()


def run(command: list[str], folder: Path, more: dict[str, str] | None = None) -> bytes:
    done = subprocess.run(command, cwd=folder, env={**os.environ, **(more or {})}, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise Refused(f"{' '.join(command)} ended with {done.returncode}: {said}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
