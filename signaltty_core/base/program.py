"""The command line that runs this very program again, for whoever must start a server or a keeper.

The entry leaves in sys.argv[0] the file a person runs. The interpreter's options are kept: from the single file it runs
without `site`, in a source tree its packages come from there.
"""

from __future__ import annotations

import sys
from os.path import abspath, basename

BOOT_NAME = "signaltty_boot.py"


def restart_argv() -> list[str]:
    """The words that run the program's file; a command's words are appended. Holds when the cache is emptied too.

    The single file begins with a shell header that finds what is unpacked sooner than Python finds it in the archive.
    """
    file = abspath(sys.argv[0])
    if _has_header(file):
        return ["/bin/sh", file]
    return [sys.executable, *_options(), file]


def start_argv() -> list[str]:
    """The same for a start at this moment: straight to the unpacked program, which opens no archive."""
    if not is_unpacked():
        return restart_argv()
    return [sys.executable, *_options(), _main_file(), abspath(sys.argv[0])]


def is_unpacked() -> bool:
    """Whether this process runs from what the single file unpacked."""
    return basename(_main_file()) == BOOT_NAME


def _main_file() -> str:
    return getattr(sys.modules.get("__main__"), "__file__", None) or ""


def _options() -> list[str]:
    return ["-SE"] if sys.flags.no_site else []


def _has_header(file: str) -> bool:
    try:
        with open(file, "rb") as found:
            return found.read(10) == b"#!/bin/sh\n"
    except OSError:
        return False
