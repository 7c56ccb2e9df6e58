"""Summaries read from what Git prints."""

from __future__ import annotations

from signaltty_core.git import summary


def test_names_may_hold_what_they_like() -> None:
    found = summary.parse_numstat(b"1\t2\ttab\tline\nfeed\0-\t-\tbin\0" + b"0\t0\tcaf\xe9\0")
    assert [(one["path"], one["added"], one["removed"], one["binary"]) for one in found] == [
        ("tab\tline\nfeed", 1, 2, False),
        ("bin", 0, 0, True),
        ("caf\ufffd", 0, 0, False),
    ]


def test_a_file_that_stands_there_twice_is_kept_with_its_counts() -> None:
    assert summary.parse_numstat(b"3\t1\ta\0" + b"0\t0\ta\0") == summary.parse_numstat(b"3\t1\ta\0")
    assert summary.parse_numstat(b"0\t0\ta\0" + b"3\t1\ta\0") == summary.parse_numstat(b"3\t1\ta\0")


def test_nothing_is_nothing() -> None:
    assert summary.of_head(b"", b"") == {"files": [], "dirs": [], "added": 0, "removed": 0}


def test_untracked_files_count_only_where_they_were_read() -> None:
    tracked = summary.parse_numstat(b"1\t0\td/a\0" + b"2\t3\tb\0")
    named = summary.build(tracked, summary.listed(["d/new"]), counts_untracked=False)
    read = summary.build(tracked, summary.counted([("d/new", 4, False), ("x/bin", 0, True)]), counts_untracked=True)
    assert (named["dirs"], named["added"], named["removed"]) == (
        [{"dir": ".", "added": 2, "removed": 3}, {"dir": "d", "added": 1, "removed": 0}],
        3,
        3,
    )
    assert (read["dirs"], read["added"]) == (
        [
            {"dir": ".", "added": 2, "removed": 3},
            {"dir": "d", "added": 5, "removed": 0},
            {"dir": "x", "added": 0, "removed": 0},
        ],
        7,
    )
    assert [one["path"] for one in read["files"]] == ["b", "d/a", "d/new", "x/bin"]
    assert read["files"][3] == {"path": "x/bin", "added": 0, "removed": 0, "untracked": True, "binary": True}


def test_a_preview_lists_conflicts_or_says_that_git_cannot_tell() -> None:
    tree = b"a" * 40 + b"\0"
    assert summary.parse_preview(0, tree, "main") == {"target": "main", "clean": True, "conflicted": []}
    assert summary.parse_preview(1, tree + b"b\0a\tx\0b\0", "m") == {
        "target": "m",
        "clean": False,
        "conflicted": ["a\tx", "b"],
    }
    assert summary.parse_preview(128, b"", "main") is None
    assert summary.parse_preview(0, b"", "main") is None


def test_a_root_may_hold_line_feeds() -> None:
    assert summary.top_level_and_branch(b"/a\nb\nrefs/heads/deep/x\n") == ("/a\nb", "deep/x")
    assert summary.top_level_and_branch(b"/a\nHEAD\n") == ("/a", None)
