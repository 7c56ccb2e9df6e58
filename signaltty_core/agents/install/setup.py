"""What happens before an agent's program starts: its hooks are set up, or it is said why not (agents §8.1, §9)."""

from __future__ import annotations

from ...base.errors import IoError, ProtocolError, TimedOut
from ...state.effects import Run, Work
from . import PER_LAUNCH, codex_line, launch_line, version
from .agent_files import place_of
from .edit import installing, is_installed
from .refusal import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    Program = tuple[str, int, int]

    class Files(Protocol):
        """Settings files and programs; every function may block. host/config_files.py has them."""

        versions: dict[Program, tuple[int, ...] | None]

        def read(self, path: str) -> bytes | None: ...
        def edit(self, path: str, change: Callable[[bytes | None], bytes | None]) -> bool: ...
        def keep(self, agent: str, files: Mapping[str, bytes]) -> str: ...
        def program(self, name: str, search: str | None, cwd: str) -> Program | None: ...
        def is_executable(self, path: str) -> bool: ...


REVIEW = (
    "signaltty's hooks were written for codex: review and trust them under /hooks; "
    "a codex typed in a shell reports only with --no-daemon"
)
NO_PROBE = "this codex did not confirm --no-daemon: its hooks may run in a background server and miss this pane"
NO_INSERT = "--no-daemon was not added to this call of codex: its hooks may run elsewhere and miss this pane"
TAKEN = "claude was started with --settings of its own: signaltty's hooks were not added"


class Wish:
    """A launch as it is wanted.

    environ: what the program will see. places: the variables that say where its settings are, `home` the directory
    they stand in otherwise. program: the reporter.
    """

    __slots__ = ("agent", "argv", "cwd", "environ", "home", "places", "program")

    def __init__(
        self,
        agent: str,
        argv: list[str],
        cwd: str,
        environ: Mapping[str, str],
        places: Mapping[str, str],
        home: str,
        program: str,
    ) -> None:
        self.agent = agent
        self.argv = argv
        self.cwd = cwd
        self.environ = environ
        self.places = places
        self.home = home
        self.program = program


class Setup:
    """What came of it. argv, environ: of the child. result: the reply's `integration`."""

    __slots__ = ("argv", "environ", "result")

    def __init__(self, wish: Wish) -> None:
        self.argv = wish.argv
        self.environ: dict[str, str] = {}
        self.result: dict[str, Any] = {"agent": wish.agent, "status": "configured", "changed": False}

    def disable(self, notice: str | None = None) -> None:
        """Not configured, by somebody's wish or for lack of a way; an error says more and stays."""
        if self.result["status"] != "error":
            self.result["status"] = "disabled"
        if notice is not None:
            self.note(notice)

    def fail(self, reason: str) -> None:
        self.result["status"] = "error"
        self.note(f"{self.result['agent']} was not configured: {reason}")

    def note(self, notice: str) -> None:
        known = self.result.get("notice")
        self.result["notice"] = notice if known is None else f"{known}; {notice}"


async def set_up(wish: Wish, files: Files) -> Setup:
    """Configure the agent as far as that is possible. Never raises: whatever goes wrong, the launch goes on."""
    made = Setup(wish)
    if launch_line.disabling(wish.agent, wish.argv):
        made.disable()
        return made
    try:
        wish.program = await Work(reporter, files, wish.program, wish.environ.get("PATH"))
        await (_give(wish, files, made) if wish.agent in PER_LAUNCH else _install(wish, files, made))
    except (Refused, ProtocolError) as fault:
        made.fail(str(fault))
    except Exception as fault:  # a mistake of ours is no reason to withhold somebody's agent either
        made.fail(f"{type(fault).__name__}: {fault}")
    if wish.agent == "codex":
        await _keep_from_daemon(wish, made)
    return made


def switched_off(wish: Wish) -> Setup:
    """The same where nobody wants it."""
    made = Setup(wish)
    made.disable()
    return made


def reporter(files: Files, program: str, search: str | None) -> str:
    """The program that hooks run: this one, else the one on PATH. Raises Refused when neither can be run."""
    if files.is_executable(program):
        return program
    found = files.program("signaltty", search, "/")
    if found is None:
        raise Refused(f"{program} cannot be run and there is no signaltty on PATH")
    return found[0]


async def _give(wish: Wish, files: Files, made: Setup) -> None:
    """Configure this launch alone; where the user's own file has our hooks, those do."""
    path = place_of(wish.agent).find(wish.places, wish.home, wish.cwd)
    if await Work(_has_ours, files, wish.agent, path):
        made.result["file"] = path
        return
    if launch_line.is_taken(wish.agent, wish.argv, wish.environ):
        if wish.agent == "claude":
            made.disable(TAKEN)
        else:
            await _install(wish, files, made)
        return
    given = launch_line.given(wish.agent, wish.program, await _version(wish, files))
    directory = await Work(files.keep, wish.agent, given.files)
    made.result["file"] = f"{directory}/{given.main}"
    words, made.environ = launch_line.added(wish.agent, directory, given.main)
    made.argv = [wish.argv[0], *words, *wish.argv[1:]]


async def _install(wish: Wish, files: Files, made: Setup) -> None:
    """Configure the user's own file."""
    path = place_of(wish.agent).find(wish.places, wish.home, wish.cwd)
    made.result["file"] = path
    made.result["changed"] = await Work(files.edit, path, installing(wish.agent, wish.program))
    if wish.agent == "codex" and made.result["changed"]:
        made.note(REVIEW)


def _has_ours(files: Files, agent: str, path: str) -> bool:
    """Whether the user's file reports already; one that cannot be read does not."""
    try:
        return is_installed(agent, files.read(path))
    except (Refused, IoError):
        return False


async def _version(wish: Wish, files: Files) -> tuple[int, ...] | None:
    """The version of the program, asked once per file; None when nothing depends on it or nothing is known."""
    if wish.agent != "claude":
        return None
    program = await Work(files.program, wish.argv[0], wish.environ.get("PATH"), wish.cwd)
    if program is None:
        return None
    if program not in files.versions:
        answer = await _ask(wish, "--version")
        if answer is None:
            return None
        files.versions[program] = version.parse(answer[1])
    return files.versions[program]


async def _ask(wish: Wish, *words: str) -> tuple[int, bytes] | None:
    """Exit status and output of the program with these words; None when it does not answer.

    One that is too slow is asked once more: the first start of a big program waits for the disk (codex 0.171.0 took
    0.6 s, and 0.15 s ever after).
    """
    for _ in range(2):
        try:
            code, said, _error = await Run([wish.argv[0], *words], wish.cwd, dict(wish.environ), version.PROBE_S)
            return code, said
        except TimedOut:
            continue
        except IoError:
            break
    return None


async def _keep_from_daemon(wish: Wish, made: Setup) -> None:
    """Have a person's session run its hooks itself, not in a server all sessions share (agents §9)."""
    kind = codex_line.read(wish.argv)
    if kind == codex_line.FOREIGN:
        made.disable(NO_INSERT)
    if kind != codex_line.INTERACTIVE:
        return
    answer = await _ask(wish, codex_line.NO_DAEMON, "--version")
    if answer is not None and answer[0] == 0:
        made.argv = codex_line.insert(wish.argv)
    else:
        made.disable(NO_PROBE)
