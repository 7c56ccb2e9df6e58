"""Sequences that are not in one piece: control characters inside, cut short, or cut off at the end of a chunk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# C0 without CAN, SUB and ESC, which end a sequence; DEL is ignored everywhere.
_C0 = "\x00-\x17\x19\x1c-\x1f\x7f"
PARTIAL = re.compile(f"\x1b(?:[{_C0} -/]*|[{_C0}]*\\[[{_C0} -?]*)\\Z").match
_OPEN = re.compile(f"\x1b([{_C0}]*)(\\][^\x07\x18\x1a\x1b]*|[PX^_][^\x18\x1a\x1b]*)").fullmatch
_ESCAPE = re.compile(f"\x1b([{_C0} -/]*)").match
_CONTROL = re.compile(f"\x1b\\[([{_C0} -?]*)").match
_INSIDE = re.compile(f"[{_C0}]")


def split_open_string(text: str) -> tuple[str, str, str] | None:
    """(kind, content so far, control characters before the kind) when the text is a string without its end."""
    found = _OPEN(text)
    return (found[2][0], found[2][1:], found[1]) if found else None


def run_controls(sequence: str, control: Callable[[str, bool], None]) -> str:
    """Carries out the control characters inside an escape or control sequence; the sequence without them."""
    inside = _INSIDE.findall(sequence, 1)
    for character in inside:
        control(character, True)
    return "\x1b" + _INSIDE.sub("", sequence[1:]) if inside else sequence


def split_broken(token: str, control: Callable[[str, bool], None]) -> tuple[str, str]:
    """The sequence at the start of the token made whole ("" if it was given up), and the text after it.

    The token holds no second ESC and is followed by one or by the end of nothing more to come.
    """
    found = _ESCAPE(token)
    assert found is not None  # the token starts with ESC
    start = run_controls(found[0], control)
    if found.end() == len(token):
        return "", ""
    if len(start) == 1 and token[found.end()] in "[]PX^_":
        token = start + token[found.end() :]
        if token[1] != "[":
            return _split_string(token)
        found = _CONTROL(token)
        assert found is not None
        start = run_controls(found[0], control)
        if found.end() == len(token):
            return "", ""
    final = token[found.end()]
    if final in "\x18\x1a":
        return "", token[found.end() + 1 :]
    if not " " < final < "\x7f":
        return "", token[found.end() :]
    return start + final, token[found.end() + 1 :]


def _split_string(token: str) -> tuple[str, str]:
    """A string that was cut short by CAN, SUB or an ESC, or that control characters stood before."""
    for at in range(2, len(token)):
        if token[at] in "\x18\x1a":
            return "", token[at + 1 :]
        if token[at] == "\x07" and token[1] == "]":
            return token[: at + 1], token[at + 1 :]
    return "", ""
