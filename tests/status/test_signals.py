"""The five words: recognised exactly, moved as the table of status-signals §3.1 has it, meant as §4 has it."""

from __future__ import annotations

import pytest

from signaltty_core.status import signals

WORDS = ("start", "stop", "git-conflict", "blocked:permission", "state:working")
TABLE = """
none/none      active/none ended/none conflict/none    none/blocked     none/working
none/working   active/none ended/none conflict/working none/blocked     none/working
none/blocked   active/none ended/none conflict/blocked none/blocked     none/working
active/none    active/none ended/none conflict/none    active/blocked   active/working
active/working active/none ended/none conflict/working active/blocked   active/working
active/blocked active/none ended/none conflict/blocked active/blocked   active/working
conflict/none  active/none ended/none conflict/none    conflict/blocked conflict/working
conflict/working active/none ended/none conflict/working conflict/blocked conflict/working
conflict/blocked active/none ended/none conflict/blocked conflict/blocked conflict/working
ended/none     active/none ended/none conflict/none    ended/blocked    ended/working
ended/working  active/none ended/none conflict/working ended/blocked    ended/working
ended/blocked  active/none ended/none conflict/blocked ended/blocked    ended/working
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_every_word_moves_the_fields_as_the_table_says(row: str) -> None:
    before, *after = row.split()
    run, state = before.split("/")
    assert ["/".join(signals.move(run, state, word)) for word in WORDS] == after


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"start", "start"),
        (b"start\r", "start"),
        (b" \tstate:working\t ", "state:working"),
        (b" stop \r", "stop"),
        (b"stop\r\r", None),
        (b"Start", None),
        (b"start\x00", None),
        (b"blocked:", None),
        (b"blocked:permission now", None),
        (b"", None),
        ("stärt".encode(), None),
    ],
)
def test_a_line_is_a_word_or_nothing(line: bytes, word: str | None) -> None:
    assert signals.recognise(line) == word


def test_the_fields_say_what_the_pane_does() -> None:
    runs, states = ("none", "active", "conflict", "ended"), ("none", "working", "blocked")
    assert {(run, state): signals.lifecycle_of(run, state) for run in runs for state in states} == {
        ("none", "none"): None,
        ("none", "working"): "working",
        ("active", "none"): "working",
        ("active", "working"): "working",
        ("conflict", "none"): "blocked",
        ("conflict", "working"): "blocked",
        ("ended", "none"): "done",
        ("ended", "working"): "done",
        **{(run, "blocked"): "blocked" for run in runs},
    }


def test_a_sender_that_owes_a_word_holds_the_pane() -> None:
    runs, states = ("none", "active", "conflict", "ended"), ("none", "working", "blocked")
    pairs = [(run, state) for run in runs for state in states]
    assert [f"{run}/{state}" for run, state in pairs if signals.is_open(run, state)] == [
        "none/blocked",
        *("active/none", "active/working", "active/blocked"),
        *("conflict/none", "conflict/working", "conflict/blocked"),
        "ended/blocked",
    ]


def test_only_zerostack_that_names_no_socket_is_given_one() -> None:
    for argv, given in (
        (["zerostack"], ["zerostack", "--status-socket", "/s"]),
        (["/bin/zerostack", "-p", "x"], ["/bin/zerostack", "-p", "x", "--status-socket", "/s"]),
        (["zerostack", "a", "--", "b"], ["zerostack", "a", "--status-socket", "/s", "--", "b"]),
        (["zerostack", "--", "--status-socket"], ["zerostack", "--status-socket", "/s", "--", "--status-socket"]),
        (["zerostack", "--status-socket", "/mine"], ["zerostack", "--status-socket", "/mine"]),
        (["zerostack", "--status-socket=/mine"], ["zerostack", "--status-socket=/mine"]),
        (["zerostack2"], ["zerostack2"]),
        (["sh", "zerostack"], ["sh", "zerostack"]),
    ):
        assert signals.with_socket(argv, "/s") == given
    assert signals.with_socket(["zerostack"], None) == ["zerostack"]
