"""`skill …`: puts the document for agents where they look for such, and takes away only what it put there (cli §11)."""

from __future__ import annotations

import os

from ...base.version import VERSION
from ...host.files import make_directory, read_file, write_file
from ..session import absolute
from ..spec import LocalError
from .skill_text import INSTALLED, MARK, TEXT, sum_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..session import Session

HOMES = (".agents", ".claude", ".codex")
DATA = INSTALLED.encode()
OURS, OLDER, EDITED, FOREIGN, ABSENT = (
    *("installed", "of another version", "changed by hand"),
    *("not ours", "not installed"),
)


def cat(session: Session) -> None:
    if session.settings.json:
        session.show({"version": VERSION, "text": TEXT})
    else:
        session.write(TEXT)


def check(session: Session) -> None:
    pane_id = session.settings.environ.get("SIGNALTTY_PANE")
    if not pane_id:
        raise LocalError("not inside a pane: SIGNALTTY_PANE is not set")
    session.show({"pane_id": pane_id}, f"managed pane {pane_id}")


def install(session: Session, home: str | None) -> None:
    """Write the document where there is none and over one of ours; what somebody wrote or changed is left alone."""
    files, written = [], []
    for path in _paths(home):
        found = _state_of(path)
        if found in (FOREIGN, EDITED):
            session.complain(f"signaltty: {path} is {found} and stays as it is")
            continue
        if found != OURS:
            _write(path)
            written.append(path)
        files.append(path)
    lines = [f"installed {path}" for path in written] or (["already installed"] if files else [])
    session.show({"files": files, "changed": bool(written)}, *lines)


def uninstall(session: Session, home: str | None) -> None:
    """Delete our documents, of whatever version, and the directory each had to itself."""
    states = {path: _state_of(path) for path in _paths(home)}
    for path, state in states.items():
        if state == EDITED:
            session.complain(f"signaltty: {path} is {state} and stays as it is")
    files = [path for path, state in states.items() if state in (OURS, OLDER)]
    for path in files:
        try:
            os.unlink(path)
        except OSError as fault:
            raise LocalError(f"cannot delete {path}: {fault.strerror}") from None
        try:
            os.rmdir(os.path.dirname(path))
        except OSError:
            pass  # somebody keeps more in it
    session.show({"files": files, "changed": bool(files)}, *([f"removed {path}" for path in files] or [ABSENT]))


def status(session: Session, home: str | None) -> None:
    found = [(os.path.dirname(path), _state_of(path)) for path in _paths(home)]
    session.show(
        {"skills": [{"dir": directory, "installed": state == OURS} for directory, state in found]},
        *(f"{directory}: {state}" for directory, state in found),
    )


def _paths(home: str | None) -> list[str]:
    base = absolute(home) if home is not None else os.path.expanduser("~")
    return [f"{base}/{name}/skills/signaltty/SKILL.md" for name in HOMES]


def _state_of(path: str) -> str:
    """What stands there; a link is somebody's own arrangement."""
    if os.path.islink(path):
        return FOREIGN
    try:
        data = read_file(path)
    except OSError as fault:
        raise LocalError(f"cannot read {path}: {fault.strerror}") from None
    if data is None:
        return ABSENT
    if data == DATA:
        return OURS
    mark = MARK.encode()
    if data.startswith(mark):
        return OLDER  # as the first versions wrote it, with the mark in the first line and no sum
    front, found, rest = data.partition(b"\n---\n" + mark)
    if not found or not front.startswith(b"---\n"):
        return FOREIGN
    line, _, body = rest.partition(b"\n")
    written = line.partition(b", sum ")[2][:8].decode("ascii", "replace")
    return OLDER if written == sum_of(front + b"\n---\n" + body) else EDITED


def _write(path: str) -> None:
    try:
        make_directory(os.path.dirname(path))
        write_file(path, DATA, synced=False)
    except OSError as fault:
        raise LocalError(f"cannot write {path}: {fault.strerror}") from None
