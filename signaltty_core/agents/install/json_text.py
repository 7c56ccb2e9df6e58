"""A JSON file that is changed where it must be and nowhere else: order, indentation, line ends stay (agents §8.3)."""

from __future__ import annotations

import json
import re

from .refusal import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]

_MARK = "\ufeff"  # some editors begin a file with it
_UNIT = "  "
_gap = re.compile(r"[ \t\r\n]*").match


class JsonText:
    """One document. tree: its present value, to be looked at only; paths lead through it by keys and indices."""

    def __init__(self, data: bytes) -> None:
        """Raises Refused for anything that is not one JSON object in UTF-8."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as fault:
            raise Refused(f"invalid JSON: not UTF-8 at byte {fault.start}") from None
        self._mark = _MARK if text.startswith(_MARK) else ""
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        self.text = text[len(self._mark) :]
        self.tree: Any = None
        self._read()
        if not isinstance(self.tree, dict):
            raise Refused("invalid settings: the root is not an object")

    @property
    def data(self) -> bytes:
        """The document as it must be written."""
        try:
            return (self._mark + self.text).encode("utf-8")
        except UnicodeEncodeError:
            raise Refused("the reporter's path cannot be written as UTF-8") from None

    def get(self, path: Path) -> Any:
        """The value there; None where there is none."""
        found = self.tree
        for step in path:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    def put(self, path: Path, value: Any) -> None:
        """Replace the value there, or add it as the object's last member."""
        *above, key = path
        if key in self.get(tuple(above)):
            start, end = self._span(path)
            self._change(start, end, json.dumps(value, ensure_ascii=False))
            return
        self._add(tuple(above), json.dumps(key, ensure_ascii=False) + ": ", value)

    def append(self, path: Path, value: Any) -> None:
        """Add an element to the list there."""
        self._add(path, "", value)

    def remove(self, path: Path) -> None:
        """Take out one member or element, with its comma."""
        *above, key = path
        children = self._children(tuple(above))
        at = next(index for index, child in enumerate(children) if child[0] == key)
        if len(children) == 1:
            start, end = self._span(tuple(above))
            self._change(start + 1, end - 1, "")
        elif at + 1 < len(children):
            self._change(children[at][1], children[at + 1][1], "")
        else:
            self._change(children[at - 1][3], children[at][3], "")

    def _add(self, path: Path, label: str, value: Any) -> None:
        start, end = self._span(path)
        children = self._children(path)
        if children:
            lead = self.text[start + 1 : children[0][1]]
            if "\n" in lead:
                indent = lead[lead.rindex("\n") + 1 :]
                piece = "," + self._newline() + indent + label + self._pretty(value, indent)
            else:
                piece = "," + self._comma_gap(children) + label + json.dumps(value, ensure_ascii=False)
            self._change(children[-1][3], children[-1][3], piece)
        elif path and "\n" not in self.text.strip():
            self._change(start + 1, end - 1, label + json.dumps(value, ensure_ascii=False))
        else:
            outer = self._indent_of_line(start)
            inner = outer + self._unit()
            newline = self._newline()
            piece = newline + inner + label + self._pretty(value, inner) + newline + outer
            self._change(start + 1, end - 1, piece)

    def _change(self, start: int, end: int, piece: str) -> None:
        self.text = self.text[:start] + piece + self.text[end:]
        self._read()

    def _read(self) -> None:
        try:
            self.tree, end = self._decoder.raw_decode(self.text, _after(self.text, 0))
        except ValueError as fault:
            raise Refused(f"invalid JSON: {_where(fault)}") from None
        except RecursionError:
            raise Refused("invalid JSON: nested too deeply") from None
        if _after(self.text, end) != len(self.text):
            raise Refused(f"invalid JSON: more text after the value at character {end}")

    def _span(self, path: Path) -> tuple[int, int]:
        """Where the value there begins and ends."""
        start = _after(self.text, 0)
        end = self._decoder.raw_decode(self.text, start)[1]
        for step in path:
            found = [child for child in self._list(start) if child[0] == step]
            if len(found) != 1:
                raise Refused(f"invalid settings: {step!r} stands there {len(found)} times")
            _, _, start, end = found[0]
        return start, end

    def _children(self, path: Path) -> list[tuple[str | int, int, int, int]]:
        return self._list(self._span(path)[0])

    def _list(self, start: int) -> list[tuple[str | int, int, int, int]]:
        """What the object or list at `start` holds: key or index, where it begins, its value begins, it ends."""
        text, decode = self.text, self._decoder.raw_decode
        is_object = text[start] == "{"
        found: list[tuple[str | int, int, int, int]] = []
        at = _after(text, start + 1)
        while text[at] not in "}]":
            if text[at] == ",":
                at = _after(text, at + 1)
            begin = at
            key: str | int = len(found)
            if is_object:
                key, at = decode(text, at)
                at = _after(text, _after(text, at) + 1)  # past the colon
            end = decode(text, at)[1]
            found.append((key, begin, at, end))
            at = _after(text, end)
        return found

    def _unit(self) -> str:
        """One step of indentation, as the root's first member shows it."""
        lead = self.text[_after(self.text, 0) + 1 :]
        gap = lead[: _after(lead, 0)]
        return gap[gap.rindex("\n") + 1 :] or _UNIT if "\n" in gap else _UNIT

    def _newline(self) -> str:
        at = self.text.find("\n")
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    def _indent_of_line(self, at: int) -> str:
        begin = self.text.rfind("\n", 0, at) + 1
        line = self.text[begin:at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _comma_gap(self, children: list[tuple[str | int, int, int, int]]) -> str:
        if len(children) < 2:
            return " "
        return self.text[self.text.index(",", children[0][3]) + 1 : children[1][1]]

    def _pretty(self, value: Any, indent: str) -> str:
        made = json.dumps(value, ensure_ascii=False, indent=self._unit())
        return made.replace("\n", self._newline() + indent)


def _after(text: str, at: int) -> int:
    """The next character that is no blank."""
    found = _gap(text, at)
    assert found is not None
    return found.end()


def _where(fault: ValueError) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"{fault.msg} in line {fault.lineno}"
    return "a number that is none"


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
