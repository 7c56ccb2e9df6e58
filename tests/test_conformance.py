"""The conformance tables name a test for every promise, and the check finds what it is for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.check_conformance import OPEN, PAGE, PROMISED, faults, proofs_in, section_of, tables

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def section() -> str:
    return section_of(PAGE.read_text(encoding="utf-8"))[1]


def found(section: str, changed: str, **options: Any) -> list[str]:
    """What the check has to say of the changed tables and not of the real ones."""
    known = list(faults(section))
    return [fault for fault in faults(changed, **options) if fault not in known]


def row_of(section: str, name: str) -> str:
    return next(line for line in section.splitlines() if line.startswith(f"| `{name}` |"))


def with_test(section: str, name: str, test: str) -> str:
    before = row_of(section, name)
    return section.replace(before, f"{before.rsplit('|', 2)[0]}| {test} |")


def test_every_method_event_code_and_message_has_its_test() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "check_conformance.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_promise_without_a_test_is_named(section: str) -> None:
    assert found(section, with_test(section, "pane.get", "not yet")) == ["Methods: pane.get has no test"]
    assert found(section, with_test(section, "git-conflict", "not yet")) == ["Status signals: git-conflict has no test"]


@pytest.mark.parametrize(
    "test",
    [
        "tests/methods/panes/test_pane.py::test_that_nobody_wrote",
        "tests/methods/test_nothing.py::test_a_thing",
        "tests/base/test_ids.py",
        "tests/methods/test_server.py::test_the_schema_is_made_of_the_routers_own_tables",
    ],
)
def test_a_test_that_does_not_name_the_promise_is_none(section: str, test: str) -> None:
    changed = with_test(section, "pane.get", f"`{test}`")
    assert found(section, changed) == [f"Methods: pane.get: {test} is no test that names it"]


def test_what_is_known_to_be_open_is_exactly_that(section: str) -> None:
    assert found(section, section, open_names=OPEN | {"PANES_ALIVE"}) == [
        "Error codes: PANES_ALIVE has a test by now, it is no longer open"
    ]
    assert [name for title in proofs_in(section).values() for name in OPEN & set(title)] == []


def test_a_promise_the_program_has_lost_is_named(section: str) -> None:
    promised = {**PROMISED, "Events": PROMISED["Events"] | {"pane.flown"}}
    assert found(section, section, promised=promised) == [
        "Events: pane.flown is promised and the program does not have it"
    ]


def test_a_changed_parameter_makes_the_tables_stale(section: str) -> None:
    stale = section.replace("`pane_id`, `name?`", "`pane_id`, `title?`")
    assert stale != section
    assert found(section, stale) == [
        "docs/protocols.md: the tables are stale; run scripts/check_conformance.py --write"
    ]
    assert tables(proofs_in(stale)) == section
