"""Connections become words in the order of accepting, whatever the pieces."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.status.arrivals import DEADLINE, EOF, Arrivals

PIECES = st.sampled_from(
    [b"start\n", b"stop\n", b"git-conflict\n", b"sta", b"rt\n", b"\n", b"x\n", b" stop\r\n", b"stop"]
)


def words(heard: list[tuple[object, str]]) -> list[str]:
    return [word for _, word in heard]


def alone(data: bytes, how: str = EOF) -> list[str]:
    arrivals = Arrivals()
    arrivals.open(1)
    return words(arrivals.feed(1, data)) + words(arrivals.end(1, how))


def test_the_front_connection_counts_at_once_and_later_ones_wait_for_its_end() -> None:
    arrivals = Arrivals()
    for number in (1, 2, 3):
        arrivals.open(number, f"sender {number}")
    assert arrivals.feed(3, b"stop\n") == []
    assert arrivals.feed(1, b"start\nsto") == [("sender 1", "start")]
    assert arrivals.feed(2, b"git-conflict\n") == []
    assert arrivals.end(3, EOF) == []
    assert arrivals.end(1, DEADLINE) == [("sender 2", "git-conflict")]
    assert arrivals.end(2, EOF) == [("sender 3", "stop")]
    assert (arrivals.ignored, arrivals.timed_out, arrivals.oversized) == (0, 1, 0)


def test_a_whole_word_without_its_line_end_counts_at_the_end_of_file_alone() -> None:
    assert (alone(b"start"), alone(b"start", DEADLINE), alone(b" start"), alone(b"start\r"), alone(b"sta")) == (
        ["start"],
        *([], [], [], []),
    )


def test_what_comes_after_4096_bytes_does_not_count() -> None:
    for filler, heard in ((4096 - 6, ["start"]), (4096 - 5, [])):
        arrivals = Arrivals()
        arrivals.open(1)
        taken = arrivals.feed(1, b"x" * (filler - 1) + b"\n" + b"start\nstop\n")
        assert (words(taken), arrivals.oversized, arrivals.ignored) == (heard, 1, 1)
        assert arrivals.feed(1, b"stop\n") == arrivals.end(1, EOF) == []


def test_exactly_4096_bytes_are_not_too_many() -> None:
    arrivals = Arrivals()
    arrivals.open(1)
    assert words(arrivals.feed(1, b"x" * 4089 + b"\nstart\n")) == ["start"]
    assert arrivals.oversized == 0


@given(st.lists(PIECES, max_size=12), st.lists(st.integers(0, 60), max_size=6))
def test_cuts_do_not_matter(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    arrivals = Arrivals()
    arrivals.open(1)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    heard: list[str] = []
    for start, end in pairwise(places):
        heard += words(arrivals.feed(1, data[start:end]))
    assert heard + words(arrivals.end(1, EOF)) == alone(data)


@given(st.lists(st.lists(PIECES, max_size=4), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_overlapping_connections_equal_one_after_the_other(connections: list[list[bytes]], chance: object) -> None:
    arrivals = Arrivals()
    for number in range(len(connections)):
        arrivals.open(number)
    turns = [number for number, pieces in enumerate(connections) for _ in range(len(pieces) + 1)]
    chance.shuffle(turns)  # type: ignore[attr-defined]
    left = [list(pieces) for pieces in connections]
    heard: list[str] = []
    for number in turns:
        heard += words(arrivals.feed(number, left[number].pop(0)) if left[number] else arrivals.end(number, EOF))
    assert heard == [word for pieces in connections for word in alone(b"".join(pieces))]
