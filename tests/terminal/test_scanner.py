"""Signals out of strings."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.scanner import Directory, Mark, Notification, Progress, Report, Reset, Title
from signaltty_core.terminal.terminal import Terminal


def signals_of(*chunks: bytes, now: float = 0.0) -> list[object]:
    terminal = Terminal(80, 24, version="1")
    return [signal for chunk in chunks for signal in terminal.feed(chunk, now).signals]


@pytest.mark.parametrize(
    ("data", "signals"),
    [
        (b"\x1b]0;a b\x07\x1b]2;c\x1b\\", [Title("a b"), Title("c")]),
        (b"\x1b]1;icon\x07\x1b]2;t\x07\x1b]1;late\x07", [Title("icon"), Title("t")]),
        (b"\x1b]2;\x07\x1b]2; \x07", []),
        (b"\x1b]2;a\xffb\xe2\x80\xaec\x07", [Title("a\ufffdbc")]),
        (b"\x1b]2;" + b"t" * 300 + b"\x07", [Title("t" * 200)]),
        (b"\x1b]2;" + b"t" * 8190 + b"\x07", [Title("t" * 200)]),
        (b"\x1b]2;" + b"t" * 8191 + b"\x07", []),
        (b"\x1b]2;one\x07\x1b[22;0t\x1b]2;two\x07\x1b[23t", [Title("one"), Title("two"), Title("one")]),
        (b"\x1b]7;file://host/a%20b\x07", [Directory("/a b", "host")]),
        (b"\x1b]7;kitty-shell-cwd://h/a%20b\x07\x1b]9;9;/c\x07", [Directory("/a%20b", "h"), Directory("/c", "")]),
        (b"\x1b]7;file://host\x07\x1b]7;/plain\x07\x1b]7;file:///a%00b\x07", []),
        (b"\x1b]9;5 files\x07", [Notification("osc9", None, "5 files")]),
        (b"\x1b]9;1\x07\x1b]9;12;x\x07\x1b]9;4\x07\x1b]9;4;9;3\x07\x1b]9;\x07", []),
        (b"\x1b]777;notify;T;B;C\x07\x1b]777;precmd\x07", [Notification("osc777", "T", "B;C")]),
        (b"\x1b]777;notify;T\x07", [Notification("osc777", "T", None)]),
        (b"\x1b]99;;Hi\x07\x1b]99;p=?;\x07\x1b]99;x\x07", [Notification("osc99", "Hi", None)]),
        (b"\x1b]99;i=1:d=0;He\x07\x1b]99;i=1:d=0;llo\x07\x1b]99;i=1:p=body:e=1;Ynll\x07",
         [Notification("osc99", "Hello", "bye")]),
        (b"\x1b]9;4;1;40\x07\x1b]9;4;2\x07\x1b]9;4;3;7\x07\x1b]9;4;4;101\x07\x1b]9;4;0;\x07",
         [Progress(40, "normal"), Progress(None, "error"), Progress(None, "normal"), Progress(None, "paused"),
          Progress(None, None)]),
        (b"\x1b]133;A;k=s\x07\x1b]133;B\x07\x1b]133;C\x07\x1b]133;D;130\x07\x1b]133;D\x07\x1b]133;P;k=i\x07\x1b]133;Ax\x07",
         [Mark("A", None, ("k=s",)), Mark("B", None, ()), Mark("C", None, ()), Mark("D", 130, ()),
          Mark("D", None, ())]),
        (b"\x1b]7501;state=wor\nking:\tid=a\x07", [Report(b"state=working:\tid=a")]),
        (b"\x1b]7501;a\xff\x07\x1b]07501;state=idle\x07\x1b]7501\x07", [Report(b"a\xff")]),
        (b"\x1b]7501;" + b"x" * 4088 + b"\x07", [Report(b"x" * 4088)]),
        (b"\x1b]7501;" + b"x" * 4089 + b"\x07", []),
        (b"\x1b]7501;" + b"x" * 4088 + b"\x1b\\", []),
        (b"\x1bc", [Reset()]),
    ],
)  # fmt: skip
def test_a_string_means_what_the_specification_says(data: bytes, signals: list[object]) -> None:
    assert signals_of(data) == signals
    assert signals_of(*[bytes([byte]) for byte in data]) == signals


def test_more_notifications_than_the_rate_allows_are_counted_and_dropped() -> None:
    terminal = Terminal(80, 24, version="1")
    assert len(terminal.feed(b"\x1b]9;x\x07" * 25, 100.0).signals) == 10
    assert terminal.notifications_dropped == 15
    assert len(terminal.feed(b"\x1b]9;x\x07" * 25, 103.0).signals) == 3
    assert terminal.notifications_dropped == 37


def test_the_title_stack_is_ten_deep() -> None:
    pushes = b"".join(b"\x1b]2;t%d\x07\x1b[22;2t" % n for n in range(12))
    terminal = Terminal(80, 24, version="1")
    terminal.feed(pushes, 0.0)
    restored = [signal.text for signal in terminal.feed(b"\x1b]2;x\x07" + b"\x1b[23;2t" * 12, 0.0).signals]
    assert restored == ["x", *(f"t{n}" for n in range(11, 1, -1))]


def test_the_oldest_of_too_many_unfinished_notifications_goes_first() -> None:
    pieces = b"".join(b"\x1b]99;i=%d:d=0;n%d\x07" % (n, n) for n in range(17))
    assert signals_of(pieces + b"\x1b]99;i=0;!\x07\x1b]99;i=1;!\x07") == [
        Notification("osc99", "!", None),
        Notification("osc99", "n1!", None),
    ]


def test_nothing_of_a_report_is_printed() -> None:
    terminal = Terminal(80, 24, version="1")
    terminal.feed(b"a\x1b]7501;state=idle\x07b\x1b]7501;" + b"x" * 9000 + b"\x1b\\c", 0.0)
    assert terminal.read_screen() == "abc"
