"""Plugins are ours by their first line; under a real interpreter they report in order and never disturb the agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.agents.install.edit import installing, is_installed, uninstalling
from signaltty_core.agents.install.refusal import Refused

NODE = shutil.which("node")
AGENTS = ("opencode", "pi", "amp")
needs_node = pytest.mark.skipif(NODE is None, reason="this machine has no node to run plugins with")

REPORTER = """#!/bin/sh
{ printf '%s\\n' "$5"; cat; echo; } >> "$0.log"
"""
OPENCODE = """
import { Signaltty } from "./plugin.mjs"
const get = async ({ path }) => ({ data: { parentID: path.id === "child" ? "top" : undefined } })
const client = { session: { get } }
const hooks = await Signaltty({ client })
const tell = (type, properties) => hooks.event?.({ event: { type, properties } })
await tell("session.created", { sessionID: "top", info: { id: "top" } })
await tell("session.status", { sessionID: "top", status: { type: "busy" } })
await tell("session.status", { sessionID: "top", status: { type: "odd" } })
await tell("message.updated", { sessionID: "top" })
await tell("message.updated", { sessionID: "top", info: { id: "m1", error: { name: "APIError" } } })
const abort = { name: "MessageAbortedError", data: { message: "Aborted" } }
await tell("message.updated", { sessionID: "top", info: { id: "m1", error: abort } })
await tell("message.updated", { sessionID: "top", info: { id: "m1", error: abort } })
await tell("session.idle", { sessionID: "child" })
await tell("permission.asked", { sessionID: "child", permission: "bash" })
await tell("session.execution.failed", { sessionID: "top", error: { name: "X", data: { message: "broken" } } })
await tell("session.execution.succeeded", { sessionID: "top" })
await tell(undefined, undefined)
"""
PI = """
import extension from "./plugin.mjs"
const handlers = {}
extension({ on: (name, run) => { if (name === "agent_start") throw new Error("unknown"); handlers[name] = run } })
const said = (text, stopReason, errorMessage) => ({
  role: "assistant", content: [{ type: "thinking" }, { type: "text", text }], stopReason, errorMessage
})
const context = { sessionManager: { getSessionId: () => "s-1", getSessionFile: () => "/s-1.jsonl" } }
for (const [name, event] of [
  ["session_start", { reason: "startup", messages: ["long"] }],
  ["tool_call", { toolName: "bash", toolCallId: "c", input: { command: "ls" } }],
  ["agent_settled", { aborted: true }],
  ["agent_end", { messages: [said("wrong", "error", "400: no"), said("I have " + "😀".repeat(1500))] }],
  ["agent_settled", { aborted: false }],
  ["agent_end", { messages: [said("half", "error", "400: no"), { role: "toolResult" }] }],
  ["agent_settled", { aborted: false }],
  ["agent_end", { messages: "odd" }],
  ["agent_settled", undefined],
  ["session_shutdown", undefined],
]) await handlers[name]?.(event, context)
"""
AMP = """
import plugin from "./plugin.mjs"
const handlers = {}
plugin({ on: (name, run) => { handlers[name] = run } })
const event = { thread: { id: "T-1" }, tool: "Bash", toolUseID: "u", input: { cmd: "ls" } }
console.log(JSON.stringify(await handlers["tool.call"]?.(event) ?? null))
await handlers["agent.end"]?.({ thread: { id: "T-1" }, status: "done" })
"""


def play(
    place: Path, agent: str, script: str, *, pane: bool = True, reporter: str | None = None
) -> tuple[str, list[Any]]:
    """What the agent printed, and the reports as (event, payload) in order."""
    program = place / "signaltty"
    program.write_text(REPORTER)
    program.chmod(0o755)
    plugin = installing(agent, reporter or str(program))(None)
    assert plugin is not None and NODE is not None
    (place / "plugin.mjs").write_bytes(plugin)
    (place / "agent.mjs").write_text(script)
    environ = {"PATH": os.environ["PATH"], **({"SIGNALTTY_PANE": "pane_1"} if pane else {})}
    done = subprocess.run(
        [NODE, str(place / "agent.mjs")], capture_output=True, text=True, env=environ, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    log = place / "signaltty.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return done.stdout, [(lines[at], json.loads(lines[at + 1])) for at in range(0, len(lines), 2)]


@needs_node
def test_opencode_reports_turns_of_sessions_and_questions_of_all(tmp_path: Path) -> None:
    _, said = play(tmp_path, "opencode", OPENCODE)
    assert said == [
        ("session.created", {"properties": {"sessionID": "top", "info": {"id": "top"}}, "session_id": "top"}),
        ("session.status", {"properties": {"sessionID": "top", "status": {"type": "busy"}}, "session_id": "top"}),
        (
            "session.error",
            {
                "properties": {
                    "sessionID": "top",
                    "error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}},
                },
                "session_id": "top",
                "message": "Aborted",
            },
        ),
        (
            "permission.asked",
            {
                "properties": {"sessionID": "child", "permission": "bash"},
                "session_id": "child",
                "parentID": "top",
            },
        ),
        (
            "session.error",
            {
                "properties": {"sessionID": "top", "error": {"name": "X", "data": {"message": "broken"}}},
                "session_id": "top",
                "message": "broken",
            },
        ),
        ("session.idle", {"properties": {"sessionID": "top"}, "session_id": "top"}),
    ]


@needs_node
def test_pi_reports_its_session_with_every_event(tmp_path: Path) -> None:
    session = {"session_id": "s-1", "session_file": "/s-1.jsonl"}
    _, said = play(tmp_path, "pi", PI)
    assert said == [
        ("session_start", {"reason": "startup", **session}),
        ("tool_call", {"toolName": "bash", "toolCallId": "c", "input": {"command": "ls"}, **session}),
        ("agent_settled", {"aborted": True, **session}),
        ("agent_end", session),
        ("agent_settled", {"aborted": False, "last_assistant_message": "I have " + "😀" * 996, **session}),
        ("agent_end", session),
        ("agent_settled", {"aborted": False, "failed": True, "error": "400: no", **session}),
        ("agent_end", session),
        ("agent_settled", session),
        ("session_shutdown", session),
    ]


@needs_node
def test_amp_reports_its_thread_and_lets_tools_run(tmp_path: Path) -> None:
    printed, said = play(tmp_path, "amp", AMP)
    assert json.loads(printed) == {"action": "allow"}
    assert said == [
        ("tool.call", {"thread_id": "T-1", "tool_name": "Bash", "tool_use_id": "u", "tool_input": {"cmd": "ls"}}),
        ("agent.end", {"thread_id": "T-1", "status": "done"}),
    ]


@needs_node
@pytest.mark.parametrize(("agent", "script"), [("opencode", OPENCODE), ("pi", PI), ("amp", AMP)])
def test_outside_a_pane_a_plugin_does_nothing(tmp_path: Path, agent: str, script: str) -> None:
    assert play(tmp_path, agent, script, pane=False)[1] == []


@needs_node
@pytest.mark.parametrize(("agent", "script"), [("opencode", OPENCODE), ("pi", PI), ("amp", AMP)])
def test_a_reporter_that_is_gone_does_not_disturb_the_agent(tmp_path: Path, agent: str, script: str) -> None:
    assert play(tmp_path, agent, script, reporter="/nowhere/signaltty")[1] == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_of_ours_is_renewed_and_taken_away(agent: str) -> None:
    made = installing(agent, "/old")(None)
    assert made is not None
    assert b"`signaltty integration`" in made.split(b"\n")[0]
    renewed = installing(agent, "/new")(made)
    assert renewed == installing(agent, "/new")(None) != made
    assert (is_installed(agent, made), uninstalling(agent)(made)) == (True, None)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_foreign_file_of_that_name_stays(agent: str) -> None:
    foreign = b"// mine\n"
    with pytest.raises(Refused, match="not ours"):
        installing(agent, "/p")(foreign)
    assert (is_installed(agent, foreign), uninstalling(agent)(foreign)) == (False, foreign)
    assert (is_installed(agent, None), is_installed(agent, b"")) == (False, False)
