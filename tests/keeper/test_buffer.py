from __future__ import annotations

from signaltty_core.keeper.buffer import BUFFER_BYTES, DrainBuffer


def test_bytes_come_back_oldest_first_and_only_once() -> None:
    buffer = DrainBuffer()
    buffer.add(b"one ")
    buffer.add(b"two")
    assert len(buffer) == 7
    assert buffer.take() == (b"one two", 0)
    assert buffer.take() == (b"", 0)
    assert len(buffer) == 0


def test_the_oldest_bytes_are_dropped_and_counted() -> None:
    buffer = DrainBuffer(5)
    buffer.add(b"abc")
    buffer.add(b"defg")
    buffer.add(b"h")
    assert buffer.take() == (b"defgh", 3)


def test_a_piece_larger_than_the_bound_keeps_its_end() -> None:
    buffer = DrainBuffer(4)
    buffer.add(b"0123456789")
    assert buffer.take() == (b"6789", 6)


def test_the_bound_is_one_mebibyte() -> None:
    buffer = DrainBuffer()
    buffer.add(b"x" * (BUFFER_BYTES + 1))
    assert len(buffer) == 1_048_576
    assert buffer.dropped == 1
