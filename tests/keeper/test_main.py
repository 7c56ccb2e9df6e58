from __future__ import annotations

import base64
import errno
import fcntl
import os
import resource
import signal
import stat
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.keeper.rig import LIMIT_S, Rig, is_alive, kill_quietly, read_all, wait_until

STUBBORN = "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done"


def descriptors(pid: int) -> list[str]:
    return sorted(os.listdir(f"/proc/{pid}/fd"))


def say_ready(master: int) -> None:
    seen = b""

    def ready() -> bool:
        nonlocal seen
        try:
            seen += os.read(master, 4096)
        except BlockingIOError:
            return False
        return b"ready" in seen

    wait_until(ready, "ready")


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="looks into /proc, which macOS lacks")


def test_the_socket_is_private_and_both_files_go_with_the_keeper(rig: Rig) -> None:
    keeper = rig.keeper()
    server = rig.server()
    assert server.hello == {"keeper": 1, "version": server.hello["version"], "pid": keeper.pid}
    assert stat.S_IMODE(os.stat(rig.path).st_mode) == 0o600
    assert sorted(os.listdir(rig.directory)) == ["keeper.lock", "keeper.sock"]
    server.bye()
    assert keeper.wait(LIMIT_S) == 0
    assert os.listdir(rig.directory) == []


@needs_proc
def test_the_keeper_is_detached(rig: Rig) -> None:
    keeper = rig.keeper()
    rig.server()
    assert os.getsid(keeper.pid) == keeper.pid
    assert os.readlink(f"/proc/{keeper.pid}/cwd") == "/"
    assert [os.readlink(f"/proc/{keeper.pid}/fd/{number}") for number in (0, 1, 2)] == ["/dev/null"] * 3


def test_a_keeper_that_nobody_uses_ends(rig: Rig) -> None:
    assert rig.keeper(lonely_s=0.2).wait(LIMIT_S) == 0
    assert os.listdir(rig.directory) == []


def test_of_many_keepers_one_remains(rig: Rig) -> None:
    keepers = [rig.keeper() for _ in range(5)]
    server = rig.server()
    wait_until(lambda: sum(keeper.poll() is None for keeper in keepers) == 1, "four ends")
    assert sorted(str(keeper.poll()) for keeper in keepers) == ["0", "0", "0", "0", "None"]
    assert [keeper.pid for keeper in keepers if keeper.poll() is None] == [server.hello["pid"]]


def test_a_socket_left_by_a_killed_keeper_is_no_obstacle(rig: Rig) -> None:
    first = rig.keeper()
    rig.server()
    first.kill()
    first.wait()
    second = rig.keeper()
    assert rig.server().hello["pid"] == second.pid


def test_a_second_server_is_refused_with_a_sentence_and_the_first_goes_on(rig: Rig) -> None:
    """Edge case 159."""
    rig.keeper()
    first = rig.server()
    second = rig.server()
    assert second.hello["error"] == "another server is connected to this keeper"
    assert second.is_refused()
    os.close(first.spawn("p", "cat")[1])
    first.close()
    wait_until(lambda: "error" not in rig.server().hello, "a free keeper")


def test_a_peer_that_says_nothing_is_sent_away(rig: Rig) -> None:
    rig.keeper(hello_s=0.1)
    assert rig.server(greet=False).is_refused()


def test_a_peer_that_talks_nonsense_is_sent_away(rig: Rig) -> None:
    rig.keeper()
    server = rig.server(greet=False)
    server.channel.socket.send(b"\xff\xff\xff\xff")
    assert server.is_refused()
    assert rig.server(greet=False).hello["keeper"] == 1


def test_an_unknown_request_gets_an_error_and_the_connection_stays(rig: Rig) -> None:
    rig.keeper()
    server = rig.server(some_new_field=1)
    assert server.ask("dance") == ({"error": "unknown request: dance"}, -1)
    assert server.ask("spawn", pane_id="p")[0]["error"].startswith("bad spawn:")
    assert server.ask("list", some_new_field=1) == ({"children": []}, -1)


@needs_proc
def test_a_child_has_three_descriptors_its_own_session_and_clean_signals(rig: Rig) -> None:
    rig.keeper()
    server = rig.server(nofile=777)
    for number in range(3):
        server.spawn(f"other{number}", "cat")
    pid, master = server.spawn("p", "cat", cwd=str(rig.directory), env={"COLOUR": "blue"})
    wait_until(lambda: descriptors(pid) == ["0", "1", "2"], "no other descriptor")  # the loader closes its own soon
    assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in (0, 1, 2)} == {os.readlink(f"/proc/{pid}/fd/0")}
    assert (os.getsid(pid), os.getpgid(pid)) == (pid, pid)
    assert int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[4]) != 0  # controlling terminal
    assert os.readlink(f"/proc/{pid}/cwd") == str(rig.directory)
    assert Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")[2:3] == [b"COLOUR=blue"]
    status = dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    for name in ("SigBlk", "SigIgn", "SigCgt"):
        assert int(status[name], 16) & ~(1 << 31 | 1 << 32) == 0, name  # 32, 33 are the C library's
    assert resource.prlimit(pid, resource.RLIMIT_NOFILE)[0] == 777
    assert fcntl.ioctl(master, termios.TIOCGWINSZ, bytes(8)) == b"\x18\x00\x50\x00\x00\x00\x00\x00"


def test_masters_are_non_blocking_and_close_on_exec_at_both_ends(rig: Rig) -> None:
    rig.keeper()
    _, master = rig.server().spawn("p", "cat")
    assert not os.get_blocking(master)
    assert not os.get_inheritable(master)


def test_failures_to_start_name_what_failed_and_list_nothing(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    forbidden = rig.directory / "forbidden"
    forbidden.mkdir()

    def failure(argv: list[str], cwd: str) -> tuple[object, ...]:
        env = {"PATH": "/usr/bin:/bin"}
        reply, master = server.ask("spawn", pane_id="p", argv=argv, cwd=cwd, env=env, cols=80, rows=24)
        assert master == -1
        return reply["what"], reply["errno"], reply["error"]

    assert failure(["true"], "/no/where") == ("cwd", errno.ENOENT, "/no/where: No such file or directory")
    assert failure(["no-such"], "/") == ("exec", errno.ENOENT, "no-such: No such file or directory")
    assert server.ask("list") == ({"children": []}, -1)
    assert server.notices == []


def test_two_hundred_fast_exits_keep_code_signal_and_last_output(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    masters = {}
    for number in range(200):
        end = f"exit {number}" if number % 4 else "kill -9 $$"
        masters[number] = server.spawn(f"p{number}", "sh", "-c", f"printf 'last words {number}'; {end}")[1]
    for number, master in masters.items():
        expected = (number, None) if number % 4 else (None, "KILL")
        notice = server.exit_of(f"p{number}")
        assert (notice["code"], notice["signal"]) == expected
        assert read_all(master) == b"last words %d" % number
        os.close(master)
        assert server.ask("forget", pane_id=f"p{number}")[0] == {"forgotten": True}
    assert len(server.notices) == 200
    assert server.ask("list")[0] == {"children": []}


@needs_proc
def test_three_hundred_panes_leave_no_descriptor_and_no_zombie(rig: Rig) -> None:
    keeper = rig.keeper()
    server = rig.server()
    os.close(server.spawn("first", "true")[1])
    server.exit_of("first")
    server.ask("forget", pane_id="first")
    before = descriptors(keeper.pid), descriptors(os.getpid())
    masters = [server.spawn(f"p{number}", "cat")[1] for number in range(300)]
    for number, master in enumerate(masters):
        assert server.ask("signal", pane_id=f"p{number}", signal="TERM", group=True)[0] == {"sent": True}
        os.close(master)
        server.ask("forget", pane_id=f"p{number}")
    wait_until(lambda: server.ask("list")[0] == {"children": []}, "the end of all")
    assert (descriptors(keeper.pid), descriptors(os.getpid())) == before
    assert Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children").read_text() == ""


def test_signals_reach_child_or_group_and_never_a_reaped_one(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    pid, master = server.spawn("p", "sh", "-c", "trap '' HUP; sleep 60 & echo ready $!; wait")
    say_ready(master)
    assert server.ask("signal", pane_id="p", signal="STOP", group=False)[0]["error"] == "no signal is named STOP"
    assert server.ask("signal", pane_id="p", signal="KILL", group=False)[0] == {"sent": True}
    assert server.exit_of("p") == {"notice": "exited", "pane_id": "p", "code": None, "signal": "KILL"}
    assert server.ask("signal", pane_id="p", signal="KILL", group=False)[0] == {"error": "gone"}
    assert server.ask("forget", pane_id="p")[0] == {"forgotten": True}
    assert server.ask("signal", pane_id="p", signal="TERM", group=True)[0] == {"sent": True}
    wait_until(lambda: server.ask("signal", pane_id="p", signal="TERM", group=True)[0] == {"error": "gone"}, "gone")
    assert server.ask("signal", pane_id="never", signal="TERM", group=True)[0] == {"error": "gone"}
    assert not is_alive(pid)


def test_a_forgotten_child_ends_without_a_notice(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    pid, master = server.spawn("p", "sh", "-c", STUBBORN)
    say_ready(master)
    os.close(master)
    server.ask("forget", pane_id="p")
    listed = server.ask("list")[0]["children"]
    assert [(child["pid"], child["running"], child["forgotten"]) for child in listed] == [(pid, True, True)]
    assert server.ask("adopt", pane_id="p")[0] == {"error": "no child of pane p"}
    assert server.ask("signal", pane_id="p", signal="KILL", group=True)[0] == {"sent": True}
    wait_until(lambda: server.ask("list")[0] == {"children": []}, "its end")
    assert server.notices == []


@pytest.mark.parametrize("farewell", [True, False])
def test_a_child_that_was_closed_does_not_outlive_the_server_that_closed_it(rig: Rig, farewell: bool) -> None:
    """A server that is killed between hang-up and KILL leaves a program that no pane shows and no server knows."""
    keeper = rig.keeper(forsaken_s=0.2)
    server = rig.server()
    closed, master = server.spawn("closed", "sh", "-c", STUBBORN)
    say_ready(master)
    os.close(master)
    kept, _ = server.spawn("kept", "cat")
    server.ask("forget", pane_id="closed")
    server.bye() if farewell else server.close()
    wait_until(lambda: not is_alive(closed), "its end")
    assert is_alive(kept) and keeper.poll() is None
    successor = rig.server()
    wait_until(lambda: [child["pid"] for child in successor.ask("list")[0]["children"]] == [kept], "its reaping")


def test_a_pane_id_lives_again_only_after_its_child_has_ended(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    first, _ = server.spawn("p", "cat")
    reply, _ = server.ask("spawn", pane_id="p", argv=["cat"], cwd="/", env={"PATH": "/usr/bin:/bin"}, cols=80, rows=24)
    assert (reply["what"], reply["errno"]) == ("fork", errno.EEXIST)
    kill_quietly(first)
    server.exit_of("p")
    second, _ = server.spawn("p", "cat")
    wait_until(lambda: [child["pid"] for child in server.ask("list")[0]["children"]] == [second], "one child")


def test_a_successor_finds_the_children_and_what_they_printed(rig: Rig) -> None:
    rig.keeper()
    first = rig.server()
    pid, master = first.spawn("p", "sh", "-c", "read word; echo got $word; cat")
    first.close()
    os.write(master, b"tea\n")
    os.close(master)
    second = rig.server()
    child = second.ask("list")[0]["children"][0]
    assert (child["pane_id"], child["pid"], child["running"]) == ("p", pid, True)
    data = b""

    def grown() -> bool:
        nonlocal data, master
        reply, master = second.ask("adopt", pane_id="p")
        data += base64.b64decode(reply["data"])
        try:
            data += os.read(master, 4096)
        except BlockingIOError:
            pass
        os.close(master)
        return b"got tea" in data

    wait_until(grown, "the output")
    assert data == b"tea\r\ngot tea\r\n"


def test_without_a_server_at_most_a_mebibyte_is_kept_and_the_rest_counted(rig: Rig) -> None:
    rig.keeper()
    first = rig.server()
    total = 3_000_000
    done = rig.directory / "done"
    program = f"stty -opost; echo ready; read go; head -c {total} /dev/zero | tr '\\0' x; printf END; touch {done}; cat"
    _, master = first.spawn("p", "sh", "-c", program)
    say_ready(master)
    os.write(master, b"\n")
    os.close(master)
    first.close()
    wait_until(done.exists, "a child that is not held up")
    second = rig.server()
    reply, master = second.ask("adopt", pane_id="p")
    data = base64.b64decode(reply["data"])
    assert len(data) == 1 << 20
    assert data.endswith(b"xxxEND")
    assert reply["dropped"] + len(data) in (total + 3, total + 4, total + 5)  # the echo of the newline
    assert second.ask("adopt", pane_id="p")[0] == {"data": "", "dropped": 0, "master": True}


def test_while_a_server_is_connected_the_keeper_reads_nothing(rig: Rig) -> None:
    rig.keeper()
    server = rig.server()
    _, master = server.spawn("p", "sh", "-c", "echo hello; exit 4")
    server.exit_of("p")
    child = server.ask("list")[0]["children"][0]
    assert (child["running"], child["code"], child["signal"], child["buffered"]) == (False, 4, None, 0)
    assert read_all(master) == b"hello\r\n"


def test_an_exit_without_a_server_is_kept_until_it_is_forgotten(rig: Rig) -> None:
    keeper = rig.keeper()
    first = rig.server()
    _, master = first.spawn("p", "sh", "-c", "echo ready; read go; printf bye; exit 9")
    say_ready(master)
    os.write(master, b"\n")
    first.close()
    os.close(master)
    second = rig.server()
    child = wait_until(
        lambda: next((c for c in second.ask("list")[0]["children"] if not c["running"]), None), "the end"
    )
    assert (child["pane_id"], child["code"]) == ("p", 9)
    reply, master = second.ask("adopt", pane_id="p")
    assert base64.b64decode(reply["data"]) + read_all(master) == b"\r\nbye"
    second.ask("forget", pane_id="p")
    second.close()
    assert keeper.wait(LIMIT_S) == 0


def restarting(directory: Path, then: str) -> list[str]:
    """An argv that notes when and how it was started."""
    note = f"""
import os, sys, time
facts = time.monotonic(), os.getsid(0) == os.getpid(), os.environ.get("MARK"), sorted(os.listdir("/dev/fd"))[:3]
with open({str(directory / "starts")!r}, "a") as file:
    file.write("%s %s %s %s\\n" % facts)
"""
    return [sys.executable, "-SE", "-c", note + then]


def starts(directory: Path) -> list[list[str]]:
    path = directory / "starts"
    return [line.split(" ", 3) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_lost_server_is_started_again_each_time_after_twice_the_delay(rig: Rig) -> None:
    log = rig.directory / "log"
    rig.keeper(env={"MARK": "blue"}, first_s=0.05, most=4, window_s=1000.0)
    server = rig.server(argv=restarting(rig.directory, "print('spoken', flush=True)"), log=str(log))
    pid, master = server.spawn("p", "cat")
    lost_at = time.monotonic()
    server.close()
    os.close(master)
    wait_until(lambda: len(starts(rig.directory)) == 4, "four starts")
    at = [float(line[0]) for line in starts(rig.directory)]
    for earlier, later, delay_s in zip([lost_at, *at], at, (0.05, 0.1, 0.2, 0.4), strict=False):
        assert later - earlier >= delay_s * 0.5  # the process notes its start somewhat later than the keeper's clock
    assert [line[1:] for line in starts(rig.directory)] == [["True", "blue", "['0', '1', '2']"]] * 4
    assert log.read_text().count("spoken") == 4
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert is_alive(pid)
    assert rig.server().ask("list")[0]["children"][0]["pid"] == pid
    assert len(starts(rig.directory)) == 4


def test_a_killed_server_comes_back_and_finds_its_children(rig: Rig) -> None:
    """A server that is a process: spawns once, then is killed; its next life notes what the keeper lists."""
    rig.keeper(first_s=0.05)
    program = rig.directory / "server.py"
    program.write_text(
        "import os, sys, time\n"
        f"sys.path[:0] = {[path for path in sys.path if path]!r}\n"
        "from tests.keeper.rig import Server\n"
        "directory = sys.argv[1]\n"
        "server = Server(directory + '/keeper.sock', argv=[sys.executable, *sys.argv])\n"
        "children = server.ask('list')[0]['children']\n"
        "if not children:\n"
        "    server.spawn('p', 'cat')\n"
        "    children = server.ask('list')[0]['children']\n"
        "with open(directory + '/lives', 'a') as file:\n"
        "    file.write(f\"{os.getpid()} {children[0]['pid']}\\n\")\n"
        "while True:\n"
        "    server.turn(1)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    first = os.posix_spawn(sys.executable, [sys.executable, str(program), str(rig.directory)], env)

    def lives() -> list[list[str]]:
        path = rig.directory / "lives"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    wait_until(lambda: len(lives()) == 1, "the first life")
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    for number in (2, 3):
        wait_until(lambda number=number: len(lives()) == number, f"life {number}")
        os.kill(int(lives()[-1][0]), signal.SIGKILL)
    assert len({pid for pid, _ in lives()}) == 3
    child = {child for _, child in lives()}
    assert len(child) == 1
    assert is_alive(int(child.pop()))


def test_a_farewell_or_no_children_means_no_restart(rig: Rig) -> None:
    keeper = rig.keeper(first_s=0.01)
    argv = restarting(rig.directory, "")
    server = rig.server(argv=argv)
    pid, master = server.spawn("p", "cat")
    os.close(master)
    server.bye()
    second = wait_until(
        lambda: (lambda s: s if "error" not in s.hello else None)(rig.server(argv=argv)), "a free keeper"
    )
    os.kill(pid, signal.SIGKILL)
    second.exit_of("p")
    second.ask("forget", pane_id="p")
    second.close()
    assert keeper.wait(LIMIT_S) == 0
    assert starts(rig.directory) == []


def everything(directory: Path) -> None:
    for name in os.listdir(directory):
        os.unlink(directory / name)
    os.rmdir(directory)


@pytest.mark.parametrize("delete", [lambda path: os.unlink(path / "keeper.sock"), everything])
def test_what_is_deleted_is_put_back(rig: Rig, delete: Callable[[Path], None]) -> None:
    keeper = rig.keeper()
    server = rig.server()
    os.close(server.spawn("p", "cat")[1])
    server.close()
    delete(rig.directory)
    second = rig.server()
    assert [child["pane_id"] for child in second.ask("list")[0]["children"]] == ["p"]
    assert rig.keeper().wait(LIMIT_S) == 0
    assert keeper.poll() is None


def test_a_directory_that_another_keeper_has_taken_over_is_left_to_it(rig: Rig) -> None:
    first = rig.keeper()
    server = rig.server()
    os.close(server.spawn("p", "cat")[1])
    os.unlink(rig.directory / "keeper.lock")
    second = rig.keeper()
    wait_until(lambda: rig.server().hello["pid"] == second.pid, "the second keeper")
    assert server.ask("list")[0]["children"][0]["pane_id"] == "p"
    server.close()
    first.terminate()
    assert first.wait(LIMIT_S) == 0
    assert rig.server().hello["pid"] == second.pid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_the_keeper_hangs_up_and_then_kills(rig: Rig, number: int) -> None:
    keeper = rig.keeper(kill_s=0.3)
    server = rig.server()
    polite, _ = server.spawn("polite", "cat")
    stubborn, master = server.spawn("stubborn", "sh", "-c", STUBBORN)
    say_ready(master)
    keeper.send_signal(number)
    assert server.exit_of("polite")["signal"] == "HUP"
    assert server.exit_of("stubborn")["signal"] == "KILL"
    assert keeper.wait(LIMIT_S) == 0
    assert not is_alive(polite) and not is_alive(stubborn)
    assert os.listdir(rig.directory) == []


def test_a_killed_keeper_takes_no_child_along_while_a_server_holds_the_masters(rig: Rig) -> None:
    keeper = rig.keeper()
    server = rig.server()
    pid, master = server.spawn("p", "sh", "-c", "echo ready; read word; echo got $word; read word")
    say_ready(master)
    keeper.kill()
    keeper.wait()
    assert server.is_refused()
    os.write(master, b"on\n")
    seen = b""

    def answered() -> bool:
        nonlocal seen
        try:
            seen += os.read(master, 4096)
        except BlockingIOError:
            return False
        return b"got on" in seen

    wait_until(answered, "an answer")
    assert is_alive(pid)
    os.close(master)  # the last one: the kernel hangs up


@needs_proc
def test_the_keeper_is_small(rig: Rig) -> None:
    """Buffers aside at most a bare interpreter and 4 MiB (keeper §1), once its modules are compiled."""
    import subprocess

    def resident_kib(pid: int) -> int:
        text = Path(f"/proc/{pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    bare = subprocess.Popen([sys.executable, "-E", "-c", "print(flush=True); input()"], stdin=-1, stdout=-1)
    assert bare.stdout is not None
    bare.stdout.readline()
    bare_kib = resident_kib(bare.pid)
    bare.communicate(b"\n")
    keeper = rig.keeper()
    server = rig.server()
    for number in range(20):
        server.spawn(f"p{number}", "cat")
    assert resident_kib(keeper.pid) <= bare_kib + 4096
