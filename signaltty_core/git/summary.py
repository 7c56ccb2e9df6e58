"""Diff summaries: what Git printed about files, as DiffFile and DiffDir records (tasks-and-git §1, §6.1)."""

from __future__ import annotations

from posixpath import dirname

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Record = dict[str, Any]
    Counts = Mapping[str, tuple[int, bool]]


def names(listed: bytes) -> list[str]:
    """The names of a listing with NUL after each; bytes that are no UTF-8 are replaced."""
    return [name.decode("utf-8", "replace") for name in listed.split(b"\0") if name]


def parse_numstat(printed: bytes) -> list[Record]:
    """DiffFiles of `git diff --numstat -z`. An unmerged file stands there twice and is kept once."""
    found: dict[str, Record] = {}
    for entry in printed.split(b"\0"):
        added, _, rest = entry.partition(b"\t")
        removed, tab, name = rest.partition(b"\t")
        if not tab:
            continue
        path = name.decode("utf-8", "replace")
        if added == b"-":
            made = _file(path, binary=True)
        else:
            made = _file(path, added=int(added), removed=int(removed))
        known = found.get(path)
        if known is None or known["added"] + known["removed"] <= made["added"] + made["removed"]:
            found[path] = made
    return list(found.values())


def listed(paths: Iterable[str]) -> list[Record]:
    """Untracked files that are only named: zero counts."""
    return [_file(path, untracked=True) for path in paths]


def counted(counts: Iterable[tuple[str, int, bool]]) -> list[Record]:
    """Untracked files as (path, lines, binary)."""
    return [_file(path, added=lines, untracked=True, binary=binary) for path, lines, binary in counts]


def build(tracked: list[Record], untracked: list[Record], *, counts_untracked: bool) -> Record:
    """Files sorted by path, sums per parent directory, totals."""
    known = {file["path"] for file in tracked}
    files = tracked + [file for file in untracked if file["path"] not in known]
    sums: dict[str, list[int]] = {}
    for file in files:
        if file["untracked"] and not counts_untracked:
            continue
        of = sums.setdefault(dirname(file["path"]) or ".", [0, 0])
        of[0] += file["added"]
        of[1] += file["removed"]
    return {
        "files": sorted(files, key=lambda file: str(file["path"])),
        "dirs": [{"dir": name, "added": sums[name][0], "removed": sums[name][1]} for name in sorted(sums)],
        "added": sum(of[0] for of in sums.values()),
        "removed": sum(of[1] for of in sums.values()),
    }


def of_head(numstat: bytes, untracked: bytes) -> Record:
    """A checkout against its commit: untracked files are named, not counted."""
    return build(parse_numstat(numstat), listed(names(untracked)), counts_untracked=False)


def parse_preview(code: int, printed: bytes, target: str) -> Record | None:
    """The MergePreview of `git merge-tree --write-tree`; None when Git cannot tell."""
    parts = printed.split(b"\0")
    if code not in (0, 1) or len(parts) < 2:
        return None
    conflicted = sorted(set(names(b"\0".join(parts[1:])))) if code == 1 else []
    return {"target": target, "clean": code == 0, "conflicted": conflicted}


def branch_name(code: int, printed: bytes) -> str | None:
    """The branch `git symbolic-ref -q HEAD` tells; None when detached."""
    ref = printed.decode("utf-8", "replace").rstrip("\n")
    return ref.removeprefix("refs/heads/") if code == 0 and ref else None


def top_level_and_branch(printed: bytes) -> tuple[str, str | None]:
    """The root and the branch, None when detached. The root may hold line feeds, a ref never does."""
    root, _, ref = printed.decode("utf-8", "surrogateescape").removesuffix("\n").rpartition("\n")
    return root, branch_name(0 if ref.startswith("refs/") else 1, ref.encode("utf-8", "surrogateescape"))


def _file(path: str, added: int = 0, removed: int = 0, *, untracked: bool = False, binary: bool = False) -> Record:
    return {"path": path, "added": added, "removed": removed, "untracked": untracked, "binary": binary}
