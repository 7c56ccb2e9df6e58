"""Text that came from elsewhere, made safe and short; slugs and names."""

from __future__ import annotations

# C0 without newline and tab, DEL, C1, zero-width and bidirectional format controls (behaviour §9.4)
_FORBIDDEN = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A)}
_FORBIDDEN.update(
    dict.fromkeys((0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)
_WRITTEN_OUT = {code: f"\\u{code:04x}" for code in _FORBIDDEN}
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_ESCAPES = {**_WRITTEN_OUT, **_CONTROLS}


def sanitise(text: str, limit: int) -> str:
    """The text without escape sequences and control or direction characters, cut to `limit` characters, trimmed."""
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _without_sequences(text)
    text = text.translate(_FORBIDDEN)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be sent or stored
    return text.strip()[:limit].strip()


def unhidden(text: str) -> str:
    """The text with every character the sanitiser would drop written out as `\\uXXXX`.

    For what a person is asked to allow: a sequence that swallows the dangerous half of a command must show.
    """
    return text.translate(_WRITTEN_OUT)


def visible(text: str) -> str:
    """The text with every control character as `\\xNN`, for human output (cli §1.3).

    What reorders or hides the characters around it is written out too, as `\\uXXXX`.
    """
    return text.translate(_ESCAPES)


def without_controls(text: str) -> str:
    """The text with every control character as `\\xNN`: for what a screen shows, whose script may need the marks."""
    return text.translate(_CONTROLS)


def slug(name: str) -> str:
    """A workspace handle's base: lower case, runs of other characters one `-`, at most 32 (behaviour §2.2)."""
    out: list[str] = []
    for character in name.lower():
        if character in "abcdefghijklmnopqrstuvwxyz0123456789":
            out.append(character)
        elif (out and out[-1] != "-") or not out:
            out.append("-")
    return "".join(out)[:32].strip("-") or "ws"


def is_pane_name(name: str) -> bool:
    """`[a-z][a-z0-9_-]*`, at most 32 bytes (behaviour §2.3)."""
    return (
        0 < len(name) <= 32
        and name[0] in "abcdefghijklmnopqrstuvwxyz"
        and not name.strip("abcdefghijklmnopqrstuvwxyz0123456789_-")
    )


def _without_sequences(text: str) -> str:
    """Drops CSI, OSC, DCS, SOS, PM, APC and two-character escape sequences, complete or cut off."""
    out: list[str] = []
    at, end = 0, len(text)
    while at < end:
        character = text[at]
        if character == "\x1b" and at + 1 < end:
            kind = text[at + 1]
            at += 2
        elif character in "\x9b\x9d":
            kind = "[" if character == "\x9b" else "]"
            at += 1
        else:
            if character != "\x1b":
                out.append(character)
            at += 1
            continue
        if kind == "[":
            while at < end and not "@" <= text[at] <= "~":
                at += 1
            at += 1
        elif kind in "]PX^_":
            while at < end and text[at] != "\x07" and text[at] != "\x9c" and text[at : at + 2] != "\x1b\\":
                at += 1
            at += 2 if text[at : at + 1] == "\x1b" else 1
        elif " " <= kind <= "/":
            while at < end and " " <= text[at] <= "/":
                at += 1
            at += 1
    return "".join(out)
