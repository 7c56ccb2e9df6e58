"""Questions to Git that several methods ask, each in its own process group and for a bounded time."""

from __future__ import annotations

from ...base.errors import BadParams, IoError
from ...git import naming, requests, summary
from ...state.effects import Run, Until, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Protocol

    from ..call import Call
    from .intents import Intent

    class GitFiles(Protocol):
        """What of a checkout is read without Git; every one of these may block: run them as Work."""

        def look(self, root: str, name: str) -> tuple[str, int]: ...
        def read(self, root: str, name: str) -> tuple[str, bytes]: ...
        def count(self, root: str, names: list[str]) -> list[tuple[str, int, bool]]: ...
        def copy_index(self, index_path: str) -> str: ...
        def make_place(self) -> str: ...
        def remove_place(self, path: str) -> None: ...
        def remove_tree(self, path: str) -> None: ...
        def exists(self, path: str) -> bool: ...
        def is_left_over(self, path: str) -> bool: ...
        def is_repository(self, path: str) -> bool: ...
        def is_vacant(self, path: str) -> bool: ...
        def canonical(self, paths: list[str]) -> list[str]: ...
        def inhabitant(self, directory: str, children: dict[int, str]) -> str | None: ...
        def end_left_over(self, pid: int, start_time: int | None) -> None: ...
        def end_marked(self, variable: str, value: str) -> None: ...


INTENT = "SIGNALTTY_INTENT"
TURN_WAIT_S = 120.0  # for another change of the same repository
LOOK_S = 0.05
MESSAGE_CHARS = 400
_CALL_VARIABLE = "SIGNALTTY_GIT_TIMEOUT_MS"


class Deadline:
    """A time for several calls together."""

    def __init__(self, call: Call, limit_s: float) -> None:
        self._now = call.machine.now
        self._ends_at = self._now() + limit_s

    def left_s(self) -> float:
        """Never quite nothing: the next call then ends with TIMEOUT by itself."""
        return max(0.001, self._ends_at - self._now())


class Held:
    """`async with`: one procedure at a time under the key."""

    def __init__(self, call: Call, key: str) -> None:
        self._claims = call.world.claims
        self._key = key

    async def __aenter__(self) -> None:
        await Until(lambda: self._claims.take(self._key), TURN_WAIT_S, LOOK_S)

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._claims.give_back(self._key)


def limit_s(call: Call, variable: str, otherwise_s: float) -> float:
    """The seconds a variable of the server tells in milliseconds; an unreadable one counts as absent."""
    said = call.settings.environ.get(variable, "")
    return int(said) / 1000 if said.isascii() and said.isdigit() and int(said) > 0 else otherwise_s


def call_limit_s(call: Call) -> float:
    """How long one call of Git may take: a checkout of a very large repository needs more than the usual."""
    return limit_s(call, _CALL_VARIABLE, requests.CALL_S)


def files(call: Call) -> GitFiles:
    """The host's half."""
    found = call.settings.git_files
    if found is None:
        raise IoError("this server reads no checkouts")
    return found()


def asking(
    call: Call,
    cwd: str,
    argv: list[str],
    timeout_s: float | None = None,
    *,
    most_bytes: int | None = None,
    env: Mapping[str, str] | None = None,
) -> Run:
    """A look, to be awaited alone or together with others."""
    environ = {**requests.reading_environment(call.settings.environ), **(env or {})}
    return Run(argv, cwd, environ, timeout_s or call_limit_s(call), most_bytes)


def altering(
    call: Call,
    cwd: str,
    argv: list[str],
    timeout_s: float | None = None,
    *,
    env: Mapping[str, str] | None = None,
    intent: Intent | None = None,
) -> Run:
    """A change, to be awaited. intent: it is told which process does it, and the process bears its name: a server may
    be lost before it has learnt that number."""
    environ = {**requests.environment(call.settings.environ), **(env or {})}
    limit = timeout_s or call_limit_s(call)
    if intent is None:
        return Run(argv, cwd, environ, limit)
    return Run(argv, cwd, {**environ, INTENT: intent.id}, limit, None, intent.note_process)


def said(stderr: bytes) -> str:
    """Git's message, short enough for a sentence."""
    return stderr.decode("utf-8", "replace").strip()[:MESSAGE_CHARS] or "no message"


def failed(what: str, stderr: bytes) -> IoError:
    return IoError(f"{what}: {said(stderr)}", stderr=stderr.decode("utf-8", "replace"))


async def top_level(call: Call, directory: str) -> str:
    """The root of the checkout the directory is in. Raises BadParams outside one."""
    code, printed, stderr = await asking(call, directory, requests.TOP_LEVEL)
    root: str = printed.decode("utf-8", "surrogateescape").removesuffix("\n")
    if code != 0 or not root:
        raise BadParams(f"{directory} is not inside a Git work tree: {said(stderr)}")
    return root


async def common_directory(call: Call, directory: str) -> str:
    """Where the repository itself is, the same for all its worktrees; canonical. Raises BadParams outside one."""
    code, printed, stderr = await asking(call, directory, requests.COMMON_DIRECTORY)
    if code != 0:
        raise BadParams(f"{directory} is in no Git repository: {said(stderr)}")
    found: list[str] = await Work(
        files(call).canonical, [printed.decode("utf-8", "surrogateescape").removesuffix("\n")]
    )
    return found[0]


async def canonical(call: Call, path: str) -> str:
    """The path with its links resolved."""
    found: list[str] = await Work(files(call).canonical, [path])
    return found[0]


async def check_branch(call: Call, directory: str, name: str, path: str = "branch") -> None:
    """Raise BadParams unless Git takes the very name for a branch's."""
    fault = naming.branch_fault(name)
    if fault is None:
        code, printed, _ = await asking(call, directory, naming.check_branch(name))
        if code == 0 and printed == name.encode() + b"\n":
            return
        fault = "Git does not take it for one"
    raise BadParams(f"invalid branch {name[:80]!r}: {fault}", path=path)


async def resolve_commit(call: Call, directory: str, ref: str, path: str = "base_ref") -> str:
    """The 40 hex digits of the commit a checked ref names. Raises BadParams."""
    fault = naming.ref_fault(ref)
    if fault is None and not naming.is_object_id(ref):
        code, _, _ = await asking(call, directory, naming.check_ref(ref))
        fault = None if code == 0 else "Git does not take it for a ref"
    if fault is not None:
        raise BadParams(f"invalid {path} {ref[:80]!r}: {fault}", path=path)
    code, printed, _ = await asking(call, directory, requests.commit_of(ref))
    sha: str = printed.decode("ascii", "replace").strip()
    if code != 0 or not naming.is_object_id(sha):
        raise BadParams(f"{path}: {ref[:80]!r} names no commit", path=path)
    return sha


async def head_branch(call: Call, directory: str) -> str | None:
    """The branch that is checked out; None when detached."""
    code, printed, _ = await asking(call, directory, requests.HEAD_BRANCH)
    return summary.branch_name(code, printed)


async def branch_tip(call: Call, directory: str, branch: str) -> str | None:
    """The branch's commit; None without such a branch."""
    code, printed, _ = await asking(call, directory, requests.branch_tip(branch))
    return str(printed.decode("ascii", "replace").strip()) if code == 0 else None


async def contains(call: Call, directory: str, tip: str, head: str) -> bool:
    """Whether `head` has the commit `tip` in its history. Raises IoError when Git cannot tell."""
    code, _, stderr = await asking(call, directory, requests.is_ancestor(tip, head))
    if code not in (0, 1):
        raise failed("the history cannot be read", stderr)
    return bool(code == 0)


async def is_clean(call: Call, checkout: str, *, tracked_only: bool = False) -> bool:
    """Whether nothing there differs from the commit. Raises IoError when Git cannot tell, which is never clean."""
    argv = requests.STATUS_TRACKED if tracked_only else requests.STATUS
    code, printed, stderr = await asking(call, checkout, argv)
    if code != 0:
        raise failed("the state of the checkout cannot be read", stderr)
    return not printed


async def delete_branch(call: Call, directory: str, branch: str, tip: str) -> bool:
    """Delete the branch while it is at `tip`; False when it is not, or somebody has it checked out."""
    from .worktree_calls import list_worktrees  # which in turn needs this module

    if any(one.get("branch") == branch for one in await list_worktrees(call, directory)):
        return False
    code, _, _ = await altering(call, directory, requests.delete_branch(branch, tip))
    return bool(code == 0)
