"""Our commands in an agent's JSON file: put in, kept right, taken out. Bytes in, bytes out (agents §8.2, §8.3)."""

from __future__ import annotations

from .entries import managed
from .json_text import JsonText
from .refusal import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from .entries import Entry, Shape
    from .json_text import Path

EMPTY = b"{}\n"
HOOKS: Path = ("hooks",)


class HooksFile:
    """How one agent keeps its hooks.

    shape: of an event's elements. at_root: events stand at the root unless the file has `hooks` (droid). version: a
    root member the agent wants. own: the file is ours alone and may be deleted.
    """

    __slots__ = ("_at_root", "_own", "_shape", "_version")

    def __init__(self, shape: Shape, *, at_root: bool = False, version: int | None = None, own: bool = False) -> None:
        self._shape = shape
        self._at_root = at_root
        self._version = version
        self._own = own

    def install(self, data: bytes | None, entries: Collection[Entry], optional: Collection[Entry] = ()) -> bytes:
        """The file with exactly these commands of ours. optional: kept right where they stand, added nowhere.

        Raises Refused; data is None where there is no file yet.
        """
        text = JsonText(EMPTY if data is None else data)
        if self._version is not None and "version" not in text.tree:
            text.put(("version",), self._version)
        base = self._base(text)
        if base and "hooks" not in text.tree:
            text.put(HOOKS, {})
        for entry in entries:
            self._settle(text, (*base, entry.event), entry)
        for entry in optional:
            if managed(self._shape, text.get((*base, entry.event))):
                self._settle(text, (*base, entry.event), entry)
        kept = {entry.event for entry in (*entries, *optional)}
        for event in list(text.get(base)):
            if event not in kept:
                self._clear(text, (*base, event))
        return text.data

    def uninstall(self, data: bytes) -> bytes | None:
        """The file without our commands; None when it must be deleted. Raises Refused."""
        text = JsonText(data)
        places = self._events(text)
        ours = sum(len(managed(self._shape, text.get(place))) for place in places)
        every = sum(1 for place in places for _ in self._shape.handlers(_listed(text.get(place))))
        if self._own and ours and ours == every:
            return None
        for place in places:
            self._clear(text, place)
        return text.data

    def is_installed(self, data: bytes | None) -> bool:
        """Whether a command of ours stands there. Raises Refused."""
        if data is None:
            return False
        text = JsonText(data)
        return any(managed(self._shape, text.get(place)) for place in self._events(text))

    def _base(self, text: JsonText) -> Path:
        """Where the events stand."""
        if self._at_root and "hooks" not in text.tree:
            return ()
        if not isinstance(text.tree.get("hooks", {}), dict):
            raise Refused("invalid settings: hooks is not an object")
        return HOOKS

    def _events(self, text: JsonText) -> list[Path]:
        """Every event of the file."""
        base = self._base(text)
        found: list[Path] = [(*base, event) for event in text.get(base) or ()]
        if self._at_root and base:
            found += [(event,) for event in text.tree if event != "hooks"]
        return found

    def _settle(self, text: JsonText, place: Path, entry: Entry) -> None:
        """Have the event run our command once: the first one found is corrected, others go."""
        elements = text.get(place)
        if elements is None and place[-1] not in text.get(place[:-1]):
            text.put(place, [])
        elif not isinstance(elements, list):
            raise Refused(f"invalid settings: {'.'.join(map(str, place))} is not a list")
        found = managed(self._shape, elements)
        if not found:
            text.append(place, self._shape.element(entry))
            return
        for path, _ in reversed(found[1:]):
            self._drop(text, place, path)
        path, present = found[0]
        for name, value in self._shape.fields(entry).items():
            if present.get(name) != value:
                text.put((*place, *path, name), value)

    def _clear(self, text: JsonText, place: Path) -> None:
        """Take our commands out of the event, and the event out of the file when that leaves it empty."""
        found = managed(self._shape, text.get(place))
        for path, _ in reversed(found):
            self._drop(text, place, path)
        if found and not text.get(place):
            text.remove(place)

    def _drop(self, text: JsonText, place: Path, path: Path) -> None:
        text.remove((*place, *path))
        element = (*place, path[0])
        if len(path) > 1 and self._shape.is_bare(text.get(element)):
            text.remove(element)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
