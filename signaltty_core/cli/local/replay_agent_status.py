"""Replays vectors of the kind `agent-status`: real command line, real method, real reducer; made-up clock and processes."""

from __future__ import annotations

from binascii import a2b_base64

from ...base.errors import ProtocolError
from ...methods import registry
from ...methods.call import Call, Settings
from ...state import agent_status, attention, decisions, lifecycle, records, sources
from ...state.layout import leaf
from ...state.world import Draft, World
from ...status import sessions
from ...status.reduce import Processes
from ...status.windows import PROCESS_LOOK_S, tracked
from ...wire.codec import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...state.world import Record

PANE = "pane_replay"
SECRET = b"replay"
START_AT = 1_700_000_000.0
STAND_IN = "@synthetic"
_OF_SESSION = ("phase", "held", "name", "kind", "text", "progress", "artifact", "label", "tracked_pid", "cwd", "parent")


def play(vector: Record) -> Record:
    """The results of one vector."""
    stage = _Stage()
    for step in vector["steps"]:
        stage.take(step)
    return stage.results()


class _Stage:
    """One fresh pane. replaced: pids that belong to another process by now. last: results of the last command."""

    def __init__(self) -> None:
        self.world = World()
        self.passed_s = 0.0
        self.stamps: dict[int, int | None] = {}
        self.last: Record = {}
        self.env = {
            "ZENTTY_INSTANCE_SOCKET": "/run/signaltty.sock",
            "ZENTTY_PANE_TOKEN": _token(),
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

    def take(self, step: Record) -> None:
        for key, act in _STEPS.items():
            if key in step:
                act(self, step[key], step)
                return
        raise ValueError(f"unknown step {encode(step)[:80]}")

    # the machine and the caller, as a call sees them

    def now(self) -> float:
        return self.passed_s

    def started_at(self, pid: int) -> int | None:
        return self.stamps.get(pid, 0)

    def is_running(self, pid: int, start_time: int | None) -> bool:
        return start_time is not None and self.started_at(pid) == start_time

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

        def send(_path: str, method: str, params: dict[str, str], *_: float) -> Record:
            given = {name: decode(text) for name, text in params.items()}
            given.pop("sent_ms", None)
            return self.answer(method, given if sent_ms is None else {**given, "sent_ms": sent_ms})

        stdin_of = (stdin[: _LIMIT_BYTES + 1], len(stdin) > _LIMIT_BYTES, True)
        status = ipc(argv[1:], lambda name: env.get(name, ""), lambda: stdin_of, send, fail, lambda: 0)
        self.last.update(exit=status, stdout="", stderr="".join(said))

    def answer(self, method: str, params: Record) -> Record:
        """What the server replies."""
        found = registry.find(method)
        try:
            result = found.handler(self.call(), **found.bind(params))
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
        )

    def wait(self, seconds: float) -> None:
        """Let time pass; processes cannot change meanwhile, so one regular look at them tells all."""
        ends_at = self.passed_s + seconds
        looks = [self.passed_s + PROCESS_LOOK_S] if self.is_tracking() else []
        while True:
            record = self.record()
            due = agent_status.windows.due(record, self.passed_s) if record["sessions"] else None
            moments = [moment for moment in (due, *looks) if moment is not None and moment < ends_at]
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

    def results(self) -> Record:
        """All result keys of the kind."""
        pane = self.world.panes[PANE]
        views = agent_status.views(self.world, PANE, self.passed_s)
        shown = next((view for view in views if view["shown"]), None)
        found: Record = {
            "lifecycle": pane["lifecycle"],
            "attention": pane["attention"],
            "last_message": pane.get("last_message"),
            "decision": "pending_decision" in pane,
            "sessions": sorted(_stand_in(view["id"]) for view in views),
            "displayed": _stand_in(shown["id"]) if shown is not None else None,
            **(_session(shown) if shown is not None else dict.fromkeys(_OF_SESSION)),
            **dict.fromkeys(("exit", "stdout", "stderr", "error", "reason", "applied")),
            **self.last,
        }
        return found


_LIMIT_BYTES = 4 << 20


def _on_event(stage: _Stage, event: Any, step: Record) -> None:
    stage.run(["ipc", "agent-event"], encode(event).encode(), {}, step.get("sent_ms"))


def _on_argv(stage: _Stage, argv: list[str], step: Record) -> None:
    stage.run(argv, _stdin(step), {}, step.get("sent_ms"))


def _on_stdin(stage: _Stage, _given: str, step: Record) -> None:
    stage.run(["ipc", "agent-event"], _stdin(step), {}, step.get("sent_ms"))


def _on_hook(stage: _Stage, hook: Record, step: Record) -> None:
    stdin = encode(hook["payload"]).encode() if "payload" in hook else _stdin(hook)
    argv = ["ipc", "agent-event", f"--adapter={hook['adapter']}", *hook.get("args", [])]
    stage.run(argv, stdin, hook.get("env", {}), step.get("sent_ms"))


def _on_program(stage: _Stage, name: str, _step: Record) -> None:
    draft = stage.draft()
    draft.pane(PANE)["argv"] = [name]
    stage.commit(draft)


def _on_unset(stage: _Stage, names: list[str], _step: Record) -> None:
    for name in names:
        stage.env.pop(name, None)


def _on_decision(stage: _Stage, pending: bool, _step: Record) -> None:
    if pending:
        options = [{"id": "yes", "label": "Yes"}]
        made = decisions.make("decision_replay", "Go on?", options, answerable=False, at=START_AT + stage.passed_s)
        stage.change(decisions.set_decision, made)
    else:
        stage.change(decisions.clear, "moved_on")


def _on_hook_says(stage: _Stage, said: Record, _step: Record) -> None:
    draft = stage.draft()
    sources.speak(draft, PANE, "hook", "claude:Replay", holds=True)
    lifecycle.set_lifecycle(draft, PANE, said["lifecycle"])
    attention.clear(draft, PANE, "hook")
    attention.raise_to(draft, PANE, said["attention"])
    stage.commit(draft)


def _on_child_exit(stage: _Stage, code: int, _step: Record) -> None:
    draft = stage.draft()
    lifecycle.end_child(draft, PANE, code, None)
    agent_status.end(draft, PANE)
    stage.commit(draft)


def _on_progress(stage: _Stage, state: int, _step: Record) -> None:
    """A percentage says nothing about lifecycle; it is shown where no session counts."""
    draft = stage.draft()
    pane = draft.pane(PANE)
    if pane.get("progress", {}).get("source") != agent_status.SOURCE:
        pane.pop("progress", None)
        if state:
            pane["progress"] = {"kind": "percent", "value": None, "state": "normal", "source": "osc9_4"}
    stage.commit(draft)


_STEPS: dict[str, Callable[[_Stage, Any, Record], None]] = {
    "event": _on_event,
    "argv": _on_argv,
    "hook": _on_hook,
    "stdin": _on_stdin,
    "stdin_b64": _on_stdin,
    "wait_s": lambda stage, seconds, _step: stage.wait(seconds),
    "process_ends": lambda stage, pid, _step: stage.stamps.update({pid: None}),
    "process_replaced": lambda stage, pid, _step: stage.stamps.update({pid: (stage.stamps.get(pid) or 0) + 1}),
    "program": _on_program,
    "set_env": lambda stage, values, _step: stage.env.update(values),
    "unset_env": _on_unset,
    "seen": lambda stage, _yes, _step: stage.change(attention.mark_seen, "mark_seen"),
    "decision_pending": _on_decision,
    "hook_says": _on_hook_says,
    "shell_prompt": lambda stage, _yes, _step: stage.change(
        agent_status.on_shell_prompt, stage.passed_s, stage.processes
    ),
    "progress_osc": _on_progress,
    "child_exits": _on_child_exit,
}


def _stdin(given: Record) -> bytes:
    if "stdin_b64" in given:
        return a2b_base64(given["stdin_b64"])
    return str(given.get("stdin", "")).encode("utf-8", "surrogatepass")


def _session(view: Record) -> Record:
    values = {
        "kind": view.get("interaction", {}).get("kind"),
        "tracked_pid": view.get("pid"),
        "parent": view.get("parent_id"),
    }
    return {key: values[key] if key in values else view.get(key) for key in _OF_SESSION}


def _stand_in(id: str) -> str:
    return STAND_IN if id == sessions.synthetic_id(PANE) else id


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


def _token() -> str:
    from ...state.environment import pane_token

    return pane_token(SECRET, PANE)


def _settings() -> Settings:
    return Settings(
        socket_path="/run/signaltty.sock",
        runtime_dir="/run",
        state_dir="/run",
        pid=1,
        program="/bin/signaltty",
        python="/bin/python3",
        environ={},
        home="/",
        started_at=START_AT,
        token_secret=lambda: SECRET,
    )
