"""Snapshots: drawn again they show, and are, the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from signaltty_core.terminal.terminal import Terminal

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "terminal"


def replayed(terminal: Terminal) -> Terminal:
    again = Terminal(terminal.cols, terminal.rows, version="1")
    again.feed(terminal.snapshot(), 0.0)
    return again


@pytest.mark.parametrize("name", ["claude-allow", "claude-subagent", "claude-turn"])
def test_a_recording_can_be_taken_and_drawn_again_at_any_point(name: str) -> None:
    data = (CORPUS / f"{name}.bin").read_bytes()
    terminal = Terminal(100, 30, version="1")
    for at in range(0, len(data), 257):
        terminal.feed(data[at : at + 257], float(at))
        terminal.tick(at + 2.0)
        again = replayed(terminal)
        assert again.snapshot() == terminal.snapshot()
        assert again.read_screen(strip_ansi=False) == terminal.read_screen(strip_ansi=False)
        assert (again.cursor, again.modes, again.on_alternate) == (
            terminal.cursor,
            terminal.modes,
            terminal.on_alternate,
        )


@pytest.mark.parametrize(
    "data",
    [
        b"plain",
        b"\x1b[1;4;38;5;9;48;2;1;2;3mstyled\x1b[0m plain\x1b[7m",
        b"full line" + b"." * 11 + b"goes on",
        b"x" * 20,
        "wide at the margin" + "一二三".encode().decode(),
        b"\x1b(0lqk\x1b(Bx\x1b)0\x0eq",
        b"\x1b[2;3r\x1b[?6h\x1b[2;5Hx",
        b"\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b=\x1b[4h\x1b[5 q\x1b[?7l",
        b"main \x1b[31m\x1b[?1049h\x1b[Halternate\x1b[3;7H\x1b7\x1b[H",
        b"\x1b[44m\x1b[2J\x1b[Hon blue",
        "文\x1b[H\x1b[X\r\n文字\x1b[2H\x1b[X".encode(),
        b"\x1b[3g\x1b[5G\x1bH\x1b[11G\x1bH",
        "e\u0301 👨\u200d👩\u200d👧 🇧🇷 ⚠\ufe0f".encode(),
        b"\x1b[3;5H\x1b[1m\x1b7\x1b[H\x1b[0m",
    ],
)  # fmt: skip
def test_a_state_is_drawn_again(data: bytes | str) -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.feed(data if isinstance(data, bytes) else data.encode(), 0.0)
    again = replayed(terminal)
    assert again.snapshot() == terminal.snapshot()
    for both in (terminal, again):
        both.feed(b"Z\r\nY\tX\x1b8W", 0.0)
    assert again.snapshot() == terminal.snapshot()
    assert again.read_tail(strip_ansi=False) == terminal.read_tail(strip_ansi=False)


def test_the_main_screen_is_below_the_alternate_one_for_whoever_leaves_it() -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.feed(b"shell$ \x1b[?1049h\x1b[Heditor", 0.0)
    again = replayed(terminal)
    again.feed(b"\x1b[?1049lexit", 0.0)
    assert again.read_screen() == "shell$ exit"


def test_wrapped_rows_are_wrapped_in_the_copy_too() -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.feed(b"0123456789abcdefghijklmn", 0.0)
    again = replayed(terminal)
    again.resize(30, 4)
    assert again.read_screen() == "0123456789abcdefghijklmn"


def test_a_snapshot_holds_no_scrollback_and_no_unusual_sequence() -> None:
    terminal = Terminal(20, 2, version="1")
    terminal.feed(b"old\r\nolder\r\n\x1b[>5u\x1b[?2026hnew", 0.0)
    assert terminal.snapshot() == b"\x1b[1Holder\x1b[2Hnew\x1b[2;4H"
