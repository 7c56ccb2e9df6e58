"""Select Graphic Rendition: what a list of parameters makes of a set of attributes."""

from __future__ import annotations

# (foreground, background, flags, line drawing). Colours are the parameters that select them ("31", "38;5;9",
# "38;2;1;2;3", "" for the default), so writing them back is joining.
Look = tuple[str, str, int, bool]
PLAIN: Look = ("", "", 0, False)
# (foreground or None, background or None, flags that are kept, flags that are added)
Effect = tuple[str | None, str | None, int, int]

# flag, the parameter that sets it, the parameter that clears it (which may clear a second one)
FLAGS = (
    (1, 1, 22),
    (2, 2, 22),
    (4, 3, 23),
    (8, 4, 24),
    (16, 5, 25),
    (32, 7, 27),
    (64, 8, 28),
    (128, 9, 29),
    (256, 21, 24),
    (512, 53, 55),
)
NAMES = {
    1: "bold",
    2: "faint",
    4: "italic",
    8: "underline",
    16: "blink",
    32: "inverse",
    64: "hidden",
    128: "strike",
    256: "double_underline",
    512: "overline",
}
ALL_FLAGS = (1 << len(FLAGS)) - 1
_SET = {on: bit for bit, on, _ in FLAGS} | {6: 16}
_CLEAR: dict[int, int] = {}
for _bit, _, _off in FLAGS:
    _CLEAR[_off] = _CLEAR.get(_off, 0) | _bit
_FOREGROUND = {str(code): str(code) for code in (*range(30, 38), *range(90, 98))}
_BYTES = frozenset(map(str, range(256)))
_BACKGROUND = {str(code): str(code) for code in (*range(40, 48), *range(100, 108))}


def effect_of(parameters: str) -> Effect:
    """What `CSI parameters m` does to any look. Unknown parameters do nothing; a cut-off colour ends the list."""
    foreground: str | None = None
    background: str | None = None
    kept, added = ALL_FLAGS, 0
    words = parameters.split(";")
    if len(words) == 5 and words[1] == "2" and words[0] in ("38", "48"):  # a colour alone, too many to be remembered
        colour = parameters
        if not _BYTES.issuperset(words[2:]):
            colour, _ = _extended(words, 1)
            colour = f"{words[0]};{colour}" if colour else ""
        if colour:
            return (colour, None, ALL_FLAGS, 0) if words[0] == "38" else (None, colour, ALL_FLAGS, 0)
    at, end = 0, len(words)
    while at < end:
        word = words[at]
        at += 1
        if ":" in word:
            ground, colour, cleared, flag = _colon_effect(word.split(":", 8))
            kept, added = kept & ~cleared, (added & ~cleared) | flag
            if colour and ground == "38":
                foreground = "38;" + colour
            elif colour and ground == "48":
                background = "48;" + colour
            continue
        word = word.lstrip("0")
        if not word:
            foreground, background, kept, added = "", "", 0, 0
        elif word in _FOREGROUND:
            foreground = word
        elif word in _BACKGROUND:
            background = word
        elif word in ("38", "48", "58"):
            colour, at = _extended(words, at)
            if colour and word == "38":
                foreground = "38;" + colour
            elif colour and word == "48":
                background = "48;" + colour
        elif word == "39":
            foreground = ""
        elif word == "49":
            background = ""
        elif len(word) < 3:
            code = int(word)
            cleared = _CLEAR.get(code, 0)
            kept, added = kept & ~cleared, (added & ~cleared) | _SET.get(code, 0)
    return foreground, background, kept, added


def look_after(look: Look, effect: Effect) -> Look:
    """The attributes after the effect."""
    foreground, background, kept, added = effect
    return (
        look[0] if foreground is None else foreground,
        look[1] if background is None else background,
        (look[2] & kept) | added,
        look[3],
    )


def parameters_of(look: Look) -> str:
    """The parameters that lead from any attributes to these, starting with a reset; empty for the plain look."""
    foreground, background, flags, _ = look
    words = [str(on) for bit, on, _ in FLAGS if flags & bit]
    words += [colour for colour in (foreground, background) if colour]
    return "0;" + ";".join(words) if words else ""


def _extended(words: list[str], at: int) -> tuple[str, int]:
    """The colour that starts at words[at] as "5;n" or "2;r;g;b" ("" if faulty), and where the list goes on."""
    kind = words[at].lstrip("0") if at < len(words) else ""
    if kind == "5":
        return ("5;" + _byte(words[at + 1]) if at + 1 < len(words) and _byte(words[at + 1]) else ""), at + 2
    if kind == "2":
        values = [_byte(word) for word in words[at + 1 : at + 4]]
        return ("2;" + ";".join(values) if len(values) == 3 and all(values) else ""), at + 4
    return "", at + 1


def _byte(word: str) -> str:
    """A colour component in its shortest form; "" when it is none."""
    word = word.lstrip("0") or "0"
    return word if len(word) <= 3 and word.isdigit() and int(word) < 256 else ""


def _colon_effect(parts: list[str]) -> tuple[str, str, int, int]:
    """One parameter in the colon form: (38 or 48, its colour) or underline flags to clear and to set."""
    kind = parts[0].lstrip("0")
    if kind == "4":
        style = parts[1].lstrip("0")
        return "", "", 8 | 256, 256 if style == "2" else 8 if style else 0
    if kind not in ("38", "48"):
        return "", "", 0, 0
    values = parts[2:]
    if parts[1] == "2" and len(values) > 3:
        values = values[1:4]  # ITU T.416 puts a colour space first; many leave it empty
    colour, _ = _extended([parts[1], *values[: 3 if parts[1] == "2" else 1]], 0)
    return kind, colour, 0, 0
