"""Replays vectors of the kind `agent-status` (vectors' own description: steps and result keys)."""

from __future__ import annotations

from binascii import a2b_base64

from ....state import agent_status, attention, decisions, lifecycle, progress, sources, speech
from ....status.sessions import synthetic_id
from ....wire.codec import encode
from .stage import PANE, START_AT, Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ....state.world import Record

STAND_IN = "@synthetic"
_OF_SESSION = ("phase", "held", "name", "kind", "text", "progress", "artifact", "label", "tracked_pid", "cwd", "parent")


def play(vector: Record) -> Record:
    """The results of one vector."""
    stage = Stage()
    for step in vector["steps"]:
        _take(stage, step)
    return _results(stage)


def _take(stage: Stage, step: Record) -> None:
    for key, act in _STEPS.items():
        if key in step:
            act(stage, step[key], step)
            return
    raise ValueError(f"unknown step {encode(step)[:80]}")


def _results(stage: Stage) -> Record:
    """All result keys of the kind."""
    pane = stage.world.panes[PANE]
    views = agent_status.views(stage.world, PANE, stage.passed_s)
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
        **stage.last,
    }
    return found


def _on_event(stage: Stage, event: Any, step: Record) -> None:
    stage.run(["ipc", "agent-event"], encode(event).encode(), {}, step.get("sent_ms"))


def _on_argv(stage: Stage, argv: list[str], step: Record) -> None:
    stage.run(argv, _stdin(step), {}, step.get("sent_ms"))


def _on_stdin(stage: Stage, _given: str, step: Record) -> None:
    stage.run(["ipc", "agent-event"], _stdin(step), {}, step.get("sent_ms"))


def _on_hook(stage: Stage, hook: Record, step: Record) -> None:
    stdin = encode(hook["payload"]).encode() if "payload" in hook else _stdin(hook)
    argv = ["ipc", "agent-event", f"--adapter={hook['adapter']}", *hook.get("args", [])]
    stage.run(argv, stdin, hook.get("env", {}), step.get("sent_ms"))


def _on_program(stage: Stage, name: str, _step: Record) -> None:
    draft = stage.draft()
    draft.pane(PANE)["argv"] = [name]
    stage.commit(draft)


def _on_unset(stage: Stage, names: list[str], _step: Record) -> None:
    for name in names:
        stage.env.pop(name, None)


def _on_decision(stage: Stage, pending: bool, _step: Record) -> None:
    if pending:
        options = [{"id": "yes", "label": "Yes"}]
        made = decisions.make("decision_replay", "Go on?", options, answerable=False, at=START_AT + stage.passed_s)
        stage.change(decisions.set_decision, made)
    else:
        stage.change(decisions.clear, "moved_on")


def _on_hook_says(stage: Stage, said: Record, _step: Record) -> None:
    draft = stage.draft()
    sources.speak(draft, PANE, "hook", "claude:Replay", holds=True)
    lifecycle.set_lifecycle(draft, PANE, said["lifecycle"])
    attention.clear(draft, PANE, "hook")
    attention.raise_to(draft, PANE, said["attention"])
    stage.commit(draft)


def _on_child_exit(stage: Stage, code: int, _step: Record) -> None:
    stage.change(speech.end_child, code, None)


def _on_progress(stage: Stage, state: int, _step: Record) -> None:
    told = {"kind": "percent", "value": None, "state": "normal", "source": "osc9_4"}
    stage.change(progress.tell, "osc9_4", told if state else None)


_STEPS: dict[str, Callable[[Stage, Any, Record], None]] = {
    "event": _on_event,
    "argv": _on_argv,
    "hook": _on_hook,
    "stdin": _on_stdin,
    "stdin_b64": _on_stdin,
    "wait_s": lambda stage, seconds, _step: stage.wait(seconds),
    "process_ends": lambda stage, pid, _step: stage.stamps.update({pid: None}),
    "process_replaced": lambda stage, pid, _step: stage.replace_process(pid),
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
    return STAND_IN if id == synthetic_id(PANE) else id
