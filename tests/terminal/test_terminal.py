"""The terminal as its users see it: vectors, ring, held frames, clearing, restoring."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from pathlib import Path
from unicodedata import normalize

import pytest

from signaltty_core.terminal.scanner import Bell, Notification, Title
from signaltty_core.terminal.terminal import CLEAR_BYTES, RESTORED_ABOVE, Fed, Terminal
from signaltty_core.terminal.views import LogicalLines, Rendered, Tail

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "terminal"
VECTORS = [json.loads(line) for line in (CORPUS / "vectors.jsonl").read_text().splitlines()]


def fed(*chunks: bytes, cols: int = 20, rows: int = 4, ring_lines: int = 5000) -> Terminal:
    terminal = Terminal(cols, rows, version="1.0", ring_lines=ring_lines)
    for chunk in chunks:
        terminal.feed(chunk, 0.0)
    return terminal


def lines(*numbers: int) -> bytes:
    return b"".join(b"line %d\r\n" % number for number in numbers)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_vector_ends_as_it_says(vector: dict) -> None:
    now = 0.0
    reply = b""
    terminal = Terminal(vector["cols"], vector["rows"], version="0.0.0")
    for step in vector["steps"]:
        if "output" in step:
            reply += b"".join(terminal.feed(b64decode(step["output"]), now).answers)
        elif "resize" in step:
            terminal.resize(*step["resize"])
        else:
            now += step["wait_s"]
            terminal.tick(now)
    text = normalize("NFC", terminal.read_screen())
    rows = text.split("\n") if text else []
    x, y = terminal.cursor
    got = {"rows": rows, "visible_rows": rows, "cursor": {"x": x, "y": y}, "reply": b64encode(reply).decode()}
    expected = {
        key: [normalize("NFC", row) for row in value] if isinstance(value, list) else value
        for key, value in vector["expect"].items()
    }
    assert {key: got[key] for key in expected} == expected


def test_the_tail_is_history_and_screen_in_one() -> None:
    terminal = fed(lines(*range(1, 8)), b"prompt")
    assert terminal.read_tail(3) == Tail("line 6\nline 7\nprompt", True)
    assert terminal.read_tail(100) == Tail("\n".join([*(f"line {n}" for n in range(1, 8)), "prompt"]), False)


def test_colours_are_read_only_on_request() -> None:
    terminal = fed(b"a \x1b[1;31mred\x1b[0m word")
    assert terminal.read_screen() == "a red word"
    assert terminal.read_screen(strip_ansi=False) == "a \x1b[0;1;31mred\x1b[m word"


def test_line_numbers_rise_from_one() -> None:
    terminal = fed(lines(1, 2, 3))
    assert terminal.read_rendered(0, 100) == Rendered("line 1\nline 2\nline 3", 1, 3, False, False)


def test_a_cursor_reads_only_what_is_newer() -> None:
    terminal = fed(lines(1, 2, 3))
    cursor = terminal.head
    terminal.feed(lines(4, 5, 6, 7), 0.0)
    assert terminal.read_rendered(cursor, 100) == Rendered("line 4\nline 5\nline 6\nline 7", 4, 7, False, False)
    assert terminal.read_rendered(cursor, 2) == Rendered("line 6\nline 7", 6, 7, False, True)
    assert terminal.read_rendered(7, 100) == Rendered("", 7, 7, False, False)


def test_a_changed_row_gets_a_new_number_and_keeps_its_place() -> None:
    terminal = fed(lines(1, 2, 3))
    assert terminal.head == 3
    terminal.feed(b"\x1b[2;6HX\x1b[4;1H", 0.0)
    assert terminal.read_rendered(3, 100) == Rendered("line X", 4, 4, False, False)
    assert terminal.read_rendered(0, 100) == Rendered("line 1\nline X\nline 3", 1, 4, False, False)


def test_a_row_that_is_painted_with_the_same_text_is_not_new() -> None:
    terminal = fed(lines(1, 2, 3))
    assert terminal.head == 3
    terminal.feed(b"\x1b[H\x1b[2J" + lines(1, 2, 3), 0.0)
    assert terminal.read_rendered(3, 100) == Rendered("", 3, 3, False, False)


def test_an_overwritten_line_is_seen_in_its_last_form() -> None:
    terminal = fed(b"10%\r50%\r100%\r\n" + lines(1, 2, 3, 4))
    assert terminal.read_rendered(0, 100).text == "100%\nline 1\nline 2\nline 3\nline 4"


def test_a_row_that_scrolls_off_keeps_its_number() -> None:
    terminal = fed(lines(1, 2, 3))
    assert terminal.head == 3
    terminal.feed(lines(4, 5), 0.0)
    assert terminal.read_rendered(3, 100).text == "line 4\nline 5"


def test_a_region_that_starts_at_the_top_feeds_history_and_another_does_not() -> None:
    terminal = fed(b"\x1b[1;2ra\r\nb\r\nc\x1b[r\x1b[3;4r\x1b[3Hd\r\ne\r\nf")
    assert terminal.history_lines() == ["a"]
    assert terminal.read_screen() == "b\nc\ne\nf"


def test_the_alternate_screen_is_read_alone_and_leaves_no_history() -> None:
    terminal = fed(lines(1, 2, 3, 4, 5))
    cursor = terminal.head
    terminal.feed(b"\x1b[?1049h\x1b[H" + b"".join(b"page %d\r\n" % n for n in range(9)) + b"end", 0.0)
    assert terminal.read_tail(100) == Tail("page 6\npage 7\npage 8\nend", False)
    assert terminal.read_rendered(cursor, 100).text == "page 6\npage 7\npage 8\nend"
    terminal.feed(b"\x1b[?1049l", 0.0)
    assert terminal.read_tail(100).text == "\n".join(f"line {n}" for n in range(1, 6))


def test_the_ring_holds_so_many_content_lines_and_no_more() -> None:
    terminal = fed(lines(*range(1, 31)), rows=5, ring_lines=10)
    assert terminal.read_tail(100) == Tail("\n".join(f"line {n}" for n in range(21, 31)), False)
    assert terminal.read_rendered(19, 100).dropped
    assert not terminal.read_rendered(20, 100).dropped
    assert not terminal.read_rendered(0, 100).dropped
    assert terminal.read_rendered(31, 100).dropped


def test_many_lines_at_once_are_numbered_like_few() -> None:
    many, few = Terminal(20, 4, version="1", ring_lines=50), Terminal(20, 4, version="1", ring_lines=50)
    data = lines(*range(1000))
    many.feed(data, 0.0)
    for at in range(0, len(data), 11):
        few.feed(data[at : at + 11], 0.0)
    assert many.read_rendered(0, 100) == few.read_rendered(0, 100)
    assert many.read_rendered(0, 100).next_seq == 1000
    assert many.read_rendered(949, 100).dropped and few.read_rendered(949, 100).dropped
    assert not many.read_rendered(950, 100).dropped and not few.read_rendered(950, 100).dropped


def test_clearing_drops_what_a_cursor_from_before_has_missed() -> None:
    terminal = fed(lines(*range(9)))
    before = terminal.head
    assert terminal.clear(0.0) == CLEAR_BYTES == b"\x1b[H\x1b[2J\x1b[3J"
    after = terminal.head
    assert (terminal.floor, after) == (before, before + 1)
    assert terminal.read_rendered(before, 10) == Rendered("", after, after, True, False)
    assert terminal.read_rendered(after, 10) == Rendered("", after, after, False, False)
    assert terminal.read_tail() == Tail("", False)


def test_erasing_saved_lines_leaves_the_screen() -> None:
    terminal = fed(lines(*range(9)), b"\x1b[3J")
    assert terminal.read_tail() == Tail("line 6\nline 7\nline 8", False)


def test_readers_keep_the_former_frame_while_an_update_is_held() -> None:
    terminal = fed(lines(1, 2))
    terminal.feed(b"\x1b[?2026h\x1b[2J\x1b[Hhalf", 5.0)
    assert (terminal.read_screen(), terminal.read_tail().text, terminal.due()) == (
        "line 1\nline 2",
        "line 1\nline 2",
        6.0,
    )
    terminal.feed(b" done\x1b[?2026l", 5.5)
    assert (terminal.read_screen(), terminal.due()) == ("half done", None)


def test_a_held_update_that_scrolls_shows_nothing_of_it() -> None:
    terminal = fed(lines(1, 2, 3))
    terminal.feed(b"\x1b[?2026h" + lines(*range(4, 40)), 1.0)
    assert terminal.read_tail().text == "line 1\nline 2\nline 3"
    terminal.feed(b"\x1b[?2026l", 1.5)
    assert terminal.read_tail().text == "\n".join(f"line {n}" for n in range(1, 40))


def test_a_held_update_ends_after_a_second() -> None:
    terminal = fed(b"old")
    terminal.feed(b"\x1b[?2026h\r\x1b[Knew", 5.0)
    terminal.tick(5.9)
    assert terminal.read_screen() == "old"
    terminal.tick(6.0)
    assert (terminal.read_screen(), terminal.due()) == ("new", None)
    assert terminal.feed(b"\x1b[?2026$p", 6.0).answers == [b"\x1b[?2026;2$y"]


def test_an_update_in_one_chunk_is_followed_by_an_open_one() -> None:
    terminal = fed(b"\x1b[?2026hone\x1b[?2026l\x1b[?2026h\r\x1b[Ktwo")
    assert terminal.read_screen() == "one"


@pytest.mark.parametrize("begin", [b"\x1b[?;2026h", b"\x1b[?25;2026h", b"\x1b[?02026h", b"\x1b[?20\x0026h"])
def test_an_update_keeps_its_former_frame_however_its_beginning_is_written(begin: bytes) -> None:
    terminal = fed(b"\x1b[?2026hone\x1b[?2026l" + begin + b"\r\x1b[Ktwo\x1b[?2026h!")
    assert terminal.read_screen() == "one"


def test_an_update_that_begins_where_another_ends_has_its_own_time() -> None:
    terminal = fed(b"old")
    terminal.feed(b"\x1b[?2026h\rone", 5.0)
    terminal.feed(b"\x1b[?2026l\x1b[?2026h\rtwo", 5.9)
    assert terminal.due() == 6.9
    terminal.tick(6.0)
    assert terminal.read_screen() == "one"


def test_a_resize_shows_what_is_there() -> None:
    terminal = fed(b"old")
    terminal.feed(b"\x1b[?2026h\rnew", 5.0)
    terminal.resize(10, 4)
    assert terminal.read_screen() == "new"


def test_wrapped_rows_are_also_given_joined() -> None:
    terminal = fed(b"0123456789abcdefghij-tail\r\nshort")
    rows = ["0123456789abcdefghij", "-tail", "short"]
    whole = "0123456789abcdefghij-tail"
    assert terminal.logical_lines("screen", 5000, 0) == LogicalLines(rows, [whole, whole, "short"], 3)
    assert terminal.logical_lines("rendered", 5000, 2) == LogicalLines(["short"], ["short"], 3)
    terminal.feed(b"\r\n" + lines(1, 2, 3, 4), 0.0)
    assert terminal.logical_lines("tail", 6, 0).joined == [whole, "short", "line 1", "line 2", "line 3", "line 4"]
    assert terminal.logical_lines("rendered", 5000, 3).rows == ["line 1", "line 2", "line 3", "line 4"]


def test_the_first_row_of_a_new_screen_is_among_the_new_lines() -> None:
    terminal = Terminal(80, 24, version="1")
    start = terminal.head
    terminal.feed(b"zebra\r\nand\r\nmore\r\n", 0.0)
    assert terminal.logical_lines("rendered", 5000, start).rows == ["zebra", "and", "more"]


def test_a_restored_pane_makes_every_older_cursor_read_as_dropped() -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.restore(None, ["one", "two"], 70)
    base = 70 + RESTORED_ABOVE
    assert (terminal.floor, terminal.head) == (base, base + 2)
    assert terminal.read_rendered(70, 10) == Rendered("one\ntwo", base + 1, base + 2, True, False)
    assert not terminal.read_rendered(base + 2, 10).dropped
    terminal.feed(b"three", 0.0)
    assert terminal.read_rendered(base + 2, 10) == Rendered("three", base + 3, base + 3, False, False)
    assert terminal.read_tail() == Tail("one\ntwo\nthree", False)


def test_an_empty_restored_pane_gives_a_cursor_that_is_not_dropped() -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.restore(None, [], 70)
    assert not terminal.read_rendered(terminal.head, 10).dropped
    assert terminal.read_rendered(70, 10).dropped


def test_saved_screen_and_tail_do_not_show_the_same_lines_twice() -> None:
    saved = fed(lines(*range(1, 9)), b"\x1b[1mprompt")
    tail = saved.tail_lines(1 << 16)
    assert tail == [*(f"line {n}" for n in range(1, 9)), "prompt"]
    again = Terminal(20, 4, version="1")
    again.restore(saved.snapshot(), tail, saved.head)
    assert again.read_tail() == saved.read_tail()
    assert again.snapshot() == saved.snapshot()
    assert again.read_rendered(saved.head, 100).dropped


def test_the_saved_tail_keeps_the_newest_lines_that_fit() -> None:
    terminal = fed(lines(*range(1, 9)))
    assert terminal.tail_lines(14) == ["line 7", "line 8"]
    assert terminal.tail_lines(13) == ["line 8"]
    assert terminal.tail_lines(0) == []


def test_drained_bytes_give_signals_and_no_answers() -> None:
    terminal = Terminal(20, 4, version="1")
    assert terminal.feed_silently(b"\x1b[c\x07", 0.0) == Fed([], [Bell()])


def test_the_end_of_the_program_releases_half_a_character_and_half_a_frame() -> None:
    terminal = fed(b"ok\x1b[?2026h!\xe3\x81")
    assert terminal.finish() == Fed([], [])
    assert terminal.read_screen() == "ok!\ufffd"


def test_the_next_program_in_a_terminal_starts_with_a_clean_parser_and_its_own_icon_name() -> None:
    terminal = fed(b"\x1b]2;first\x07one\r\n\x1b]99;i=1:d=0;half\x07\x1b]2;unfinis")
    terminal.finish()
    assert terminal.title == "first"
    signals = terminal.feed(b"two\x1b]1;second\x07\x1b]99;i=1;whole\x07", 1.0).signals
    assert signals == [Title("second"), Notification("osc99", "whole", None)]
    assert terminal.read_screen() == "one\ntwo"


def test_a_chunk_of_any_size_is_taken() -> None:
    assert fed(lines(*range(100_000))).read_tail(2) == Tail("line 99998\nline 99999", True)


def test_reading_does_not_change_what_a_snapshot_shows() -> None:
    terminal = fed(lines(*range(9)), b"\x1b[7mx")
    before = terminal.snapshot()
    terminal.read_tail(), terminal.read_rendered(3, 3), terminal.styled_rows(), terminal.head
    assert terminal.snapshot() == before


def test_styled_rows_are_runs_of_equal_attributes() -> None:
    assert fed(b"a\x1b[1;31;48;5;7mb c\x1b[0m  \r\n").styled_rows() == [
        [{"text": "a"}, {"text": "b c", "fg": "31", "bg": "48;5;7", "bold": True}]
    ]
