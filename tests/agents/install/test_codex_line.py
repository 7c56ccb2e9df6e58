"""Which calls of codex are a person's session."""

from __future__ import annotations

import pytest

from signaltty_core.agents.install import codex_line


@pytest.mark.parametrize(
    "line",
    [
        "codex",
        "codex fix",
        "codex resume",
        "codex resume --last",
        "codex fork abc",
        "codex --model exec",
        "codex -m exec",
        "codex -mexec",
        "codex --model=exec fix",
        "codex -c a=b --search --oss",
        "codex -- exec",
        "codex -- --remote",
        "codex -i a.png fix",
    ],
)
def test_sessions_of_a_person(line: str) -> None:
    words = line.split()
    assert codex_line.read(words) == codex_line.INTERACTIVE
    assert codex_line.insert(words) == ["codex", "--no-daemon", *words[1:]]


@pytest.mark.parametrize(
    "line",
    ["codex exec fix", "codex e x", "codex a", "codex --model x exec", "codex login", "codex -V", "codex x --help"],
)
def test_calls_for_something_else(line: str) -> None:
    assert codex_line.read(line.split()) == codex_line.UTILITY


@pytest.mark.parametrize("line", ["codex --remote ws://x", "codex --remote=x", "codex --unheard-of", "codex -Z"])
def test_calls_we_do_not_understand(line: str) -> None:
    assert codex_line.read(line.split()) == codex_line.FOREIGN


def test_a_caller_may_have_thought_of_it() -> None:
    assert codex_line.read(["codex", "fix", "--no-daemon"]) == codex_line.PREPARED
    assert codex_line.read(["codex", "--", "--no-daemon"]) == codex_line.INTERACTIVE


@pytest.mark.parametrize("line", ["codex", "codex fix it", "codex --no-daemon -m x", "codex -- --sandbox x"])
def test_a_session_may_write_to_more_places(line: str) -> None:
    words = line.split()
    places = ["/r/.git/objects", "/a b"]
    wanted = ["codex", "--add-dir", "/r/.git/objects", "--add-dir", "/a b", *words[1:]]
    assert codex_line.with_places(words, places) == (wanted if "--sandbox" not in words else words)
    assert codex_line.read(wanted) in (codex_line.INTERACTIVE, codex_line.PREPARED)


@pytest.mark.parametrize(
    "line",
    [
        "codex -s read-only",
        "codex -sread-only",
        "codex --sandbox=read-only",
        "codex --add-dir /x fix",
        "codex --yolo",
        "codex exec fix",
        "codex --remote ws://x",
        "codex --version",
    ],
)
def test_who_speaks_of_the_sandbox_or_wants_no_session_keeps_the_line(line: str) -> None:
    assert codex_line.with_places(line.split(), ["/x"]) == line.split()
