"""A client's connection against sockets that behave, misbehave and keep silent."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import BadProtocol, Forbidden, IoError, NoSuchPane, NoSuchServer, RateLimited, TimedOut
from signaltty_core.client.conn import connect

from .scripted import STATUS, ScriptedServer

Speak = Callable[..., str]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ScriptedServer]:
    made = ScriptedServer(tmp_path / "s.sock")
    yield made
    made.close()


@pytest.fixture
def speak(tmp_path: Path) -> Iterator[Speak]:
    """A server that reads two lines (greeting and request), writes the given bytes and closes."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(tmp_path / "raw.sock"))
    listener.listen()

    def start(*pieces: bytes) -> str:
        def serve() -> None:
            peer, _ = listener.accept()
            with peer, peer.makefile("rb") as lines:
                lines.readline(), lines.readline()
                for piece in pieces:
                    peer.sendall(piece)

        threading.Thread(target=serve, daemon=True).start()
        return str(tmp_path / "raw.sock")

    yield start
    listener.close()


def line(**frame: Any) -> bytes:
    return json.dumps({"protocol": "signaltty/1", **frame}).encode() + b"\n"


def test_a_call_gives_the_result_and_learns_the_servers_version(server: ScriptedServer) -> None:
    server.answers["pane.get"] = {"pane": {"id": "pane_1"}}
    connection = connect(server.path)
    assert connection.call("pane.get", {"pane_id": "a"}) == {"pane": {"id": "pane_1"}}
    assert connection.call("pane.get", {"pane_id": "b"}) == {"pane": {"id": "pane_1"}}
    assert connection.server_version == STATUS["version"]
    assert server.requests == [
        ("server.status", {}),
        ("pane.get", {"pane_id": "a"}),
        ("pane.get", {"pane_id": "b"}),
    ]


def test_an_error_becomes_the_exception_of_its_code(server: ScriptedServer) -> None:
    server.answers["pane.get"] = Exception("NO_SUCH_PANE", "no pane x", {"pane_id": "x"})
    with pytest.raises(NoSuchPane) as caught:
        connect(server.path).call("pane.get", {"pane_id": "x"})
    assert (caught.value.message, caught.value.details) == ("no pane x", {"pane_id": "x"})


def test_several_requests_may_be_under_way(server: ScriptedServer) -> None:
    server.answers["echo"] = lambda params: params
    connection = connect(server.path)
    ids = [connection.send("echo", {"n": n}) for n in range(3)]
    assert [connection.receive(id, 5, "echo") for id in ids] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_events_in_front_of_a_reply_are_kept_for_later(speak: Speak) -> None:
    first, second = line(type="event", event="a", seq=1, payload={}), line(type="event", event="b", seq=2, payload={})
    connection = connect(speak(first, line(id="c1", ok=True, result=1), second))
    assert connection.call("subscribe", {}) == 1
    assert [connection.next_event(5), connection.next_event(5)] == [json.loads(first), json.loads(second)]
    assert connection.next_event(5) is None


def test_a_reply_may_come_byte_by_byte(speak: Speak) -> None:
    reply = line(id="c1", ok=True, result={"text": "häß"})
    connection = connect(speak(*(bytes([byte]) for byte in reply)))
    assert connection.call("pane.read", {}) == {"text": "häß"}


def test_a_reply_of_twenty_megabytes_arrives_whole(speak: Speak) -> None:
    text = "語" * 3_400_000  # six bytes each on the wire
    connection = connect(speak(line(id="c1", ok=True, result=text)))
    assert connection.call("pane.read", {}) == text


def test_a_refusal_of_the_connection_itself_is_the_answer(speak: Speak) -> None:
    error = {"code": "RATE_LIMITED", "message": "full", "details": {}}
    connection = connect(speak(line(id="?", ok=False, error=error)))
    with pytest.raises(RateLimited, match="full"):
        connection.call("pane.get", {})


def test_no_file_and_no_listener_both_mean_no_server(tmp_path: Path) -> None:
    with pytest.raises(NoSuchServer):
        connect(str(tmp_path / "nothing.sock"))
    left_over = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left_over.bind(str(tmp_path / "stale.sock"))
    left_over.close()
    with pytest.raises(NoSuchServer):
        connect(str(tmp_path / "stale.sock"))


def test_a_full_queue_is_reported_within_the_limit(tmp_path: Path) -> None:
    path = str(tmp_path / "full.sock")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(0)
    waiting = []
    with pytest.raises(TimedOut, match=r"nobody accepts connections at .*full\.sock"):
        for _ in range(100):
            waiting.append(connect(path, 0.2))
    for connection in waiting:
        connection.close()
    listener.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may connect to any socket")
def test_a_forbidden_socket_is_no_missing_server(server: ScriptedServer) -> None:
    Path(server.path).chmod(0)
    with pytest.raises(Forbidden):
        connect(server.path)


def test_a_path_that_cannot_be_a_socket_is_an_error_of_its_own() -> None:
    with pytest.raises(IoError, match="cannot connect to /tmp/xxx"):
        connect("/tmp/" + "x" * 200)


def test_a_path_too_long_for_a_socket_is_told_with_its_length() -> None:
    path = "/tmp/" + "x" * 120
    with pytest.raises(IoError) as failure:
        connect(path)
    assert failure.value.message == (
        f"cannot connect to {path}: a socket's path has 100 bytes at most, this one 125; use another --socket"
    )


def test_silence_ends_in_a_time_out_that_names_the_method(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    path = str(tmp_path / "mute.sock")
    listener.bind(path)
    listener.listen()
    with pytest.raises(TimedOut, match=r"no answer to pane\.get within 0\.2 seconds"):
        connect(path).call("pane.get", {}, 0.2)
    listener.close()


def test_a_server_that_closes_gives_no_answer(speak: Speak) -> None:
    with pytest.raises(IoError, match="the server ended before it answered"):
        connect(speak()).call("pane.get", {})


def test_another_protocol_is_named_beside_ours(speak: Speak) -> None:
    reply = {"protocol": "signaltty/9", "id": "c1", "ok": True, "result": 1}
    with pytest.raises(BadProtocol, match=r"speaks signaltty/1; the server speaks signaltty/9"):
        connect(speak(json.dumps(reply).encode() + b"\n")).call("pane.get", {})


def test_a_refused_protocol_names_what_the_server_expects(speak: Speak) -> None:
    error = {"code": "BAD_PROTOCOL", "message": "expected …", "details": {"expected": "signaltty/2"}}
    with pytest.raises(BadProtocol, match=r"speaks signaltty/1; the server speaks signaltty/2"):
        connect(speak(line(id="c1", ok=False, error=error))).call("pane.get", {})


@pytest.mark.parametrize("noise", [b"nonsense\n", b"[1]\n", b"\xff\xfe\n"])
def test_an_answer_that_is_no_object_is_an_error(speak: Speak, noise: bytes) -> None:
    with pytest.raises(IoError, match="the server's answer"):
        connect(speak(noise)).call("pane.get", {})


def test_neither_json_nor_socket_nor_re_is_imported() -> None:
    program = "import sys, signaltty_core.client.conn; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-SEc", program], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE)
    assert {"json", "socket", "re", "enum", "typing", "contextlib"} & set(done.stdout.decode().split()) == set()
