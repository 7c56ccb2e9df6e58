"""Build dist/signaltty: an archive made by shiv behind a short shell header (docs/decisions/0003-single-file.md).

Needs shiv; `scripts/run` and `scripts/test` see to that.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
PINS = SCRIPTS / "pins" / "carried.txt"
TARGET = ROOT / "dist" / "signaltty"
ENTRY = ("signaltty.py", "signaltty_words.py")
HEADER_BYTES = 8192  # what a shell reads at once; the zip data behind it is never looked at
LOCAL_HEADER_BYTES = 30  # of a zip entry, without its name and without extras, of which we write none
EPOCH = (1980, 1, 1, 0, 0, 0)
INSTALLER_FILES = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "WHEEL"}


def main() -> int:
    work = ROOT / "build"
    work.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=work) as folder:  # so that two builds may run at once
        archive = pack(stage(Path(folder) / "staged"), Path(folder) / "signaltty.pyz")
        build = json.loads(archive.read("environment.json"))["build_id"][:16]
        write(header(build), archive, build)
    return 0


def header(build: str) -> bytes:
    """The shell script in front of the zip data, then the source of the hot words it points at."""
    parts = sections(b"".join((ROOT / name).read_bytes() for name in ENTRY))
    hook, core, others = (parts[name] for name in ("hook-event", "core", "others"))
    lines = (SCRIPTS / "archive_header.sh").read_text("ascii").splitlines(keepends=True)
    script = "".join(line for line in lines if line.startswith("#!") or (line.strip() and not line.startswith("#")))

    def fill(at: int) -> bytes:
        """The script for a source that begins there; its length is always the same."""
        words = {
            "@BUILD@": build,
            "@HOOK-EVENT@": f"{at:5d} {len(hook + core):5d}",
            "@OTHERS@": f"{at + len(hook):5d} {len(core + others):5d}",
        }
        filled = script
        for word, value in words.items():
            filled = filled.replace(word, value)
        return filled.encode("ascii")

    at = len(fill(0))
    if at >= HEADER_BYTES:
        raise SystemExit(f"build: the header has {at} bytes, {HEADER_BYTES} are too many")
    return fill(at) + hook + core + others


def sections(source: bytes) -> dict[str, bytes]:
    """The hot parts of the entry by the names of their marks."""
    parts: dict[str, bytes] = {}
    name = ""
    for line in source.splitlines(keepends=True):
        if line.startswith(b"# hot: "):
            name = line[7:].decode().strip()
        elif name and name != "end":
            parts[name] = parts.get(name, b"") + line
    return parts


def stage(staged: Path) -> Path:
    """Fill a folder with all that is unpacked at the first run: the pinned packages, the program, the licences."""
    key = sha256(PINS.read_bytes()).hexdigest()[:12]
    carried = ROOT / "build" / f"carried-{key}"
    if not carried.is_dir():
        fetched = staged.with_name("fetched")
        # Pure wheels that Python 3.10 accepts, whatever Python builds: one file serves every version.
        choice = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.10"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", *choice]
        command += ["--only-binary", ":all:", "--target", str(fetched), "--requirement", str(PINS)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"build: pip could not fetch the pinned packages:\n{done.stdout}")
        try:
            fetched.rename(carried)
        except OSError:
            if not carried.is_dir():  # else another build was first
                raise
    shutil.copytree(carried, staged, ignore=shutil.ignore_patterns("__pycache__", "bin", *INSTALLER_FILES))
    shutil.copytree(ROOT / "signaltty_core", staged / "signaltty_core", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ENTRY:
        shutil.copy(ROOT / name, staged / name)
    shutil.copy(SCRIPTS / "archive_boot.py", staged / "signaltty_boot.py")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, staged / "signaltty_core" / name)
    for path in staged.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return staged


def pack(staged: Path, made: Path) -> zipfile.ZipFile:
    """shiv's archive of the staged folder."""
    command = [sys.executable, "-m", "shiv", "--site-packages", str(staged), "--output-file", str(made)]
    command += ["--entry-point", "signaltty:main", "--reproducible", "--root", "~/.cache/signaltty"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"build: shiv failed:\n{done.stdout}")
    return zipfile.ZipFile(made)


def add(out: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    out.writestr(info, data)


def line(info: zipfile.ZipInfo, inside: str) -> str:
    """What `archive_main.py` must know of a file to unpack it without looking into the archive's directory."""
    at = info.header_offset + LOCAL_HEADER_BYTES + len(info.filename.encode("utf-8"))
    return f"{at} {info.compress_size} {info.file_size} {info.CRC} {info.filename[len(inside) :]}\n"


def write(front: bytes, archive: zipfile.ZipFile, build: str) -> None:
    """The finished file: header, then shiv's entries with our `__main__`, offsets counted from the header's start."""
    inside = "site-packages/"
    # Licences stay in the archive; each file less to create makes the first run a third of a millisecond shorter.
    names = sorted(
        name
        for name in archive.namelist()
        if name.startswith(inside) and ".dist-info/" not in name and not name.endswith(("/py.typed", ".pyi"))
    )
    entry = (SCRIPTS / "archive_main.py").read_text("ascii").replace("@BUILD@", build)
    own = {"__main__.py": entry.encode("ascii")}
    data = io.BytesIO()
    data.write(front)
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted({*archive.namelist(), *own}):
            add(out, name, own[name] if name in own else archive.read(name))
        add(out, "files.txt", "".join(line(out.getinfo(name), inside) for name in names).encode("utf-8"))
    TARGET.parent.mkdir(exist_ok=True)
    beside = TARGET.with_name(f"signaltty.{os.getpid()}")
    beside.write_bytes(data.getvalue())
    beside.chmod(0o755)
    beside.replace(TARGET)


if __name__ == "__main__":
    sys.exit(main())
