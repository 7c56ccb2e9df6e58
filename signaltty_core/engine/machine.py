"""What handlers may do to a pane's terminal and process (`call.machine`): the engine's half, before the host's."""

from __future__ import annotations

from binascii import b2a_base64

from ..base.limits import PTY_EVENT_BYTES
from ..base.version import PROTOCOL
from ..wire.codec import encode_line
from .outbox import OVERFLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .client import Client
    from .ledger import Ledger
    from .panes import Panes, Runtime
    from .ports import Clock, Ears, Host

_HEAD = b'{"protocol":"' + PROTOCOL.encode() + b'","type":"event","event":"pty.data","seq":'


class Machine:
    """Fulfils methods.call.Machine."""

    def __init__(self, panes: Panes, host: Host, ledger: Ledger, clock: Clock, ears: Ears) -> None:
        self._panes = panes
        self._host = host
        self._ledger = ledger
        self._clock = clock
        self._ears = ears
        self.unborn: set[str] = set()
        self.on_born: Callable[[], None] = lambda: None
        self.on_sessions: Callable[[], None] = lambda: None
        self.on_rules: Callable[[], None] = lambda: None
        self.on_open: Callable[[], None] = lambda: None
        self.on_look: Callable[[str], None] = lambda _pane_id: None

    def runtime(self, pane_id: str) -> Runtime:
        """For a reader: an update that its program holds open for too long is shown (behaviour §9.2)."""
        runtime = self._panes.get(pane_id)
        runtime.terminal.tick(self._clock.now())
        return runtime

    def is_watched(self, pane_id: str) -> bool:
        """Whether somebody who counts as a person looks at the pane (agents §5)."""
        runtime = self._panes.known(pane_id)
        return runtime is not None and any(runtime.viewers.values())

    def expect(self, pane_id: str) -> None:
        """A child is being started for this pane: requests that name it wait until `open_runtime` or `give_up`."""
        self.unborn.add(pane_id)

    def is_expected(self, pane_id: str) -> bool:
        return pane_id in self.unborn

    def open_runtime(self, pane_id: str, cols: int, rows: int) -> None:
        """The pane is published: begin to read its output. An old terminal goes, its viewers stay."""
        before = self._panes.known(pane_id)
        runtime = self._panes.open(pane_id, cols, rows)
        if before is not None:
            runtime.viewers, runtime.output_offset = before.viewers, before.output_offset
        self._host.open_pty(pane_id)
        self.give_up(pane_id)
        self.on_open()

    def give_up(self, pane_id: str) -> None:
        if pane_id in self.unborn:
            self.unborn.discard(pane_id)
            self.on_born()

    def listen(self, pane_id: str) -> tuple[str | None, str | None]:
        return self._ears.listen(pane_id)

    def mute(self, pane_id: str) -> None:
        self._ears.mute(pane_id)

    def resize(self, pane_id: str, cols: int, rows: int) -> None:
        self._panes.get(pane_id).terminal.resize(cols, rows)
        self._host.resize(pane_id, cols, rows)

    def clear(self, pane_id: str) -> None:
        """Blank screen and history in every view (behaviour §10.4)."""
        runtime = self._panes.get(pane_id)
        self.show(pane_id, runtime, runtime.terminal.clear(self._clock.now()))

    def end(self, pane_id: str, os_signal: str) -> None:
        self._host.end(pane_id, os_signal)

    def drop(self, pane_id: str) -> None:
        """The pane is closed: forget its terminal, viewers and status socket."""
        self._panes.drop(pane_id)
        self._ears.mute(pane_id)

    def look_again(self) -> None:
        self.on_rules()

    def look_now(self, pane_id: str) -> None:
        self.on_look(pane_id)

    def guard(self, run: Callable[[], Any]) -> Any:
        return self._host.guard(run)

    def directory_fault(self, path: str) -> str | None:
        return self._host.directory_fault(path)

    def ancestors(self, pid: int, limit: int) -> list[int]:
        return self._host.ancestors(pid, limit)

    def now(self) -> float:
        return self._clock.now()

    def started_at(self, pid: int) -> int | None:
        return self._host.started_at(pid)

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return self._host.is_running(pid, start_time)

    def note_sessions(self) -> None:
        self.on_sessions()

    def stop(self, keep_panes: bool) -> None:
        self._host.stop(keep_panes)

    def show(self, pane_id: str, runtime: Runtime, data: bytes) -> None:
        """Count the bytes and stream them to every viewer; the terminal has them already."""
        runtime.unsaved = True
        if not runtime.viewers:
            runtime.output_offset += len(data)
            return
        for start in range(0, len(data), PTY_EVENT_BYTES):
            chunk = data[start : start + PTY_EVENT_BYTES]
            runtime.output_offset += len(chunk)
            line = b"".join(
                (
                    _HEAD,
                    b'%d,"payload":{"pane_id":"%s","data_b64":"' % (self._ledger.issue(), pane_id.encode()),
                    b2a_base64(chunk, newline=False),
                    b'","output_offset":%d}}\n' % runtime.output_offset,
                )
            )
            for viewer in runtime.viewers:
                if viewer.outbox.output(pane_id, line) == OVERFLOWED:
                    self._resynchronise(viewer, pane_id)
        for viewer in runtime.viewers:
            viewer.wake()

    def _resynchronise(self, viewer: Client, pane_id: str) -> None:
        """The viewer lags: one snapshot takes the place of its backlog, made when it can be sent."""
        seq = self._ledger.issue()

        def make() -> bytes:
            runtime = self._panes.get(pane_id)
            payload = {
                "pane_id": pane_id,
                "snapshot_b64": b2a_base64(runtime.terminal.snapshot(), newline=False).decode("ascii"),
                "output_offset": runtime.output_offset,
                "size": {"cols": runtime.terminal.cols, "rows": runtime.terminal.rows},
            }
            return encode_line(
                {"protocol": PROTOCOL, "type": "event", "event": "pty.snapshot", "seq": seq, "payload": payload}
            )

        viewer.outbox.snapshot(pane_id, make)
