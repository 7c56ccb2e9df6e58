from __future__ import annotations

import json
import os
import resource
import stat
from pathlib import Path

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.base.limits import TAIL_BYTES
from signaltty_core.host import files


def mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_a_missing_directory_is_made_for_this_user_alone(tmp_path: Path) -> None:
    files.secure_directory(str(tmp_path / "a" / "b"))

    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_an_existing_directory_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    files.secure_directory(str(tmp_path))

    assert mode(tmp_path) == 0o755


@pytest.mark.parametrize("bits", [0o777, 0o720, 0o1777])
def test_a_directory_that_others_can_write_is_refused(tmp_path: Path, bits: int) -> None:
    tmp_path.chmod(bits)

    with pytest.raises(IoError, match=f"can be written by others .mode {bits:04o}"):
        files.secure_directory(str(tmp_path))


def test_a_link_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")

    for name, reason in (
        ("link", "is a symbolic link"),
        ("dangling", "is a symbolic link"),
        ("file", "not a directory"),
    ):
        with pytest.raises(IoError, match=reason):
            files.secure_directory(str(tmp_path / name))
    with pytest.raises(IoError, match="cannot create the directory"):
        files.secure_directory(str(tmp_path / "file" / "below"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir(mode=0o700)
    os.chown(tmp_path / "d", 12345, -1)

    with pytest.raises(IoError, match="belongs to user 12345"):
        files.secure_directory(str(tmp_path / "d"))


def test_a_file_is_replaced_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "f"
    files.write_file(str(path), b"one" * 100, synced=True)
    with open(path, "rb") as former:
        files.write_file(str(path), b"two", synced=False)
        assert former.read() == b"one" * 100

    assert (path.read_bytes(), mode(path), os.listdir(tmp_path)) == (b"two", 0o600, ["f"])


def test_a_write_that_fails_leaves_the_former_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"former")
    child = os.fork()
    if child == 0:
        try:
            import signal

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            files.write_file(str(path), b"x" * 5000, synced=True)
        except OSError:
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 7
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"former", ["f"])


def test_the_token_secret_is_made_once(tmp_path: Path) -> None:
    first = files.token_secret(str(tmp_path))

    assert len(first) == 32
    assert files.token_secret(str(tmp_path)) == first == (tmp_path / "token-secret").read_bytes()
    assert mode(tmp_path / "token-secret") == 0o600


def test_a_token_secret_that_is_not_whole_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "token-secret").write_bytes(b"short")

    assert len(files.token_secret(str(tmp_path))) == 32


def test_a_token_secret_that_cannot_be_kept_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(IoError, match=r"cannot keep the token secret in .*: No such file"):
        files.token_secret(str(tmp_path / "missing"))


def test_tails_and_screens_come_back(tmp_path: Path) -> None:
    state = str(tmp_path)
    assert (files.read_tail(state, "pane_1"), files.read_screen(state, "pane_1", b"")) == (b"", None)

    tail = "eins\nzwei é\n".encode()
    files.write_tail(state, "pane_1", tail)
    files.write_screen(state, "pane_1", 80, 24, b"\x1b[Hhello\xff", tail)

    assert files.read_tail(state, "pane_1") == tail
    assert files.read_screen(state, "pane_1", tail) == (80, 24, b"\x1b[Hhello\xff")
    assert json.loads((tmp_path / "history" / "pane_1.screen").read_text())["cols"] == 80
    assert (mode(tmp_path / "history"), mode(tmp_path / "history" / "pane_1.tail")) == (0o700, 0o600)


def test_a_screen_that_is_older_than_the_tail_is_no_screen(tmp_path: Path) -> None:
    """A kill between the two writes; drawn below the newer tail, its rows would be there twice."""
    state, long = str(tmp_path), b"".join(b"line %d\n" % number for number in range(20_000))
    for tail in (long, b"short"):
        files.write_tail(state, "p", tail)
        assert files.read_screen(state, "p", files.read_tail(state, "p")) is None
        files.write_screen(state, "p", 80, 24, b"drawn", tail)
        assert files.read_screen(state, "p", files.read_tail(state, "p")) == (80, 24, b"drawn")


def test_a_long_tail_keeps_its_newest_whole_lines(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(20_000))

    files.write_tail(str(tmp_path), "p", text)

    kept = files.read_tail(str(tmp_path), "p")
    assert TAIL_BYTES - 16 < len(kept) <= TAIL_BYTES
    assert text.endswith(b"\n" + kept)


def test_a_tail_of_one_endless_line_is_cut_between_characters(tmp_path: Path) -> None:
    for text in ("x" + "é" * 50_000, "xx" + "é" * 50_000, "x" + "é" * 50_000 + "\n"):
        files.write_tail(str(tmp_path), "p", text.encode())

        kept = files.read_tail(str(tmp_path), "p")
        assert TAIL_BYTES - 2 <= len(kept) <= TAIL_BYTES
        assert text.endswith(kept.decode())


def test_a_line_that_starts_exactly_at_the_limit_is_kept(tmp_path: Path) -> None:
    last = b"y" * (TAIL_BYTES - 1) + b"\n"

    files.write_tail(str(tmp_path), "p", b"before\n" + last)

    assert files.read_tail(str(tmp_path), "p") == last


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b'{"cols":1,"rows":2}', b'{"cols":1,"rows":"2","snapshot_b64":""}']
)
def test_a_broken_screen_is_no_screen(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "p.screen").write_bytes(broken)

    assert files.read_screen(str(tmp_path), "p", b"") is None


def test_history_of_panes_that_are_gone_is_pruned(tmp_path: Path) -> None:
    files.prune_history(str(tmp_path), (), ())
    for pane_id in ("live", "ended", "gone"):
        files.write_tail(str(tmp_path), pane_id, b"x")
        files.write_screen(str(tmp_path), pane_id, 80, 24, b"x", b"x")
    (tmp_path / "history" / "gone.tail.new").write_bytes(b"")

    files.prune_history(str(tmp_path), {"live", "ended"}, {"live"})

    assert sorted(os.listdir(tmp_path / "history")) == ["ended.tail", "live.screen", "live.tail"]
