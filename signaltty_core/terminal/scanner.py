"""What programs say about themselves: titles, directory, notifications, progress, status reports, shell marks, bells.

Rules: terminal-status §3 to §8. The token loop (stream.py) hands complete strings in; signals go out in order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..base.limits import BODY_CHARS, TITLE_CHARS
from ..base.text import sanitise
from .filter import OutputFilter as OutputFilter
from .notices import Pieces
from .queries import REPORT_BYTES, REPORT_INTRODUCER, STRING_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE_DEPTH = 10
NOTIFICATION_BURST = 10
NOTIFICATIONS_PER_S = 1.0

_CONTROLS = dict.fromkeys((*range(0x20), 0x7F))
_CONTROLS_BUT_TAB = {code: None for code in _CONTROLS if code != 9}
# The 8-bit forms are text in a UTF-8 terminal, so they must not start a sequence for the sanitiser either.
_C1 = dict.fromkeys(range(0x80, 0xA0))
_SUBCOMMAND = re.compile("(?:[1-9]|1[0-2])(?:;|$)").match
_PROGRESS = re.compile("4;([0-4])(?:;(.*))?", re.DOTALL).fullmatch
_STATUS = re.compile("-?[0-9]{1,9}").fullmatch
_PERCENT = re.compile(b"%([0-9A-Fa-f]{2})")
_PROGRESS_STATES = {"0": None, "1": "normal", "2": "error", "3": "normal", "4": "paused"}


class Title(NamedTuple):
    text: str


class Bell(NamedTuple):
    """A BEL in ground state."""


class Notification(NamedTuple):
    """source: osc9, osc777 or osc99."""

    source: str
    title: str | None
    body: str | None


class Directory(NamedTuple):
    """Where a shell says it is; whether the host is this one and the path exists is for others to find out."""

    path: str
    host: str


class Progress(NamedTuple):
    """state None: removed. value None: unknown; with `error` and `paused` the former value stays then."""

    value: int | None
    state: str | None


class Report(NamedTuple):
    """The raw body of an OSC 7501 string that is no query and not too long."""

    body: bytes


class Mark(NamedTuple):
    """An OSC 133 shell mark; parameters are what followed the letter, without the exit status."""

    letter: str
    exit_code: int | None
    parameters: tuple[str, ...]


class Reset(NamedTuple):
    """RIS."""


Signal = Title | Bell | Notification | Directory | Progress | Report | Mark | Reset


class Scanner:
    """The signs of one terminal. `notifications_dropped` counts those beyond the rate."""

    __slots__ = (
        "_allowed",
        "_pieces",
        "_refilled",
        "_titled",
        "notifications_dropped",
        "now",
        "signals",
        "title",
        "titles",
    )

    def __init__(self) -> None:
        self.signals: list[Signal] = []
        self.now = 0.0
        self.title: str | None = None
        self.titles: list[str | None] = []
        self.notifications_dropped = 0
        self._titled = False
        self._pieces = Pieces()
        self._allowed = float(NOTIFICATION_BURST)
        self._refilled = 0.0

    def bell(self) -> None:
        self.signals.append(Bell())

    def reset(self) -> None:
        self.titles.clear()
        self._pieces.clear()
        self.signals.append(Reset())

    def end_instance(self) -> None:
        """The process is gone: the next one has its own icon name and notifications (terminal-status §5, §7)."""
        self._titled = False
        self.titles.clear()
        self._pieces.clear()

    def string(self, content: str, terminator: str) -> None:
        """A complete OSC that is no query, with the bytes that were no UTF-8 as lone surrogates."""
        number, semicolon, rest = content.partition(";")
        handler = _HANDLERS.get(number)
        if not semicolon or handler is None:
            return
        size = len(content) if content.isascii() else len(content.encode("utf-8", "surrogateescape"))
        if number == "7501":
            if size + len(REPORT_INTRODUCER) - len("7501;") + len(terminator) <= REPORT_BYTES:
                body = rest.translate(_CONTROLS_BUT_TAB)
                self.signals.append(Report(body.encode("utf-8", "surrogateescape")))
        elif size <= STRING_BYTES:
            handler(self, rest.translate(_CONTROLS))

    def push_title(self) -> None:
        self.titles.append(self.title)
        del self.titles[:-TITLE_DEPTH]

    def pop_title(self) -> None:
        if self.titles:
            title = self.titles.pop()
            if title is not None and title != self.title:
                self._set_title(title)

    def _set_title(self, title: str) -> None:
        self.title = title
        self.signals.append(Title(title))

    def _window_title(self, text: str) -> None:
        title = _clean(text, TITLE_CHARS)
        if title:
            self._titled = True
            self._set_title(title)

    def _icon_name(self, text: str) -> None:
        title = _clean(text, TITLE_CHARS)
        if title and not self._titled:
            self._set_title(title)

    def _directory(self, url: str) -> None:
        for scheme, encoded in (("file://", True), ("kitty-shell-cwd://", False)):
            if url.startswith(scheme):
                host, slash, path = url[len(scheme) :].partition("/")
                raw = (slash + path).encode("utf-8", "surrogateescape")
                if encoded:
                    raw = _PERCENT.sub(lambda found: bytes([int(found[1], 16)]), raw)
                self._at_directory(raw.decode("utf-8", "replace"), host)

    def _at_directory(self, path: str, host: str) -> None:
        if path.startswith("/") and "\0" not in path:
            self.signals.append(Directory(path, host))

    def _nine(self, text: str) -> None:
        """OSC 9: a notification, or a sub-command of other terminals."""
        if not _SUBCOMMAND(text):
            self._notify("osc9", "", text)
        elif text.startswith("9;"):
            self._at_directory(_text(text[2:]), "")
        else:
            found = _PROGRESS(text)
            if found:
                word = found[2] or ""
                percent = word.isascii() and word.isdigit() and len(word) <= 9 and int(word) <= 100
                shown = percent and found[1] in "124"
                self.signals.append(Progress(int(word) if shown else None, _PROGRESS_STATES[found[1]]))

    def _seven_seven_seven(self, text: str) -> None:
        word, semicolon, rest = text.partition(";")
        if word == "notify" and semicolon:
            title, _, body = rest.partition(";")
            self._notify("osc777", title, body)

    def _ninety_nine(self, text: str) -> None:
        meta, semicolon, payload = text.partition(";")
        done = self._pieces.add(meta, payload) if semicolon else None
        if done:
            self._notify("osc99", done[0].decode("utf-8", "replace"), done[1].decode("utf-8", "replace"))

    def _notify(self, source: str, title: str, body: str) -> None:
        title, body = _clean(title, TITLE_CHARS), _clean(body, BODY_CHARS)
        if not title and not body:
            return
        refill = max(self.now - self._refilled, 0.0) * NOTIFICATIONS_PER_S
        self._allowed, self._refilled = min(self._allowed + refill, NOTIFICATION_BURST), self.now
        if self._allowed < 1:
            self.notifications_dropped += 1
            return
        self._allowed -= 1
        self.signals.append(Notification(source, title or None, body or None))

    def _mark(self, text: str) -> None:
        letter, *words = text.split(";", 32)
        if letter not in ("A", "B", "C", "D"):
            return
        code: int | None = None
        if letter == "D" and words and _STATUS(words[0]):
            code = int(words.pop(0))
        self.signals.append(Mark(letter, code, tuple([_text(word) for word in words])))


def _text(raw: str) -> str:
    """The string with bytes that were no UTF-8 as U+FFFD."""
    return raw if raw.isascii() else raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _clean(raw: str, limit: int) -> str:
    return sanitise(_text(raw.translate(_C1)), limit).replace("\n", " ").replace("\t", " ")


def _ignore(scanner: Scanner, text: str) -> None:
    """7501 is taken before the table is asked; it stands there so that its number is known."""


_HANDLERS: dict[str, Callable[[Scanner, str], None]] = {
    "0": Scanner._window_title,
    "1": Scanner._icon_name,
    "2": Scanner._window_title,
    "7": Scanner._directory,
    "9": Scanner._nine,
    "99": Scanner._ninety_nine,
    "133": Scanner._mark,
    "777": Scanner._seven_seven_seven,
    "7501": _ignore,
}
