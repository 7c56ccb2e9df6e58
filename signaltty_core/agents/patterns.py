r"""Patterns of manifests: Python's, with `\x{HEX}`, `\p{L}`, `\p{Alphabetic}` and `\z` beside (agents §10)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_LETTER = r"[^\W\d_]"
_LETTER_NAMES = ("L", "Alphabetic")


def compile_pattern(source: str) -> Pattern[str]:
    """The pattern, ready to search with. Raises ValueError with a sentence for a bad one."""
    import re  # with the first pane whose agent has rules

    from warnings import catch_warnings, simplefilter

    try:
        with catch_warnings():
            simplefilter("ignore")  # what Python may mean one day by `[[` is no fault of the file
            return re.compile(_Translator(source).translate())
    except (re.error, OverflowError, RecursionError) as fault:
        raise ValueError(f"bad pattern {source[:80]!r}: {fault}") from None


class _Translator:
    """One pattern on its way into Python's spelling."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def translate(self) -> str:
        made = []
        while self._at < len(self._source):
            character = self._source[self._at]
            if character == "\\":
                part, is_letter = self._escape()
                made.append(_LETTER if is_letter else part)
            elif character == "[":
                made.append(self._class())
            else:
                self._at += 1
                made.append(character)
        return "".join(made)

    def _escape(self) -> tuple[str, bool]:
        r"""The escape at this place, and whether it is `\p{L}`, which has no spelling of its own in Python."""
        sign = self._source[self._at + 1 : self._at + 2]
        if sign == "z":
            self._at += 2
            return r"\Z", False
        if sign in ("x", "p") and self._source[self._at + 2 : self._at + 3] == "{":
            end = self._source.find("}", self._at)
            name = self._source[self._at + 3 : end] if end > 0 else ""
            self._at = end + 1 if end > 0 else len(self._source)
            if sign == "p" and name in _LETTER_NAMES:
                return "", True
            if sign == "x" and _is_code_point(name):
                return f"\\U{int(name, 16):08x}", False
            raise ValueError(f"bad pattern {self._source[:80]!r}: unknown escape \\{sign}{{{name[:20]}}}")
        self._at += 2
        return "\\" + sign, False

    def _class(self) -> str:
        """A set of characters. One with letters in it becomes a choice: Python has no sets within sets."""
        start = self._at
        negated = self._source.startswith("^", start + 1)
        self._at += 2 if negated else 1
        inside: list[str] = []
        letters, first = False, True
        while self._at < len(self._source):
            character = self._source[self._at]
            if character == "]" and not first:
                self._at += 1
                return _set("".join(inside), negated, letters)
            first = False
            if character == "\\":
                part, is_letter = self._escape()
                letters = letters or is_letter
                inside.append(part)
            else:
                self._at += 1
                inside.append(character)
        return self._source[start:]  # unterminated: the compiler says so


def _set(inside: str, negated: bool, letters: bool) -> str:
    if not letters:
        return f"[^{inside}]" if negated else f"[{inside}]"
    if negated:
        return rf"(?:(?!{_LETTER})[^{inside}])" if inside else r"[\W\d_]"
    return f"(?:[{inside}]|{_LETTER})" if inside else _LETTER


def _is_code_point(digits: str) -> bool:
    try:
        return 0 <= int(digits, 16) <= 0x10FFFF and digits.isalnum()
    except ValueError:
        return False
