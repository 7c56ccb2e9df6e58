"""What goes into a pane and comes out of it: input, read, wait-output, clear."""

from __future__ import annotations

from binascii import b2a_base64
from os import fsencode

from ...base.errors import ProtocolError
from ...base.limits import INPUT_BYTES
from ...base.text import without_controls
from ..session import read_stdin
from ..spec import INTEGER, NUMBER, PANE, READ_MODE, SECONDS, TEXT, Argument, Command, LocalError, Option, either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

_PANE = Argument("PANE", "pane_id", PANE)
_RAW = Option("--raw", None, "Keep colours and print control characters as they are.")


def send_input(session: Session, values: dict[str, Any]) -> None:
    """Bytes to the program, in pieces the server takes; the sum of what was written."""
    data = fsencode(values["data"]) if "data" in values else read_stdin()
    written = 0
    # an empty input is sent too: the pane may be missing
    for at in range(0, len(data) or 1, INPUT_BYTES):
        piece = b2a_base64(data[at : at + INPUT_BYTES], newline=False).decode("ascii")
        try:
            result = session.call("pane.input", {"pane_id": values["pane_id"], "data_b64": piece})
        except ProtocolError as failure:
            last = failure.details.get("written_bytes")
            if isinstance(last, int):
                failure.details["written_bytes"] = written + last
            raise
        written += result["written"]
    session.show({**result, "written": written}, f"wrote {written} bytes")


def read(session: Session, values: dict[str, Any]) -> None:
    result = session.call("pane.read", _reading(values))
    if session.settings.json:
        session.show(result)
        return
    text = result["text"]
    if not values.get("raw"):
        text = "\n".join(without_controls(line) for line in text.split("\n"))
    session.write(text if text.endswith("\n") or not text else text + "\n")


def wait_output(session: Session, values: dict[str, Any]) -> None:
    # every command that reads or types would read it
    from ..lasting import call_through

    result = call_through(session, "pane.wait_for_output", _reading(values))
    if values.get("raw") and not session.settings.json:
        session.write(result["matched_line"] + "\n")
    else:
        session.show(result, result["matched_line"])


def submit(session: Session, values: dict[str, Any]) -> None:
    params = {name: value for name, value in values.items() if name != "stdin"}
    if "text" not in values:
        try:
            params["text"] = read_stdin().decode()
        except UnicodeDecodeError:
            raise LocalError("standard input is not UTF-8 text") from None
    result = session.call("pane.submit", params)
    said = f"outcome={result['outcome']} seq={result['transition_seq']} lifecycle={result['lifecycle']}"
    session.show(result, f"submitted: {said}")


def clear(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("pane.clear", values))


def _reading(values: dict[str, Any]) -> dict[str, Any]:
    params = {name: value for name, value in values.items() if name != "raw"}
    return {**params, "strip_ansi": False} if values.get("raw") else params


COMMANDS = (
    Command(
        "pane input",
        "Type bytes into a pane, exactly as given.",
        send_input,
        _PANE,
        Option("--data", TEXT, "The text to type."),
        Option("--stdin", None, "Type what comes on standard input."),
        check=either("data", "stdin", "give either --data or --stdin"),
        example="signaltty pane input PANE --data $'git status\\n'",
    ),
    Command(
        "pane submit",
        "Give the agent in a pane a prompt, and wait until it has begun.",
        submit,
        _PANE,
        Option("--text", TEXT, "The prompt."),
        Option("--stdin", None, "The prompt comes on standard input."),
        Option("--submit-delay-ms", NUMBER, "Least time between the text and Enter; default 300."),
        Option(
            "--stall-timeout-s",
            SECONDS,
            "How long the agent may take to begin; default 5.",
            aliases=("--stall-timeout",),
        ),
        Option("--replace-draft", None, "Clear what already stands in the prompt box."),
        check=either("text", "stdin", "give either --text or --stdin"),
        example="signaltty pane submit PANE --text 'run the tests and fix what fails'",
    ),
    Command(
        "pane read",
        "Print a pane's text.",
        read,
        _PANE,
        Option("--mode", READ_MODE, "The screen, the newest lines, or lines after a cursor.", default="tail"),
        Option("--lines", INTEGER, "At most so many lines.", default=200),
        Option("--after-seq", INTEGER, "Lines newer than this cursor, with --mode rendered."),
        _RAW,
        example="signaltty pane read PANE --lines 40",
    ),
    Command(
        "pane wait-output",
        "Wait until a line of a pane contains PATTERN.",
        wait_output,
        _PANE,
        Argument("PATTERN", "match"),
        Option("--regex", None, "PATTERN is a regular expression."),
        Option("--mode", READ_MODE, "Where to look; default tail."),
        Option("--after-seq", INTEGER, "Lines newer than this cursor, with --mode rendered."),
        Option("--timeout", SECONDS, "Give up after so long; default 3600.", param="timeout_s"),
        _RAW,
        example="signaltty pane wait-output PANE 'listening on' --timeout 60",
    ),
    Command("pane clear", "Empty a pane's screen and history.", clear, _PANE),
)
