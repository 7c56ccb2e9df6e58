"""One pass over a pane's bytes: tokens for the screen, strings for the scanner, queries for their answers.

`findall` cuts a chunk into text runs, plain control sequences, control characters, other complete sequences, and what
is left: an ESC that starts nothing complete, up to the next ESC. As an ESC always starts anew (terminal-status §1.2),
only the last sequence of a chunk can be unfinished; it is held until more comes, and all else is decided in its place.
Text is decoded with bytes that are no UTF-8 as lone surrogates, so that sizes and contents stay those of the bytes.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

from .bulk import scroll_bulk
from .controls import PARTIAL, run_controls, split_broken, split_open_string
from .csi import PLAIN, PREFIXED, SWITCHES, tab_forward
from .escapes import ESCAPES
from .printing import draw
from .queries import STRING_BYTES, is_control_query, is_string_query, parse_parameters
from .replies import answer_control, answer_string
from .rows import WIDE, mend
from .strings import OpenString
from .tokens import cut, split_control

if TYPE_CHECKING:
    from collections.abc import Callable

    from .scanner import Scanner
    from .screen import Screen

_PARAMETERS_KEPT = 4096
# A control sequence with more characters between CSI and its final one is unknown, whole or cut: what is held while its
# end is awaited must be bounded.
_PARAMETER_CHARS = 1024
_UNKNOWN = "\x1b[?0:"
BULK_CHARS = 256
# Tokens of one chunk exist at once, each about 150 bytes.
CHUNK_BYTES = 1 << 18


class Stream:
    """The parser of one terminal. `answers` collects what the terminal owes the program."""

    __slots__ = (
        "_controls",
        "_decode",
        "_held",
        "_late",
        "_open",
        "_parameters",
        "answers",
        "colors",
        "scanner",
        "screen",
        "version",
    )

    def __init__(self, screen: Screen, scanner: Scanner, version: str) -> None:
        self.screen = screen
        self.scanner = scanner
        self.version = version
        self.colors = ("cccc/cccc/cccc", "0000/0000/0000")
        self.answers: list[bytes] = []
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._held = ""
        self._late = ""  # control characters inside what is held, to be carried out behind the text before it
        self._open = OpenString(self._string)
        self._parameters: dict[str, tuple[int, ...]] = {"": ()}
        self._controls: dict[str, Callable[[Screen, tuple[int, ...]], None]] = {
            **PLAIN,
            "c": lambda _, parameters: self._query("c", parameters),
            "n": lambda _, parameters: self._query("n", parameters),
            "t": self._window_operation,
        }

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        for at in range(0, len(data), CHUNK_BYTES):
            self._take(self._decode(data[at : at + CHUNK_BYTES]))

    def finish(self) -> None:
        """Shows half a character at the end as a fault and gives up an unfinished sequence."""
        self._take(self._decode(b"", True))
        self._held = ""
        self._open.kind = ""

    def _take(self, text: str) -> None:
        while text and self._open.kind:
            text = self._open.go_on(text)
        if not text:
            return
        if self._held:
            text, self._held = self._held + text, ""
        text = self._hold_back(text)
        if text:
            self._run(text)
        for control in self._late:
            self._control_character(control, True)
        self._late = ""
        if self._held:
            self._held = run_controls(self._held, self._control_character)
            if len(self._held) > _PARAMETER_CHARS + 2:
                self._held = _UNKNOWN if self._held[1] == "[" else self._held[:3]

    def _hold_back(self, text: str) -> str:
        """The text without an unfinished sequence at its end, which is kept."""
        at = text.rfind("\x1b")
        if at < 0:
            return text
        if at == len(text) - 1:  # perhaps half of the ST of a string
            start = text.rfind("\x1b", 0, at)
            opened = split_open_string(text[start:at]) if start >= 0 else None
            if opened:
                self._begin_string(opened, True)
                return text[:start]
        opened = split_open_string(text[at:])
        if opened:
            self._begin_string(opened, False)
            return text[:at]
        if PARTIAL(text, at):
            self._held = text[at:]
            return text[:at]
        return text

    def _begin_string(self, opened: tuple[str, str, str], escape_seen: bool) -> None:
        kind, content, controls = opened
        self._open.begin(kind, content, escape_seen)
        self._late = controls

    def _string(self, kind: str, content: str, terminator: str) -> None:
        if len(content) > STRING_BYTES:
            return
        if is_string_query(kind, content):
            self.answers.append(answer_string(kind, content, terminator, self.colors))
        elif kind == "]":
            self.scanner.string(content, terminator)

    # Tokens

    def _run(self, text: str) -> None:
        """Carries out a text whose last sequence is complete."""
        screen = self.screen
        if len(text) > BULK_CHARS:
            text = scroll_bulk(screen, text, self._run_tokens)
        self._run_tokens(text)

    def _run_tokens(self, text: str) -> None:
        screen = self.screen
        controls, remembered = self._controls, self._parameters
        cols, grid, simple, places = screen.cols, screen.grid, screen.simple, screen.places
        style = screen.style
        get, mark = style.__getitem__, style.mark
        is_narrow = screen.narrow.issuperset
        line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
        for run, newline, parameters, final, control, other, broken in cut(text):
            if run:
                x = screen.x
                size = len(run)
                end = x + size
                if simple and end <= cols and (run.isascii() or is_narrow(run)):
                    row = grid[screen.y]
                    if row.mark & WIDE:
                        mend(row, x, end)
                    if size == 1:
                        row[x] = style[run]
                    else:
                        row[x:end] = map(get, run)
                    row.mark |= mark
                    screen.x = end
                else:
                    draw(screen, run)
                if newline:
                    screen.x = 0
                    line_feed()
            elif final:
                if final == "m":
                    after = style.next.get(parameters) or style.siblings.get(parameters)  # one without cells is false
                    if not after:
                        if len(parameters) > _PARAMETER_CHARS:
                            continue
                        after = style.after(parameters)
                    screen.style = style = after
                    get, mark = style.__getitem__, style.mark
                elif final == "H" and parameters in places:
                    screen.x, screen.y = places[parameters]
                elif final == "K" and not parameters:
                    if screen.x < cols:
                        screen.erase_cells(screen.x, cols)
                else:
                    handler = controls.get(final)
                    if handler is not None:
                        numbers = remembered.get(parameters)
                        if numbers is None:
                            if len(parameters) > _PARAMETER_CHARS:
                                continue
                            numbers = self._remember(parameters)
                        handler(screen, numbers)
                        if final == "H" and 6 not in screen.modes and len(places) < _PARAMETERS_KEPT:
                            places[parameters] = screen.x, screen.y
                        elif final in "hlu":  # the others change neither style nor modes
                            style = screen.style
                            get, mark, simple, places = style.__getitem__, style.mark, screen.simple, screen.places
                            line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
            elif control:
                if control == "\r\n":
                    screen.x = 0
                    line_feed()
                elif control == "\r":
                    screen.x = 0
                else:
                    self._control_character(control)
                    style = screen.style
                    get, mark = style.__getitem__, style.mark
            else:
                if other:
                    self._other(other)
                else:
                    self._broken(broken)
                grid, simple, style, places = screen.grid, screen.simple, screen.style, screen.places
                get, mark = style.__getitem__, style.mark
                line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index

    def _remember(self, parameters: str) -> tuple[int, ...]:
        if len(self._parameters) > _PARAMETERS_KEPT:
            self._parameters.clear()
        numbers = self._parameters[parameters] = parse_parameters(parameters)
        return numbers

    def _control_character(self, control: str, in_sequence: bool = False) -> None:
        screen = self.screen
        if control in "\n\x0b\x0c":
            screen.line_feed()
        elif control == "\r":
            screen.x = 0
        elif control == "\b":
            screen.x = max(min(screen.x, screen.cols - 1) - 1, 0)
        elif control == "\t":
            tab_forward(screen, ())
        elif control == "\x07":
            if not in_sequence:
                self.scanner.bell()
        elif control in "\x0e\x0f":
            ESCAPES["n" if control == "\x0e" else "o"](screen, ())

    def _other(self, token: str) -> None:
        """A complete sequence that is no plain control sequence."""
        kind = token[1]
        if kind == "[":
            self._control_sequence(token)
        elif kind in "]PX^_":
            terminator = "\x07" if token[-1] == "\x07" else "\x1b\\"
            self._string(kind, token[2 : -len(terminator)], terminator)
        elif token == "\x1bc":
            self.screen.reset()
            self.scanner.reset()
        else:
            ESCAPES.get(token[1:], _nothing)(self.screen, ())

    def _control_sequence(self, token: str) -> None:
        if token in SWITCHES:
            handler, numbers = SWITCHES[token]
            return handler(self.screen, numbers)
        found = split_control(token)
        if found is None or len(token) > _PARAMETER_CHARS + 3:
            return
        prefix, parameters, intermediates, final = found.groups()
        key = prefix + intermediates + final
        if key == "m":
            self.screen.style = self.screen.style.after(parameters)
        elif len(key) == 1:
            if ":" not in parameters:
                self._controls.get(key, _nothing)(self.screen, parse_parameters(parameters))
        elif key in PREFIXED:
            PREFIXED[key](self.screen, parse_parameters(parameters))
        else:
            self._query(key, parse_parameters(parameters))

    def _broken(self, token: str) -> None:
        """An ESC and what follows it up to the next one, not a complete sequence as it stands."""
        sequence, rest = split_broken(token, self._control_character)
        if sequence:
            self._other(sequence)
        if rest:
            self._run_tokens(rest)

    def _query(self, key: str, parameters: tuple[int, ...]) -> None:
        if is_control_query(key, parameters):
            self.answers.append(answer_control(key, parameters, self.screen, self.version))

    def _window_operation(self, screen: Screen, parameters: tuple[int, ...]) -> None:
        if parameters[:1] in ((22,), (23,)):
            if parameters[1:2] in ((), (0,), (2,)):
                (self.scanner.push_title if parameters[0] == 22 else self.scanner.pop_title)()
        else:
            self._query("t", parameters)


def _nothing(screen: Screen, parameters: tuple[int, ...]) -> None:
    """For final characters nobody knows."""
