"""Manifests: what a good file gives and what makes a whole file bad."""

from __future__ import annotations

import re

import pytest

from signaltty_core.agents.manifest import parse

GOOD = rb"""
[agent]
kind = "codex"
display_name = "My Codex"
binaries = ["codex-wrap", "cdx-*"]
unknown = 1

[session]
key = "thread"
resume = ["codex", "resume", "{session_id}"]

[lifecycle.PingTest]
lifecycle = "working"
attention = "none"

[lifecycle.Note]
message = "hm"

[[screen]]
id = "ask"
state = "blocked"
lines = 20
regex = ['(?i)allow this\?', '\[y/n\]']
not = ['^> ']
priority = 500

[[screen]]
id = "ask"
state = "hold"
region = "title"
lines = 3
all = ['x']
release = true
"""


def test_a_file_is_read_whole() -> None:
    made = parse("a.toml", GOOD)
    assert (made.file, made.kind, made.display_name) == ("a.toml", "codex", "My Codex")
    assert made.binaries == ("codex-wrap", "cdx-*")
    assert (made.session_key, made.resume) == ("thread", ("codex", "resume", "{session_id}"))
    assert made.lifecycle == {"PingTest": {"lifecycle": "working", "attention": "none"}, "Note": {"message": "hm"}}
    first, second = made.rules
    assert (first.id, first.state, first.region, first.limit, first.priority, first.release, first.file) == (
        *("ask", "blocked", "bottom", 20, 500, False),
        "a.toml",
    )
    assert [each.pattern for each in first.any_of] == [r"(?i)allow this\?", r"\[y/n\]"]
    assert (second.region, second.limit, second.priority, second.release) == ("title", None, 0, True)


RULE = '[agent]\nkind = "codex"\n[[screen]]\nid = "a"\nstate = "idle"\nregex = ["x"]\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "kind"),
        ("[agent]\n", "kind"),
        ('[agent]\nkind = "none"', "unknown kind"),
        ('[agent]\nkind = "robot"', "unknown kind"),
        ("[agent]\nkind = 7", "kind"),
        ("agent = 1", "agent"),
        ('[agent]\nkind = "codex"\nbinaries = [""]', "empty name"),
        ('[agent]\nkind = "codex"\nbinaries = "x"', "binaries"),
        ('[agent]\nkind = "codex"\nbinaries = [1]', "binaries"),
        ('[agent]\nkind = "codex"\n[session]\nresume = "x"', "resume"),
        ('[agent]\nkind = "codex"\n[lifecycle.X]\nlifecycle = "busy"', "lifecycle"),
        ('[agent]\nkind = "codex"\n[lifecycle.X]\nattention = "loud"', "attention"),
        ('[agent]\nkind = "codex"\n[lifecycle.X]\nmessage = 1', "message"),
        ('[agent]\nkind = "codex"\n[lifecycle]\nX = 1', "lifecycle.X"),
        ('screen = 1\n[agent]\nkind = "codex"', "screen"),
        (RULE.replace('id = "a"\n', ""), "id"),
        (RULE.replace('"idle"', '"done"'), "state"),
        (RULE.replace('state = "idle"\n', ""), "state"),
        (RULE.replace('regex = ["x"]\n', ""), "regex or all"),
        (RULE.replace('["x"]', "[]"), "regex or all"),
        (RULE.replace('["x"]', '["("]'), "bad pattern"),
        (RULE + 'not = ["["]', "bad pattern"),
        (RULE + 'region = "middle"', "region"),
        (RULE + "lines = 0", "lines"),
        (RULE + "lines = 201", "lines"),
        (RULE + "lines = true", "lines"),
        (RULE + "priority = 2147483648", "priority"),
        (RULE + "priority = 1.5", "priority"),
        (RULE + 'release = "yes"', "release"),
        ("[agent\n", "line 1"),
        ("\udcff", "utf-8"),
    ],
)
def test_a_fault_spoils_the_whole_file(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        parse("a.toml", text.encode("utf-8", "surrogateescape"))


def test_limits_are_inside() -> None:
    for more in ("lines = 1", "lines = 200", "priority = 2147483647", "priority = -2147483648"):
        assert len(parse("a.toml", (RULE + more).encode()).rules) == 1
