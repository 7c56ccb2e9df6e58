"""What Git is asked, as argument lists, and the environment it runs in (tasks-and-git §6, §9)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CALL_S = 20.0
FILE_DIFF_S = 8.0

# what would make Git look at another repository, another index or other objects, or start another program
_DROPPED = frozenset(
    (
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_DIFF_OPTS"),
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE"),
        *("GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_QUARANTINE_PATH"),
        *(
            "GIT_NO_REPLACE_OBJECTS",
            "GIT_REPLACE_REF_BASE",
            "GIT_REFLOG_ACTION",
            "GIT_EXTERNAL_DIFF",
            "GIT_ATTR_SOURCE",
        ),
        *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
        *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_CEILING_DIRECTORIES", "LANGUAGE"),
    )
)
# no monitor: a look must not start a program; no refresh: `git diff` writes the index even without optional locks
_BASE = ("git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_READ = ("git", "--no-optional-locks", *_BASE[1:], "-c", "diff.autoRefreshIndex=false")
_PLAIN = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-relative", "--submodule=short"),
    "-O/dev/null",  # a configured order file may be missing, which is fatal
)
_NEUTRAL = (
    *("-c", "diff.suppressBlankEmpty=false", "-c", "diff.outputIndicatorNew=+", "-c", "diff.outputIndicatorOld=-"),
    *(
        "-c",
        "diff.outputIndicatorContext= ",
        "-c",
        "color.ui=false",
        "-c",
        "color.diff=false",
        "-c",
        "diff.colorMoved=no",
    ),
)


def environment(server: Mapping[str, str]) -> dict[str, str]:
    """For calls that change something: no prompt, no pager, nothing redirected from outside, untranslated messages."""
    kept = {name: value for name, value in server.items() if name not in _DROPPED and not name.startswith("GIT_TRACE")}
    kept.update(GIT_TERMINAL_PROMPT="0", GIT_PAGER="cat", LC_ALL="C.UTF-8")
    return kept


def reading_environment(server: Mapping[str, str]) -> dict[str, str]:
    """For calls that only look."""
    return {**environment(server), "GIT_OPTIONAL_LOCKS": "0"}


def read(*words: str) -> list[str]:
    """A call that only looks."""
    return [*_READ, *words]


def change(*words: str) -> list[str]:
    """A call that changes the repository."""
    return [*_BASE, *words]


TOP_LEVEL = read("rev-parse", "--show-toplevel")
TOP_LEVEL_AND_BRANCH = read("rev-parse", "--show-toplevel", "--symbolic-full-name", "HEAD")
COMMON_DIRECTORY = read("rev-parse", "--path-format=absolute", "--git-common-dir")
GIT_DIRECTORIES = read("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")


def path_of(name: str) -> list[str]:
    """Where a file of the repository is, as this checkout sees it."""
    return read("rev-parse", "--path-format=absolute", "--git-path", name)


INDEX_PATH = path_of("index")
OBJECTS_PATH = path_of("objects")
OBJECT_FORMAT = read("rev-parse", "--show-object-format")
HEAD_BRANCH = read("symbolic-ref", "-q", "HEAD")
HEAD_COMMIT = read("rev-parse", "-q", "--verify", "HEAD^{commit}")
UNTRACKED = read("ls-files", "--others", "--exclude-standard", "--full-name", "-z")
WORKTREES = read("worktree", "list", "--porcelain", "-z")
STATUS = read("status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=none")
STATUS_TRACKED = read("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=none")
# empty trees need not be in the object store; Git knows them
EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


def numstat(*trees: str) -> list[str]:
    """Counts per file: one tree against the checkout, or two trees."""
    return read("diff", "--numstat", "-z", *_PLAIN, *trees, "--")


def patch(path: str, *trees: str) -> list[str]:
    """One file's hunks: the index, a tree or a blob (`commit:path`) against the checkout, or two trees."""
    shape = ("--unified=3", "--inter-hunk-context=0", "--color-moved=no", "--src-prefix=a/", "--dst-prefix=b/")
    signs = ("--output-indicator-new=+", "--output-indicator-old=-", "--output-indicator-context= ")
    return [*_READ, *_NEUTRAL, "diff", "--patch", *_PLAIN, *shape, *signs, *trees, "--", path]


def in_index(path: str) -> list[str]:
    return read("ls-files", "--stage", "--full-name", "-z", "--", path)


def in_tree(tree: str, path: str) -> list[str]:
    return read("ls-tree", "--full-tree", "-l", "-z", tree, "--", path)


def untracked(path: str) -> list[str]:
    return [*UNTRACKED, "--", path]


def diff_attribute(path: str) -> list[str]:
    return read("check-attr", "-z", "diff", "--", path)


def commit_of(ref: str) -> list[str]:
    """The full id of a commit; ref: checked before (`naming`)."""
    return read("rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}")


def tree_exists(tree: str) -> list[str]:
    return read("cat-file", "-e", f"{tree}^{{tree}}")


def branch_tip(branch: str) -> list[str]:
    return read("rev-parse", "-q", "--verify", "--end-of-options", f"refs/heads/{branch}^{{commit}}")


def is_ancestor(old: str, new: str) -> list[str]:
    return read("merge-base", "--is-ancestor", old, new)


def merge_preview(target: str, tip: str) -> list[str]:
    """A merge that touches neither checkout nor refs; needs Git 2.38."""
    return read("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", target, tip)


def capture_add() -> list[str]:
    """Take the whole checkout into the index GIT_INDEX_FILE names, which stands alone."""
    own = ("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "advice.addEmbeddedRepo=false")
    return [*_BASE, *own, "add", "--all", "--", "."]


CAPTURE_TREE = [*_BASE, "write-tree"]


def add_worktree(path: str, branch: str, start: str | None, lock_reason: str | None) -> list[str]:
    """start: commit of a new branch; None adopts the existing one."""
    lock = ("--lock", "--reason", lock_reason) if lock_reason is not None else ()
    if start is None:
        return change("worktree", "add", *lock, "--", path, branch)
    return change("worktree", "add", *lock, "--no-track", "-b", branch, "--", path, start)


def remove_worktree(path: str, force: int = 0) -> list[str]:
    """force: 1 for initialised submodules, 2 for a locked or dirty one."""
    return change("worktree", "remove", *("--force",) * force, "--", path)


def unlock_worktree(path: str) -> list[str]:
    return change("worktree", "unlock", "--", path)


PRUNE_WORKTREES = change("worktree", "prune")


def delete_branch(branch: str, tip: str) -> list[str]:
    """Only while it still points at `tip`."""
    return change("update-ref", "-d", f"refs/heads/{branch}", tip)


def merge(branch: str) -> list[str]:
    return change("merge", "--no-ff", "--no-edit", "--", branch)


# hooks may be what had hung; going back needs none
_QUIET = ("-c", "core.hooksPath=/dev/null")
MERGE_ABORT = change(*_QUIET, "merge", "--abort")


def reset_merge(commit: str) -> list[str]:
    """Back to the commit; changes in the checkout that are not in the index stay."""
    return change(*_QUIET, "reset", "--merge", commit)


UNMERGED = read("diff", "--name-only", "--diff-filter=U", "-z", "--no-relative", "--no-ext-diff")
FETCH = change("fetch", "origin")
