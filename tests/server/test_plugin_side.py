"""Plugins of a real server: hooks that run, reloads, and an end that waits for nobody for long."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import Server, is_running, running, wait_until

Record = dict[str, Any]
CHIME = """
[plugin]
name = "chime"
[[hook]]
events = ["attention.*", "notification.created"]
command = ["./hear"]
"""
HEAR = """#!/bin/sh
read -r line
echo "$SIGNALTTY_EVENT $SIGNALTTY_SOCKET $SIGNALTTY_PLUGIN_NAME $SIGNALTTY_PLUGIN_DIR $(pwd) $line" >> heard
"""


def write_plugin(place: Path, manifest: str, **programs: str) -> None:
    place.mkdir(parents=True)
    for name, text in programs.items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    (place / "plugin.toml").write_text(manifest)


@pytest.fixture
def server() -> Iterator[Server]:
    with running(started=False) as made:
        yield made


@pytest.fixture
def place(server: Server) -> Path:
    return Path(server.directory) / "plugins"


def start(server: Server, place: Path) -> None:
    server.start("--plugin-dir", str(place))


def hooks(listing: Record) -> list[Record]:
    return [hook for plugin in listing["plugins"] for hook in plugin["hooks"]]


def test_a_hook_gets_the_events_it_names(server: Server, place: Path) -> None:
    """Edge case 89."""
    write_plugin(place / "chime", CHIME, hear=HEAR)
    start(server, place)
    client = server.client()
    client.call("subscribe", events=["notification.*", "attention.*"])
    workspace = client.call("workspace.create", cwd=server.work)["workspace"]["id"]
    pane = client.call("pane.spawn", workspace_id=workspace, argv=["cat"])["pane"]["id"]
    client.call("notify", pane_id=pane, title="look here", severity="warning")
    notified = client.event("notification.created")
    heard = place / "chime" / "heard"
    wait_until(lambda: heard.exists() and len(heard.read_text().splitlines()) >= 2, "two runs of the hook")
    lines = [line.split(" ", 5) for line in heard.read_text().splitlines()]
    assert sorted({line[0] for line in lines}) == ["attention.created", "notification.created"]
    own = str(place / "chime")
    assert {tuple(line[1:5]) for line in lines} == {(server.path, "chime", own, own)}
    assert [json.loads(line[5]) for line in lines if line[0] == "notification.created"] == [notified]

    def quiet() -> Record | None:
        hook = hooks(client.call("plugin.list"))[0]
        return hook if hook["runs"] >= 2 else None

    hook = wait_until(quiet, "both runs to be counted")
    assert (hook["errors"], "last_error" in hook, hook["events"]) == (
        *(0, False),
        ["attention.*", "notification.created"],
    )


def test_a_reload_finds_new_plugins_and_names_broken_ones(server: Server, place: Path) -> None:
    """Edge case 90."""
    write_plugin(place / "chime", CHIME, hear=HEAR)
    start(server, place)
    client = server.client()
    assert [one["name"] for one in client.call("plugin.list")["plugins"]] == ["chime"]
    write_plugin(place / "added", '[plugin]\nname = "added"\nversion = "2"\n[[command]]\nname = "c"\nrun = ["true"]')
    write_plugin(place / "broken", '[plugin]\nname = "other"')
    listing = client.call("plugin.reload")
    assert [one["name"] for one in listing["plugins"]] == ["added", "chime"]
    assert [failure["dir"] for failure in listing["failures"]] == ["broken"]
    assert client.call("plugin.list") == listing
    assert "plugin broken is left out" in server.log()


def test_a_server_without_plugins_has_an_empty_set_until_it_reloads(server: Server, place: Path) -> None:
    start(server, place)
    client = server.client()
    assert client.call("plugin.list") == {"dir": str(place), "plugins": [], "failures": []}
    write_plugin(place / "chime", CHIME, hear=HEAR)
    client.call("plugin.reload")
    client.call("notify", title="heard")
    wait_until((place / "chime" / "heard").exists, "the hook of the new plugin")


def test_a_directory_that_cannot_be_listed_keeps_the_old_set(server: Server, place: Path) -> None:
    write_plugin(place / "chime", CHIME, hear=HEAR)
    start(server, place)
    client = server.client()
    before = client.call("plugin.list")
    os.rename(place, f"{place}.aside")
    place.write_text("a file")
    assert client.refusal("plugin.reload")["code"] == "IO_ERROR"
    assert client.call("plugin.list") == before


def test_a_hook_that_fails_harms_nothing_and_is_told(server: Server, place: Path) -> None:
    failing = '[[hook]]\nevents = ["workspace.created"]\ncommand = ["sh", "-c", "exit 4"]\n'
    missing = '[[hook]]\nevents = ["workspace.created"]\ncommand = ["./missing"]\n'
    write_plugin(place / "bad", f'[plugin]\nname = "bad"\n{failing}{missing}')
    write_plugin(place / "chime", CHIME.replace("notification.created", "workspace.created"), hear=HEAR)
    start(server, place)
    client = server.client()
    client.call("workspace.create", cwd=server.work)
    wait_until((place / "chime" / "heard").exists, "the good hook")
    wait_until(lambda: sum(hook["errors"] for hook in hooks(client.call("plugin.list"))) == 2, "both errors")
    first, second = hooks(client.call("plugin.list"))[:2]
    assert (first["runs"], first["errors"], first["last_error"]) == (1, 1, "exit status 4")
    assert second["last_error"] == f"cannot start {place}/bad/./missing: No such file or directory"


SLOW_DISK = """
import os, time

write = os.write
is_slow = True


def write_slowly(fd, data):
    global is_slow
    if is_slow and b"server.will_shutdown" in bytes(data):
        is_slow = False
        time.sleep(1.3)
        open(os.path.dirname(__file__) + "/was-slow", "w").close()
    return write(fd, data)


os.write = write_slowly
"""
TRIES = 5


def hook_of_the_end(script: str) -> str:
    return f'[[hook]]\nevents = ["server.will_shutdown"]\ncommand = ["sh", "-c", "{script}"]\ntimeout = 300\n'


def hears_of_the_end(server: Server, place: Path, *said: Path) -> None:
    """Start and end the server until its hooks have said this. They have one second of the clock, and a busy machine
    may need more to start a program."""
    for _ in range(TRIES):
        start(server, place)
        server.client().send("server.shutdown")
        assert server.wait_end() == 0
        if all(path.exists() and path.read_text() for path in said):
            return
    raise AssertionError(f"a hook was not heard of in {TRIES} shutdowns: {server.log()}")


def test_hooks_hear_of_the_end_which_waits_for_none_of_them_for_long(server: Server, place: Path) -> None:
    hooks = hook_of_the_end("echo $SIGNALTTY_EVENT > heard") + hook_of_the_end("echo $$ > pid; exec sleep 300")
    write_plugin(place / "end", f'[plugin]\nname = "end"\n{hooks}')
    heard, pid = place / "end" / "heard", place / "end" / "pid"
    hears_of_the_end(server, place, heard, pid)
    assert heard.read_text() == "server.will_shutdown\n"
    wait_until(lambda: not is_running(int(pid.read_text())), "the end of the endless hook")


def test_a_disk_that_is_slow_at_the_end_leaves_hooks_their_time(server: Server, place: Path) -> None:
    write_plugin(
        place / "end", f'[plugin]\nname = "end"\n{hook_of_the_end("sleep 0.1; echo $SIGNALTTY_EVENT > heard")}'
    )
    (Path(server.directory) / "sitecustomize.py").write_text(SLOW_DISK)
    server.environ["PYTHONPATH"] = server.directory
    hears_of_the_end(server, place, place / "end" / "heard")
    assert (Path(server.directory) / "was-slow").exists()
