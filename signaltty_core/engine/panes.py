"""What a pane has in memory only: its terminal, its output offset, its viewers."""

from __future__ import annotations

from ..base.limits import RESTORED_ABOVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import World
    from ..terminal.put_by import PutBy
    from ..terminal.terminal import Terminal
    from .client import Client
    from .ports import Host


class Runtime:
    """output: the pane's terminal, and what it has not been fed. viewers: attached connections, and whether each counts
    as a person looking (`mark_seen` not false).

    output_offset: end offset of the pane's output in bytes, for this server's life. unsaved: whether the terminal
    changed since its tail was last written. process: name of the program that runs, None before the first scan.
    """

    __slots__ = ("output", "output_offset", "process", "unsaved", "viewers")

    def __init__(self, output: PutBy) -> None:
        self.output = output
        self.output_offset = 0
        self.viewers: dict[Client, bool] = {}
        self.unsaved = False
        self.process: str | None = None

    @property
    def terminal(self) -> Terminal:
        """The pane's terminal as all output so far has left it."""
        return self.output.terminal

    @property
    def head_shown(self) -> int:
        """The newest line number that anybody can know."""
        return self.output.head


class Panes:
    """Runtimes by pane id, made on first use: restored panes come back with their saved tail and screen."""

    def __init__(self, world: World, host: Host, heads: dict[str, int]) -> None:
        self._world = world
        self._host = host
        self._heads = heads
        self._runtimes: dict[str, Runtime] = {}

    def open(self, pane_id: str, cols: int, rows: int) -> Runtime:
        """A fresh terminal for a new child."""
        runtime = self._runtimes[pane_id] = _runtime(_terminal(cols, rows))
        return runtime

    def get(self, pane_id: str) -> Runtime:
        """The runtime of a known pane."""
        runtime = self._runtimes.get(pane_id)
        if runtime is None:
            size = self._world.pane(pane_id)["pty_size"]
            tail, screen, saved_size = self._host.load_history(pane_id)
            terminal = _terminal(*(saved_size or (size["cols"], size["rows"])))
            terminal.restore(screen, tail, self._heads.get(pane_id, 0))
            terminal.resize(size["cols"], size["rows"])
            runtime = self._runtimes[pane_id] = _runtime(terminal)
        return runtime

    def known(self, pane_id: str) -> Runtime | None:
        return self._runtimes.get(pane_id)

    def every(self) -> list[tuple[str, Runtime]]:
        return list(self._runtimes.items())

    def drop(self, pane_id: str) -> None:
        runtime = self._runtimes.pop(pane_id, None)
        if runtime is not None:
            for viewer in runtime.viewers:
                viewer.outbox.drop_output(pane_id)

    def drop_viewer(self, client: Client) -> None:
        for runtime in self._runtimes.values():
            runtime.viewers.pop(client, None)

    def heads(self) -> dict[str, dict[str, int]]:
        """The newest line number per pane, for the snapshot's `history`. Where nothing was shown yet it is the one that
        a first reader will find: the next server must number above that."""
        saved = {pane_id: self._heads.get(pane_id, 0) + RESTORED_ABOVE for pane_id in self._world.panes}
        saved.update((pane_id, runtime.head_shown) for pane_id, runtime in self._runtimes.items())
        return {pane_id: {"head": head} for pane_id, head in saved.items()}


def _terminal(cols: int, rows: int) -> Terminal:
    from ..base.version import VERSION
    from ..terminal.terminal import Terminal  # pyte's tables are imported with the first pane, not at start

    return Terminal(cols, rows, version=VERSION)


def _runtime(terminal: Terminal) -> Runtime:
    from ..terminal.put_by import PutBy

    return Runtime(PutBy(terminal))
