"""How codex is called: whether it is a person's session, where `--no-daemon` belongs, or something else (agents §9)."""

from __future__ import annotations

NO_DAEMON = "--no-daemon"
INTERACTIVE = "interactive"
UTILITY = "utility"  # a word of its own, help, version: no session of the pane
PREPARED = "prepared"  # the caller has thought of it
FOREIGN = "foreign"  # a remote session, or an option nothing is known about

_UTILITIES = frozenset(
    "exec e agents review login logout mcp plugin app-server remote-control completion update doctor sandbox debug"
    " apply a queue archive delete migrate-rollouts unarchive cloud exec-server features help".split()
)
_SAY_AND_END = frozenset(["-h", "--help", "-V", "--version"])
_VALUED = frozenset(
    "-c --config --enable --disable -i --image -m --model --local-provider -p --profile -s --sandbox -C --cd --add-dir"
    " -a --ask-for-approval".split()
)
_PLAIN = frozenset(
    "--oss --full-auto --dangerously-bypass-approvals-and-sandbox --yolo --dangerously-bypass-hook-trust --search"
    " --no-alt-screen --strict-config --last --all --include-non-interactive".split()
)
_SANDBOX = frozenset("--sandbox --add-dir --full-auto --yolo --dangerously-bypass-approvals-and-sandbox".split())
_LETTERS = frozenset(option for option in _VALUED if not option.startswith("--"))


def read(argv: list[str]) -> str:
    """What kind of call it is; the words before a lone `--` count."""
    words = argv[1 : argv.index("--")] if "--" in argv else argv[1:]
    if NO_DAEMON in words:
        return PREPARED
    at, session = 0, False
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, _ = word.partition("=")
        if not word.startswith("-") or word == "-":
            if not session and word in _UTILITIES:
                return UTILITY
            session = True
        elif word in _SAY_AND_END:
            return UTILITY
        elif name in _VALUED:
            at += 0 if equals else 1
        elif word not in _PLAIN and word[:2] not in _LETTERS:
            return FOREIGN
    return INTERACTIVE


def with_places(argv: list[str], places: list[str]) -> list[str]:
    """The same session, in whose sandbox these directories can be written; a caller who speaks of the sandbox knows
    better."""
    named = any(word.partition("=")[0] in _SANDBOX or word[:2] == "-s" for word in argv[1:])
    if named or read(argv) not in (INTERACTIVE, PREPARED):
        return argv
    return [argv[0], *(word for place in places for word in ("--add-dir", place)), *argv[1:]]


def insert(argv: list[str]) -> list[str]:
    """The same call without a daemon."""
    return [argv[0], NO_DAEMON, *argv[1:]]
