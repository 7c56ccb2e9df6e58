"""Names of agents: whole spellings only."""

from __future__ import annotations

import pytest

from signaltty_core.status.names import display_name, kind_of, name_of_program


@pytest.mark.parametrize(
    ("given", "shown", "kind"),
    [
        ("claude", "Claude Code", "claude"),
        ("Claude-Code", "Claude Code", "claude"),
        ("  GitHub__Copilot CLI ", "Copilot", "copilot"),
        ("π", "Pi", "pi"),
        ("agy", "Antigravity", None),
        ("precursor", "precursor", None),
        ("android-x", "android-x", None),
        ("pip", "pip", None),
        ("amp - hello", "amp - hello", None),
    ],
)
def test_a_name_is_mapped_by_its_folded_spelling_or_shown_as_given(given: str, shown: str, kind: str | None) -> None:
    assert (display_name(given), kind_of(display_name(given))) == (shown, kind)


@pytest.mark.parametrize(
    ("program", "shown"), [("codex", "Codex"), ("bash", "agent"), ("", "agent"), ("make", "agent")]
)
def test_a_session_without_a_name_is_called_by_its_program(program: str, shown: str) -> None:
    assert name_of_program(program) == shown


def test_no_name_has_no_kind() -> None:
    assert kind_of(None) is None
