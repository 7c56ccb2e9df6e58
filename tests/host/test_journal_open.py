from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.host.journal_open import Found, open_state
from signaltty_core.journal.record import lines
from signaltty_core.journal.retention import Retention, encode_record, parse_record
from signaltty_core.journal.snapshot import build, encode_document
from signaltty_core.state.tasks import new
from signaltty_core.state.world import World
from signaltty_core.wire.codec import encode

AT = "2026-10-09T12:34:56.789Z"


def task(n: int) -> dict[str, Any]:
    return {**new(f"t{n}", context_id="c", label="l", contract={"objective": "x"}, at=1.0), "n": n}


def changes(first: int, last: int) -> bytes:
    """One change of two lines for each n: its numbers are 2n - 1 and 2n."""
    out = b""
    for n in range(first, last + 1):
        events: list[tuple[str, dict[str, Any]]] = [("task.created", {"task": task(n)}), ("other", {"é": "\n"})]
        texts = [(name, encode(payload)) for name, payload in events]
        out += lines(2 * n - 1, texts, [payload for _, payload in events], {"tasks": {f"t{n}": task(n)}}, [], AT)
    return out


def tables(first: int, last: int) -> dict[str, dict[str, Any]]:
    made = World().tables
    made["tasks"] = {f"t{n}": task(n) for n in range(first, last + 1)}
    return made


def snapshot(last: int) -> bytes:
    return encode_document(build(tables(1, last), saved_at=AT, through_seq=2 * last, history={}))


def write(directory: Path, current: bytes, older: bytes | None = None) -> None:
    """A state as a server leaves it that was killed."""
    (directory / "audit.jsonl").write_bytes(current)
    if older is not None:
        (directory / "audit.jsonl.1").write_bytes(older)
    record = Retention(0, older is not None, len(current), len(older or b""))
    (directory / "audit-retention.json").write_bytes(encode_record(record))
    (directory / "event-sequence.json").write_bytes(b"4097\n")


def known_complete(directory: Path) -> bool:
    record = parse_record((directory / "audit-retention.json").read_bytes())
    assert record is not None
    return record.known_complete


def seen(found: Found) -> tuple[dict[str, dict[str, Any]], list[str]]:
    return found.loaded.tables, found.loaded.warnings


def test_both_files_are_rolled_forward_in_order(tmp_path: Path) -> None:
    write(tmp_path, changes(6, 9), changes(1, 5))

    found = open_state(str(tmp_path))

    assert seen(found) == (tables(1, 9), [])
    assert (found.loaded.last_seq, found.loaded.next_seq, found.loaded.rolled) == (18, 4097, 9)


def test_a_snapshot_spares_what_it_contains(tmp_path: Path) -> None:
    write(tmp_path, changes(6, 9), changes(1, 5))
    (tmp_path / "snapshot.json").write_bytes(snapshot(7))

    found = open_state(str(tmp_path))

    assert seen(found) == (tables(1, 9), [])
    assert (found.loaded.last_seq, found.loaded.rolled) == (18, 2)


def test_a_journal_cut_at_any_byte_of_its_last_change_is_the_world_before_it(tmp_path: Path) -> None:
    before, last = changes(1, 3), changes(4, 4)
    path = tmp_path / "audit.jsonl"
    for length in range(len(last)):
        write(tmp_path, before)
        path.write_bytes(before + last[:length])

        assert open_state(str(tmp_path)).loaded.tables == tables(1, 3), length

        mended = path.read_bytes()
        assert mended.startswith(before) and mended.endswith(b"\n"), length
        path.write_bytes(mended + changes(5, 5))
        again = open_state(str(tmp_path))
        assert again.loaded.tables["tasks"] == {**tables(1, 3)["tasks"], "t5": task(5)}, length
        assert path.read_bytes() == mended + changes(5, 5)


def test_whole_lines_of_an_unfinished_change_are_cut_off_without_a_doubt(tmp_path: Path) -> None:
    first_line = changes(4, 4).split(b"\n")[0]
    for torn in (first_line + b"\n", first_line, changes(4, 4)[:-1]):
        write(tmp_path, changes(1, 3))
        (tmp_path / "audit.jsonl").write_bytes(changes(1, 3) + torn)

        assert seen(open_state(str(tmp_path))) == (tables(1, 3), [])
        assert (tmp_path / "audit.jsonl").read_bytes() == changes(1, 3)
        assert known_complete(tmp_path)


def test_a_broken_line_at_the_end_stays_and_is_ended(tmp_path: Path) -> None:
    torn = changes(4, 4)[:-40]
    write(tmp_path, changes(1, 3) + torn)

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 3)
    assert found.loaded.warnings[0] == "audit.jsonl: line 8 is not a journal line; skipped"
    assert (tmp_path / "audit.jsonl").read_bytes() == changes(1, 3) + torn + b"\n"
    assert not known_complete(tmp_path)
    assert not open_state(str(tmp_path)).retention.known_complete


def test_a_line_that_ends_inside_a_character_is_ended_too(tmp_path: Path) -> None:
    write(tmp_path, changes(1, 3) + b'{"seq":7,"event":"\xc3')

    assert open_state(str(tmp_path)).loaded.tables == tables(1, 3)
    assert (tmp_path / "audit.jsonl").read_bytes().endswith(b'"\xc3\n')


@pytest.mark.parametrize("count", [1, 4096, 100_000])
def test_nul_bytes_at_the_end_are_cut_off_without_a_doubt(tmp_path: Path, count: int) -> None:
    write(tmp_path, changes(1, 3))
    with open(tmp_path / "audit.jsonl", "ab") as file:
        file.write(bytes(count))

    assert seen(open_state(str(tmp_path))) == (tables(1, 3), [])
    assert (tmp_path / "audit.jsonl").read_bytes() == changes(1, 3)
    assert known_complete(tmp_path)


def test_a_journal_of_nothing_but_nul_bytes_is_empty(tmp_path: Path) -> None:
    write(tmp_path, b"")
    (tmp_path / "audit.jsonl").write_bytes(bytes(500))

    assert seen(open_state(str(tmp_path))) == (World().tables, [])
    assert (tmp_path / "audit.jsonl").read_bytes() == b""


def test_garbage_in_the_middle_costs_its_line_and_the_proof(tmp_path: Path) -> None:
    write(tmp_path, changes(1, 3) + b"\x00\xff garbage\n" + changes(4, 5))

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 5)
    assert found.loaded.warnings == [
        "audit.jsonl: line 7 is not a journal line; skipped",
        "the journal's files are not as recorded: history cannot be replayed from disk",
    ]
    assert not known_complete(tmp_path)


def test_garbage_below_a_snapshot_is_seen_as_well(tmp_path: Path) -> None:
    write(tmp_path, changes(1, 3) + b"garbage\n" + changes(4, 5))
    (tmp_path / "snapshot.json").write_bytes(snapshot(5))

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 5)
    assert not found.retention.known_complete


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.1"])
@pytest.mark.parametrize("damage", ["missing", "shortened"])
def test_a_missing_or_shortened_file_ends_the_proof_for_later_starts_too(
    tmp_path: Path, name: str, damage: str
) -> None:
    write(tmp_path, changes(6, 9), changes(1, 5))
    (tmp_path / "snapshot.json").write_bytes(snapshot(9))
    path = tmp_path / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: -len(changes(1, 1))])

    assert open_state(str(tmp_path)).loaded.tables == tables(1, 9)
    assert not known_complete(tmp_path)
    assert not open_state(str(tmp_path)).retention.known_complete


def test_a_journal_without_a_retention_record_proves_nothing(tmp_path: Path) -> None:
    write(tmp_path, changes(1, 3))
    (tmp_path / "audit-retention.json").unlink()

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 3)
    assert (found.retention.known_complete, found.stored) == (False, False)


def test_a_snapshot_cut_at_any_byte_costs_nothing_that_the_journal_holds(tmp_path: Path) -> None:
    data = snapshot(3)
    for length in range(len(data)):
        write(tmp_path, changes(1, 5))
        (tmp_path / "snapshot.json").write_bytes(data[:length])

        found = open_state(str(tmp_path))

        assert found.loaded.tables == tables(1, 5), length
        whole = length == len(data) - 1  # it lacks the last newline alone
        assert (tmp_path / "snapshot.json").exists() == whole, length
        assert bool(found.loaded.warnings) != whole, length
        assert found.retention.known_complete, length


def test_a_retention_record_cut_at_any_byte_claims_nothing_it_did_not_say(tmp_path: Path) -> None:
    record = encode_record(Retention(4, True, len(changes(6, 9)), len(changes(3, 5))))
    for length in range(len(record)):
        write(tmp_path, changes(6, 9), changes(3, 5))
        (tmp_path / "audit-retention.json").write_bytes(record[:length])

        found = open_state(str(tmp_path))

        assert found.loaded.tables == tables(3, 9), length
        whole = length >= len(record.rstrip())
        assert (found.retention.known_complete, found.stored) == (whole, False), length
        assert found.retention.retained_after == (4 if whole else 4096), length


@pytest.mark.parametrize("bad", [b"{", b'{"version": 2}', snapshot(3) + b"x", b"", snapshot(3)[:-30], b"\xff\xfe"])
def test_a_snapshot_that_cannot_be_loaded_is_kept_aside_and_the_journal_serves(tmp_path: Path, bad: bytes) -> None:
    write(tmp_path, changes(1, 9))
    (tmp_path / "snapshot.json").write_bytes(bad)

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 9)
    assert len(found.loaded.warnings) == 1
    (aside,) = tmp_path.glob("snapshot.corrupt-*")
    assert aside.read_bytes() == bad
    assert not (tmp_path / "snapshot.json").exists()


def test_the_newest_loadable_former_snapshot_takes_its_place(tmp_path: Path) -> None:
    write(tmp_path, changes(3, 9))
    (tmp_path / "snapshots").mkdir()
    for day, data in (("01", snapshot(1)), ("02", snapshot(2)), ("03", b"{")):
        (tmp_path / "snapshots" / f"snapshot-202601{day}T000000Z.json").write_bytes(data)
    (tmp_path / "snapshot.json").write_bytes(b"{")

    for warnings in (2, 1):  # at the second start nothing is left to keep aside
        found = open_state(str(tmp_path))

        assert found.loaded.tables == tables(1, 9)
        assert len(found.loaded.warnings) == warnings
        assert "snapshot-20260102T000000Z.json and the journal" in found.loaded.warnings[-1]


def test_a_journal_that_begins_after_the_base_is_rolled_forward_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path, changes(3, 9))
    (tmp_path / "snapshot.json").write_bytes(b"{")

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(3, 9)
    assert found.loaded.warnings[-1] == "the journal begins at 5, the state before it ends at 0"


@pytest.mark.parametrize("lost", [("audit.jsonl.1",), ("audit.jsonl.1", "audit-retention.json"), ("snapshot.json",)])
def test_what_lies_between_the_base_and_the_journal_is_never_lost_in_silence(
    tmp_path: Path, lost: tuple[str, ...]
) -> None:
    write(tmp_path, changes(6, 9), changes(3, 5))
    (tmp_path / "audit-retention.json").write_bytes(encode_record(Retention(4, True, 1, 1)))
    (tmp_path / "snapshot.json").write_bytes(snapshot(2))
    assert open_state(str(tmp_path)).loaded.warnings == []
    for name in lost:
        (tmp_path / name).unlink()
    base, first = (0, 5) if "snapshot.json" in lost else (4, 11)
    assert (
        f"the journal begins at {first}, the state before it ends at {base}"
        in open_state(str(tmp_path)).loaded.warnings
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_files_whose_numbers_do_not_ascend_give_the_newest_state_and_no_proof(tmp_path: Path, swapped: bool) -> None:
    older, newer = changes(1, 5), changes(6, 9)
    write(tmp_path, *((older, newer) if swapped else (newer, newer)))
    (tmp_path / "snapshot.json").write_bytes(snapshot(5))

    found = open_state(str(tmp_path))

    assert found.loaded.tables == tables(1, 9)
    assert not found.retention.known_complete
    assert "behind 18; skipped" in found.loaded.warnings[0]


def test_without_a_reservation_numbers_go_on_after_the_greatest(tmp_path: Path) -> None:
    write(tmp_path, changes(1, 9))
    (tmp_path / "event-sequence.json").unlink()
    assert open_state(str(tmp_path)).loaded.next_seq == 19

    (tmp_path / "snapshot.json").write_bytes(snapshot(40))
    assert open_state(str(tmp_path)).loaded.next_seq == 81


@pytest.mark.parametrize("bad", [b"", b"17.5\n", b'"4097"', b"18\n", b"null"])
def test_a_bad_reservation_refuses_the_start_and_touches_nothing(tmp_path: Path, bad: bytes) -> None:
    write(tmp_path, changes(1, 9))
    (tmp_path / "event-sequence.json").write_bytes(bad)

    with pytest.raises(IoError, match="the reservation of event numbers"):
        open_state(str(tmp_path))
    assert (tmp_path / "event-sequence.json").read_bytes() == bad


def test_a_state_directory_that_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IoError, match=r"not a directory|Not a directory"):
        open_state(str(tmp_path / "file" / "state"))
    (tmp_path / "audit.jsonl").mkdir()
    with pytest.raises(IoError, match=r"audit\.jsonl: Is a directory"):
        open_state(str(tmp_path))


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_state_directory_without_write_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(IoError, match="is not writable"):
        open_state(str(tmp_path))


def test_records_without_what_they_refer_to_are_dropped_after_the_roll_forward(tmp_path: Path) -> None:
    tab = {"id": "tab_1", "workspace_id": "ws_1", "title": "x", "layout": None, "created_at": AT}
    write(tmp_path, lines(1, [], [], {"tabs": {"tab_1": tab}}, [], AT) + changes(2, 3))

    assert seen(open_state(str(tmp_path))) == (tables(2, 3), ["tab tab_1 has no workspace; dropped"])


def test_the_snapshot_on_disk_is_plain_json(tmp_path: Path) -> None:
    assert json.loads(snapshot(2))["tasks"] == [task(1), task(2)]
