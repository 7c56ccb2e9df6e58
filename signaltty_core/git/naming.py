"""Names of refs, branches and worktree paths: what may be given, and what is made (tasks-and-git §2.3, §2.4)."""

from __future__ import annotations

from zlib import crc32

from .requests import read

_KEPT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
_HEX = "0123456789abcdef"
BRANCH_BYTES = 1024
LABEL_BYTES = 160


def branch_fault(name: str) -> str | None:
    """What rules the name out before Git is asked; the rest is `check_branch`."""
    if not name:
        return "it is empty"
    if not _can_be_an_argument(name) or len(name.encode()) > BRANCH_BYTES:
        return "it is too long or holds characters no name may hold"
    if name.startswith("-"):
        return "it begins with a hyphen"
    if name.startswith("refs/"):
        return "it begins with refs/"
    if "@{" in name:
        return "it holds @{"
    return None


def check_branch(name: str) -> list[str]:
    """Git prints the very name when it can be a branch's, another one when it is a shorthand."""
    return read("check-ref-format", "--branch", name)


def is_object_id(ref: str) -> bool:
    """40 hex digits, which are taken as they are."""
    return len(ref) == 40 and all(digit in _HEX for digit in ref.lower())


def ref_fault(ref: str) -> str | None:
    """What rules a base ref out before Git is asked; the rest is `check_ref`."""
    if not ref or not _can_be_an_argument(ref) or len(ref.encode()) > BRANCH_BYTES:
        return "it is empty, too long or holds characters no name may hold"
    return "it begins with a hyphen" if ref.startswith("-") else None


def check_ref(ref: str) -> list[str]:
    return read("check-ref-format", "--allow-onelevel", ref)


def task_branch(label: str | None, short: str) -> str:
    """`signaltty/<label>-<short>`; short: the end of the task's id.

    Any label gives a name: Git takes neither two dots in a row nor one at the beginning, and files have a longest name.
    """
    word = _reduced(label or "task", any_letters=True)
    while ".." in word:
        word = word.replace("..", ".")
    word = word.encode()[:LABEL_BYTES].decode("utf-8", "ignore")
    return f"signaltty/{'-' + word[1:] if word.startswith('.') else word}-{short}"


def worktree_path(data_directory: str, repository: str, branch: str) -> str:
    """Where a task's worktree goes. repository: canonical path, whose checksum keeps equal names apart."""
    base = repository.rstrip("/").rpartition("/")[2] or "root"
    digest = f"{crc32(repository.encode('utf-8', 'surrogateescape')):08x}"
    return f"{data_directory}/worktrees/{base}-{digest}/{_reduced(branch, any_letters=False)}"


def is_inside(path: str, directory: str) -> bool:
    """Whether the path is the directory or below it, by whole components; both canonical."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def is_text(path: str) -> bool:
    """Whether the path can be told to others: one that is no UTF-8 on disk has no name in JSON."""
    return _can_be_an_argument(path)


def _reduced(text: str, *, any_letters: bool) -> str:
    """The text with `-` for each character that has no place in a name. any_letters: not only those of ASCII stay."""
    return "".join(one if one in _KEPT or (any_letters and one.isalnum()) else "-" for one in text)


def _can_be_an_argument(text: str) -> bool:
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False
