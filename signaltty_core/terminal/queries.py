"""Which sequences ask the terminal for an answer (terminal-status §2)."""

from __future__ import annotations

# A query that is longer is none: what is held back from a viewer must be bounded (terminal-status §1.2).
QUERY_BYTES = 64
STRING_BYTES = 8192
REPORT_BYTES = 4096
REPORT_INTRODUCER = "\x1b]7501;"

_BARE = frozenset(((), (0,)))


def is_control_query(key: str, parameters: tuple[int, ...]) -> bool:
    """Whether `CSI` with this prefix, intermediates and final character (`key`) and these parameters is answered."""
    if key in ("c", ">c", ">q"):
        return parameters in _BARE
    if key == "n":
        return parameters in ((5,), (6,))
    if key == "?u":
        return not parameters
    return (key == "?$p" and len(parameters) == 1) or (key == "t" and parameters == (18,))


def is_string_query(kind: str, content: str) -> bool:
    """Whether an OSC (`]`) or DCS (`P`) string is answered."""
    if kind == "]":
        return content in ("10;?", "11;?") or is_status_query(content)
    return kind == "P" and content.startswith("+q")


def is_status_query(content: str) -> bool:
    return content.startswith("7501;") and content[5:].strip(" \t") == "?"


def parse_parameters(text: str) -> tuple[int, ...]:
    """At most 32 numbers between semicolons, each at most 65,535, missing ones 0; of a colon form the first part."""
    if not text:
        return ()
    words = text.split(";", 32)[:32]
    numbers = [int(word.split(":", 1)[0][:18] or 0) for word in words]
    found = tuple([min(number, 65_535) for number in numbers])
    # A number written so long that it cannot be a query must not look like one.
    return (*found, 0) if len(found) == 1 and len(text) >= QUERY_BYTES - 4 else found
