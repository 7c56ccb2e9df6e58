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
from .csi import PLAIN, PREFIXED, SWITCHES, remember_place, tab_forward
from .escapes import ESCAPES
from .queries import STRING_BYTES, is_control_query, is_string_query, parse_parameters
from .replies import answer_control, answer_string
from .strings import OpenString
from .tokens import PARAMETER_CHARS, run_tokens, split_control, split_moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from .csi import Handler, Parameters
    from .scanner import Scanner
    from .screen import Screen

_PARAMETERS_KEPT = 4096
_UNKNOWN = "\x1b[?0:"
BULK_CHARS = 256
# Tokens of one chunk exist at once, each about 150 bytes.
CHUNK_BYTES = 1 << 18


class Stream:
    """The parser of one terminal. `answers` collects what the terminal owes the program."""

    __slots__ = (
        "_decode",
        "_held",
        "_late",
        "_open",
        "answers",
        "colors",
        "controls",
        "remembered",
        "scanner",
        "screen",
        "steps",
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
        self.steps: dict[str, list[tuple[Handler, Parameters]]] = {}
        self.remembered: dict[str, tuple[int, ...]] = {"": ()}
        self.controls: dict[str, Callable[[Screen, tuple[int, ...]], None]] = {
            **PLAIN,
            "c": lambda _, parameters: self._query("c", parameters),
            "n": lambda _, parameters: self._query("n", parameters),
            "t": self._window_operation,
        }

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        for at in range(0, len(data), CHUNK_BYTES):
            self._take(self._decode(data[at : at + CHUNK_BYTES]))

    def unfinished(self) -> str | None:
        """The beginning of the sequence that is unfinished, "" without one; None in a string."""
        return None if self._open.kind else self._held

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
            self.control_character(control, True)
        self._late = ""
        if self._held:
            self._held = run_controls(self._held, self.control_character)
            if len(self._held) > PARAMETER_CHARS + 2:
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
            text = scroll_bulk(screen, text, lambda lines: run_tokens(self, lines))
        run_tokens(self, text)

    def plan(self, moves: str) -> list[tuple[Handler, Parameters]]:
        """What CR and control functions that only move the cursor are made of, remembered."""
        if len(moves) > PARAMETER_CHARS + 3:
            return []
        # CR is a G without parameters.
        found = split_moves(moves)
        steps = [(PLAIN[final or "G"], parse_parameters(parameters)) for parameters, final in found]
        if found[0][1] not in "GH" or not remember_place(self.screen, moves, steps):
            if len(self.steps) > _PARAMETERS_KEPT:
                self.steps.clear()
            self.steps[moves] = steps
        return steps

    def parameters_of(self, text: str) -> tuple[int, ...]:
        """The numbers between semicolons, remembered."""
        numbers = self.remembered.get(text)
        if numbers is None:
            if len(self.remembered) > _PARAMETERS_KEPT:
                self.remembered.clear()
            numbers = self.remembered[text] = parse_parameters(text)
        return numbers

    def control_character(self, control: str, in_sequence: bool = False) -> None:
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

    def other(self, token: str) -> None:
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
        if found is None or len(token) > PARAMETER_CHARS + 3:
            return
        prefix, parameters, intermediates, final = found.groups()
        key = prefix + intermediates + final
        if key == "m":
            self.screen.style = self.screen.style.after(f"\x1b[{parameters}m")
        elif len(key) == 1:
            if ":" not in parameters:
                self.controls.get(key, _nothing)(self.screen, parse_parameters(parameters))
        elif key in PREFIXED:
            PREFIXED[key](self.screen, parse_parameters(parameters))
        else:
            self._query(key, parse_parameters(parameters))

    def broken(self, token: str) -> None:
        """An ESC and what follows it up to the next one, not a complete sequence as it stands."""
        sequence, rest = split_broken(token, self.control_character)
        if sequence:
            self.other(sequence)
        if rest:
            run_tokens(self, rest)

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
