"""Bad input of every kind against a real server: it answers, it stays, and others do not notice."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import (
    PROTOCOL,
    Client,
    Server,
    Shop,
    as_nobody,
    b64,
    descriptors,
    is_running,
    memory_kib,
    running,
    unb64,
    wait_until,
)


def error_of(frame: dict[str, Any]) -> tuple[str, str]:
    return frame["id"], frame["error"]["code"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"not json", ("?", "BAD_PARAMS")),
        (b"null", ("?", "BAD_PARAMS")),
        (b"[]", ("?", "BAD_PARAMS")),
        (b'"text"', ("?", "BAD_PARAMS")),
        (b"{}", ("?", "BAD_PROTOCOL")),
        (b"\xff\xfe", ("?", "BAD_PARAMS")),
        (b"[" * 10_000, ("?", "BAD_PARAMS")),
        (b'{"a":' * 10_000, ("?", "BAD_PARAMS")),
        (b"9" * 100_000, ("?", "BAD_PARAMS")),
        (b'{"protocol":"signaltty/99","id":"x","method":"server.status"}', ("x", "BAD_PROTOCOL")),
        (b'{"protocol":"signaltty/1","id":"x","method":"nope.nope"}', ("x", "UNKNOWN_METHOD")),
        (b'{"protocol":"signaltty/1","id":7,"method":"server.status"}', ("?", "BAD_PARAMS")),
        (b'{"protocol":"signaltty/1","id":"x","method":"server.status","params":[]}', ("x", "BAD_PARAMS")),
        (
            b'{"protocol":"signaltty/1","id":"x","method":"workspace.get","params":{"workspace_id":5}}',
            ("x", "BAD_PARAMS"),
        ),
        (b'{"protocol":"signaltty/1","id":"x","method":"pane.get","params":{"pane_id":NaN}}', ("?", "BAD_PARAMS")),
    ],
)
def test_a_bad_line_is_answered_and_the_connection_goes_on(
    server: Server, line: bytes, answer: tuple[str, str]
) -> None:
    """Edge cases 1, 4, 141."""
    client = server.client()
    client.write(line + b"\n")
    assert error_of(client.take(lambda frame: True, "an answer")) == answer
    assert client.call("server.status")["protocol"] == PROTOCOL


def test_a_request_in_pieces_is_answered_under_its_id_while_events_come(shop: Shop) -> None:
    """Edge case 2."""
    client = shop.server.client()
    client.call("subscribe")
    line = client.line("workspace.list", "in pieces")
    for index in range(len(line)):
        client.write(line[index : index + 1])
        if index % 10 == 0:
            shop.client.call("notify", title=f"event {index}")
    reply = client.reply("in pieces")
    assert reply["ok"]
    titles = [
        frame["payload"]["notification"]["title"]
        for frame in client.frames
        if frame.get("event") == "notification.created"
    ]
    assert titles == [f"event {index}" for index in range(0, len(line), 10)]


def test_a_line_of_17_mib_costs_its_own_connection_only(server: Server) -> None:
    """Edge case 141."""
    client, other = server.client(), server.client()
    with pytest.raises(OSError):
        while True:
            client.write(b"x" * (1 << 20))
    assert [error_of(frame) for frame in client.until_closed()] == [("?", "RATE_LIMITED")]
    assert other.call("server.status")["protocol"] == PROTOCOL
    wait_until(lambda: memory_kib(server.pid) < 120 << 10, "the memory of the line to be free")


def test_a_line_of_just_16_mib_is_served(server: Server) -> None:
    client = server.client()
    head = b'{"protocol":"signaltty/1","id":"big","method":"server.status","params":{"x":"'
    client.write(head + b"y" * ((16 << 20) - len(head) - 3) + b'"}}\n')
    assert client.reply("big")["ok"]


def test_half_a_line_and_goodbye_is_nobodys_request(server: Server) -> None:
    for half in (b"", b"{", b'{"protocol":"signaltty/1","id":"x","method":"server.status"}'):
        client = server.client()
        client.write(half)
        client.half_close()
        assert client.until_closed() == []


def test_a_half_closed_client_gets_its_answers(shop: Shop) -> None:
    client = shop.server.client()
    client.write(
        client.line("workspace.create", "a", cwd=shop.server.work)
        + client.line("server.status", "b")
        + client.line("subscribe", "c")
    )
    client.half_close()
    assert [frame["id"] for frame in client.until_closed() if "id" in frame] == ["a", "b", "c"]


def test_a_thousand_unread_requests_keep_memory_and_others_as_they_are(shop: Shop) -> None:
    pane = shop.run("i=0; while [ $i -lt 400 ]; do printf '%0100d\\n' $i; i=$((i+1)); done; exec cat")
    shop.shows(pane["id"], "399")
    stubborn = shop.server.client()
    stubborn.sock.settimeout(1.0)
    before = memory_kib(shop.server.pid)
    line = stubborn.line("pane.read", "r", pane_id=pane["id"], lines=400)
    sent = 0
    try:
        for _ in range(40):
            stubborn.sock.sendall(line * 100)
            sent += 100
    except TimeoutError:
        pass
    shop.client.call("server.status")
    assert memory_kib(shop.server.pid) - before < 40 << 10
    while sent and stubborn.reply("r")["ok"]:
        sent -= 1


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("pane.get", {"pane_id": "pane_" + "0" * 32}, "NO_SUCH_PANE"),
        ("pane.get", {"pane_id": ""}, "NO_SUCH_PANE"),
        ("pane.get", {"pane_id": "x" * 100_000}, "NO_SUCH_PANE"),
        ("pane.get", {"pane_id": "\ud800"}, "NO_SUCH_PANE"),
        ("tab.close", {"tab_id": "tab_x"}, "NO_SUCH_TAB"),
        ("workspace.get", {"workspace_id": "no-such-handle"}, "NO_SUCH_WORKSPACE"),
        ("workspace.create", {"cwd": "relative"}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": ""}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": "/nowhere/at/all"}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": "/etc/passwd"}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": "/\ud800"}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": "/" + "x" * 5000}, "BAD_PARAMS"),
        ("workspace.create", {"cwd": "/a\0b"}, "BAD_PARAMS"),
        ("subscribe", {"from_seq": -1}, "BAD_PARAMS"),
        ("subscribe", {"events": ["*", 7]}, "BAD_PARAMS"),
    ],
)
def test_what_is_not_there_or_not_possible_has_its_code(
    server: Server, method: str, params: dict[str, Any], code: str
) -> None:
    client = server.client()
    assert client.refusal(method, **params)["code"] == code


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"argv": []}, "BAD_PARAMS"),
        ({"argv": [""]}, "BAD_PARAMS"),
        ({"argv": ["a\0b"]}, "BAD_PARAMS"),
        ({"argv": ["no-such-program-anywhere"]}, "SPAWN_FAILED"),
        ({"argv": ["/etc/passwd"]}, "SPAWN_FAILED"),
        ({"argv": ["/"]}, "SPAWN_FAILED"),
        ({"argv": ["./missing"]}, "SPAWN_FAILED"),
        ({"argv": ["\ud800"]}, "SPAWN_FAILED"),
        ({"argv": ["sh", "\ud800"]}, "SPAWN_FAILED"),
        ({"argv": ["sh", "x" * (4 << 20)]}, "SPAWN_FAILED"),
        ({"argv": ["x" * 5000]}, "SPAWN_FAILED"),
        ({"argv": ["sh"], "cwd": "/nowhere"}, "BAD_PARAMS"),
        ({"argv": ["sh"], "cwd": "relative"}, "BAD_PARAMS"),
        ({"argv": ["sh"], "tab_id": "tab_x"}, "NO_SUCH_TAB"),
        ({"argv": ["sh"], "parent_pane_id": "pane_x"}, "NO_SUCH_PANE"),
        ({"argv": ["sh"], "task_id": "task_x"}, "NO_SUCH_TASK"),
        ({"argv": ["sh"], "relationship": "cousin"}, "BAD_PARAMS"),
        ({"argv": ["sh"], "env": {"A": 1}}, "BAD_PARAMS"),
        ({"argv": ["sh"], "cols": "80"}, "BAD_PARAMS"),
    ],
)
def test_a_spawn_that_cannot_be_leaves_no_trace(shop: Shop, params: dict[str, Any], code: str) -> None:
    """Edge cases 14, 146."""
    watcher = shop.server.client()
    watcher.call("subscribe")
    before = shop.client.call("workspace.get", workspace_id=shop.workspace)
    error = shop.client.refusal("pane.spawn", workspace_id=shop.workspace, **params)
    assert error["code"] == code
    assert len(error["message"]) > 10
    assert shop.client.call("workspace.get", workspace_id=shop.workspace) == before
    assert watcher.settle() == []
    assert shop.exited(shop.run("exit 0")["id"])["live"] == {"state": "exited", "code": 0}


@pytest.mark.parametrize(
    "env",
    [
        {"CLAUDE_A=B": "x"},
        {"CLAUDE_\0": "x"},
        {"CLAUDE_X": "a\0b"},
        {"": "x"},
        {"=": "x"},
        {"CLAUDE_\ud800": "x"},
        {"PATH": ""},
        {"TERM": ""},
        {"CLAUDE_" + "X" * 5000: "y"},
    ],
)
def test_odd_variables_stop_no_child_or_are_an_error(shop: Shop, env: dict[str, str]) -> None:
    frame = shop.client.reply(
        shop.client.send("pane.spawn", workspace_id=shop.workspace, argv=["/bin/sh", "-c", "echo fine"], env=env)
    )
    if frame["ok"]:
        assert shop.exited(frame["result"]["pane"]["id"])["live"]["code"] == 0
    else:
        assert frame["error"]["code"] in ("BAD_PARAMS", "SPAWN_FAILED")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_peer_of_another_user_is_turned_away() -> None:
    """Edge case 140."""
    with running() as server:
        os.chmod(server.directory, 0o711)
        os.chmod(server.path, 0o666)

        def knock() -> list[list[str]]:
            client = Client(server.path)
            try:
                client.write(client.line("server.shutdown", "x", force=True))
            except OSError:
                pass
            return [list(error_of(frame)) for frame in client.until_closed()]

        assert as_nobody(knock) == [["?", "FORBIDDEN"]]
        assert server.client().call("server.status")["protocol"] == PROTOCOL


@pytest.mark.parametrize(
    ("data_b64", "code"),
    [
        ("not base64!", "BAD_PARAMS"),
        ("YQ", "BAD_PARAMS"),
        ("YQ=", "BAD_PARAMS"),
        ("YQ==\n", "BAD_PARAMS"),
        (" YQ==", "BAD_PARAMS"),
        ("YQ==YQ==", "BAD_PARAMS"),
        ("YR==", "BAD_PARAMS"),
        ("é", "BAD_PARAMS"),
        (b64(b"x" * ((1 << 20) + 1)), "RATE_LIMITED"),
    ],
)
def test_input_that_is_no_base64_or_too_much_is_refused(shop: Shop, data_b64: str, code: str) -> None:
    pane = shop.spawn("cat")
    assert shop.client.refusal("pane.input", pane_id=pane["id"], data_b64=data_b64)["code"] == code


def test_every_byte_may_be_typed(shop: Shop) -> None:
    pane = shop.run("stty raw -echo; echo ready; exec head -c 256 > typed")
    shop.shows(pane["id"], "ready")
    assert shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(bytes(range(256)))) == {"written": 256}
    shop.exited(pane["id"])
    assert Path(shop.server.work, "typed").read_bytes() == bytes(range(256))


def test_a_pattern_that_never_ends_is_interrupted_and_others_are_served(shop: Shop) -> None:
    """Edge case 152."""
    pane = shop.run("printf '%050d\\n' 0 | tr 0 a; exec cat")
    shop.shows(pane["id"], "aaaa")
    other = shop.server.client()
    slow = [shop.server.client() for _ in range(3)]
    for client in slow:
        client.send("pane.wait_for_output", pane_id=pane["id"], match="(a+)+$b", regex=True, timeout_s=5)
    other.call("server.status")
    for client in slow:
        frame = client.reply("c1")
        assert (frame["error"]["code"], "too slow" in frame["error"]["message"]) == ("BAD_PARAMS", True)


@pytest.mark.parametrize("pattern", ["(", "[", "(?P<a>x)(?P<a>y)", "a{99999999999}", "*", "\\"])
def test_a_faulty_pattern_is_refused(shop: Shop, pattern: str) -> None:
    pane = shop.spawn("cat")
    error = shop.client.refusal("pane.wait_for_output", pane_id=pane["id"], match=pattern, regex=True, timeout_s=1)
    assert error["code"] == "BAD_PARAMS"


def test_a_thousand_connections_that_say_nothing_harm_nobody() -> None:
    """Edge case 140."""
    with running() as server:
        talker = server.client()
        silent = []
        while len(silent) < 1023:
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(10)
            sock.connect(server.path)
            silent.append(sock)
        talker.call("server.status")
        assert [error_of(frame) for frame in Client(server.path).until_closed()] == [("?", "RATE_LIMITED")]
        talker.call("server.status")
        before = descriptors(server.pid)
        silent.pop().close()
        wait_until(lambda: descriptors(server.pid) < before, "a free place")
        again = server.client()
        assert again.call("server.status")["protocol"] == PROTOCOL
        again.close()
        for sock in silent:
            sock.close()
        wait_until(lambda: descriptors(server.pid) < 50, "the descriptors to be free")


def test_a_client_that_stops_reading_is_caught_up_by_a_snapshot_and_holds_up_nobody(server: Server) -> None:
    """Edge case 142: 200 MB."""
    shop = Shop(server)
    pane = shop.run("read start; yes \"$(printf '%079d' 7)\" | head -c 200000000; echo END; exec cat")
    slow = server.client()
    slow.call("pane.attach", pane_id=pane["id"])
    quick = server.client()
    at = quick.call("pane.attach", pane_id=pane["id"])["output_offset"]
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"\n"))
    before = memory_kib(server.pid)
    most_kib = 0
    stop = threading.Event()

    def ask() -> None:
        nonlocal most_kib
        asker = server.client()
        while not stop.is_set():
            asker.call("server.status")
            most_kib = max(most_kib, memory_kib(server.pid))
            time.sleep(0.02)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        while True:
            quick.pump(20)
            frames, quick.frames = quick.frames, []
            for frame in frames:
                payload = frame["payload"]
                if frame["event"] == "pty.data":
                    data = unb64(payload["data_b64"])
                    at += len(data)
                    last = data
                else:
                    at, last = payload["output_offset"], unb64(payload["snapshot_b64"])
                assert payload["output_offset"] == at
            if b"END" in last[-200:] or at > 202_000_000:
                break
    finally:
        stop.set()
        asking.join()
    assert most_kib - before < 64 << 10
    first: dict[str, Any] = slow.take(lambda frame: frame.get("event") == "pty.snapshot", "the snapshot")
    at = first["payload"]["output_offset"]
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"hello\n"))
    seen = b""
    while b"hello" not in seen:
        payload = slow.event("pty.data")["payload"]
        data = unb64(payload["data_b64"])
        if payload["output_offset"] <= at:
            continue  # sent before the snapshot and still in the socket
        at += len(data)
        seen += data
        assert payload["output_offset"] == at


def test_a_child_that_hears_no_signal_is_killed_two_seconds_after_its_pane_is_closed(shop: Shop) -> None:
    pane = shop.run("trap '' HUP TERM INT; echo deaf; while :; do sleep 0.1; done")
    shop.shows(pane["id"], "deaf")
    pid = shop.pid(pane["id"])
    assert shop.client.call("pane.close", pane_id=pane["id"]) == {"closed": True}
    assert is_running(pid)
    wait_until(lambda: not is_running(pid), "the end of the deaf child", 4.0)


def test_a_child_that_obeys_is_gone_within_half_a_second(shop: Shop) -> None:
    """Edge case 10."""
    pane = shop.run("echo up; exec sleep 100")
    shop.shows(pane["id"], "up")
    pid = shop.pid(pane["id"])
    assert shop.client.refusal("pane.close", pane_id=pane["id"], signal="BOGUS")["code"] == "BAD_PARAMS"
    assert shop.client.refusal("pane.close", pane_id=pane["id"], signal="")["code"] == "BAD_PARAMS"
    assert is_running(pid)
    shop.client.call("pane.close", pane_id=pane["id"])
    wait_until(lambda: not is_running(pid), "the end of the child", 1.0)


def test_a_child_that_never_reads_stalls_its_own_input_alone(shop: Shop) -> None:
    """Edge case 19."""
    pane, other = shop.run("stty raw -echo; echo deaf; exec sleep 100"), shop.spawn("cat")
    shop.shows(pane["id"], "deaf")
    typist = shop.server.client()
    began = time.monotonic()
    typist.send("pane.input", pane_id=pane["id"], data_b64=b64(b"x" * 500_000))
    assert shop.client.call("pane.input", pane_id=other["id"], data_b64=b64(b"hi\n")) == {"written": 3}
    shop.shows(other["id"], "hi")
    assert shop.client.call("pane.resize", pane_id=pane["id"], cols=100, rows=30)["pane"]["pty_size"]["cols"] == 100
    assert shop.client.call("pane.signal", pane_id=pane["id"], signal="WINCH") == {"sent": True}
    error = typist.reply("c1")["error"]
    assert error["code"] == "TIMEOUT"
    assert 0 < error["details"]["written_bytes"] < 500_000
    assert time.monotonic() - began > 4.5
