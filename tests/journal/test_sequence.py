from __future__ import annotations

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.journal.sequence import extend, is_short, parse, start


def test_the_stored_integer_is_read() -> None:
    assert parse(b"4097\n") == 4097
    assert parse(b"1") == 1


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"0", b"-1", b"1.0", b"true", b"1e3", b"4097 x", b"\xff", b"9" * 20, b"%d" % (1 << 53)]
)
def test_anything_but_an_integer_is_refused(data: bytes) -> None:
    with pytest.raises(IoError, match="is not an integer"):
        parse(data)


def test_a_server_continues_at_the_reservation_and_skips_the_rest_of_the_block() -> None:
    assert start(4097, 17) == 4097


def test_without_a_reservation_it_continues_after_the_greatest_number() -> None:
    assert start(None, 0) == 1
    assert start(None, 17) == 18


@pytest.mark.parametrize("stored", [1, 17])
def test_a_reservation_that_is_not_above_what_was_used_is_refused(stored: int) -> None:
    with pytest.raises(IoError, match=f"says {stored}, but number 17 has been used"):
        start(stored, 17)


def test_blocks_of_4096_are_reserved_when_fewer_than_1024_are_left() -> None:
    assert extend(1, 1) == 4097
    assert not is_short(4097 - 1024, 4097)
    assert is_short(4097 - 1023, 4097)
    assert extend(4096, 4097) == extend(4097, 4097) == extend(8192, 4097) == 8193
    assert extend(8193, 4097) == 12289
