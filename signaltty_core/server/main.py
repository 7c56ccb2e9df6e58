"""`server run`: become the server of a socket, serve, end."""

from __future__ import annotations

import os
import sys
import time

from ..base.errors import ProtocolError
from .claim import claim
from .log import log
from .options import Options


def run(argv: list[str]) -> int:
    """Serve until told to stop; gives the exit status. argv: the words after `server run`."""
    detached = os.getsid(0) == os.getpid()
    try:
        options = Options(argv, os.environ, os.getuid())
    except ProtocolError as mistake:
        print(f"signaltty: {mistake.message}; see `signaltty server run --help`", file=sys.stderr)
        return 2
    try:
        claimed = claim(options)
        if claimed is None:
            if detached:
                return 0  # another one lives, and whoever started us will reach it
            print(f"signaltty: a server already answers at {options.socket_path}", file=sys.stderr)
            return 1
        from .assembly import Server

        server = Server(options, claimed, detached=detached, started_at=time.time())
    except ProtocolError as refused:
        print(f"signaltty: {refused.message}", file=sys.stderr, flush=True)
        return 1
    status = server.run()
    log(f"server ended with status {status}")
    return status
