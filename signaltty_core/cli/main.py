"""What the entry calls: the two processes that stay are told apart before anything of the command line is imported.

Server and keeper live long and start often in a hurry: what they do not use would cost them memory and milliseconds.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command line; its exit status."""
    words = sys.argv[1:] if argv is None else argv
    if words[:2] == ["server", "run"] and "--help" not in words:
        from ..server.main import run as run_server

        return run_server(words[2:])
    if words[:3] == ["keeper", "run", "--runtime"] and len(words) == 4:
        from ..keeper.main import run as run_keeper

        return run_keeper(words[3])
    from .dispatch import dispatch

    return dispatch(words)
