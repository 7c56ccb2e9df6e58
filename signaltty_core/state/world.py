"""The World: all tables of records, and the one way they change.

A record is the very object the wire shows, as a plain dict that is never changed once it stands here: a change
replaces whole records (`Draft`), so that an event, the journal and a reader may hold on to what they saw.
`instances` carries, under the pane's id, the facts of its process (behaviour §5.5).
"""

from __future__ import annotations

from ..base.errors import BadParams, NoSuchPane, NoSuchTab, NoSuchTask, NoSuchWorkspace, PaneExited
from .claims import Claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .hearing import Hearing

    Record = dict[str, Any]

TABLES = ("workspaces", "tabs", "panes", "notifications", "tasks", "instances", "baselines", "intents")
PAYLOAD_TABLES = {
    "workspace": "workspaces",
    "tab": "tabs",
    "pane": "panes",
    "notification": "notifications",
    "task": "tasks",
}


class World:
    """tables: name -> id -> record, in order of creation. seq: number of the newest event. activity: last sign of life
    per pane in wall seconds, which is not worth a change of its own. hearings: what each pane's process has said beyond
    its records (`hearing`). claims: who uses which place just now."""

    __slots__ = ("activity", "claims", "hearings", "seq", "tables")

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Record]] = {name: {} for name in TABLES}
        self.activity: dict[str, float] = {}
        self.hearings: dict[str, Hearing] = {}
        self.claims = Claims()
        self.seq = 0

    @property
    def workspaces(self) -> dict[str, Record]:
        return self.tables["workspaces"]

    @property
    def tabs(self) -> dict[str, Record]:
        return self.tables["tabs"]

    @property
    def panes(self) -> dict[str, Record]:
        return self.tables["panes"]

    @property
    def notifications(self) -> dict[str, Record]:
        return self.tables["notifications"]

    @property
    def tasks(self) -> dict[str, Record]:
        return self.tables["tasks"]

    @property
    def instances(self) -> dict[str, Record]:
        return self.tables["instances"]

    def apply(self, records: dict[str, list[Record]], removed: list[str]) -> None:
        """Put whole records, drop ids; applying the same change twice gives the same World."""
        for table, changed in records.items():
            rows = self.tables[table]
            for record in changed:
                rows[record["id"]] = record
        for id in removed:
            for rows in self.tables.values():
                rows.pop(id, None)
            self.activity.pop(id, None)
            self.hearings.pop(id, None)

    def workspace(self, ref: str) -> Record:
        """By id, else by handle."""
        found = self.workspaces.get(ref)
        if found is None:
            found = next((one for one in self.workspaces.values() if one["handle"] == ref), None)
        if found is None:
            raise NoSuchWorkspace(f"no workspace {ref[:80]!r}", workspace_id=ref[:80])
        return found

    def tab(self, id: str) -> Record:
        found = self.tabs.get(id)
        if found is None:
            raise NoSuchTab(f"no tab {id[:80]!r}", tab_id=id[:80])
        return found

    def pane(self, ref: str) -> Record:
        """By id, else by name."""
        found = self.panes.get(ref) or self.pane_named(ref)
        if found is None:
            raise NoSuchPane(f"no pane {ref[:80]!r}", pane_id=ref[:80])
        return found

    def pane_named(self, name: str) -> Record | None:
        return next((one for one in self.panes.values() if one.get("name") == name), None)

    def task(self, id: str) -> Record:
        found = self.tasks.get(id)
        if found is None:
            raise NoSuchTask(f"no task {id[:80]!r}", task_id=id[:80])
        return found

    def panes_of_tab(self, tab_id: str) -> list[Record]:
        """In tree order; panes the layout lacks come last."""
        from .layout import leaves

        layout = self.tab(tab_id)["layout"]
        listed = [id for id in leaves(layout) if id in self.panes]
        owned = [id for id, pane in self.panes.items() if pane["tab_id"] == tab_id]
        return [self.panes[id] for id in (*listed, *(id for id in owned if id not in listed))]

    def panes_in_order(self, workspace_id: str | None = None) -> Iterator[Record]:
        """In workspace, tab and tree order."""
        chosen = [self.workspaces[workspace_id]] if workspace_id else list(self.workspaces.values())
        for workspace in chosen:
            for tab_id in workspace["tabs"]:
                yield from self.panes_of_tab(tab_id)

    def live_panes(self) -> list[Record]:
        return [pane for pane in self.panes.values() if is_live(pane)]


def is_live(pane: Record) -> bool:
    """Whether the pane's child runs."""
    return bool(pane["live"]["state"] == "live")


def check_live(pane: Record, **details: object) -> None:
    """Raise PaneExited once the pane's child has ended. details: what the caller is told besides."""
    if not is_live(pane):
        raise PaneExited(f"the program of {pane['id']} has ended", pane_id=pane["id"], **details)


class Draft:
    """One change being composed: events, and whole records that replace the World's when it is committed.

    Composed without an await in between. Records got through `edit` are private copies; nested values are replaced,
    never changed in place. `then` holds deeds that run once the change is on disk.
    """

    __slots__ = ("_marks", "at", "events", "records", "removed", "then", "world")

    def __init__(self, world: World, at: float) -> None:
        self.world = world
        self.at = at
        self.events: list[tuple[str, Record]] = []
        self.records: dict[str, dict[str, Record]] = {}
        self.removed: list[str] = []
        self.then: list[Any] = []
        self._marks: list[tuple[int, Record, str, str]] = []

    def get(self, table: str, id: str) -> Record | None:
        """The record as this change leaves it, for reading."""
        if id in self.removed:
            return None
        return self.records.get(table, {}).get(id) or self.world.tables[table].get(id)

    def rows(self, table: str) -> list[Record]:
        """All records of a table as this change leaves them."""
        changed = self.records.get(table, {})
        gone = self.removed
        kept = [changed.get(id, row) for id, row in self.world.tables[table].items() if id not in gone]
        known = self.world.tables[table]
        return kept + [row for id, row in changed.items() if id not in known and id not in gone]

    def edit(self, table: str, id: str) -> Record:
        """A private copy of the record, part of the change from now on."""
        changed = self.records.setdefault(table, {})
        record = changed.get(id)
        if record is None:
            record = changed[id] = dict(self.world.tables[table][id])
            if table == "panes":
                self._stamp(record)
        return record

    def put(self, table: str, record: Record) -> Record:
        """A new record, or a whole replacement."""
        self.records.setdefault(table, {})[record["id"]] = record
        return record

    def remove(self, *ids: str) -> None:
        for id in ids:
            self.removed.append(id)
            for rows in self.records.values():
                rows.pop(id, None)

    def pane(self, id: str) -> Record:
        return self.edit("panes", id)

    def instance(self, pane_id: str) -> Record:
        return self.edit("instances", pane_id)

    def see_pane(self, id: str) -> Record:
        found = self.get("panes", id)
        if found is None:
            raise NoSuchPane(f"no pane {id!r}", pane_id=id)
        return found

    def see_instance(self, pane_id: str) -> Record:
        found = self.get("instances", pane_id)
        if found is None:
            raise BadParams(f"pane {pane_id!r} has no process facts")
        return found

    def emit(self, event: str, payload: Record) -> None:
        """Add an event; payloads that carry a record of this change carry the very object."""
        self.events.append((event, payload))

    def mark(self, pane_id: str, axis: str, state: str) -> None:
        """Let the newest event's number become `<axis>_seq` and the last transition into `state` (behaviour §5.2)."""
        self._marks.append((len(self.events) - 1, self.instance(pane_id), f"{axis}_seq", state))

    def touch(self, pane_id: str) -> None:
        """A sign of life of the pane: output, an accepted hook, event or status line."""
        self.world.activity[pane_id] = self.at
        changed = self.records.get("panes", {}).get(pane_id)
        if changed is not None:
            self._stamp(changed)

    def is_empty(self) -> bool:
        return not self.events and not self.removed and not any(self.records.values())

    def number(self, first: int) -> int:
        """Give the events their numbers from `first` on; returns how many numbers the change takes (at least one)."""
        for index, instance, field, state in self._marks:
            instance[field] = first + index
            instance["transitions"] = {**instance["transitions"], state: first + index}
        return max(1, len(self.events))

    def _stamp(self, record: Record) -> None:
        at = self.world.activity.get(record["id"])
        if at is not None:
            from ..base.clock import rfc3339

            record["last_activity_at"] = max(record["last_activity_at"], rfc3339(at))
