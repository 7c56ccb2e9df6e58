"""Times as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.clock import passed_s, rfc3339, seconds_of


def test_a_time_has_milliseconds_and_is_utc() -> None:
    assert rfc3339(1_791_549_296.789) == "2026-10-09T12:34:56.789Z"
    assert rfc3339(0.0) == "1970-01-01T00:00:00.000Z"


@given(st.integers(0, 4_000_000_000_000))
def test_a_text_reads_back_to_the_millisecond(whole_ms: int) -> None:
    text = rfc3339((whole_ms + 0.5) / 1000)
    assert round(seconds_of(text) * 1000) == whole_ms


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_texts_sort_as_their_times(one: float, other: float) -> None:
    assert (rfc3339(one) < rfc3339(other)) <= (one < other)


def test_other_texts_are_no_time() -> None:
    assert [seconds_of(text) for text in ("", "yesterday", "2026-10-09", "2026-13-09T12:34:56.789Z")] == [0.0] * 4


def test_what_lies_in_the_future_since_the_clock_was_set_back_counts_as_long_ago() -> None:
    assert (passed_s(5.0, 7.5), passed_s(7.5, 5.0)) == (2.5, -2.5)
    assert passed_s(3600.0, 5.0) == float("inf")
