"""What is known of agents beyond the table: manifests and bundled rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.agents.catalog import Catalog
from signaltty_core.agents.regions import REGIONS, View
from signaltty_core.agents.screen_rules import judge, trace
from signaltty_core.agents.table import KINDS
from signaltty_core.base.errors import IoError

Files = list[tuple[str, "bytes | str"]]
RULE = '[agent]\nkind = "%s"\nbinaries = %s\n[[screen]]\nid = "%s"\nstate = "idle"\nregex = ["x"]\n'


def catalog(*files: tuple[str, str]) -> Catalog:
    content: Files = [(name, text.encode()) for name, text in files]
    return Catalog("/agents", lambda: content)


def ids(found: Catalog, kind: str, process: str = "") -> tuple[str, list[str]]:
    rules = found.rules_for(kind, process)
    return rules.source, [rule.id for rule in rules.rules]


def test_nothing_is_read_before_somebody_asks() -> None:
    asked = []
    Catalog("/agents", lambda: asked.append(1) or [])  # type: ignore[func-returns-value]
    assert asked == []


def test_names_of_programs() -> None:
    found = catalog(
        ("a.toml", '[agent]\nkind = "codex"\nbinaries = ["sleep", "cdx-?"]'),
        ("b.toml", '[agent]\nkind = "generic"\nbinaries = ["vim"]'),
        ("c.toml", '[agent]\nkind = "claude"\nbinaries = ["codex"]'),
    )
    names = ("claude", "ghcs", "sleep", "cdx-1", "cdx-12", "vim", "sh", "codex", "agent")
    assert [found.kind_of_program(name) for name in names] == [
        *("claude", "copilot", "codex", "codex", "generic"),
        *("generic", "generic", "codex", "generic"),
    ]


def test_users_rules_of_all_files_replace_the_bundled_ones() -> None:
    found = catalog(("a.toml", RULE % ("codex", "[]", "one")), ("b.toml", RULE % ("codex", "[]", "two")))
    assert ids(found, "codex") == ("user", ["one", "two"])
    assert ids(found, "claude")[0] == "bundled"
    assert ids(catalog(("a.toml", '[agent]\nkind = "codex"')), "codex")[0] == "bundled"


def test_generic_rules_are_for_the_programs_they_name() -> None:
    """Edge case 51."""
    found = catalog(("a.toml", RULE % ("generic", '["vi*"]', "one")))
    assert ids(found, "generic", "vim") == ("user", ["one"])
    assert ids(found, "generic", "sh") == ("none", [])
    assert ids(found, "generic", "cline")[0] == "bundled"
    everywhere = catalog(("a.toml", RULE % ("generic", "[]", "one")))
    assert ids(everywhere, "generic", "sh") == ("user", ["one"])


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_without_rules_have_none(kind: str) -> None:
    source, rules = ids(Catalog(), kind)
    without = ("goose", "kimi", "zerostack", "generic", "none")
    assert source == ("none" if kind in without else "bundled")
    fallback = ("claude", "codex", "cursor", "opencode", "pi", "gemini", "copilot", "droid")
    assert (rules[-1:] == ["idle_fallback"]) == (kind in fallback)


def test_programs_whose_screens_are_known() -> None:
    found = Catalog()
    cline = ["approval_prompt", "question_prompt", "offer_dialog", "thinking_working", "answer_working", "prompt_idle"]
    assert ids(found, "generic", "cline")[1] == cline
    assert ids(found, "generic", "kilo-code")[1] == ["opencode_permission", "opencode_dialog", "esc_interrupt_working"]
    blocker = ["confirmation_or_input_blocker", "cancel_hint_working", "spinner_working"]
    assert ids(found, "generic", "qoderclicn")[1] == blocker
    assert ids(found, "codex", "cline")[1] == ids(found, "codex", "")[1]


RELEASES = {
    "claude": ["live_turn_working", "interrupted", "empty_prompt_box"],
    "codex": ["osc_title_working", "screen_working_fallback", "interrupted", "empty_prompt"],
    "cursor": ["stop_hint_working"],
    "opencode": ["interrupt_hint_working", "interrupted"],
    "pi": ["working_border", "interrupted"],
    "gemini": ["osc_title_working", "interrupted"],
    "copilot": ["working_cancel_hint", "empty_prompt_box"],
    "droid": ["spinner_stop_working", "stop_hint_working"],
    "qwen": ["osc_title_working"],
}


@pytest.mark.parametrize("kind", RELEASES)
def test_the_release_rules_are_those_of_the_specification(kind: str) -> None:
    rules = Catalog().rules_for(kind, "").rules
    assert {rule.id for rule in rules if rule.release} == set(RELEASES[kind])


def test_every_bundled_file_is_used_and_named_in_the_package() -> None:
    folder = Path(__file__).parents[2] / "signaltty_core" / "agents" / "rules"
    used = {f"{kind}.toml" for kind in KINDS if Catalog().rules_for(kind, "").rules} | {"cline.toml", "kilo.toml"}
    assert {*used, "qoder.toml"} == set(os.listdir(folder))


@pytest.mark.parametrize(
    "text", ["", " ", "a" * 500, "❯ " * 250, "do you want to yes " * 26, "• x (1s" * 60, "─" * 500]
)
def test_bundled_rules_are_quick_on_any_screen(text: str) -> None:
    """They run unguarded: none may need more than a moment for the largest screen there is."""
    from signaltty_core.host.os_signals import guard

    found = Catalog()
    view = View([text] * 200, text)
    for kind in (*RELEASES, "amp", "hermes"):
        rules = found.rules_for(kind, "")
        for rule in rules.rules:
            guard(lambda rule=rule: rule.matches(view), 2.0)  # type: ignore[misc]


def test_ties_go_to_the_earlier_rule_and_a_trace_marks_only_the_winner() -> None:
    """Edge case 50."""
    rules = '[agent]\nkind = "codex"\n' + "".join(
        f'[[screen]]\nid = "{id}"\nstate = "{state}"\nregex = ["x"]\npriority = {priority}\n'
        for id, state, priority in (("a", "idle", 1), ("b", "hold", 5), ("b", "working", 5), ("c", "blocked", 4))
    )
    found = catalog(("a.toml", rules))
    verdict = judge(found.rules_for("codex", ""), View(["x"], None), lambda run: run(), found.note_runaway)
    assert trace(verdict)["matched"] == {"id": "b", "state": "hold", "priority": 5, "index": 1}
    assert verdict.beside() == ["idle", "working", "blocked"]
    assert [each["region"] for each in trace(verdict)["rules"]] == ["bottom(12)"] * 4


def test_reading_again_swaps_the_set_or_keeps_it() -> None:
    """Edge case 52."""
    state: dict[str, Any] = {"files": [("a.toml", b'[agent]\nkind = "codex"'), ("b.toml", b"["), ("c.toml", "no")]}

    def read() -> Files:
        if state["files"] is None:
            raise IoError("cannot list")
        return list(state["files"])

    logged: list[str] = []
    found = Catalog("/agents", read, logged.append)
    assert [each["file"] for each in found.listing()["manifests"]] == ["a.toml"]
    assert [each["file"] for each in found.listing()["failures"]] == ["b.toml", "c.toml"]
    assert found.listing()["dir"] == "/agents"
    assert [sentence.partition(":")[0] for sentence in logged] == [
        "manifest b.toml is left out",
        "manifest c.toml is left out",
    ]
    state["files"] = None
    with pytest.raises(IoError):
        found.reload()
    assert len(found.listing()["manifests"]) == 1
    state["files"] = []
    found.reload()
    assert found.listing() == {"dir": "/agents", "manifests": [], "failures": []}


def test_a_directory_that_cannot_be_read_at_first_is_a_failure_and_no_set() -> None:
    def read() -> Files:
        raise IoError("cannot list /agents")

    found = Catalog("/agents", read)
    assert found.kind_of_program("sleep") == "generic"
    assert found.listing()["failures"] == [{"file": "/agents", "error": "cannot list /agents"}]


def test_fields_of_several_manifests_add_up_and_the_first_file_wins() -> None:
    found = catalog(
        ("a.toml", '[agent]\nkind = "codex"\n[lifecycle.X]\nlifecycle = "idle"'),
        ("b.toml", '[agent]\nkind = "codex"\n[lifecycle.X]\nlifecycle = "done"\nmessage = "m"\n[session]\nkey = "k"'),
    )
    assert found.mapping("codex", "X") == {"lifecycle": "idle", "message": "m"}
    assert found.mapping("codex", "Y") == {}
    assert found.session_id_of("codex", {"k": "s1"}) == "s1"
    assert found.session_id_of("codex", {"k": "-s"}) is None
    assert found.session_id_of("claude", {"k": "s1"}) is None
    assert len(REGIONS) == 10
