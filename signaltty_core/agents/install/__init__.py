"""How agents are told to report: their settings files as text in, text out; what a single launch is given."""

from __future__ import annotations

PER_LAUNCH = ("claude", "opencode", "pi", "copilot")
IN_FILE = ("codex", "cursor")
AUTOMATIC = frozenset([*PER_LAUNCH, *IN_FILE])  # configured by every launch of their program (agents §8.1)
