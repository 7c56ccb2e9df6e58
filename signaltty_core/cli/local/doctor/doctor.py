"""`doctor`: every part of this user's signaltty looked at, one line each; changes and starts nothing (cli §13)."""

from __future__ import annotations

from ....base.text import visible
from ...show import has_colour, terminal_width
from .agents import agents, git, manifests, plugins
from .pane import inside_pane, reports
from .server import descriptors, keeper, program, runtime, server, socket, start_lock
from .state import cache, journal, snapshot, state
from .examined import FAIL, OK, WARN, Finding, Machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...session import Session

CHECKS: tuple[Callable[[Machine], Iterable[Finding]], ...] = (
    *(program, cache, runtime, socket, server, keeper, start_lock),
    *(state, journal, snapshot, git, agents, manifests, plugins, inside_pane, reports, descriptors),
)
_COLOURS = {OK: "32", WARN: "33", FAIL: "1;31"}


def run(session: Session) -> int:
    """The report; exit status 1 when something fails."""
    machine = Machine(session)
    found = [finding for check in CHECKS for finding in _examine(check, machine)]
    if session.settings.json:
        session.show({"checks": [{"name": one.name, "status": one.status, "detail": one.detail} for one in found]})
    else:
        colour = terminal_width() is not None and has_colour()
        session.write("".join(f"{_line(one, colour)}\n" for one in found))
    return int(any(one.status == FAIL for one in found))


def _examine(check: Callable[[Machine], Iterable[Finding]], machine: Machine) -> list[Finding]:
    try:
        return list(check(machine))
    except Exception as fault:  # one thing that cannot be looked at hides none of the others
        return [Finding(check.__name__.replace("_", " "), FAIL, f"cannot be examined: {type(fault).__name__}: {fault}")]


def _line(finding: Finding, colour: bool) -> str:
    status = f"\x1b[{_COLOURS[finding.status]}m{finding.status}\x1b[0m" if colour else finding.status
    return f"{status}  {finding.name}  {visible(finding.detail)}"
