"""The one way an edit of somebody's file is given up."""

from __future__ import annotations


class Refused(Exception):
    """The file stays as it is; the sentence says why (agents §8.3)."""
