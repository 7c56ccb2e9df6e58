"""`hook-event` as cli §7 has it, spoken to a real socket by every road that leads to the hot client."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Listener, Program, Reply, error, result

Listen = Callable[[Reply], Listener]

CALL = ("hook-event", "--agent", "claude", "--event", "Stop")
WAITING = ("hook-event", "--agent", "claude", "--event", "PermissionRequest", "--wait-for-answer")
ACCEPTED = {"accepted": True, "agent": "claude", "event": "Stop", "pane_id": "pane_1", "lifecycle": "done"}


def outcome(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


def test_an_accepted_event_is_said_on_standard_error(program: Program, listen: Listen) -> None:
    listen(result({**ACCEPTED, "attention": "unread"}))
    assert outcome(program(*CALL)) == (0, b"", b"accepted claude:Stop lifecycle=done attention=unread\n")


def test_a_value_the_reply_lacks_is_a_hyphen(program: Program, listen: Listen) -> None:
    listen(result(ACCEPTED))
    assert outcome(program(*CALL)) == (0, b"", b"accepted claude:Stop lifecycle=done attention=-\n")


def test_a_dropped_event_is_said_with_its_reason(program: Program, listen: Listen) -> None:
    listen(result({"accepted": False, "dropped": True, "reason": "harness_mismatch", "pane_id": "pane_1"}))
    assert outcome(program(*CALL)) == (0, b"", b"dropped claude:Stop: harness_mismatch\n")


@pytest.mark.parametrize("reply", [ACCEPTED, {"accepted": False, "dropped": True, "reason": "other_session"}])
def test_nothing_is_said_to_an_agent_that_shows_it(program: Program, listen: Listen, reply: dict[str, Any]) -> None:
    """Gemini and Qwen set the variable for their hooks, and print what these say below the answer."""
    listen(result(reply))
    assert outcome(program(*CALL, env={"GEMINI_PROJECT_DIR": "/work"})) == (0, b"", b"")


def test_a_fault_is_said_to_every_agent(program: Program, listen: Listen) -> None:
    listen(error("BAD_PARAMS", "unknown agent"))
    assert outcome(program(*CALL, env={"GEMINI_PROJECT_DIR": "/work"})) == (
        1,
        b"",
        b"signaltty: unknown agent (BAD_PARAMS)\n",
    )


def test_control_characters_of_the_reply_are_escaped(program: Program, listen: Listen) -> None:
    listen(result({"accepted": False, "dropped": True, "reason": "a\x1b[31m\x9bb\u202ec", "pane_id": "pane_1"}))
    assert outcome(program(*CALL)) == (0, b"", b"dropped claude:Stop: a\\x1b[31m\\x9bb\\u202ec\n")


def test_the_verdict_is_all_a_waiting_call_prints(program: Program, listen: Listen) -> None:
    verdict = {"hookSpecificOutput": {"decision": {"behavior": "allow"}, "note": "caf\u00e9"}}
    listen(result({"accepted": True, "native_verdict": verdict}))
    done = program(*WAITING, "--json")
    assert (done.returncode, done.stdout.count(b"\n"), json.loads(done.stdout), done.stderr) == (0, 1, verdict, b"")


@pytest.mark.parametrize(
    "reply",
    [
        result({"accepted": True, "native_verdict": None, "cancelled": "timeout"}),
        result({"accepted": False, "dropped": True, "reason": "harness_mismatch"}),
        error("BAD_PARAMS", "no permission request"),
        error("INTERNAL", "?"),
        lambda request: b"no JSON\n",
    ],
    ids=["cancelled", "dropped", "refused", "broken", "nonsense"],
)
def test_a_waiting_call_says_nothing_when_nobody_decides(program: Program, listen: Listen, reply: Reply) -> None:
    listen(reply)
    assert outcome(program(*WAITING)) == (0, b"", b"")


def test_a_waiting_call_names_its_limit(program: Program, listen: Listen) -> None:
    listener = listen(result({"accepted": True, "native_verdict": None}))
    program(*WAITING, "--wait-timeout", "7.5", "--hold")
    params = listener.requests[0]["params"]
    assert (params["wait_for_answer"], params["wait_timeout_s"], params["hold"]) == (True, 7.5, True)


def test_without_a_server_nothing_is_said(program: Program) -> None:
    assert outcome(program(*CALL)) == (0, b"", b"")
    assert outcome(program(*WAITING)) == (0, b"", b"")


def test_without_a_server_strict_is_a_failure(program: Program) -> None:
    """Edge case 112."""
    sentence = f"signaltty: no server answers at {program.socket_path} (NO_SUCH_SERVER)\n".encode()
    assert outcome(program(*CALL, "--strict")) == (1, b"", sentence)


def test_a_refused_connection_is_no_server(program: Program, listen: Listen) -> None:
    listen(result(ACCEPTED)).close()
    assert outcome(program(*CALL)) == (0, b"", b"")


def test_outside_any_pane_nothing_is_said(program: Program, listen: Listen) -> None:
    """Scenario SC-13, the hook's command."""
    listen(result({"accepted": True, "agent": "claude", "event": "Stop", "pane_id": None}))
    assert outcome(program(*CALL)) == (0, b"", b"")
    assert outcome(program(*CALL, "--strict")) == (1, b"", b"signaltty: no pane belongs to this process\n")


def test_a_silent_server_holds_nobody_up(program: Program, listen: Listen) -> None:
    listen(lambda request: None)
    assert outcome(program(*CALL)) == (0, b"", b"")
    late = b"signaltty: the server did not answer in time (TIMEOUT)\n"
    assert outcome(program(*CALL, "--strict")) == (1, b"", late)


def test_a_server_that_hangs_up_is_a_silent_one(program: Program, listen: Listen) -> None:
    listen(lambda request: False)
    assert outcome(program(*CALL)) == (0, b"", b"")


def test_an_error_reply_is_shown(program: Program, listen: Listen) -> None:
    listen(error("BAD_PARAMS", "unknown agent", agent="x"))
    assert outcome(program(*CALL)) == (1, b"", b"signaltty: unknown agent (BAD_PARAMS)\n")


def test_an_error_reply_in_json_keeps_its_details(program: Program, listen: Listen) -> None:
    listen(error("BAD_PARAMS", "unknown agent", agent="x"))
    done = program(*CALL, "--json")
    fault = {"code": "BAD_PARAMS", "message": "unknown agent", "details": {"agent": "x"}}
    assert (done.returncode, done.stdout, json.loads(done.stderr)) == (1, b"", {"ok": False, "error": fault})


def test_another_protocol_names_both(program: Program, listen: Listen) -> None:
    listen(lambda request: {"protocol": "signaltty/2", "id": "", "ok": False, "error": {"code": "BAD_PROTOCOL"}})
    sentence = b"signaltty: this program speaks signaltty/1, the server signaltty/2 (BAD_PROTOCOL)\n"
    assert outcome(program(*CALL)) == (1, b"", sentence)


def test_json_prints_the_result(program: Program, listen: Listen) -> None:
    listen(result(ACCEPTED))
    assert json.loads(program(*CALL, "--json").stdout) == ACCEPTED


@pytest.mark.parametrize("payload", ["{", "{} {}", "NaN", '{"a":-Infinity}', "\ufeff{}", "[" * 5000, "'a'", '"\n"'])
def test_a_payload_that_is_not_json_is_refused_before_any_connection(
    program: Program, listen: Listen, payload: str
) -> None:
    listener = listen(result(ACCEPTED))
    expected = (1, b"", b"signaltty: invalid payload JSON\n")
    assert outcome(program(*CALL, "--payload-stdin", stdin=payload.encode())) == expected
    assert outcome(program(*CALL, "--payload", payload)) == expected
    assert listener.connections == 0


def test_a_decision_that_is_not_json_is_refused_before_any_connection(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    assert outcome(program(*CALL, "--decision", "{")) == (1, b"", b"signaltty: invalid decision JSON\n")
    assert listener.connections == 0


@pytest.mark.parametrize("road", ["--payload", "--payload-stdin"])
def test_a_payload_arrives_as_it_was(program: Program, listen: Listen, road: str) -> None:
    listener = listen(result(ACCEPTED))
    payload = '\r\n {"a": "\\n\\u2028é\u2028", "n": [1,\n 2.50, null], "a": true}\n\t '
    if road == "--payload":
        program(*CALL, road, payload)
    else:
        program(*CALL, road, stdin=payload.encode())
    assert len(listener.lines) == 1
    assert listener.requests[0]["params"]["payload"] == json.loads(payload)


def test_empty_standard_input_is_no_payload(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    assert program(*CALL, "--payload-stdin").returncode == 0
    assert "payload" not in listener.requests[0]["params"]


def test_bytes_that_are_not_utf8_are_replaced(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    assert program(*CALL, "--payload-stdin", stdin=b'{"a":"\xff"}').returncode == 0
    assert listener.requests[0]["params"]["payload"] == {"a": "\ufffd"}


@pytest.mark.parametrize(("size", "sent"), [(4 << 20, True), ((4 << 20) + 1, False), (5 << 20, False)])
def test_a_payload_above_four_mebibytes_stays_behind(program: Program, listen: Listen, size: int, sent: bool) -> None:
    listener = listen(result({**ACCEPTED, "payload_dropped": True}))
    payload = b'"' + b"x" * (size - 2) + b'"'
    assert program(*CALL, "--payload-stdin", stdin=payload).returncode == 0
    params = listener.requests[0]["params"]
    assert ("payload" in params, params.get("payload_dropped")) == (sent, None if sent else True)


def test_the_request_is_the_envelope_of_the_protocol(program: Program, listen: Listen) -> None:
    """Edge case 182."""
    listener = listen(result(ACCEPTED))
    words = ("--message", "- a\x1b", "--title=-t", "--severity", "warning", "--decision", '{"id":\n"d"}')
    process = subprocess.Popen(
        [*program.command, *CALL, *words, "--payload", "[1]"],
        env={**program.environment, "SIGNALTTY_PANE": "pane_7"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    process.wait(30)
    params: dict[str, Any] = {
        "agent": "claude",
        "event": "Stop",
        "message": "- a\x1b",
        "title": "-t",
        "severity": "warning",
        "client_pid": process.pid,
        "pane_id": "pane_7",
        "payload": [1],
        "decision": {"id": "d"},
    }
    assert listener.requests == [
        {"protocol": "signaltty/1", "id": "h1", "method": "hook-event", "params": params},
    ]


def test_the_option_names_the_pane_before_the_variable(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    program(*CALL, "--pane", "pane_2", env={"SIGNALTTY_PANE": "pane_7"})
    program(*CALL, env={"SIGNALTTY_PANE": ""})
    assert [request["params"].get("pane_id") for request in listener.requests] == ["pane_2", None]


def test_the_option_names_the_socket_before_the_variable(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    away = {"SIGNALTTY_SOCKET": "/nonexistent/socket"}
    program(*CALL, "--socket", str(listener.path), env=away)
    program(*CALL, f"--socket={listener.path}", env=away)
    assert listener.connections == 2


def test_hooks_can_be_muted(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    assert outcome(program(*CALL, "--strict", env={"SIGNALTTY_HOOKS": "off"})) == (0, b"", b"")
    assert listener.connections == 0


def test_a_foreign_codex_thread_sends_nothing(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    call = ("hook-event", "--agent", "codex", "--event", "Stop", "--payload", '{"session_id":"s1"}')
    assert outcome(program(*call, env={"CODEX_THREAD_ID": "s2"})) == (0, b"", b"")
    assert listener.connections == 0
    program(*call, env={"CODEX_THREAD_ID": "s1"})
    program(*call, env={"CODEX_THREAD_ID": ""})
    program(*CALL, "--payload", '{"session_id":"s1"}', env={"CODEX_THREAD_ID": "s2"})
    assert listener.connections == 3


@pytest.mark.parametrize(
    "words",
    [
        ("hook-event", "--agent", "claude"),
        ("hook-event", "--event", "Stop"),
        ("hook-event", "--agent", "", "--event", "Stop"),
        (*CALL, "--bogus"),
        (*CALL, "-x"),
        (*CALL, "word"),
        (*CALL, "--pane"),
        (*CALL, "--strict=1"),
        (*CALL, "--payload", "1", "--payload-stdin"),
        (*CALL, "--wait-timeout", "soon"),
        (*WAITING, "--wait-timeout", "soon"),
        (*WAITING, "--wait-timeout", "NaN"),
    ],
)
def test_a_usage_error_is_one_and_never_two(program: Program, listen: Listen, words: tuple[str, ...]) -> None:
    """Edge case 177."""
    listener = listen(result(ACCEPTED))
    done = program(*words)
    assert (done.returncode, done.stdout, done.stderr[:11], done.stderr.count(b"\n")) == (1, b"", b"signaltty: ", 1)
    assert listener.connections == 0


def test_a_lost_server_is_waited_for_while_its_keeper_lives(program: Program, place: Path, listen: Listen) -> None:
    (place / "s.sock.d").mkdir()
    (place / "s.sock.d" / "keeper.sock").touch()
    process = subprocess.Popen([*program.command, *CALL], env=program.environment, stderr=subprocess.PIPE)
    threading.Event().wait(0.4)  # not a proof: whenever the server comes within 2 s, the hook must arrive
    listener = listen(result(ACCEPTED))
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, b"accepted claude:Stop lifecycle=done attention=-\n")
    assert len(listener.requests) == 1


def test_an_open_standard_input_is_not_waited_for_without_end(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    process = subprocess.Popen(
        [*program.command, *CALL, "--payload-stdin"], env=program.environment, stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b'{"a":1}')
    process.stdin.flush()
    assert process.wait(30) == 0
    process.stdin.close()
    assert listener.requests[0]["params"]["payload"] == {"a": 1}


def test_closed_standard_streams_hurt_nobody(program: Program, listen: Listen) -> None:
    listener = listen(result(ACCEPTED))
    script = '"$@" <&- >&- 2>&-'
    command = ["sh", "-c", script, "sh", *program.command, *CALL, "--payload-stdin"]
    assert subprocess.run(command, env=program.environment, timeout=30, check=False).returncode == 0
    assert len(listener.requests) == 1
