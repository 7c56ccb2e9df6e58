"""How agents are called: the display names of the Agent Status Protocol and the pane kinds behind them."""

from __future__ import annotations

# display name, folded spellings, pane kind (agent-status §6.3)
_ROWS: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
    ("Claude Code", ("claude", "claude code", "claude cli"), "claude"),
    ("Codex", ("codex", "codex cli", "openai codex"), "codex"),
    ("Copilot", ("copilot", "copilot cli", "github copilot", "github copilot cli"), "copilot"),
    ("Cursor", ("cursor", "cursor agent", "cursor cli"), "cursor"),
    ("Gemini", ("gemini", "gemini cli", "google gemini"), "gemini"),
    ("OpenCode", ("opencode", "open code"), "opencode"),
    ("Amp", ("amp", "amp cli"), "amp"),
    ("Antigravity", ("agy", "antigravity", "antigravity cli"), None),
    ("Droid", ("droid", "factory droid"), "droid"),
    ("Goose", ("goose",), "goose"),
    ("Grok", ("grok", "grok build", "grok cli"), None),
    ("Hermes Agent", ("hermes", "hermes agent"), "hermes"),
    ("Kimi", ("kimi", "kimi cli", "kimi code"), "kimi"),
    ("Mistral Vibe", ("vibe", "mistral vibe"), None),
    ("OMP", ("omp",), None),
    ("Pi", ("pi", "π"), "pi"),
    ("Qwen", ("qwen", "qwen code"), "qwen"),
    ("Small Harness", ("smallharness", "small harness"), None),
    ("zerostack", ("zerostack",), "zerostack"),
)
_BY_SPELLING = {spelling: shown for shown, spellings, _ in _ROWS for spelling in spellings}
_KINDS = {shown: kind for shown, _, kind in _ROWS}
NAMELESS = "agent"


def display_name(given: str) -> str:
    """The table's name for any of its spellings; every other name is shown as given."""
    return _BY_SPELLING.get(_fold(given), given)


def name_of_program(program: str) -> str:
    """What a session without a name is called, by the program its pane runs."""
    return _BY_SPELLING.get(_fold(program), NAMELESS)


def kind_of(shown: str | None) -> str | None:
    """The pane kind of a display name, None when it has none."""
    return _KINDS.get(shown) if shown is not None else None


def _fold(name: str) -> str:
    return " ".join("".join(each if each.isalnum() else " " for each in name.lower()).split())
