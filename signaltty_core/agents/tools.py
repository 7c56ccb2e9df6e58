"""Which tools have begun, and which one a blocked pane asks about (agents §2.4). Records live in the pane's instance.

Inputs are kept as digests per key: a tool that writes a file carries the file, and the instance record is saved with
every hook.
"""

from __future__ import annotations

from .base import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.world import Record

BEGUN_KEPT = 32  # agent-status §15.4
KEYS_KEPT = 64  # both sides keep the first ones in order, so what is shared stays comparable
WHOLE_CHARS = 120


def note_of(tool: Tool, session_id: str | None) -> Record:
    """What is remembered of a tool: only the fields that are known."""
    found: Record = {}
    if tool.id is not None:
        found["tool_use_id"] = tool.id
    if tool.name is not None:
        found["tool_name"] = tool.name
    if tool.input is not None:
        found["tool_input"] = {key: _digest(tool.input[key]) for key in sorted(tool.input)[:KEYS_KEPT]}
    if session_id is not None:
        found["session_id"] = session_id
    return found


def begin(begun: list[Record], note: Record) -> list[Record]:
    """The begun tools with one more, newest last; a nameless one is not worth remembering."""
    if not _says(note):
        return begun
    if "tool_use_id" in note:
        begun = [each for each in begun if each.get("tool_use_id") != note["tool_use_id"]]
    return [*begun, note][-BEGUN_KEPT:]


def end(begun: list[Record], note: Record) -> list[Record]:
    """The begun tools without the one that ended: by id, else the oldest of that name and input."""
    for each in begun:
        if _is_same(each, note):
            return [other for other in begun if other is not each]
    return begun


def asked(note: Record, begun: list[Record], standing: Record | None) -> Record:
    """The record of a request. standing: the record of the question that stands already, on a blocked pane."""
    session_id = note.get("session_id")
    here = [each for each in begun if _agree(each.get("session_id"), session_id)]
    if not _says(note):
        return standing if standing is not None and _says(standing) else here[-1] if here else note
    if standing is not None and _fits(standing, note):
        note = {**standing, **note}
    if "tool_use_id" not in note:
        for each in reversed(here):
            if "tool_use_id" in each and _fits(each, note):
                return {**note, "tool_use_id": each["tool_use_id"]}
    return note


def ends_asked(record: Record | None, ended: list[Record]) -> bool:
    """Whether one of the ended tools is the asked one; an empty record fits any (agents §2.4)."""
    return record is None or not _says(record) or any(_is_same(record, each) for each in ended)


def _says(note: Record) -> bool:
    return "tool_name" in note or "tool_use_id" in note or "tool_input" in note


def _is_same(record: Record, ended: Record) -> bool:
    if "tool_use_id" in record and "tool_use_id" in ended:
        return bool(record["tool_use_id"] == ended["tool_use_id"])
    return _fits(record, ended)


def _fits(one: Record, other: Record) -> bool:
    """Equal names and agreeing inputs."""
    if "tool_name" not in one or one["tool_name"] != other.get("tool_name"):
        return False
    left, right = one.get("tool_input"), other.get("tool_input")
    return left is None or right is None or all(left[key] == right[key] for key in left if key in right)


def _agree(left: object, right: object) -> bool:
    return left is None or right is None or left == right


def _digest(value: Any) -> str:
    plain = _canonical(value)
    if len(plain) <= WHOLE_CHARS:
        return plain
    from binascii import crc32  # mistakes are compared here, not attacks

    return f"{len(plain)}:{crc32(plain.encode('utf-8', 'surrogatepass')):08x}"


def _canonical(value: Any) -> str:
    """One spelling per JSON value, whatever the order of keys."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return value if isinstance(value, str) and len(value) > WHOLE_CHARS else repr(value)
