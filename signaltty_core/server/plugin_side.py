"""Plugins joined to what runs their hooks. A server without a directory of plugins imports nothing more than this."""

from __future__ import annotations

import os

from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.plugins import Plugins
    from ..state.world import Record
    from .assembly import Server

LOAD_S = 0.05  # behind the first answers


class PluginSide:
    """Fulfils methods.call.Plugins. Hears the ledger's events behind whoever heard them so far."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loaded: Plugins | None = None
        self._is_there = os.path.isdir(server.options.plugin_dir)
        self._heard_before = server.ledger.on_events
        server.ledger.on_events = self._on_events
        if self._is_there:
            server.loop.after(LOAD_S, self._warm_up)

    def listing(self) -> Record:
        return self._load().listing()

    def reload(self) -> None:
        self._load().reload()

    def is_busy(self) -> bool:
        """Whether a hook runs or has yet to."""
        return self._loaded is not None and self._loaded.is_busy()

    def stop(self) -> None:
        if self._loaded is not None:
            self._loaded.stop()

    def _warm_up(self) -> None:
        self._load()

    def _on_events(self, first: int, events: list[tuple[str, Record]]) -> None:
        self._heard_before(first, events)
        plugins = self._load() if self._is_there else self._loaded
        if plugins is not None:
            plugins.on_events(first, events)

    def _load(self) -> Plugins:
        if self._loaded is None:
            from ..engine.plugins import Plugins  # with the first plugin
            from ..host.plugin_files import read_plugins
            from ..host.plugin_runs import PluginRuns

            server = self._server
            directory = server.options.plugin_dir
            self._loaded = Plugins(
                directory,
                lambda: read_plugins(directory),
                PluginRuns(server.loop),
                server.ledger.when_synced,
                server.clock.wall,
                {**server.settings.environ, "SIGNALTTY_SOCKET": server.options.socket_path},
                log,
            )
        return self._loaded
