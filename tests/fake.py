"""A stage for handlers: a real World behind a real door, with clock, machine and callers that do what a test says."""

from __future__ import annotations

from typing import Any

from signaltty_core.agents.catalog import Catalog
from signaltty_core.engine.waiters import Waiters
from signaltty_core.methods import registry
from signaltty_core.methods.call import Call, Settings
from signaltty_core.state import records
from signaltty_core.state.layout import leaf, split
from signaltty_core.state.world import Draft, World
from signaltty_core.wire.codec import encode
from tests.play import Play

Record = dict[str, Any]
START = 1_800_000_000.0
CHILD_PID = 4000


def native(**more: Any) -> Record:
    """The payload of a native permission request; fields replace its own."""
    return {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "touch x"}, **more}


class FakeCaller:
    """A connection. held: it became single-flight."""

    def __init__(self, pid: int | None = 77, uid: int = 1000) -> None:
        self.pid = pid
        self.uid = uid
        self.held = False
        self.attached: dict[str, bool] = {}

    def hold(self) -> None:
        self.held = True

    def attach(self, pane_id: str, mark_seen: bool) -> None:
        self.attached[pane_id] = mark_seen

    def detach(self, pane_id: str) -> bool:
        return self.attached.pop(pane_id, None) is not None

    def subscribe(self, events: list[str] | None, task_ids: list[str] | None, from_seq: int | None) -> Record:
        return {"subscribed": True}


class FakeMachine:
    """parents: pid -> parent pid. started: pid -> start stamp of what runs. passed_s: the clock of `now`.

    watched: panes a person looks at. deeds: everything asked for, in order.
    """

    def __init__(self) -> None:
        self.parents: dict[int, int] = {}
        self.started: dict[int, int] = {}
        self.passed_s = 1000.0
        self.watched: set[str] = set()
        self.expected: set[str] = set()
        self.deaf: str | None = None
        self.faults: dict[str, str] = {}
        self.runtimes: dict[str, Any] = {}
        self.deeds: list[tuple[Any, ...]] = []
        self.looks: Any = lambda _pane_id: None

    def runtime(self, pane_id: str) -> Any:
        return self.runtimes[pane_id]

    def is_watched(self, pane_id: str) -> bool:
        return pane_id in self.watched

    def ancestors(self, pid: int, limit: int) -> list[int]:
        line = [pid]
        while len(line) < limit and line[-1] in self.parents:
            line.append(self.parents[line[-1]])
        return line

    def directory_fault(self, path: str) -> str | None:
        return self.faults.get(path)

    def look_again(self) -> None:
        self.deeds.append(("look_again",))

    def look_now(self, pane_id: str) -> None:
        self.looks(pane_id)

    def guard(self, run: Any) -> Any:
        return run()

    def expect(self, pane_id: str) -> None:
        self.expected.add(pane_id)
        self.deeds.append(("expect", pane_id))

    def is_expected(self, pane_id: str) -> bool:
        return pane_id in self.expected

    def open_runtime(self, pane_id: str, cols: int, rows: int) -> None:
        self.expected.discard(pane_id)
        self.deeds.append(("open_runtime", pane_id, cols, rows))

    def give_up(self, pane_id: str) -> None:
        self.expected.discard(pane_id)
        self.deeds.append(("give_up", pane_id))

    def listen(self, pane_id: str) -> tuple[str | None, str | None]:
        self.deeds.append(("listen", pane_id))
        return (None, self.deaf) if self.deaf else (f"/run/x/s/{pane_id}.sock", None)

    def mute(self, pane_id: str) -> None:
        self.deeds.append(("mute", pane_id))

    def resize(self, pane_id: str, cols: int, rows: int) -> None:
        self.deeds.append(("resize", pane_id, cols, rows))

    def clear(self, pane_id: str) -> None:
        self.deeds.append(("clear", pane_id))

    def end(self, pane_id: str, os_signal: str) -> None:
        self.deeds.append(("end", pane_id, os_signal))

    def drop(self, pane_id: str) -> None:
        self.deeds.append(("drop", pane_id))

    def now(self) -> float:
        return self.passed_s

    def started_at(self, pid: int) -> int | None:
        return self.started.get(pid)

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return start_time is not None and self.started.get(pid) == start_time

    def note_sessions(self) -> None:
        self.deeds.append(("note_sessions",))

    def stop(self, keep_panes: bool) -> None:
        self.deeds.append(("stop", keep_panes))


class Stage:
    """at: the clock's wall seconds, moved by hand. events: what was published, as (number, event, payload)."""

    def __init__(self, *, allow_self_approval: bool = False) -> None:
        self.world = World()
        self.at = START
        self.machine = FakeMachine()
        self.waiters = Waiters()
        self.catalog = Catalog()
        self.events: list[tuple[int, str, Record]] = []
        self.settings = Settings(
            socket_path="/run/x/signaltty.sock",
            runtime_dir="/run/x",
            state_dir="/state",
            pid=1,
            program="/bin/signaltty",
            python="/bin/python3",
            environ={},
            home="/home/x",
            started_at=START,
            allow_self_approval=allow_self_approval,
        )
        self.behind: list[Play] = []
        self._given = 0
        self._texts: dict[tuple[str, str], tuple[Record, str]] = {}

    def clock(self) -> float:
        return self.at

    def random(self, count: int) -> bytes:
        self._given += 1
        return self._given.to_bytes(count, "big")

    def commit(self, draft: Draft) -> None:
        """Number and apply as the ledger does; fails when a record that stood in the World was changed in place."""
        self._refuse_changes_in_place()
        if draft.is_empty():
            return
        first = self.world.seq + 1
        self.world.seq = first + draft.number(first) - 1
        for index, (event, payload) in enumerate(draft.events):
            encode(payload)
            self.events.append((first + index, event, payload))
        self.world.apply({table: list(rows.values()) for table, rows in draft.records.items()}, draft.removed)
        self._refuse_changes_in_place()

    def draft(self) -> Draft:
        return Draft(self.world, self.at)

    def call(self, caller: FakeCaller | None = None) -> Call:
        return Call(
            self.world,
            at=self.at,
            clock=self.clock,
            caller=caller or FakeCaller(),
            machine=self.machine,
            waiters=self.waiters,
            commit=self.commit,
            random=self.random,
            settings=self.settings,
            catalog=self.catalog,
            background=lambda coroutine: self.behind.append(Play(coroutine)),
        )

    def ask(self, method: str, *, caller: FakeCaller | None = None, **params: Any) -> Any:
        """Call a method as the router does, parameters checked; one that waits must be over at once."""
        found = registry.find(method)
        result = found.run(self.call(caller), params)
        return Play(result).ended() if hasattr(result, "send") else result

    def hook(self, pane_id: str, event: str, payload: Any = None, *, agent: str = "claude", **more: Any) -> Any:
        """A hook-event of the pane's agent."""
        return self.ask("hook-event", agent=agent, event=event, pane_id=pane_id, payload=payload, **more)

    def play(self, method: str, *, caller: FakeCaller | None = None, **params: Any) -> Play:
        """Begin a method that waits."""
        found = registry.find(method)
        return Play(found.run(self.call(caller), params))

    def pane(self, kind: str = "claude", *, id: str | None = None, argv: list[str] | None = None, **fields: Any) -> str:
        """A live pane in the one tab, whose child is CHILD_PID + the panes before it; fields replace the record's."""
        number = len(self.world.panes)
        id = id or f"pane_{number}"
        draft = self.draft()
        if "ws_0" not in self.world.workspaces:
            workspace = records.workspace("ws_0", "work", "work", "/work", {"detached": False}, self.at)
            draft.put("workspaces", {**workspace, "tabs": ["tab_0"]})
            draft.put("tabs", records.tab("tab_0", "ws_0", "agents", self.at))
        tab = draft.edit("tabs", "tab_0")
        tab["layout"] = leaf(id) if tab["layout"] is None else split(tab["layout"], f"pane_{number - 1}", id, "right")
        pane = records.pane(
            id,
            "ws_0",
            "tab_0",
            title=kind,
            cwd="/work",
            argv=argv or [kind],
            pty_size=records.size(None, None),
            agent={"kind": kind},
            at=self.at,
            lineage={},
        )
        draft.put("panes", {**pane, **fields})
        child = {"pid": CHILD_PID + number, "start_time": 1}
        draft.put("instances", records.instance(id, f"proc_{number}", self.world.seq, child))
        self.commit(draft)
        return id

    def task(self, pane_id: str, *, agent: str = "claude", state: str = "working", **fields: Any) -> str:
        """A task whose worker is the pane."""
        task = {"id": f"task_{pane_id}", "context_id": "tctx_1", "pane_id": pane_id, "agent": agent, "state": state}
        task.update(
            label="worker",
            contract={"objective": "win"},
            source_repo="/src",
            worktree_path="/trees/one",
            branch="topic",
            preexisting_branch=False,
            base_ref="HEAD",
            base_sha="0" * 40,
            disposition={"outcome": "none"},
            created_at="2027-01-15T08:00:00.000Z",
            updated_at="2027-01-15T08:00:00.000Z",
            **fields,
        )
        draft = self.draft()
        draft.put("tasks", task)
        draft.pane(pane_id)["task_id"] = task["id"]
        self.commit(draft)
        return str(task["id"])

    def change(self, change: Any, *args: Any, **named: Any) -> Any:
        """Run one primitive on a draft of its own and commit it."""
        draft = self.draft()
        result = change(draft, *args, **named)
        self.commit(draft)
        return result

    def told(self, since: int = 0) -> list[str]:
        """Names of the events published after the first `since`."""
        return [event for _, event, _ in self.events[since:]]

    def state(self, pane_id: str) -> tuple[str, str]:
        pane = self.world.panes[pane_id]
        return pane["lifecycle"], pane["attention"]

    def _refuse_changes_in_place(self) -> None:
        for table, rows in self.world.tables.items():
            for id, record in rows.items():
                text = encode(record)
                known = self._texts.get((table, id))
                if known is not None and known[0] is record:
                    assert known[1] == text, f"{table} {id} was changed in place"
                self._texts[(table, id)] = (record, text)
