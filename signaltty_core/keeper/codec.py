"""JSON for the keeper's frames with the interpreter's C parts alone: the `json` package would double its own memory.

The peers are programs of ours, so there is less to check than on the wire to clients.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def build() -> tuple[Callable[[object], str], Callable[[bytes], Any]]:
    """encode and decode; decode raises ValueError."""
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner
    except ImportError:
        import json

        return json.JSONEncoder(separators=(",", ":")).encode, json.loads

    class Context:
        strict = True
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float
        memo = None

    scan = make_scanner(Context)  # type: ignore[arg-type]  # any object with these attributes
    encoder = make_encoder({}, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)

    def decode(body: bytes) -> Any:
        text = body.decode("utf-8")
        try:
            value, end = scan(text, 0)
        except (StopIteration, RecursionError):
            raise ValueError("no JSON text") from None
        if text[end:].strip():
            raise ValueError("more than one JSON text")
        return value

    return lambda value: "".join(encoder(value, 0)), decode


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON value")
