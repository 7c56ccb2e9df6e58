"""Identifiers: a prefix and 32 hex digits (behaviour §2.1). Randomness is an argument."""

from __future__ import annotations

PREFIXES = {
    "workspace": "ws_",
    "tab": "tab_",
    "pane": "pane_",
    "notification": "notif_",
    "task": "task_",
    "context": "tctx_",
    "permission": "permission_",
    "process": "proc_",
    "intent": "intent_",
}


def make(noun: str, random: bytes) -> str:
    """The id of a new `noun`; random: 16 bytes."""
    return PREFIXES[noun] + random[:16].hex()
