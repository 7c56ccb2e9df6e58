"""Diffs of a checkout as records: summaries, one file, a tree of now, a merge tried dry (tasks-and-git §6, §8)."""

from __future__ import annotations

from ...base.errors import BadParams, IoError, ProtocolError
from ...git import content, requests, summary
from ...state.effects import Together, Work
from .git_calls import Deadline, asking, call_limit_s, failed, files, head_branch, top_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


async def of_head(call: Call, directory: str) -> Record:
    """The checkout the directory is in against its commit, or the empty tree before the first one; with `branch`.

    Raises BadParams outside a checkout, IoError, TimedOut.
    """
    ends = Deadline(call, call_limit_s(call))
    # all at once, for most workspaces are at the root of a checkout with commits; what takes longest begins first
    counts, untracked, place = await Together(
        asking(call, directory, requests.numstat("HEAD")),
        asking(call, directory, requests.UNTRACKED),
        asking(call, directory, requests.TOP_LEVEL_AND_BRANCH),
    )
    if place[0] == 0:
        root, branch = summary.top_level_and_branch(place[1])
    else:  # no checkout at all, or one without a commit
        root = await top_level(call, directory)
        branch, base = await head_branch(call, root), await _empty_tree(call, root, ends)
        counts = await asking(call, root, requests.numstat(base), ends.left_s())
    if root != directory:  # untracked files are listed from where one is
        untracked = await asking(call, root, requests.UNTRACKED, ends.left_s())
    _expect(counts, "the changes cannot be read")
    _expect(untracked, "the untracked files cannot be listed")
    found: Record = await Work(summary.of_head, counts[1], untracked[1])
    return {"branch": branch, **found}


async def against_base(call: Call, root: str, base: str) -> Record:
    """The checkout against a commit or tree, untracked lines counted; with `branch`. Raises IoError."""
    counts, untracked, branch = await Together(
        asking(call, root, requests.numstat(base)),
        asking(call, root, requests.UNTRACKED),
        asking(call, root, requests.HEAD_BRANCH),
    )
    _expect(counts, "the changes cannot be read")
    _expect(untracked, "the untracked files cannot be listed")
    names = [name.decode("utf-8", "surrogateescape") for name in untracked[1].split(b"\0") if name]
    new = await Work(files(call).count, root, names)
    shown = [(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), *rest) for name, *rest in new]
    found = summary.build(summary.parse_numstat(counts[1]), summary.counted(shown), counts_untracked=True)
    return {"branch": summary.branch_name(branch[0], branch[1]), **found}


async def between(call: Call, root: str, old: str, new: str) -> Record:
    """One tree against another."""
    counts = await asking(call, root, requests.numstat(old, new))
    _expect(counts, "the changes cannot be read")
    tracked = await Work(summary.parse_numstat, counts[1])
    return summary.build(tracked, [], counts_untracked=True)


async def capture(call: Call, root: str, timeout_s: float | None = None) -> str:
    """The checkout of this moment as a tree; the real index stays as it is. Raises IoError, TimedOut."""
    ends = Deadline(call, timeout_s or call_limit_s(call))
    index = await asking(call, root, requests.INDEX_PATH, ends.left_s())
    _expect(index, "the index cannot be found")
    own = files(call)
    copy: str = await Work(own.copy_index, index[1].decode("utf-8", "surrogateescape").removesuffix("\n"))
    env = {"GIT_INDEX_FILE": copy}
    try:
        added = await asking(call, root, requests.capture_add(), ends.left_s(), env=env)
        _expect(added, "the checkout cannot be captured")
        tree = await asking(call, root, requests.CAPTURE_TREE, ends.left_s(), env=env)
        _expect(tree, "the checkout cannot be captured")
    except ProtocolError:
        await Work(own.remove_place, copy)
        raise
    await Work(own.remove_place, copy)
    return str(tree[1].decode("ascii", "replace").strip())


async def merge_preview(call: Call, root: str, target: str, tip: str) -> Record | None:
    """How a merge of the commit `tip` into the branch `target` would end; None when Git cannot tell."""
    objects = await asking(call, root, requests.OBJECTS_PATH)
    _expect(objects, "the object store cannot be found")
    own = files(call)
    place: str = await Work(own.make_place)
    env = {
        "GIT_OBJECT_DIRECTORY": place,  # a look leaves nothing behind in the repository
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects[1].decode("utf-8", "surrogateescape").removesuffix("\n"),
    }
    try:
        code, printed, _ = await asking(call, root, requests.merge_preview(f"refs/heads/{target}", tip), env=env)
    except ProtocolError:
        await Work(own.remove_place, place)
        raise
    await Work(own.remove_place, place)
    return summary.parse_preview(code, printed, target)


async def file_of_checkout(call: Call, root: str, path: str, base: str = "HEAD") -> tuple[bool, Record]:
    """(untracked, FileContent) of one file against a commit. Raises BadParams, IoError, TimedOut."""
    _check_path(path)
    ends = Deadline(call, requests.FILE_DIFF_S)
    index, tree, new, head = await Together(
        asking(call, root, requests.in_index(path), ends.left_s()),
        asking(call, root, requests.in_tree(base, path), ends.left_s()),
        asking(call, root, requests.untracked(path), ends.left_s()),
        asking(call, root, requests.HEAD_COMMIT, ends.left_s()),
    )
    if base == "HEAD" and head[0] != 0:
        base, tree = await _empty_tree(call, root, ends), (0, b"", b"")
    for answer in (index, tree, new):
        _expect(answer, "the file cannot be looked up")
    known, staged = _entry(tree[1], path), _staged(index[1], path)
    if not staged and (known is None or known.kind == "tree"):
        if path.encode() in new[1].split(b"\0"):
            return True, await _untracked(call, root, path, ends)
        return False, await _unknown(call, root, path)
    kind, size_bytes = await Work(files(call).look, root, path)
    if kind == "special":
        return False, content.unavailable("it is no regular file")
    sizes_bytes = [size_bytes if kind == "file" else 0, known.size_bytes if known else 0]
    return False, await _patch(call, root, path, ends, _quickest(base, path, kind, known, staged), sizes_bytes)


def _quickest(base: str, path: str, kind: str, known: Entry | None, staged: list[tuple[str, str]]) -> list[str]:
    """What to compare the checkout with. Git walks its whole index to compare one file with a commit: 0.4 s where
    20,000 files are; the index itself, or one blob, takes 5 ms and shows the same."""
    if known is not None and staged == [(known.mode, known.id)]:
        return []
    if known is not None and kind == "file" and known.mode in ("100644", "100755") and len(staged) == 1:
        return [f"{base}:{path}"]
    return [base]


async def file_between(call: Call, root: str, path: str, old: str) -> Record:
    """FileContent of one file: the checkout of this moment, as a tree, against an older tree."""
    _check_path(path)
    ends = Deadline(call, requests.FILE_DIFF_S)
    new = await capture(call, root, ends.left_s())
    answers = await Together(*(asking(call, root, requests.in_tree(tree, path), ends.left_s()) for tree in (old, new)))
    for answer in answers:
        _expect(answer, "the file cannot be looked up")
    entries = [_entry(answer[1], path) for answer in answers]
    present = [entry for entry in entries if entry is not None]
    if all(entry.kind == "tree" for entry in present):
        return await _unknown(call, root, path)
    return await _patch(call, root, path, ends, [old, new], [entry.size_bytes for entry in present])


async def _patch(call: Call, root: str, path: str, ends: Deadline, trees: list[str], sizes_bytes: list[int]) -> Record:
    if any(size > content.PREVIEW_BYTES for size in sizes_bytes):
        return content.unavailable(content.TOO_LARGE)
    answer = await asking(call, root, requests.patch(path, *trees), ends.left_s(), most_bytes=content.PATCH_BYTES)
    if len(answer[1]) > content.PATCH_BYTES:
        return content.unavailable(content.TOO_LARGE)
    _expect(answer, "the file cannot be compared")
    found: Record = await Work(content.of_patch, answer[1])
    return found


async def _untracked(call: Call, root: str, path: str, ends: Deadline) -> Record:
    (kind, data), attribute = await Together(
        Work(files(call).read, root, path), asking(call, root, requests.diff_attribute(path), ends.left_s())
    )
    if kind == "missing":
        raise BadParams(f"path: {path[:200]!r} has just gone", path="path")
    if kind != "file":
        return content.unavailable(_REASONS[kind])
    if len(data) > content.PREVIEW_BYTES:
        return content.unavailable(content.TOO_LARGE)
    return content.of_untracked(data, binary=attribute[1].endswith(b"\0unset\0"))


async def _unknown(call: Call, root: str, path: str) -> Record:
    """What neither Git nor its list of untracked files knows: refused, unless it is of a kind Git never lists."""
    kind, _ = await Work(files(call).look, root, path)
    if kind in ("special", "unsafe"):
        return content.unavailable(_REASONS[kind])
    reason = "is a directory" if kind == "folder" else "is not known here, or ignored"
    raise BadParams(f"path: {path[:200]!r} {reason}", path="path")


_REASONS = {
    "link": "it is a symbolic link",
    "special": "it is no regular file",
    "folder": "it is a directory",
    "unsafe": "a symbolic link is on the way to it",
}


def _check_path(path: str) -> None:
    fault = content.path_fault(path)
    if fault is not None:
        raise BadParams(f"path: {fault}", path="path")


class Entry:
    """One name in a tree."""

    __slots__ = ("id", "kind", "mode", "size_bytes")

    def __init__(self, mode: str, kind: str, id: str, size_bytes: int) -> None:
        self.mode = mode
        self.kind = kind
        self.id = id
        self.size_bytes = size_bytes


def _entry(listed: bytes, path: str) -> Entry | None:
    """The very name in `git ls-tree -l -z`."""
    for entry in listed.split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        if name == path.encode():
            mode, kind, id, size = facts.decode("ascii").split()
            return Entry(mode, kind, id, int(size) if size.isdigit() else 0)
    return None


def _staged(listed: bytes, path: str) -> list[tuple[str, str]]:
    """(mode, id) of the very name in `git ls-files --stage -z`; several for an unmerged file."""
    found = []
    for entry in listed.split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        if name == path.encode():
            mode, id, _ = facts.decode("ascii").split()
            found.append((mode, id))
    return found


async def _empty_tree(call: Call, root: str, ends: Deadline) -> str:
    code, printed, _ = await asking(call, root, requests.OBJECT_FORMAT, ends.left_s())
    return requests.EMPTY_TREE.get(printed.decode().strip() if code == 0 else "", requests.EMPTY_TREE["sha1"])


def _expect(answer: tuple[int, bytes, bytes], what: str) -> None:
    if answer[0] != 0:
        raise failed(what, answer[2]) if answer[0] > 0 else IoError(f"{what}: Git was ended by a signal")
