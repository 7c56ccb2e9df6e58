"""One file's changes as FileContent: hunks read from a patch, or made for an untracked file (tasks-and-git §6.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

PREVIEW_BYTES = 512 << 10
PREVIEW_LINES = 10_000
PATCH_BYTES = 8 << 20  # two sides of 524,288 line feeds each with a sign in front, twice over

TOO_LARGE = "the file has more than 512 KiB"
NOT_UTF8 = "the file is not UTF-8 text"
BINARY: Record = {"kind": "binary"}
UNCHANGED: Record = {"kind": "unchanged"}
_KINDS = {" ": "context", "+": "added", "-": "removed"}


def path_fault(path: str) -> str | None:
    """Why this is no name relative to the root (BAD_PARAMS), None for one that may be looked for."""
    if not path or path.startswith("/"):
        return "expected a name relative to the repository's root"
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        return "not UTF-8"
    if b"\0" in encoded:
        return "holds a NUL character"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "has an empty component, `.` or `..`"
    if any(part.lower() == ".git" for part in parts):
        return "names Git's own files"
    return None


def unavailable(reason: str) -> Record:
    return {"kind": "unavailable", "reason": reason}


def text(hunks: list[Record], *, truncated: bool = False, notice: str | None = None) -> Record:
    if truncated:
        notice = f"only the first {PREVIEW_LINES} lines are shown"
    return {"kind": "text", "hunks": hunks, "truncated": truncated, "notice": notice}


def of_patch(patch: bytes) -> Record:
    """FileContent of what `git diff` printed for one file."""
    if not patch:
        return dict(UNCHANGED)
    try:
        lines = patch.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return unavailable(NOT_UTF8)
    if lines and lines[-1] == "":
        lines.pop()
    hunks, binary, truncated = _read_hunks(lines)
    if binary:
        return dict(BINARY)
    return text(hunks, truncated=truncated, notice=None if hunks else _notice(lines))


def of_untracked(data: bytes, *, binary: bool = False) -> Record:
    """FileContent of a file that is new as a whole. binary: an attribute says so."""
    if binary or b"\0" in data:
        return dict(BINARY)
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError:
        return unavailable(NOT_UTF8)
    if not whole:
        return text([], notice="the file is empty")
    lines = whole.split("\n")
    ends = lines[-1] == ""
    if ends:
        lines.pop()
    kept = lines[:PREVIEW_LINES]
    shown = [_line("added", line, None, number) for number, line in enumerate(kept, 1)]
    if not ends and len(kept) == len(lines):
        shown.append(_line("no_newline", "No newline at end of file", None, None))
    count = len(lines)
    return text([_hunk(f"@@ -0,0 +1,{count} @@", (0, 0, 1, count), shown)], truncated=count > PREVIEW_LINES)


def _read_hunks(lines: list[str]) -> tuple[list[Record], bool, bool]:
    """(hunks, whether the patch is binary, whether lines were left out). Headers end where the first hunk begins."""
    hunks: list[Record] = []
    current: list[Record] = []
    old = left_old = new = left_new = shown = 0
    for line in lines:
        sign = line[:1]
        if sign == "\\" and current:
            current.append(_line("no_newline", line[2:], None, None))
        elif (left_old or left_new or line.startswith("@@ ")) and shown == PREVIEW_LINES:
            return hunks, False, True
        elif left_old or left_new:
            kind = _KINDS.get(sign, "context")
            in_old, in_new = kind != "added", kind != "removed"
            current.append(_line(kind, line[1:], old if in_old else None, new if in_new else None))
            old, left_old = old + in_old, left_old - in_old
            new, left_new = new + in_new, left_new - in_new
            shown += 1
        elif line.startswith("@@ "):
            counts = _counts(line)
            old, left_old, new, left_new = counts
            current = []
            hunks.append(_hunk(line, counts, current))
        elif not hunks and line.startswith(("Binary files ", "GIT binary patch")):
            return [], True, False
    return hunks, False, False


def _counts(heading: str) -> tuple[int, int, int, int]:
    """`@@ -old,count +new,count @@ …`; a count of 1 may be left out."""
    _, old, new, _ = heading.split(" ", 3)
    numbers = []
    for side in (old, new):
        start, comma, count = side[1:].partition(",")
        numbers += [int(start), int(count) if comma else 1]
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _hunk(heading: str, counts: tuple[int, int, int, int], lines: list[Record]) -> Record:
    old_start, old_count, new_start, new_count = counts
    return {
        "old_start": old_start,
        "old_count": old_count,
        "new_start": new_start,
        "new_count": new_count,
        "heading": heading,
        "lines": lines,
    }


def _line(kind: str, text: str, old_line: int | None, new_line: int | None) -> Record:
    return {"kind": kind, "text": text, "old_line": old_line, "new_line": new_line}


def _notice(headers: list[str]) -> str:
    """What a patch without hunks says."""
    if any(line.startswith("new file mode ") for line in headers):
        return "the file is new and empty"
    if any(line.startswith("deleted file mode ") for line in headers):
        return "the file was empty and is deleted"
    modes = [line.rpartition(" ")[2] for line in headers if line.startswith(("old mode ", "new mode "))]
    return f"only the mode changed: {' to '.join(modes)}" if len(modes) == 2 else "only metadata changed"
