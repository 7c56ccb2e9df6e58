"""One connection as the engine sees it: who it is, what it watches, what it waits for, what it must still be sent."""

from __future__ import annotations

from collections import deque

from .hub import Filter
from .outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import World
    from .hub import Hub, Subscribing
    from .panes import Panes
    from .ports import Channel
    from .procedures import Procedure


class Client:
    """pid, uid: the peer's, pid None where the kernel does not tell. lines: requests not yet begun.

    held: the running call is single-flight; any further line, end of file or shutdown ends it (behaviour §7).
    ended: the peer will send nothing more. advancing: the router is beginning its requests at this moment.
    """

    def __init__(self, channel: Channel, world: World, hub: Hub, panes: Panes, pid: int | None, uid: int) -> None:
        self.channel = channel
        self.pid = pid
        self.uid = uid
        self.outbox = Outbox()
        self.filter: Filter | None = None
        self.behind_reply: list[tuple[int, bytes]] = []
        self.close_after_reply = False
        self.lines: deque[bytes] = deque()
        self.running: Procedure | None = None
        self.busy = False
        self.held = False
        self.ended = False
        self.advancing = False
        self.gone = False
        self._world = world
        self._hub = hub
        self._panes = panes

    def wake(self) -> None:
        self.channel.wake()

    def hold(self) -> None:
        self.held = True

    def attach(self, pane_id: str, mark_seen: bool) -> None:
        self._panes.get(pane_id).viewers[self] = mark_seen

    def detach(self, pane_id: str) -> bool:
        self.outbox.drop_output(pane_id)
        return self._panes.get(pane_id).viewers.pop(self, None) is not None

    def subscribe(self, events: list[str] | None, task_ids: list[str] | None, from_seq: int | None) -> Subscribing:
        return self._hub.subscribe(self, Filter(events, task_ids), from_seq, self._world.seq)

    def drop(self) -> None:
        """Close at once: the reader has stalled, or the connection is refused."""
        self.leave()
        self.channel.close()

    def leave(self) -> None:
        """Forget the connection everywhere; the running call is the router's business."""
        self.gone = True
        self.end_streams()

    def end_streams(self) -> None:
        """No further event or output comes here; what is queued stays."""
        self.filter = None
        self._hub.subscribers.discard(self)
        self._panes.drop_viewer(self)
