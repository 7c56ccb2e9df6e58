"""`pane.*` about what goes in and what is on the screen (behaviour §8.5, §8.6, §10)."""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64, b2a_base64

from ...base.errors import BadParams, PaneExited, RateLimited, TimedOut
from ...base.limits import (
    INPUT_BUDGET_S,
    INPUT_BYTES,
    OUTPUT_POLL_S,
    READ_LINES,
    READ_REPLY_BYTES,
    RING_LINES,
    WAIT_S,
)
from ...state import records
from ...state.effects import Sleep, WriteInput
from ...state.world import check_live, is_live
from ...wire.codec import encode
from ...wire.kinds import Count, PaneRef, ReadMode, Seq, WaitSeconds
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...state.world import Record
    from ..call import Call


@method("pane.input", mutates=True)
async def pane_input(call: Call, pane_id: PaneRef, data_b64: str) -> Record:
    """Type bytes into a pane.

    pane_id: id or name
    data_b64: the bytes in base64, at most 1 MiB decoded
    Errors: BAD_PARAMS, NO_SUCH_PANE, PANE_EXITED, RATE_LIMITED, TIMEOUT, IO_ERROR
    """
    data = decode_base64(data_b64, "data_b64")
    if len(data) > INPUT_BYTES:
        raise RateLimited(f"data_b64: {len(data)} bytes; at most {INPUT_BYTES} at once")
    pane = call.world.pane(pane_id)
    check_live(pane, written_bytes=0)
    return {"written": await WriteInput(pane["id"], data, INPUT_BUDGET_S) if data else 0}


@method("pane.resize", mutates=True)
def pane_resize(call: Call, pane_id: PaneRef, cols: int, rows: int) -> Record:
    """Change a pane's size.

    pane_id: id or name
    cols: width in cells, clamped to 20-500
    rows: height in cells, clamped to 5-200
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    id = call.world.pane(pane_id)["id"]
    resize(call, id, cols, rows)
    return {"pane": call.pane_view(id)}


@method("pane.read")
def pane_read(
    call: Call,
    pane_id: PaneRef,
    mode: ReadMode = "tail",
    lines: Count | None = None,
    strip_ansi: bool = True,
    after_seq: Seq = 0,
) -> Record:
    """Read what a pane shows, without touching it.

    pane_id: id or name
    mode: screen = the present grid, tail = the newest lines, rendered = the lines above a number
    lines: how many lines at most; default 200, at most 5000
    strip_ansi: false adds colour sequences
    after_seq: rendered only: the `next_seq` of the read before
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    id = call.world.pane(pane_id)["id"]
    return _read(call, id, mode, min(lines or READ_LINES, RING_LINES), strip_ansi, after_seq)


@method("pane.wait_for_output")
async def pane_wait_for_output(
    call: Call,
    pane_id: PaneRef,
    match: str,
    regex: bool = False,
    mode: ReadMode = "tail",
    lines: Count | None = None,
    strip_ansi: bool = True,
    after_seq: Seq = 0,
    timeout_s: WaitSeconds = WAIT_S,
) -> Record:
    """Wait until a line of the pane matches. Any further line on the connection ends the wait.

    pane_id: id or name
    match: text that a line must contain, or a regular expression
    regex: match is a regular expression, found anywhere in a line
    mode: as `pane.read`; rendered looks at lines above `after_seq` only
    lines: as `pane.read`
    strip_ansi: as `pane.read`
    after_seq: as `pane.read`
    timeout_s: seconds, 0 looks once; default 3600
    Errors: BAD_PARAMS, NO_SUCH_PANE, PANE_EXITED, TIMEOUT
    """
    find = _matcher(call, match, regex)
    id = call.world.pane(pane_id)["id"]
    call.caller.hold()
    count, cursor = min(lines or READ_LINES, RING_LINES), after_seq
    ends_at = call.machine.now() + timeout_s
    while True:
        ended = not is_live(call.world.pane(id))
        terminal = call.machine.runtime(id).terminal
        looked = terminal.logical_lines(mode, RING_LINES if mode == "rendered" else count, cursor)
        line = find(looked.rows, looked.joined)
        if line is not None:
            return {**_read(call, id, mode, count, strip_ansi, cursor), "matched_line": line}
        if mode == "rendered":
            cursor = looked.next_seq
        if ended:
            raise PaneExited(f"the program of {id} has ended and no line matched")
        if call.machine.now() >= ends_at:
            raise TimedOut(f"no line matched within {timeout_s:g} s", timeout_s=timeout_s)
        await Sleep(OUTPUT_POLL_S)


@method("pane.clear", mutates=True)
def pane_clear(call: Call, pane_id: PaneRef) -> Record:
    """Blank a pane's screen and scrollback in every view; its program is not told.

    pane_id: id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    call.machine.clear(call.world.pane(pane_id)["id"])
    return {}


def resize(call: Call, pane_id: str, cols: int, rows: int) -> None:
    """Set kernel and terminal size; an unchanged one is no event."""
    size = records.size(cols, rows)
    if call.world.panes[pane_id]["pty_size"] == size:
        return
    call.machine.resize(pane_id, size["cols"], size["rows"])
    draft = call.draft()
    pane = draft.pane(pane_id)
    pane["pty_size"] = size
    draft.emit("pane.resized", {"pane": pane})
    call.commit(draft)


def decode_base64(text: str, path: str) -> bytes:
    """The bytes. Raises BadParams for anything but padded standard base64.

    Encoding back shows what a lenient decoder let pass; CPython 3.10 has no strict one.
    """
    try:
        data = a2b_base64(text.encode("ascii"))
    except (NotBase64, UnicodeEncodeError) as fault:
        raise BadParams(f"{path}: not base64: {fault}", path=path) from None
    if b2a_base64(data, newline=False).decode("ascii") != text:
        raise BadParams(f"{path}: not base64", path=path)
    return data


def _read(call: Call, pane_id: str, mode: str, lines: int, strip_ansi: bool, after_seq: int) -> Record:
    terminal = call.machine.runtime(pane_id).terminal
    if mode == "screen":
        text, cut = _fitting(terminal.read_screen(strip_ansi))
        return {"text": text, "truncated": cut}
    if mode == "tail":
        tail = terminal.read_tail(lines, strip_ansi)
        text, cut = _fitting(tail.text)
        return {"text": text, "truncated": tail.truncated or cut}
    read = terminal.read_rendered(after_seq, lines, strip_ansi)
    text, cut = _fitting(read.text)
    return {
        "text": text,
        "seq": read.seq,
        "next_seq": read.next_seq,
        "dropped": read.dropped,
        "truncated": read.truncated or cut,
    }


def _fitting(text: str) -> tuple[str, bool]:
    """The newest lines that fit a reply, and whether older ones were cut (behaviour §10.2)."""
    if len(text) <= READ_REPLY_BYTES // 6:  # a character becomes six bytes at most
        return text, False
    kept: list[str] = []
    room = READ_REPLY_BYTES
    for line in reversed(text.split("\n")):
        room -= len(encode(line))  # as it goes out; the quotes count for the line's end
        if room < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept)), room < 0


def _matcher(call: Call, match: str, regex: bool) -> Callable[[list[str], list[str]], str | None]:
    """What finds the first row that matches, by itself or joined with those it was wrapped into, and gives the joined
    line. Raises BadParams for an empty match or a faulty expression.

    The limit for expressions is one for all lines of a poll: five thousand small ones would be as bad as a great one.
    """
    if not match:
        raise BadParams("match: must not be empty", path="match")
    if not regex:
        return lambda rows, joined: next((line for line in joined if match in line), None)
    import re  # only callers who use expressions pay for it

    try:
        pattern = call.machine.guard(lambda: re.compile(match))
    except (re.error, OverflowError, RecursionError) as fault:
        raise BadParams(f"match: invalid expression: {fault}", path="match") from None
    except TimedOut:
        raise BadParams("match: pattern too slow", path="match") from None

    def first(rows: list[str], joined: list[str]) -> str | None:
        for row, line in zip(rows, joined, strict=True):
            if pattern.search(row) or (line != row and pattern.search(line)):
                return line
        return None

    def find(rows: list[str], joined: list[str]) -> str | None:
        try:
            found: str | None = call.machine.guard(lambda: first(rows, joined))
            return found
        except TimedOut:
            raise BadParams("match: pattern too slow", path="match") from None

    return find
