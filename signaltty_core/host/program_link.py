"""A path to this program that a hook's shell cannot split or expand (agent-status §2)."""

from __future__ import annotations

import os

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./@%+=:,-")


def plain_program(program: str, runtime_dir: str) -> str:
    """The program's own path when a shell takes it for one word, else that of a link to it in the runtime directory."""
    if _PLAIN.issuperset(program):
        return program
    link = os.path.join(runtime_dir, "bin", "signaltty")
    try:
        if os.path.islink(link) and os.readlink(link) == program:
            return link
        os.makedirs(os.path.dirname(link), mode=0o700, exist_ok=True)
        beside = f"{link}.{os.getpid()}"
        os.symlink(program, beside)
        os.replace(beside, link)  # a hook that runs meanwhile finds one of the two
    except OSError:
        return program
    return link
