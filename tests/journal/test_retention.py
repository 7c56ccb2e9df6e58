from __future__ import annotations

import json

import pytest

from signaltty_core.journal.retention import (
    Generation,
    Retention,
    check,
    encode_record,
    parse_record,
    rotate,
    says_the_same,
)


def facts(retention: Retention) -> tuple[int, bool, int, int, bool]:
    return (
        retention.retained_after,
        retention.predecessor,
        retention.current_bytes,
        retention.predecessor_bytes,
        retention.known_complete,
    )


def test_the_record_has_always_the_same_length_and_reads_back() -> None:
    for retention in (Retention(0), Retention(10**18, True, 10**12, 10**12, False)):
        data = encode_record(retention)
        assert len(data) == 512
        again = parse_record(data)
        assert again is not None and facts(again) == facts(retention)


def test_its_fields_are_those_of_the_documentation() -> None:
    assert json.loads(encode_record(Retention(3, True, 5, 6))) == {
        "retained_after": 3,
        "predecessor": True,
        "current_bytes": 5,
        "predecessor_bytes": 6,
        "known_complete": True,
    }


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"x", encode_record(Retention(1)).replace(b"true", b"1")])
def test_anything_else_claims_nothing(data: bytes) -> None:
    assert parse_record(data) is None


def test_a_new_state_is_complete_from_the_next_number_on() -> None:
    assert facts(check(None, None, None, 17)) == (17, False, 0, 0, True)


def test_a_journal_without_a_record_is_never_claimed_complete() -> None:
    assert facts(check(None, Generation(50, 1, 9), None, 17)) == (17, False, 50, 0, False)
    assert facts(check(None, None, Generation(50, 1, 9), 17)) == (17, True, 0, 50, False)


def test_files_that_are_as_long_as_recorded_or_longer_keep_the_record() -> None:
    stored = Retention(4, True, 100, 200)

    assert facts(check(stored, Generation(110, 20, 30), Generation(200, 5, 19), 40)) == (4, True, 110, 200, True)


@pytest.mark.parametrize("current", [None, Generation(99, 20, 30), Generation(100, 20, 30, sound=False)])
def test_a_current_file_that_is_missing_short_or_broken_is_a_doubt_up_to_now(current: Generation | None) -> None:
    now = check(Retention(4, False, 100), current, None, 40)

    assert (now.known_complete, now.retained_after) == (False, 40)


@pytest.mark.parametrize("older", [None, Generation(199, 5, 19), Generation(200, 5, 19, sound=False)])
def test_a_doubt_about_the_predecessor_reaches_up_to_the_current_file(older: Generation | None) -> None:
    now = check(Retention(4, True, 100, 200), Generation(100, 20, 30), older, 40)

    assert (now.known_complete, now.retained_after) == (False, 19)


def test_a_predecessor_that_does_not_belong_to_the_history_raises_no_doubt() -> None:
    assert check(Retention(4, False, 0), None, Generation(5, sound=False), 40).known_complete


def test_a_record_from_before_a_rotation_proves_nothing() -> None:
    """It was put back from a copy: what it calls no part of the history holds events above its mark."""
    now = check(Retention(4, False, 90), Generation(100, 20, 30), Generation(200, 5, 19), 40)
    assert (now.known_complete, now.retained_after) == (False, 40)
    assert check(Retention(19, False, 90), Generation(100, 20, 30), Generation(200, 5, 19), 40).known_complete


def test_the_doubt_is_not_forgotten_by_looking_again() -> None:
    first = check(Retention(4, False, 100), Generation(99, 20, 30), None, 40)

    again = check(first, Generation(99, 20, 30), None, 50)

    assert (again.known_complete, again.retained_after) == (False, 40)


def test_records_that_differ_in_lengths_only_say_the_same() -> None:
    assert says_the_same(Retention(4, True, 1, 2), Retention(4, True, 3, 4))
    for other in (Retention(5, True), Retention(4, False), Retention(4, True, known_complete=False)):
        assert not says_the_same(Retention(4, True), other)


def test_a_rotation_gives_up_what_the_former_predecessor_held() -> None:
    first = rotate(Retention(0, False, 900), Generation(900, 1, 50), None)
    assert facts(first) == (0, True, 0, 900, True)

    second = rotate(first, Generation(800, 51, 90), Generation(900, 1, 50))
    assert facts(second) == (50, True, 0, 800, True)


def test_completeness_returns_when_both_generations_were_written_after_the_doubt() -> None:
    doubt = check(Retention(0, False, 100), Generation(90, 1, 9), None, 40)

    once = rotate(doubt, Generation(900, 1, 60), None)
    assert not once.known_complete
    twice = rotate(once, Generation(800, 61, 90), Generation(900, 1, 60))
    assert facts(twice) == (60, True, 0, 800, True)
