"""What the keeper's replies to `spawn` mean: a child that runs, or the error for the caller."""

from __future__ import annotations

from ..base.errors import BadParams, IoError, SpawnFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..base.errors import ProtocolError
    from ..keeper.protocol import Message


class Spawned:
    """A child that runs. master_fd: non-blocking, close-on-exec, owned by whoever gets this."""

    __slots__ = ("master_fd", "pid", "start_time")

    def __init__(self, pid: int, start_time: int, master_fd: int) -> None:
        self.pid = pid
        self.start_time = start_time
        self.master_fd = master_fd


def spawn_error(reply: Message | None, program: str) -> ProtocolError:
    """The error for a reply that brought none: None means that the keeper was lost meanwhile."""
    if reply is None:
        return SpawnFailed(f"cannot start {program}: the keeper has ended")
    what = reply.get("what")
    details = {"errno": reply.get("errno"), "what": what}
    if what == "cwd":
        return BadParams(f"cwd {reply['error']}", **details)
    subject = "" if what == "exec" else f"{program}: "  # an exec error names the program itself
    return SpawnFailed(f"cannot start {subject}{reply['error']}", **details)


def no_keeper() -> ProtocolError:
    return IoError("no keeper is connected")


def no_descriptor() -> ProtocolError:
    return IoError("no descriptor is left for another pane")
