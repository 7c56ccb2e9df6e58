"""How the launch of an agent comes by its configuration (agents §8.1, §8.3)."""

from __future__ import annotations

from posixpath import basename

from ...agents.install import AUTOMATIC
from ...agents.table import BY_BINARY
from ...state.environment import CONFIG_DIRS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...agents.install.setup import Setup
    from ..call import Call

SWITCH = "SIGNALTTY_INTEGRATION"
HOME = "SIGNALTTY_INTEGRATION_HOME"


async def configure(
    call: Call, argv: list[str], cwd: str, environ: Mapping[str, str], asked: Mapping[str, str]
) -> Setup | None:
    """Set the agent up before its program starts; None for a program that is no agent of ours.

    environ: what the program will see; asked: the part of it that the request, or the pane on record, brought along.
    """
    agent = BY_BINARY.get(basename(argv[0]), "")
    files = call.settings.config_files
    if agent not in AUTOMATIC or files is None:
        return None
    # with the first agent that is started
    from ...agents.install.setup import Wish, set_up, switched_off

    settings = call.settings
    home = settings.environ.get(HOME)
    if home:
        places: Mapping[str, str] = {name: asked[name] for name in CONFIG_DIRS if name in asked}
    else:
        home, places = environ.get("HOME") or settings.home, environ
    wish = Wish(agent, argv, cwd, environ, places, home, settings.program)
    if "off" in (settings.environ.get(SWITCH), asked.get(SWITCH)):
        return switched_off(wish)
    return await set_up(wish, files())
