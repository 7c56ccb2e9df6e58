"""`notify`, `report` and `ipc agent-event` as the hot client answers them (cli §4.4, §4.5, agent-status §3)."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Listener, Program, Reply, error, result
from .sandboxed import CONNECT

Listen = Callable[[Reply], Listener]

NOTED = {"notification": {"id": "ntf_1", "title": "t", "body": "", "severity": "info", "source": "cli"}}
REPORT = ("report", "--status", "completed", "--summary", "all green")
EVENT = b'{"version":1,"event":"agent.running"}'
PANE = {
    "ZENTTY_PANE_TOKEN": "ab" * 32,
    "ZENTTY_WORKLANE_ID": "ws_1",
    "ZENTTY_PANE_ID": "pane_1",
}


def outcome(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


def test_notify_prints_the_id(program: Program, listen: Listen) -> None:
    listener = listen(result(NOTED))
    words = ("notify", "--title", "t", "--body=", "--severity", "warning")
    assert outcome(program(*words, env={"SIGNALTTY_PANE": "pane_1"})) == (0, b"notification ntf_1\n", b"")
    params = {"title": "t", "body": "", "severity": "warning", "pane_id": "pane_1"}
    assert listener.requests == [{"protocol": "signaltty/1", "id": "h1", "method": "notify", "params": params}]


def test_notify_outside_a_pane_names_none(program: Program, listen: Listen) -> None:
    """Scenario SC-13, the command notify."""
    listener = listen(result(NOTED))
    assert program("notify", "--title", "t").returncode == 0
    assert listener.requests[0]["params"] == {"title": "t"}


def test_notify_in_json_prints_the_result(program: Program, listen: Listen) -> None:
    listen(result(NOTED))
    assert json.loads(program("notify", "--title", "t", "--json").stdout) == NOTED


def test_global_options_may_stand_before_the_word(program: Program, listen: Listen) -> None:
    listener = listen(result(NOTED))
    done = program("--json", "--socket", str(listener.path), "notify", "--title", "t", env={"SIGNALTTY_SOCKET": "/no"})
    assert (done.returncode, json.loads(done.stdout)) == (0, NOTED)


def test_a_refused_notification_is_an_error(program: Program, listen: Listen) -> None:
    listen(error("NO_SUCH_PANE", "no pane x"))
    assert outcome(program("notify", "--title", "t")) == (1, b"", b"signaltty: no pane x (NO_SUCH_PANE)\n")


def test_a_report_says_what_became_of_the_task(program: Program, listen: Listen) -> None:
    listener = listen(result({"task": {"id": "task_1", "state": "completed"}}))
    words = (*REPORT, "--artifacts", '["a"]', "--evidence", '{"n":\n1}')
    done = program(*words, env={"SIGNALTTY_TASK": "task_1", "SIGNALTTY_PANE": "pane_1"})
    assert outcome(done) == (0, b"reported completed: task task_1 is completed\n", b"")
    params = {
        "status": "completed",
        "summary": "all green",
        "task_id": "task_1",
        "pane_id": "pane_1",
        "artifacts": ["a"],
        "evidence": {"n": 1},
    }
    assert listener.requests == [{"protocol": "signaltty/1", "id": "h1", "method": "task.report", "params": params}]


def test_evidence_may_be_a_file(program: Program, listen: Listen, place: Path) -> None:
    listener = listen(result({"task": {"id": "task_1", "state": "failed"}}))
    (place / "evidence.json").write_text('{"log":\n"x"}\n')
    assert program(*REPORT, "--task", "task_1", "--evidence", str(place / "evidence.json")).returncode == 0
    assert listener.requests[0]["params"]["evidence"] == {"log": "x"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (REPORT, "report: give --task or --pane, or run it inside a pane"),
        ((*REPORT, "--task", "t", "--artifacts", "{}"), "artifacts must be a JSON array"),
        ((*REPORT, "--task", "t", "--artifacts", "["), "invalid artifacts JSON"),
        ((*REPORT, "--task", "t", "--evidence", "/nonexistent"), "cannot read /nonexistent: No such file or directory"),
    ],
)
def test_a_report_that_cannot_be_right_is_not_sent(
    program: Program, listen: Listen, words: tuple[str, ...], sentence: str
) -> None:
    listener = listen(result({}))
    assert outcome(program(*words)) == (1, b"", f"signaltty: {sentence}\n".encode())
    assert listener.connections == 0


def test_a_report_without_a_server_fails(program: Program) -> None:
    done = program(*REPORT, "--task", "t")
    assert outcome(done) == (1, b"", b"signaltty: no server is running (NO_SUCH_SERVER)\n")
    fault = {"code": "NO_SUCH_SERVER", "message": "no server is running", "details": {}}
    assert json.loads(program(*REPORT, "--task", "t", "--json").stderr) == {"ok": False, "error": fault}


def test_a_report_waits_for_a_lost_server(program: Program, listen: Listen, place: Path) -> None:
    (place / "s.sock.d").mkdir()
    (place / "s.sock.d" / "keeper.sock").touch()
    process = subprocess.Popen(
        [*program.command, *REPORT, "--task", "t"], env=program.environment, stdout=subprocess.PIPE
    )
    threading.Event().wait(0.4)  # not a proof: whenever the server comes within 5 s, the report must arrive
    listen(result({"task": {"id": "task_1", "state": "completed"}}))
    said, _ = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, b"reported completed: task task_1 is completed\n")


def agent_event(program: Program, *words: str, stdin: bytes | None = EVENT, **env: str) -> tuple[int, bytes, bytes]:
    inside = {**PANE, "ZENTTY_INSTANCE_SOCKET": str(program.socket_path), **env}
    return outcome(program("ipc", "agent-event", *words, stdin=stdin, env=inside))


def test_an_event_is_passed_on_without_a_word(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    assert agent_event(program) == (0, b"", b"")
    request = listener.requests[0]
    started = request["params"].pop("sent_ms")
    assert isinstance(started, int) and started > 0
    params = {"token": "ab" * 32, "pane_id": "pane_1", "payload": {"version": 1, "event": "agent.running"}}
    assert request == {"protocol": "signaltty/1", "id": "h1", "method": "agent-event", "params": params}


def test_a_native_hook_is_passed_on_under_its_adapter(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    for words in (("--adapter=claude", "Stop"), ("--adapter", "claude", "Stop")):
        assert agent_event(program, *words, stdin=b" {} \n", ZENTTY_CLAUDE_PID="123") == (0, b"", b"")
    for request in listener.requests:
        params = request["params"]
        params.pop("sent_ms")
        assert params == {
            "token": "ab" * 32,
            "pane_id": "pane_1",
            "payload": {},
            "adapter": "claude",
            "name": "Stop",
            "agent_pid": 123,
        }


def test_an_empty_adapter_is_canonical_and_ignores_the_hook(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    assert agent_event(program, "--adapter=", "Stop") == (0, b"", b"")
    assert set(listener.requests[0]["params"]) == {"token", "pane_id", "payload", "sent_ms"}


def test_an_adapter_with_a_hook_needs_no_payload(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    assert agent_event(program, "--adapter", "kimi", "Stop", stdin=b"") == (0, b"", b"")
    assert "payload" not in listener.requests[0]["params"]


def test_codex_notify_may_give_the_payload_last(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    assert agent_event(program, "--adapter", "codex-notify", '{"type":"x"}', stdin=b"") == (0, b"", b"")
    params = listener.requests[0]["params"]
    assert (params["payload"], params.get("name")) == ({"type": "x"}, None)


def test_a_large_native_payload_stays_behind(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "applied": True}))
    large = b'{"a":"' + b"x" * (4 << 20) + b'"}'
    assert agent_event(program, "--adapter", "claude", "Stop", stdin=large) == (0, b"", b"")
    params = listener.requests[0]["params"]
    assert (params["payload_dropped"], "payload" in params) == (True, False)
    sentence = b"signaltty: the event is larger than 4 MiB\n"
    assert agent_event(program, stdin=large) == (1, b"", sentence)
    assert agent_event(program, "--adapter", "claude", stdin=large) == (0, b"", sentence)


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"", "no event on standard input"),
        (b" \n", "no event on standard input"),
        (b"[1]", "the event must be one JSON object"),
        (b'{"a":NaN}', "the event is not valid JSON: NaN is no JSON value"),
        (b"{} {}", "the event is not valid JSON: extra text at character 2"),
        (b"\xef\xbb\xbf{}", "the event is not valid JSON: no JSON value at character 0"),
        (b'{"a":"\xff"}', "the event is not valid JSON: 'utf-8' codec can't decode byte 0xff in position 6"),
        (b"{", "the event is not valid JSON: Expecting property name enclosed in double quotes"),
    ],
)
def test_a_faulty_event_fails_and_only_strictly_with_an_adapter(
    program: Program, listen: Listen, stdin: bytes, sentence: str
) -> None:
    listener = listen(result({}))
    for words, code in ((), 1), (("--adapter", "claude"), 0), (("--adapter", "claude", "--strict"), 1):
        status, out, said = agent_event(program, *words, stdin=stdin)
        assert (status, out, said.startswith(f"signaltty: {sentence}".encode())) == (code, b"", True), said
    assert listener.connections == 0


@pytest.mark.parametrize("missing", ["ZENTTY_INSTANCE_SOCKET", *PANE])
def test_outside_a_pane_the_first_missing_variable_is_named(program: Program, missing: str) -> None:
    sentence = f"signaltty: not inside a signaltty pane: {missing} is not set\n".encode()
    assert agent_event(program, stdin=None, **{missing: ""}) == (1, b"", sentence)
    assert agent_event(program, "--adapter", "claude", stdin=None, **{missing: ""}) == (0, b"", sentence)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ipc", "agent-bogus"), 'unknown ipc command "agent-bogus" (known: agent-event)'),
        (("ipc", "agent-event", "--bogus", "--adapter", "claude"), "ipc agent-event: unknown option --bogus"),
        (("ipc", "agent-event", "--adapter"), "ipc agent-event: --adapter needs a value"),
        (("ipc", "agent-event", "--adapter=nope"), 'unknown adapter "nope" (known: agy, claude, codex, '),
    ],
)
def test_a_usage_error_is_one(program: Program, words: tuple[str, ...], sentence: str) -> None:
    done = program(*words)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(f"signaltty: {sentence}")


@pytest.mark.parametrize(
    ("code", "message", "sentence"),
    [
        ("FORBIDDEN", "?", "the server refused the pane token (FORBIDDEN)"),
        ("NO_SUCH_PANE", "?", "the pane no longer exists (NO_SUCH_PANE)"),
        ("BAD_PARAMS", "unsupported version 2, expected 1", "unsupported version 2, expected 1"),
        ("UNKNOWN_METHOD", "no method agent-event", "no method agent-event (UNKNOWN_METHOD)"),
    ],
)
def test_a_refusal_is_said_in_its_sentence(
    program: Program, listen: Listen, code: str, message: str, sentence: str
) -> None:
    listen(error(code, message))
    said = f"signaltty: {sentence}\n".encode()
    assert agent_event(program) == (1, b"", said)
    assert agent_event(program, "--adapter", "claude") == (0, b"", said)
    assert agent_event(program, "--adapter", "claude", "--strict") == (1, b"", said)


def test_an_event_without_a_server_is_a_failure(program: Program) -> None:
    sentence = f"signaltty: no server answers at {program.socket_path} (NO_SUCH_SERVER)\n".encode()
    assert agent_event(program) == (1, b"", sentence)
    assert agent_event(program, "--adapter", "claude") == (0, b"", sentence)


@pytest.mark.skipif(
    platform.machine() not in CONNECT or not sys.platform.startswith("linux"),
    reason="the filter of system calls is written for Linux on x86_64 and aarch64",
)
def test_a_report_from_a_sandbox_says_where_it_would_succeed(program: Program, listen: Listen) -> None:
    listener = listen(result({}))
    program.command = [sys.executable, str(Path(__file__).with_name("sandboxed.py")), *program.command]
    status, printed, said = outcome(program(*REPORT, "--task", "task_1"))
    place = str(listener.path)
    sentence = f"not allowed to reach the server at {place}: Operation not permitted; in a sandbox, run this command"
    assert (status, printed, said.decode()) == (1, b"", f"signaltty: {sentence} outside of it\n")
    assert listener.requests == []
