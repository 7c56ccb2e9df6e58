"""The program's version and its protocol's name; the one place both stand."""

from __future__ import annotations

VERSION = "0.1.0"
PROTOCOL = "signaltty/1"
