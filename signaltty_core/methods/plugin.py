"""`plugin.*`: the plugins whose hooks the server runs (plugins §3)."""

from __future__ import annotations

from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call


@method("plugin.list")
def plugin_list(call: Call) -> Record:
    """List the plugins, how their hooks went, and the manifests that could not be read.

    Errors: none
    """
    return call.plugins.listing()


@method("plugin.reload", mutates=True)
def plugin_reload(call: Call) -> Record:
    """Read the manifests again and count anew; hooks that run go on to their end.

    Errors: IO_ERROR
    """
    call.plugins.reload()
    return call.plugins.listing()
