"""The filtered stream (terminal-status §1.1): a pane's bytes without status reports and answered queries.

For a viewer that hands the bytes to a terminal of its own. What may still become a consumed sequence is held back.
"""

from __future__ import annotations

import re

from .queries import QUERY_BYTES, STRING_BYTES, is_control_query, parse_parameters

_C0 = b"\x00-\x17\x19\x1c-\x1f\x7f"
# A control character after ESC is carried out and the sequence goes on; eight in a row are nobody's query.
_START = re.compile(b"\x1b([" + _C0 + b"]{0,8})").match
_CONTROL = re.compile(b"[" + _C0 + b" -?]*").match
_INSIDE = re.compile(b"[^" + _C0 + b"]+")
_KEYED = re.compile("([<-?]?)([0-9;:]*)([ -/]*)([@-~])").fullmatch
_REPORT = b"]7501;"
_COLOR = re.compile(b"\\]1[01];\\?(?:\x07|\x1b\\\\)").match
_COLOR_FORMS = (b"]10;?\x1b\\", b"]11;?\x1b\\")
_TERMINFO = re.compile(b"P\\+q([^\x18\x1a\x1b]*)(\x1b\\\\|\x1b?\\Z)?").match
_STOP = re.compile(b"[\x07\x18\x1a\x1b]").search


class OutputFilter:
    """Bytes in, bytes to show out; however the stream is cut, the same bytes come out in all."""

    __slots__ = ("_held", "_in_report")

    def __init__(self) -> None:
        self._held = b""
        self._in_report = False

    def feed(self, data: bytes) -> bytes:
        if not self._held and not self._in_report and b"\x1b" not in data:
            return data
        data, self._held = self._held + data, b""
        out: list[bytes] = []
        at, end = 0, len(data)
        while at < end:
            if self._in_report:
                at = self._skip_report(data, at)
                continue
            escape = data.find(b"\x1b", at)
            if escape < 0:
                out.append(data[at:])
                break
            out.append(data[at:escape])
            at = self._take_sequence(data, escape, out)
        return b"".join(out)

    def finish(self) -> bytes:
        """What is still held when the program has ended; an unfinished report is not shown."""
        held, self._held = self._held, b""
        return b"" if self._in_report else held

    def _skip_report(self, data: bytes, at: int) -> int:
        """Where the bytes go on after the report, or after its part in these bytes."""
        found = _STOP(data, at)
        if not found:
            return len(data)
        stop = found.start()
        if data[stop] != 0x1B:
            self._in_report = False
            return stop + 1
        if stop + 1 == len(data):
            self._held = b"\x1b"  # perhaps half of ST
            return stop + 1
        self._in_report = False
        return stop + 2 if data[stop + 1] == 0x5C else stop

    def _take_sequence(self, data: bytes, escape: int, out: list[bytes]) -> int:
        """Shows, holds or drops what starts at this ESC; where the bytes go on."""
        end = len(data)
        start = _START(data, escape)
        assert start is not None  # there is an ESC
        at = start.end()
        kind = data[at : at + 1]
        if not kind:
            return self._hold(data, escape, QUERY_BYTES, out)
        if kind == b"[":
            return self._take_control(data, escape, at, out)
        if kind == b"]":
            if data.startswith(_REPORT, at):
                out.append(start[1])
                self._in_report = True
                return at + len(_REPORT)
            color = _COLOR(data, at)
            if color:
                out.append(start[1])
                return color.end()
            rest = data[at : at + 8]
            if at + len(rest) == end and any(form.startswith(rest) for form in (_REPORT, *_COLOR_FORMS)):
                return self._hold(data, escape, QUERY_BYTES, out)
        elif kind == b"P":
            if end - at < 3 and b"P+q".startswith(data[at:]):
                return self._hold(data, escape, QUERY_BYTES, out)
            terminfo = _TERMINFO(data, at)
            if terminfo and len(terminfo[1]) + 2 <= STRING_BYTES:
                if terminfo[2] == b"\x1b\\":
                    out.append(start[1])
                    return terminfo.end()
                if terminfo.end() == end:
                    return self._hold(data, escape, STRING_BYTES + QUERY_BYTES, out)
        out.append(data[escape:at])
        return at

    def _take_control(self, data: bytes, escape: int, at: int, out: list[bytes]) -> int:
        inside = _CONTROL(data, at + 1)
        assert inside is not None  # it matches the empty string
        stop = inside.end()
        if stop == len(data) and stop - escape <= QUERY_BYTES:
            return self._hold(data, escape, QUERY_BYTES, out)
        if stop < len(data) and stop + 1 - escape <= QUERY_BYTES:
            controls = _INSIDE.sub(b"", data[escape + 1 : stop])
            sequence = data[at + 1 : stop + 1].translate(None, controls)
            found = _KEYED(sequence.decode("latin-1"))
            if found:
                prefix, parameters, intermediates, final = found.groups()
                key = prefix + intermediates + final
                if ":" not in parameters and is_control_query(key, parse_parameters(parameters)):
                    out.append(controls)
                    return stop + 1
        out.append(data[escape:stop])
        return stop

    def _hold(self, data: bytes, escape: int, most: int, out: list[bytes]) -> int:
        """Keeps the rest of the bytes for later if it is short enough to become a query."""
        if len(data) - escape > most:
            out.append(data[escape:])
        else:
            self._held = data[escape:]
        return len(data)
