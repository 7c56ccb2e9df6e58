"""JSON text from and to values with the interpreter's C parts, prepared once.

Importing the `json` package costs as much as starting the interpreter, and `json.dumps` with options builds an encoder
on every call; the C scanner and encoder below need neither. Where a Python has no `_json`, the package serves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DEPTH = 400  # nesting levels accepted from the wire; the C scanner itself recurses


class NotJson(ValueError):
    """The text is not one JSON value."""


def _default(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _constant(name: str) -> object:
    raise NotJson(f"{name} is no JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0.0:
        raise NotJson(f"{digits[:40]} is beyond what a number can hold")
    return number


def _build() -> tuple[Callable[[str, int], tuple[Any, int]], Callable[[object], str]]:
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner
    except ImportError:
        import json

        plain: Any = json.JSONDecoder(parse_float=_finite, parse_constant=_constant)
        encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
        return plain.scan_once, encode

    class Context:
        strict = True
        object_hook = None
        object_pairs_hook = None
        parse_float = staticmethod(_finite)
        parse_int = int
        parse_constant = staticmethod(_constant)

    context: Any = Context
    scanner = make_scanner(context)
    # no memory of containers under way: our values hold no circles, and one that failed would stay in it for ever
    encoder = make_encoder(None, _default, encode_basestring_ascii, None, ":", ",", False, False, False)
    return scanner, lambda value: "".join(encoder(value, 0))


_scan, encode = _build()
_BLANK = " \t\n\r"


def decode(text: str | bytes | bytearray) -> Any:
    """The value of one JSON text. Raises NotJson for anything else: trailing text, NaN, bad UTF-8, endless nesting."""
    if not isinstance(text, str):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as fault:
            raise NotJson(f"invalid UTF-8 at byte {fault.start}") from None
    start, end = 0, len(text)
    while start < end and text[start] in _BLANK:
        start += 1
    if text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(text):
        raise NotJson(f"nested deeper than {MAX_DEPTH} levels")
    try:
        value, stop = _scan(text, start)
    except StopIteration as fault:
        raise NotJson(f"no JSON value at character {fault.value}") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except (ValueError, SystemError):
        raise NotJson(_explain(text)) from None  # SystemError: the C scanner wants json.decoder loaded to raise its own
    while stop < end and text[stop] in _BLANK:
        stop += 1
    if stop != end:
        raise NotJson(f"extra text at character {stop}")
    return value


def _explain(text: str) -> str:
    """What is wrong with the text, in the json package's words; only faulty texts pay for its import."""
    import json

    try:
        json.loads(text, parse_float=_finite, parse_constant=_constant)
    except (ValueError, RecursionError) as fault:
        return str(fault)
    return "not one JSON value"


def encode_line(value: object) -> bytes:
    """The value as one ASCII line with its newline."""
    return encode(value).encode("ascii") + b"\n"


def _too_deep(text: str) -> bool:
    """Whether brackets outside strings nest deeper than MAX_DEPTH; only asked of texts with that many brackets.

    What does not matter is taken out first, in C: a hook's payload of megabytes may not hold up others.
    """
    depth = 0
    inside = False
    for character in _without_plain_text(text):
        if character == '"':
            inside = not inside
        elif inside:
            continue
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif character in "]}":
            depth -= 1
    return False


def _without_plain_text(text: str) -> str:
    """The brackets, and the quotes that begin or end a string, in their order."""
    if "\\" in text:  # a pair of backslashes is one that escapes nothing, an escaped quote ends no string
        text = text.replace("\\\\", "").replace('\\"', "")
    return text.encode("utf-8", "replace").translate(None, _PLAIN).decode("ascii")


_PLAIN = bytes(code for code in range(256) if code not in b'[]{}"')
