"""Status signals: five words, the two fields they move, and what these mean for a pane (status-signals §2 to §4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

START, STOP, CONFLICT = "start", "stop", "git-conflict"
BLOCKED, WORKING = "blocked:permission", "state:working"
WORDS = {word.encode(): word for word in (START, STOP, CONFLICT, BLOCKED, WORKING)}
MESSAGES = {BLOCKED: "waiting for a permission decision", CONFLICT: "waiting at a merge conflict"}

_RUNS = {START: "active", STOP: "ended", CONFLICT: "conflict"}
_STATES = {BLOCKED: "blocked", WORKING: "working"}
_LIFECYCLES = {"active": "working", "ended": "done", "conflict": "blocked"}


def recognise(line: bytes) -> str | None:
    """The word of a line without its newline, one `\\r` and blanks around it removed; None for anything else."""
    return WORDS.get(line.removesuffix(b"\r").strip(b" \t"))


def move(run: str, state: str, word: str) -> tuple[str, str]:
    """The fields after the word: only the first words move `run`, and each beginning or end forgets `state`."""
    if word in _STATES:
        return run, _STATES[word]
    return _RUNS[word], state if word == CONFLICT else "none"


def lifecycle_of(run: str, state: str) -> str | None:
    """What the fields say of the pane; None when they say nothing."""
    if state == "blocked":
        return "blocked"
    if run == "none":
        return "working" if state == "working" else None
    return _LIFECYCLES[run]


def attention_of(word: str, run: str, state: str) -> str | None:
    """What becomes of the attention: `begin`, `end`, `release`, a required level, or None for nothing.

    run, state: the fields before the word.
    """
    if word == START:
        return "begin"
    if word == STOP:
        return "end"
    if word == BLOCKED:
        return "permission_required"
    if word == CONFLICT:
        return "permission_required" if state == "blocked" else "input_required"
    if run == "conflict":
        return "input_required"
    if run == "ended":
        return "release_unread" if state == "blocked" else None
    return "release"


def is_open(run: str, state: str) -> bool:
    """Whether the sender owes a word: then it holds the pane although nobody watches its process (§4.4)."""
    return run in ("active", "conflict") or state == "blocked"


def with_socket(argv: Sequence[str], path: str | None) -> list[str]:
    """The command line that is run: zerostack, and it alone, is told where to report (§7)."""
    words = list(argv)
    if path is None or words[0].rsplit("/", 1)[-1] != "zerostack":
        return words
    end = words.index("--", 1) if "--" in words[1:] else len(words)
    if any(word == "--status-socket" or word.startswith("--status-socket=") for word in words[1:end]):
        return words
    return [*words[:end], "--status-socket", path, *words[end:]]
