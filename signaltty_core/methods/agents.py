"""`agents.*`: the manifests that teach the server about agents (agents §10)."""

from __future__ import annotations

from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call


@method("agents.list")
def agents_list(call: Call) -> Record:
    """List the manifests that are loaded, and the files that could not be.

    Errors: none
    """
    return call.catalog.listing()


@method("agents.reload", mutates=True)
def agents_reload(call: Call) -> Record:
    """Read the manifests again; running panes keep their state.

    Errors: IO_ERROR
    """
    call.catalog.reload()
    call.machine.look_again()
    return call.catalog.listing()
