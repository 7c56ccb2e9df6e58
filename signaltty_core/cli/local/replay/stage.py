"""One pane for a replay: a real World, method and command line, with a made-up clock and process table."""

from __future__ import annotations

from ....agents.catalog import Catalog
from ....base.errors import ProtocolError
from ....methods import registry
from ....methods.call import Call, Settings
from ....state import agent_status, records
from ....state.environment import pane_token
from ....state.layout import leaf
from ....state.world import Draft, World
from ....status import sessions
from ....status.reduce import Processes
from ....status.windows import PROCESS_LOOK_S, due, tracked
from ....wire.codec import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ....state.world import Record

PANE = "pane_replay"
SOCKET = "/run/signaltty.sock"
START_AT = 1_700_000_000.0
LIMIT_BYTES = 4 << 20
_SECRET = b"replay"


class Stage:
    """One fresh pane. replaced: pids that belong to another process by now. last: results of the last command."""

    def __init__(self) -> None:
        self.world = World()
        self.passed_s = 0.0
        self.stamps: dict[int, int | None] = {}
        self._replaced = 0
        self.last: Record = {}
        self.env = {
            "ZENTTY_INSTANCE_SOCKET": SOCKET,
            "ZENTTY_PANE_TOKEN": pane_token(_SECRET, PANE),
            "ZENTTY_WORKLANE_ID": "ws_replay",
            "ZENTTY_PANE_ID": PANE,
            "ZENTTY_WINDOW_ID": "tab_replay",
        }
        self.processes = Processes(self.started_at, self.is_running)
        draft = self.draft()
        draft.put("panes", _pane())
        draft.put("instances", records.instance(PANE, "proc_replay", 0, {}))
        workspace = records.workspace("ws_replay", "replay", "replay", "/", {"detached": False}, draft.at)
        draft.put("workspaces", {**workspace, "tabs": ["tab_replay"]})
        draft.put("tabs", {**records.tab("tab_replay", "ws_replay", "replay", draft.at), "layout": leaf(PANE)})
        self.commit(draft)

    # the machine and the caller, as a call sees them

    def now(self) -> float:
        return self.passed_s

    def started_at(self, pid: int) -> int | None:
        return self.stamps.get(pid, 0)

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return start_time is not None and self.started_at(pid) == start_time

    def replace_process(self, pid: int) -> None:
        """From now on the number belongs to another process."""
        self._replaced += 1
        self.stamps[pid] = self._replaced

    def note_sessions(self) -> None:
        pass  # time moves step by step here

    def holds(self, pane_id: str, decision_id: str) -> bool:
        return False

    def draft(self) -> Draft:
        return Draft(self.world, START_AT + self.passed_s)

    def commit(self, draft: Draft) -> None:
        first = self.world.seq + 1
        self.world.seq = first + draft.number(first) - 1
        self.world.apply({table: list(rows.values()) for table, rows in draft.records.items()}, draft.removed)

    def change(self, act: Callable[..., Any], *args: Any, **named: Any) -> None:
        draft = self.draft()
        act(draft, PANE, *args, **named)
        self.commit(draft)

    def look(self) -> None:
        draft = self.draft()
        agent_status.sweep(draft, self.passed_s, self.processes)
        if not draft.is_empty():
            self.commit(draft)

    def run(self, argv: list[str], stdin: bytes, more: Record, sent_ms: float | None) -> None:
        """One command line, up to the socket and from there on."""
        from signaltty_words import ipc  # the command itself; it stands beside the package

        env = {**self.env, **more}
        said: list[str] = []
        self.last = {"error": None, "reason": None, "applied": None}

        def fail(_found: Record, sentence: str, *_: object) -> int:
            said.append(f"signaltty: {sentence}\n")
            return 1

        def send(path: str, method: str, params: dict[str, str], *_: float) -> Record:
            if path != SOCKET:
                self.last["error"] = "NO_SUCH_SERVER"
                raise FileNotFoundError(path)
            given = {name: decode(text) for name, text in params.items()}
            given.pop("sent_ms", None)
            return self.answer(method, given if sent_ms is None else {**given, "sent_ms": sent_ms})

        stdin_of = (stdin[: LIMIT_BYTES + 1], len(stdin) > LIMIT_BYTES, True)
        status = ipc(argv[1:], lambda name: env.get(name, ""), lambda: stdin_of, send, fail, lambda: 0)
        self.last.update(exit=status, stdout="", stderr="".join(said))

    def answer(self, method: str, params: Record) -> Record:
        """What the server replies."""
        found = registry.find(method)
        try:
            result = found.run(self.call(), params)
        except ProtocolError as fault:
            self.last.update(error=fault.code, reason=fault.details.get("reason"))
            return {"ok": False, "error": fault.as_wire()}
        self.last.update(applied=result["applied"], reason=result.get("reason"))
        return {"ok": True, "result": result}

    def call(self) -> Call:
        here: Any = self
        return Call(
            self.world,
            at=START_AT + self.passed_s,
            clock=lambda: START_AT + self.passed_s,
            caller=here,
            machine=here,
            waiters=here,
            commit=self.commit,
            random=bytes,
            settings=_settings(),
            catalog=Catalog(),
        )

    def wait(self, seconds: float) -> None:
        """Let time pass; processes cannot change meanwhile, so one regular look at them tells all."""
        ends_at = self.passed_s + seconds
        looks = [self.passed_s + PROCESS_LOOK_S] if self.is_tracking() else []
        while True:
            record = self.record()
            window = due(record, self.passed_s)
            moments = [moment for moment in (window, *looks) if moment is not None and moment < ends_at]
            if not moments:
                break
            self.passed_s = max(min(moments), self.passed_s)
            looks = [moment for moment in looks if moment > self.passed_s]
            self.look()
        self.passed_s = ends_at
        self.look()

    def record(self) -> Record:
        found: Record = self.world.instances[PANE].get(agent_status.FIELD) or sessions.empty()
        return found

    def is_tracking(self) -> bool:
        return tracked(self.record())


def _pane() -> Record:
    return records.pane(
        PANE,
        "ws_replay",
        "tab_replay",
        title="replay",
        cwd="/",
        argv=["replayed-program"],
        pty_size=records.size(80, 24),
        agent={"kind": "generic"},
        at=START_AT,
        lineage={},
    )


def _settings() -> Settings:
    return Settings(
        socket_path=SOCKET,
        runtime_dir="/run",
        state_dir="/run",
        pid=1,
        program="/bin/signaltty",
        python="/bin/python3",
        environ={},
        home="/",
        started_at=START_AT,
        token_secret=lambda: _SECRET,
    )
