"""What `gh` prints, read (tasks-and-git §5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signaltty_core.git import pull_requests

AT = 1_800_000_000.0
MOMENT = "2027-01-15T08:00:00.000Z"


def test_the_address_is_the_last_line_and_ends_in_the_number() -> None:
    printed = b"Creating pull request\n\nhttps://github.com/o/r/pull/17\n\n"
    assert pull_requests.parse_url(printed) == {"number": 17, "url": "https://github.com/o/r/pull/17"}


@pytest.mark.parametrize("printed", [b"", b"\n", b"https://github.com/o/r/pull/new\n", "…/٣\n".encode()])
def test_anything_else_is_no_address(printed: bytes) -> None:
    assert pull_requests.parse_url(printed) is None


@pytest.mark.parametrize(
    ("rollup", "word"),
    [
        ([], "none"),
        ([{"status": "COMPLETED", "conclusion": "SUCCESS"}, {"state": "SUCCESS"}], "passing"),
        ([{"status": "COMPLETED", "conclusion": "SKIPPED"}], "passing"),
        ([{"status": "IN_PROGRESS", "conclusion": ""}, {"status": "COMPLETED", "conclusion": "SUCCESS"}], "pending"),
        ([{"state": "PENDING"}], "pending"),
        ([{"state": "EXPECTED"}], "pending"),
        ([{"status": "QUEUED"}, {"status": "COMPLETED", "conclusion": "TIMED_OUT"}], "failing"),
        ([{"state": "ERROR"}, {"state": "PENDING"}], "failing"),
        *(
            ([{"status": "COMPLETED", "conclusion": one}], "failing")
            for one in ("FAILURE", "ERROR", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE")
        ),
    ],
)
def test_checks_are_one_word(rollup: list[dict[str, Any]], word: str) -> None:
    assert pull_requests.checks(rollup) == word


def test_a_view_is_read_as_a_whole() -> None:
    said = {"state": "MERGED", "reviewDecision": "CHANGES_REQUESTED", "statusCheckRollup": [{"state": "SUCCESS"}]}
    assert pull_requests.parse_view(json.dumps(said).encode(), AT) == {
        "state": "merged",
        "checks": "passing",
        "review": "changes_requested",
        "checked_at": MOMENT,
    }
    said = {"state": "OPEN", "reviewDecision": "", "statusCheckRollup": None}  # type: ignore[dict-item]
    assert pull_requests.parse_view(json.dumps(said).encode(), AT) == {
        "state": "open",
        "checks": "none",
        "review": "none",
        "checked_at": MOMENT,
    }


@pytest.mark.parametrize("printed", [b"", b"{", b"[]", b'{"state":"DRAFT"}', b"[" * 100_000])
def test_anything_else_is_no_view(printed: bytes) -> None:
    assert pull_requests.parse_view(printed, AT) is None
