"""Every bundled rule on a screen made for it, and screens whose words only imitate one."""

from __future__ import annotations

import pytest

from signaltty_core.agents.catalog import Catalog
from signaltty_core.agents.regions import View
from signaltty_core.agents.screen_rules import Verdict, judge
from signaltty_core.agents.table import KINDS

RULE = "─" * 60
CATALOG = Catalog()


def look(agent: str, screen: str, title: str | None = None) -> Verdict:
    rules = CATALOG.rules_for(agent, "") if agent in KINDS else CATALOG.rules_for("generic", agent)
    return judge(rules, View(screen.split("\n"), title), lambda run: run(), CATALOG.note_runaway)


def winner(agent: str, screen: str, title: str | None = None) -> str | None:
    rule = look(agent, screen, title).rule
    return None if rule is None else rule.id


def framed(footer: str, inside: str = "┃") -> str:
    """Copilot's prompt where colours are many."""
    return f" ● hello\n\n /work [⎇ main]\n╻{'▄' * 60}\n{inside}\n╹{'▀' * 60}\n{footer}"


def boxed(above: str = "● hello", inside: str = "❯ ", below: str = "  ? for shortcuts") -> str:
    return f"{above}\n{RULE}\n{inside}\n{RULE}\n{below}"


CLAUDE = {
    "osc_title_working": [("", "◐ Claude Code"), ("", "⠋ fix it"), (boxed(), "◓ x")],
    "transcript_viewer": [("text\n  Showing detailed transcript · ctrl+o to toggle", None)],
    "live_blocked_form": [(f"{RULE}\n Name: x\n Enter to confirm · Esc to cancel", None)],
    "live_blocked_form_select": [(f"{RULE}\n❯ 1. Red\n Enter to select · ↑/↓ to navigate · Esc to cancel", None)],
    "dynamic_workflow_prompt": [("Run a dynamic workflow?\n❯ Yes\nEsc to cancel", None)],
    "mcp_elicitation_prompt": [
        ('MCP server "git" requests your input\nwhat?\n❯ Accept\n  Decline\nEsc to cancel', None)
    ],
    "btw_overlay_working": [("/btw what is this\nanswering\n  esc to close", None)],
    "live_turn_working": [
        (boxed(below="  ⏵⏵ accept edits on · esc to interrupt"), None),
        (boxed("✻ Thinking…"), None),
        (boxed("✶ Baking… (12s · ↑ 1.2k tokens · esc to interrupt)"), None),
        (boxed("* Compacting conversation… (1m 3s)"), None),
        (boxed("✢ Channeling… (running UserPromptSubmit hook · 0s)"), None),
    ],
    "background_agents_working": [
        (boxed("● done\n✻ Waiting for 2 background agents to finish"), None),
        (boxed(f"✻ Waiting for 1 background agent to finish\n{' ' * 40}◐ medium · /effort"), None),
    ],
    "background_mcp_task_working": [
        (boxed("✻ Worked for a very long while, so long that\n  this wraps · 2 MCP tasks still running"), None)
    ],
    "interrupted": [
        (boxed("  ⎿  Interrupted · What should Claude do instead?"), None),
        (boxed(f"  ⎿  Interrupted · What should Claude do instead?\n{' ' * 30}◐ medium · /effort"), None),
        (boxed("  ⎿  Interrupted · What should Claude do instead?", "❯ fix"), None),
        (boxed("  ⎿  Interrupted · What should\n     Claude do instead?", "❯ fix"), None),
    ],
    "empty_prompt_box": [(boxed(), None), (boxed("✻ Worked for 4s · done 12:17 PM"), "Claude Code")],
    "live_prompt_box": [(boxed(inside="❯ please fix it\n  and that"), None)],
    "model_picker_menu": [("Select model\n❯ 1. Opus\nEnter to set as default · Esc to cancel", None)],
    "bash_permission_prompt": [
        ("Bash command\n ls\nDo you want to proceed?\n❯ 1. Yes\n  2. No\nEsc to cancel · Tab to amend", None)
    ],
    "generic_permission_prompt": [
        (f"{RULE}\nFetch\nDo you want to\nproceed?\n❯ 1. Yes\n  2. No\nEsc to\ncancel", None),
        (f"{RULE}\nFetch\nDo you want to proceed?\n  2. Yes, always\n❯ 3. No\nEsc to cancel", None),
    ],
    "legacy_no_prompt_blocker": [
        ("Would you like to go on?\n❯ 1. Yes", None),
        ("Waiting for permission…", None),
        ("Review your answers", None),
    ],
    "osc_title_idle": [("", "✳ Claude Code")],
    "idle_fallback": [("Welcome", None)],
}
UPDATE = "Update available! 1 -> 2\n› 1. Update now\n  3. Skip until next version\n  Press enter to continue"
HOOKS = "  Hooks need review\n  6 hooks are new\n\n› 1. Review hooks\n  2. Trust all and continue\n  enter confirm"
CODEX_STATUS = "• Ran ls\n\n• Working (1m 2s • esc to interrupt)"
CODEX = {
    "osc_title_blocked": [
        ("", "[ ! ] Action Required | task | dir"),
        ("", "Action Required"),
        ("", "dir | [ . ] Action Required"),
    ],
    "osc_title_working": [("› x", "⠋ task | dir"), ("› x", "dir ⠏")],
    "transcript_viewer": [
        ("↑/↓ to scroll   pgup/pgdn to page   home/end to jump\nq to quit   esc/← to edit prev", None)
    ],
    "trust_directory": [("> You are in /work\n\n  Do you trust the contents of\n  this directory?\n› 1. Yes", None)],
    "trust_folder": [
        ("Folder access\nTrust this folder?\nCodex can read, edit, and run files here\n Trust and continue", None)
    ],
    "startup_update": [
        (
            UPDATE,
            None,
        )
    ],
    "hooks_review": [(HOOKS, None), (HOOKS.replace("› 1.", "  1.").replace("  2.", "› 2."), "dir")],
    "starting": [
        ("  >_ OpenAI Codex (v0.171.0)\n     loading\n\n› Ask Codex to do anything\n\n  ? for shortcuts", None)
    ],
    "live_strong_blocker": [
        ("Would you like to run it?\n› 1. Yes\n  Press enter to confirm or esc to cancel", None),
        ("› 1. Red\n enter to submit answer", None),
        ("Allow command?\n", None),
    ],
    "live_strong_picker": [("› x\n All results  Filesystem only  Plugins", None)],
    "weak_blocker": [("continue? [y/n]", None), ("Do you want to go on?\n yes\n no", None)],
    "screen_working_fallback": [
        (f"{CODEX_STATUS}\n\n› Ask Codex to do anything\n\n  gpt", None),
        ("◦ Thinking (3s)\n\n› Ask Codex to do anything", None),
        (f"{CODEX_STATUS} · 1 background terminal\n\n• Queued follow-up messages\n  ↳ and then\n\n› x", None),
        (f"{CODEX_STATUS}\n›⠂ hello", None),
    ],
    "interrupted": [
        ("• hi\n■ Conversation interrupted - tell the model what to do\n\n› Ask Codex to do anything\n  gpt", None)
    ],
    "empty_prompt": [
        ("• hi\n\n›\n  gpt", None),
        ("› Ask Codex to do anything\n\n  gpt-5-codex default · /work\n  ← for agents · ? for shortcuts", None),
        ("• hi\n\n› Ask Codex to do anything\n  gpt", "dir"),
    ],
    "osc_title_idle": [("• hi\n\n› half a pro\n  gpt", "dir"), ("› half", "fix the action required banner | dir")],
    "idle_fallback": [("hello", None)],
}
OPENCODE = {
    "permission_required": [
        ("  ┃  △ Permission required\n  ┃ x", None),
        ("  ┃   Allow once   Allow always   Reject", None),
    ],
    "dialog_required": [
        ("  ┃ Which?\n  ┃  ↑↓ select  enter submit  esc dismiss", None),
        (" ⇆ tab  enter confirm  esc dismiss", None),
    ],
    "interrupt_hint_working": [
        (" ■■⬝  esc interrupt     ctrl+p commands", None),
        ("  esc again to interrupt", None),
        ("  ctrl+c to interrupt", None),
    ],
    "progress_bar_working": [("  ⬝⬝■■■■⬝⬝", None)],
    "interrupted": [("  ▣  Build · model · 3s\n  ▣  Build · model · interrupted\n  ┃\n  ╹▀▀", None)],
    "idle_fallback": [("  ▣  Build · model · interrupted\n  ▣  Build · model · 3s\n  ┃\n  ╹▀▀", None)],
}
CASES = {
    "claude": CLAUDE,
    "codex": CODEX,
    "opencode": OPENCODE,
    "cursor": {
        "write_file_approval": [
            ("Write to this file?\n in a.py\n → Proceed (y)\n   Reject & propose changes (esc or n or p)", None)
        ],
        "approval_run_once": [("Waiting for approval...\nRun this command?\n → Run (once) (y)", None)],
        "approval_prompt": [
            ("→ Run it (y)", None),
            ("Allow reading? (y)", None),
            ("Keep (n)", None),
            ("Skip (esc or n)", None),
            ("Run (y) (enter)", None),
        ],
        "stop_hint_working": [("⬢ Thinking\n ctrl+c to stop", None)],
        "background_task_status_working": [("→ Add a follow-up\n 2 background tasks", None)],
        "spinner_working": [("⬡ Generating..\n → Add a follow-up", None), ("⠋ Reading", None)],
        "idle_fallback": [("→ Add a follow-up", None)],
    },
    "pi": {
        "dialog_required": [
            (
                f"{RULE}\n Run it?\n → Yes\n   No\n\n ↑↓ navigate  enter select  escape/ctrl+c cancel\n{RULE}",
                None,
            )
        ],
        "working_literal": [("Working...\n" + "x\n" * 20, None), (" ⠋ Working", None)],
        "working_border": [(f"hi\n── ⠇ Working {RULE}\n\n{RULE}", None)],
        "interrupted": [(f"hi\n Operation aborted\n{RULE}\n\n{RULE}\n~/x", None)],
        "idle_fallback": [(f"hi\n Operation aborted\n\n more\n{RULE}\n\n{RULE}\n~/x", None)],
    },
    "gemini": {
        "osc_title_blocked": [("x", "✋  Action Required (dir)      ")],
        "osc_title_working": [("x", "✦  Working… (dir)"), ("x", "⏲  Working… (dir)")],
        "osc_title_idle": [
            (" >   Type your message", "◇  Ready (dir)"),
            ("Do you trust the files in this folder?\n 3. Don't trust\n >   Type your message", "◇  Ready (dir)"),
        ],
        "trust_folder": [
            (
                " │ Do you trust the files in this folder?\n │ Trusting\n │ ● 1. Trust folder (dir)\n"
                " │   2. Trust parent folder (x)\n │   3. Don't trust\n │\n ╰──",
                "◇  Ready (dir)",
            )
        ],
        "sign_in": [
            (
                "│ How would you like to authenticate for this project?\n│ ● 1. Sign in with Google\n│\n"
                "│ (Use Enter to select)\n╰──",
                "◇  Ready (dir)",
            )
        ],
        "starting": [("⠹ Resuming session...\n ? for shortcuts\n────\n Shift+Tab", "◇  Ready (dir)")],
        "apply_or_allow_change": [
            ("│ Apply this change?\n│ ● 1. Yes, allow once", None),
            ("│ Allow        │\n│ execution of │\n│ [Shell]?     │\n│ ● 1. Allow   │\n│   once       │", None),
            ("Allow execution of [Shell]?\n ● 1. Allow once", None),
        ],
        "confirmation_prompt": [("Do you want to proceed?\n● 1. Yes\n  2. No", None)],
        "interrupted": [(f"ℹ Request cancelled.\n\n{' ' * 40}? for shortcuts\n{RULE}\n >   Type", "◇  Ready (dir)")],
        "esc_cancel_working": [("⠋ Thinking (esc to cancel, 3s)\n >   Type your message", None)],
        "idle_fallback": [(" >   Type your message", None)],
    },
    "copilot": {
        "selection_blocker": [
            ("│ ❯ 1. Yes\n│ ↑/↓ to navigate · enter to select · esc to cancel", None),
            (f"{RULE}\n ❯ Red\n\n ↑/↓ select · enter accept · ctrl+d decline · esc cancel\n{RULE}", None),
            (
                "│ ❯ 1. Yes          │\n│ ↑/↓ to navigate ·   │\n│ enter to select ·   │\n│ esc to cancel       │",
                None,
            ),
            ("│ ❯ 1. Yes      │\n│ · enter to    │\n│ select · esc  │\n│ to cancel     │\n╰──╯", None),
        ],
        "background_agents_working": [(boxed(below=" 2 background agents"), None)],
        "working_cancel_hint": [
            (boxed(below=" ◉ Working · 3 B esc esc interrupt"), None),
            (boxed(inside="❯", below=" ● Working · 294 B esc again to interrupt      gpt"), None),
            ("Loading (Esc to cancel)", None),
            (framed(" ● Working · 75 B esc esc interrupt      gpt"), None),
            (framed(" ● Working esc esc edit prompt           gpt"), None),
        ],
        "empty_prompt_box": [
            (boxed(inside="❯"), "x - GitHub Copilot"),
            (framed(" ← open sidebar · Interactive · Manual Approval · / commands         gpt"), "x - GitHub Copilot"),
        ],
        "idle_fallback": [
            (boxed(inside="❯ Working on esc esc"), None),
            (framed(" ● Loading: 1 plugin, 7 hooks        gpt"), None),
            (framed(" Interactive · / commands        gpt", "┃ fix it"), None),
        ],
    },
    "droid": {
        "execute_selection_blocker": [("│ EXECUTE  ls\n│ > Yes, allow\n│   No, cancel", None)],
        "selection_menu_blocker": [("> a\n  b\n Enter to select, Esc to cancel", None)],
        "sign_in": [("Please login with your Factory account to continue.\n> Login\n  Exit", "⛬ Droid")],
        "spinner_stop_working": [("⠋ Thinking... (esc to stop)", None)],
        "stop_hint_working": [("Streaming (Esc to stop)", None)],
        "idle_fallback": [("> Try something", None)],
    },
    "qwen": {
        "osc_title_blocked": [("x", "✳ Qwen - dir"), ("x", "✳\ufe0e Qwen - dir")],
        "osc_title_working": [("x", "◐ Qwen - dir"), ("x", "◐\ufe0f Qwen - dir")],
        "trust_folder": [
            (" │ Do you trust this folder?\n │ › 1. Trust folder (dir)\n │   3. Don't trust (esc)\n ╰──", "Qwen - dir")
        ],
        "starting": [("  ➜ dir · fake-model\n  ⠙ Initializing...", "Qwen - dir")],
        "connect_provider": [
            (
                " │ Connect a Provider\n │ › Alibaba ModelStudio\n │ Terms of Services and Privacy Notice:\n └──",
                "Qwen - dir",
            )
        ],
        "osc_title_idle": [
            ("x", "Qwen - dir"),
            ("  Do you trust this folder?\n  3. Don't trust\n" + boxed("", "> "), "Qwen - dir"),
            ("  Connect a Provider\n  Terms of Services and Privacy Notice:\n" + boxed("", "> "), "Qwen - dir"),
        ],
    },
    "amp": {
        "osc_title_blocked": [("x", "Plugin confirmation needed")],
        "osc_title_working": [("x", "⠋ fix - amp - dir")],
        "osc_title_idle": [("x", "fix - amp - dir")],
    },
    "hermes": {
        "osc_title_blocked": [("x", "⚠ hermes")],
        "osc_title_working": [("x", "⏳ hermes")],
        "osc_title_idle": [("x", "✓ hermes")],
    },
    "cline": {
        "approval_prompt": [("⠦ Thinking... (esc to cancel)\n Approve tool call?\n [y] Approve", None)],
        "thinking_working": [("❯ do it\n⠦ Thinking... (esc to cancel)", None)],
        "question_prompt": [
            (
                " ❯ do it\n ⠋ ask_question(Which colour?)\n Cline is asking a question\n Which colour?\n  > Red\n"
                "    Blue\n    Type a response...\n fake-model (100) $0.00",
                "> do it",
            )
        ],
        "offer_dialog": [
            (boxed("  Open ClinePass", "❯ Wh   Press Enter to open, any other key to close", " Auto-approve"), "Cline")
        ],
        "answer_working": [
            (f" ❯ do it\n ⠴ word0 word1\n{'   word2' * 9}\n\n{RULE}\n❯ Ask anything...\n{RULE}\n a\n b", "> do it"),
            (" ⠴ word0" + "\n   word" * 14 + "\n" + boxed("", "❯ Ask anything..."), None),
        ],
        "prompt_idle": [
            (boxed(inside="❯ Ask anything..."), None),
            (boxed("   ⠴ shown by a tool", "❯ Ask anything..."), None),
            (boxed(" Cline is asking a question", "❯ Ask anything..."), None),
        ],
    },
    "kilo": {
        "opencode_permission": [("△ Permission required", None)],
        "opencode_dialog": [("↑↓ select  enter toggle  esc dismiss", None)],
        "esc_interrupt_working": [(" esc to interrupt", None)],
    },
    "qoder": {
        "confirmation_or_input_blocker": [
            ("Enter to select · Esc to cancel", None),
            ("Do you want to run it?\n 1. Yes", None),
        ],
        "cancel_hint_working": [("(esc to cancel)", None)],
        "spinner_working": [("⠋ Thinking", None)],
    },
}


@pytest.mark.parametrize(
    ("agent", "id", "screen", "title"),
    [
        (agent, id, screen, title)
        for agent, rules in CASES.items()
        for id, screens in rules.items()
        for screen, title in screens
    ],
)
def test_a_screen_made_for_a_rule_lets_it_win(agent: str, id: str, screen: str, title: str | None) -> None:
    assert winner(agent, screen, title) == id


@pytest.mark.parametrize("agent", CASES)
def test_no_rule_is_without_its_screen(agent: str) -> None:
    rules = CATALOG.rules_for(agent, "") if agent in KINDS else CATALOG.rules_for("generic", agent)
    assert set(CASES[agent]) == {rule.id for rule in rules.rules}


@pytest.mark.parametrize(
    ("agent", "screen", "title", "state"),
    [
        ("claude", "\n  \n", None, None),
        ("claude", boxed('❯ why does it say "esc to interrupt"?\n● Because it works.'), None, "idle"),
        ("claude", boxed("● Do you want to proceed? Yes, said the user."), None, "idle"),
        ("claude", boxed(inside="❯ esc to interrupt"), None, "idle"),
        ("claude", boxed("● A list:\n  * one thing…\n  * another…"), None, "idle"),
        ("claude", boxed("✻ Waiting for 1 background agent to finish\n● it has finished"), None, "idle"),
        ("claude", boxed("✻ Sautéed for 12s · done 12:16 PM"), None, "idle"),
        ("codex", "• Working (2s • esc to interrupt)\n\n• Done.\n\n› Ask Codex to do anything", "dir", "idle"),
        ("codex", "• hi\n  Worked for 4s • 12:23\n\n› Ask Codex to do anything", None, "idle"),
        ("codex", "› Press enter to confirm or esc to cancel?\n\n• No.\n\n› Ask Codex to do anything", None, "idle"),
        ("opencode", "  ┃  esc interrupt\n  ╹▀▀\n  ctrl+p commands", None, "idle"),
        ("pi", f"hi\n{RULE}\nOperation aborted?\n{RULE}\n~/x", None, "idle"),
        ("gemini", f"ℹ Request cancelled.\n > again\n✦ hello\n{RULE}\n >   Type", None, "idle"),
        ("qwen", "esc to cancel", None, None),
        ("qwen", "x", "", None),
    ],
)
def test_words_in_the_wrong_place_mean_nothing(agent: str, screen: str, title: str | None, state: str | None) -> None:
    rule = look(agent, screen, title).rule
    assert (None if rule is None else rule.state) == state
    assert rule is None or rule.id != "interrupted"
