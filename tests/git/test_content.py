"""FileContent from patches, and from files that are new as a whole."""

from __future__ import annotations

import pytest

from signaltty_core.git import content

HEAD = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"


def lines(found: dict[str, object]) -> list[tuple[object, ...]]:
    hunks = found["hunks"]
    assert isinstance(hunks, list)
    return [tuple(line.values()) for hunk in hunks for line in hunk["lines"]]


def test_lines_that_look_like_headers_are_lines() -> None:
    patch = HEAD + b"@@ -1,3 +1,2 @@ def f():\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n diff --git\n"
    found = content.of_patch(patch)
    assert lines(found) == [
        ("removed", "-- a/x", 1, None),
        ("removed", "@@ -1 +1 @@", 2, None),
        ("added", "++ b/x", None, 1),
        ("context", "diff --git", 3, 2),
    ]
    assert found["hunks"][0]["heading"] == "@@ -1,3 +1,2 @@ def f():"


def test_a_count_of_one_may_be_left_out_and_missing_line_feeds_are_lines() -> None:
    last = b"\\ No newline at end of file\n"
    found = content.of_patch(HEAD + b"@@ -7 +7 @@\n-a\r\n" + last + b"+b\x0c\n" + last)
    assert lines(found) == [
        ("removed", "a\r", 7, None),
        ("no_newline", "No newline at end of file", None, None),
        ("added", "b\x0c", None, 7),
        ("no_newline", "No newline at end of file", None, None),
    ]


def test_kinds_without_text() -> None:
    assert content.of_patch(b"") == {"kind": "unchanged"}
    assert content.of_patch(HEAD[:40] + b"\nBinary files a/x and b/x differ\n") == {"kind": "binary"}
    assert content.of_patch(HEAD + b"@@ -1 +1 @@\n-\xff\n+a\n") == {"kind": "unavailable", "reason": content.NOT_UTF8}
    assert content.of_untracked(b"a\0") == {"kind": "binary"}
    assert content.of_untracked(b"text", binary=True) == {"kind": "binary"}
    assert content.of_untracked(b"\xff") == {"kind": "unavailable", "reason": content.NOT_UTF8}


@pytest.mark.parametrize(("count", "truncated"), [(9_999, False), (10_000, False), (10_001, True), (30_000, True)])
def test_of_long_files_the_first_lines_are_shown(count: int, truncated: bool) -> None:
    new = content.of_untracked(b"l\n" * count)
    patch = content.of_patch(HEAD + b"@@ -0,0 +1,%d @@\n" % count + b"+l\n" * count)
    assert new == patch
    assert (len(lines(new)), new["truncated"], new["notice"] is not None) == (min(count, 10_000), truncated, truncated)


def test_the_last_line_of_the_limit_keeps_its_mark() -> None:
    last = b"\n\\ No newline at end of file\n"
    new = content.of_untracked(b"l\n" * 9_999 + b"l")
    patch = content.of_patch(HEAD + b"@@ -0,0 +1,10000 @@\n" + b"+l\n" * 9_999 + b"+l" + last)
    assert new == patch
    assert (len(lines(new)), new["truncated"]) == (10_001, False)


def test_lines_are_counted_over_all_hunks() -> None:
    hunk = b"@@ -%d,6000 +%d,0 @@\n" + b"-l\n" * 6_000
    found = content.of_patch(HEAD + hunk % (1, 0) + hunk % (9_000, 0))
    assert ([len(one["lines"]) for one in found["hunks"]], found["truncated"]) == ([6_000, 4_000], True)


@pytest.mark.parametrize(
    "path", ["", "/x", "a/", "a//b", ".", "./a", "../a", "a/..", ".git", "a/.Git/b", "a\0", "\ud800"]
)
def test_what_is_no_relative_name_is_refused(path: str) -> None:
    assert content.path_fault(path) is not None


@pytest.mark.parametrize("path", ["a", "-x", ":(glob)*", " ", ".gitignore", "a.git", "é/ü", "..a", "a\nb"])
def test_odd_names_are_names(path: str) -> None:
    assert content.path_fault(path) is None
