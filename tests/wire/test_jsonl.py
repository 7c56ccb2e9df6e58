"""Lines out of bytes, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.errors import RateLimited
from signaltty_core.base.limits import LINE_BYTES
from signaltty_core.wire.jsonl import LineBuffer


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
def test_the_same_bytes_give_the_same_lines_at_every_cut(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    buffer = LineBuffer()
    lines = [line for start, end in pairwise(edges) for line in buffer.feed(data[start:end])]
    assert lines == data.split(b"\n")[:-1]


def test_every_single_cut_of_two_lines_gives_two_lines() -> None:
    data = b'{"a":1}\n\xc3\xa9\r\n'
    for cut in range(len(data) + 1):
        buffer = LineBuffer()
        assert buffer.feed(data[:cut]) + buffer.feed(data[cut:]) == [b'{"a":1}', b"\xc3\xa9\r"]


def test_byte_after_byte_is_linear() -> None:
    """A megabyte in single bytes would need 10^12 comparisons if every byte were looked at again."""
    buffer = LineBuffer()
    for _ in range(1 << 18):
        assert buffer.feed(b"x") == []
    assert buffer.feed(b"\n") == [b"x" * (1 << 18)]


def test_a_line_of_the_limit_passes_and_one_byte_more_does_not() -> None:
    assert LineBuffer(8).feed(b"12345678\n") == [b"12345678"]
    with pytest.raises(RateLimited, match="line too large"):
        LineBuffer(8).feed(b"123456789\n")


def test_an_endless_line_is_refused_before_its_end() -> None:
    buffer = LineBuffer(8)
    assert buffer.feed(b"ok\n1234") == [b"ok"]
    with pytest.raises(RateLimited, match="line too large"):
        buffer.feed(b"56789")


def test_the_limit_counts_from_the_start_of_the_line() -> None:
    buffer = LineBuffer(8)
    for _ in range(10):
        assert buffer.feed(b"1234") == []
        assert buffer.feed(b"5678\n") == [b"12345678"]


def test_the_ordinary_limit_is_16_mib() -> None:
    buffer = LineBuffer()
    buffer.feed(b"x" * LINE_BYTES)
    with pytest.raises(RateLimited):
        buffer.feed(b"x")
    assert LINE_BYTES == 16 * 1024 * 1024
