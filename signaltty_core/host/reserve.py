"""The last descriptors are kept for what the server itself must open: modules, files, the next snapshot."""

from __future__ import annotations

from resource import RLIMIT_NOFILE, getrlimit, setrlimit

RESERVED = 16  # a few files at once, with their directories; what is left over for clients and panes is the rest
_OPEN_MAX = 10_240  # macOS refuses an infinite limit, and in some versions any above this one


def is_reserved(fd: int) -> bool:
    """Whether a descriptor just received is one of the last; the kernel gives the lowest that is free."""
    return fd >= getrlimit(RLIMIT_NOFILE)[0] - RESERVED


def raise_descriptor_limit() -> int:
    """Raise our own soft limit to the hard one; gives the old soft one, which children get back (behaviour §13)."""
    soft, hard = getrlimit(RLIMIT_NOFILE)
    for wanted in (hard, _OPEN_MAX):
        try:
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
            break
        except (OSError, ValueError):
            if 0 < soft >= _OPEN_MAX:
                break
    return soft
