from __future__ import annotations

import _socket
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.keeper.protocol import (
    FRAME_BYTES,
    BadFrame,
    Channel,
    FrameBuffer,
    ask_ps,
    is_running,
    pack,
    started_at,
)

Pair = tuple[Channel, Channel]


def channel(end: socket.socket) -> Channel:
    return Channel(_socket.socket(fileno=end.detach()), json.dumps, json.loads)


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = (channel(end) for end in socket.socketpair())
    yield left, right
    left.close()
    right.close()


def open_descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def test_a_frame_is_four_bytes_of_length_and_the_text() -> None:
    assert pack('{"a":"ä"}') == b'\x00\x00\x00\x0a{"a":"\xc3\xa4"}'


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_frames_come_out_whole_however_the_stream_is_cut(bodies: list[bytes], size: int) -> None:
    stream = b"".join(len(body).to_bytes(4, "big") + body for body in bodies)
    buffer = FrameBuffer()
    found = []
    for at in range(0, len(stream), size):
        found += buffer.add(stream[at : at + size])
    assert found == bodies


def test_an_absurd_length_is_a_bad_frame() -> None:
    with pytest.raises(BadFrame):
        FrameBuffer().add((FRAME_BYTES + 1).to_bytes(4, "big"))


def test_messages_arrive_in_order(pair: Pair) -> None:
    left, right = pair
    left.send({"id": 1})
    left.send({"id": 2})
    assert right.receive() == ([({"id": 1}, -1), ({"id": 2}, -1)], True)
    assert right.receive() == ([], True)


def test_each_master_arrives_with_its_own_message(pair: Pair) -> None:
    left, right = pair
    pipes = [os.pipe() for _ in range(3)]
    for number, (_, write_end) in enumerate(pipes):
        left.send({"id": number, "plain": True})
        left.send({"id": number}, write_end)
        os.close(write_end)
    received = []
    while len(received) < 6:
        received += right.receive()[0]
    for message, master in received:
        if "plain" in message:
            assert master == -1
            continue
        assert not os.get_inheritable(master)
        os.write(master, b"%d" % message["id"])
        os.close(master)
    assert [os.read(read_end, 9) for read_end, _ in pipes] == [b"0", b"1", b"2"]
    for read_end, _ in pipes:
        os.close(read_end)


def test_a_long_message_with_a_master_waits_until_the_peer_reads(pair: Pair) -> None:
    left, right = pair
    before = open_descriptors()
    text = "x" * 3_000_000
    left.send({"text": text}, 0)
    left.send({"id": 2}, 0)
    assert left.is_waiting()
    received = []
    while len(received) < 2:
        left.flush()
        received += right.receive()[0]
    assert not left.is_waiting()
    assert received[0][0] == {"text": text, "master": True}
    assert received[1][0] == {"id": 2, "master": True}
    for _, master in received:
        assert os.fstat(master) == os.fstat(0)
        os.close(master)
    assert open_descriptors() == before


def test_a_closed_channel_leaves_no_descriptor() -> None:
    before = open_descriptors()
    left, right = (channel(end) for end in socket.socketpair())
    left.send({"text": "x" * 3_000_000}, 0)
    left.send({"id": 2}, 0)
    assert left.is_waiting()
    right.receive()
    left.close()
    right.close()
    assert open_descriptors() == before


def test_the_end_of_the_peer_is_told_after_its_last_words(pair: Pair) -> None:
    left, right = pair
    left.send({"notice": "bye"})
    left.close()
    assert right.receive() == ([({"notice": "bye"}, -1)], False)


def test_sending_to_a_dead_peer_is_no_error(pair: Pair) -> None:
    left, right = pair
    right.close()
    left.send({"id": 1}, 0)
    left.send({"id": 2})
    assert left.broken
    assert not left.is_waiting()
    assert left.receive() == ([], False)


@pytest.mark.parametrize("body", [b"[]", b"nope", b"\xff"])
def test_a_frame_that_is_no_object_is_bad(pair: Pair, body: bytes) -> None:
    left, right = pair
    left.socket.send(len(body).to_bytes(4, "big") + body)
    with pytest.raises(BadFrame):
        right.receive()


def test_a_process_is_known_by_its_start_time() -> None:
    own = started_at(os.getpid())
    assert own is not None
    assert own == started_at(os.getpid())
    assert is_running(os.getpid(), own)
    assert not is_running(os.getpid(), own + 1)


def test_a_process_that_ended_does_not_run_even_before_it_is_reaped() -> None:
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(read_end, 1)
        os._exit(0)
    start_time = started_at(pid)
    assert is_running(pid, start_time)
    os.write(write_end, b"x")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(pid, start_time)
    os.waitpid(pid, 0)
    assert not is_running(pid, start_time)
    assert started_at(pid) is None
    os.close(read_end)
    os.close(write_end)


PS = pytest.mark.skipif(
    not shutil.which("ps") or not os.path.exists("/proc/stat"), reason="this machine has no ps, or no /proc beside it"
)


@PS
def test_without_proc_a_start_is_told_by_ps_alike_in_every_time_zone() -> None:
    code = "import sys; from signaltty_core.keeper.protocol import ask_ps; print(ask_ps(int(sys.argv[1]))[1])"
    words = [sys.executable, "-c", code, str(os.getpid())]
    told = {
        subprocess.run(words, env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True).stdout
        for zone in ("UTC0", "EST5EDT", "XXX-13")
    }
    state, started = ask_ps(os.getpid())
    assert told == {f"{started}\n"}
    assert state in "RSD"
    listed = Path("/proc/stat").read_text().splitlines()
    boot = next(int(line.split()[1]) for line in listed if line.startswith("btime"))
    ticks = started_at(os.getpid())
    assert started is not None and ticks is not None
    assert abs(boot + ticks / os.sysconf("SC_CLK_TCK") - started) <= 2  # both sources round


@PS
def test_ps_tells_a_body_from_a_process_and_nothing_of_neither() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    state, started = ask_ps(child.pid)
    assert state == "Z" and started is not None
    child.wait()
    assert ask_ps(child.pid) == ("", None)
