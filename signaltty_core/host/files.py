"""Small files: written whole or not at all, directories nobody else can write, history tails, the token secret."""

from __future__ import annotations

import os
import stat

from ..base.errors import IoError
from ..base.limits import MANIFEST_BYTES, TAIL_BYTES
from ..wire.codec import NotJson, decode, encode_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

SECRET_BYTES = 32
HISTORY = "history"
# macOS has no fdatasync; there fsync hands the data to the drive, which is all that a killed process needs
sync_data = getattr(os, "fdatasync", os.fsync)


def secure_directory(path: str) -> None:
    """Have a directory that only this user can write: created 0700, or found to be one; its mode is never changed.

    Raises IoError with the reason: a link, no directory, somebody else's, writable by others (behaviour §13).
    """
    try:
        make_directory(path)
        found = os.lstat(path)
    except OSError as fault:
        raise IoError(f"cannot create the directory {path}: {fault.strerror}", path=path) from None
    if stat.S_ISLNK(found.st_mode):
        reason = "is a symbolic link"
    elif not stat.S_ISDIR(found.st_mode):
        reason = "is not a directory"
    elif found.st_uid != os.getuid():
        reason = f"belongs to user {found.st_uid}, not to you"
    elif found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        reason = f"can be written by others (mode {stat.S_IMODE(found.st_mode):04o})"
    else:
        return
    raise IoError(f"{path} {reason}; refusing to use it", path=path)


def make_directory(path: str) -> None:
    """Create it and what is missing above it, all 0700. Anything that stands there is left alone. Raises OSError."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_directory(os.path.dirname(path))
        make_directory(path)


def read_file(path: str) -> bytes | None:
    """All of it; None when there is none. Raises OSError for anything else."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except FileNotFoundError:
        return None


def write_file(path: str, data: bytes, *, synced: bool) -> None:
    """Replace the file in one step, mode 0600. synced: it and its name survive a power cut. Raises OSError."""
    fresh = write_beside(path, data, synced=synced)
    os.rename(fresh, path)
    if synced:
        sync_directory(os.path.dirname(path))


def write_beside(path: str, data: bytes, *, synced: bool) -> str:
    """Write the temporary file that is to be renamed to `path`; gives its name. Nothing is left of a failed one."""
    fresh = path + ".new"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        write_all(fd, data)
        if synced:
            os.fsync(fd)
    except OSError:
        os.unlink(fresh)
        raise
    finally:
        os.close(fd)
    return fresh


def write_all(fd: int, data: bytes) -> None:
    """Every byte, or OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def sync_directory(path: str) -> None:
    """Make renames and new names in it last."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def token_secret(state_dir: str) -> bytes:
    """The secret of the pane tokens, made at the first call and the same ever after (agent-status §4.4)."""
    path = os.path.join(state_dir, "token-secret")
    try:
        found = read_file(path)
        if found is not None and len(found) == SECRET_BYTES:
            return found
        made = os.urandom(SECRET_BYTES)
        write_file(path, made, synced=True)
    except OSError as fault:
        raise IoError(f"cannot keep the token secret in {path}: {fault.strerror}", path=path) from None
    return made


def write_tail(state_dir: str, pane_id: str, text: bytes) -> None:
    """Save the newest whole lines of a pane, at most 64 KiB. Raises OSError; a lost tail costs 5 s of output."""
    write_file(_history_path(state_dir, pane_id, ".tail"), _newest_lines(text), synced=False)


def write_screen(state_dir: str, pane_id: str, cols: int, rows: int, snapshot: bytes, tail: bytes) -> None:
    """Save the grid of a live pane as its size and the bytes that draw it (keeper §3). Raises OSError.

    tail: the text saved just before, which ends with this grid; a kill in between leaves two that do not fit.
    """
    from binascii import b2a_base64, crc32

    drawn = b2a_base64(snapshot, newline=False).decode("ascii")
    fields = {"cols": cols, "rows": rows, "tail_crc": crc32(_newest_lines(tail)), "snapshot_b64": drawn}
    line = encode_line(fields)
    write_file(_history_path(state_dir, pane_id, ".screen"), line, synced=False)


def read_tail(state_dir: str, pane_id: str) -> bytes:
    """What `write_tail` saved; empty when there is nothing readable."""
    try:
        return read_file(os.path.join(state_dir, HISTORY, pane_id + ".tail")) or b""
    except OSError:
        return b""


def read_screen(state_dir: str, pane_id: str, tail: bytes) -> tuple[int, int, bytes] | None:
    """(cols, rows, bytes that draw it); None when there is nothing whole, or nothing that belongs to the saved tail."""
    from binascii import Error, a2b_base64, crc32

    try:
        saved = decode(read_file(os.path.join(state_dir, HISTORY, pane_id + ".screen")) or b"")
        if saved["tail_crc"] != crc32(tail):
            return None
        cols, rows, drawn = saved["cols"], saved["rows"], a2b_base64(saved["snapshot_b64"])
    except (OSError, NotJson, Error, KeyError, TypeError, ValueError):
        return None
    return (cols, rows, drawn) if type(cols) is int and type(rows) is int else None


def prune_history(state_dir: str, panes: Collection[str], live: Collection[str]) -> None:
    """Delete the tails of panes that are gone and the screens of panes that are not live. Raises OSError."""
    directory = os.path.join(state_dir, HISTORY)
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return
    for name in names:
        pane_id, _, kind = name.partition(".")
        if (kind == "tail" and pane_id in panes) or (kind == "screen" and pane_id in live):
            continue
        try:
            os.unlink(os.path.join(directory, name))
        except FileNotFoundError:
            continue


def _history_path(state_dir: str, pane_id: str, suffix: str) -> str:
    directory = os.path.join(state_dir, HISTORY)
    make_directory(directory)
    return os.path.join(directory, pane_id + suffix)


def _newest_lines(text: bytes) -> bytes:
    """The end of the text within the limit, from the start of a line if one starts there, else of a character."""
    if len(text) <= TAIL_BYTES:
        return text
    cut = len(text) - TAIL_BYTES
    start = text.find(b"\n", cut - 1) + 1
    if 0 < start < len(text):
        return text[start:]
    while cut < len(text) and text[cut] & 0xC0 == 0x80:
        cut += 1
    return text[cut:]


def read_manifests(directory: str) -> list[tuple[str, bytes | str]]:
    """All manifests in name order, each with its content or what is wrong with it; none without a directory.

    Raises IoError when the directory cannot be listed.
    """
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(".toml"))
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise IoError(f"cannot list {directory}: {fault.strerror}", path=directory) from None
    return [(name, _manifest(os.path.join(directory, name))) for name in names]


def _manifest(path: str) -> bytes | str:
    try:
        if not os.path.isfile(path):
            return "is no regular file"  # reading a pipe would wait for ever
        with open(path, "rb") as file:
            content = file.read(MANIFEST_BYTES + 1)
    except OSError as fault:
        return fault.strerror or "cannot be read"
    return content if len(content) <= MANIFEST_BYTES else f"is larger than {MANIFEST_BYTES} bytes"
