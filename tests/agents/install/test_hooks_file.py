"""Our commands in shared settings files: put in, kept right, taken out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signaltty_core.agents.install.agent_files import TARGETS
from signaltty_core.agents.install.command import is_managed
from signaltty_core.agents.install.edit import installing, is_installed, uninstalling
from signaltty_core.agents.install.refusal import Refused

PROGRAM = "/opt/signaltty"
FOREIGN = """{
    "model": "opus",
    "hooks": {
        "Stop": [
            {
                "matcher": "",
                "hooks": [ {"type": "command", "command": "say done"} ]
            }
        ],
        "Elsewhere": [ ]
    },
    "env": { "A": "\\u00e9" }
}
"""


def install(agent: str, data: bytes | None, **more: Any) -> bytes:
    made = installing(agent, PROGRAM, **more)(data)
    assert made is not None
    return made


@pytest.mark.parametrize("agent", TARGETS)
def test_a_second_install_changes_no_byte_and_nothing_stays_after_uninstall(agent: str) -> None:
    """Edge case 53."""
    first = install(agent, None)
    assert install(agent, first) == first
    assert (is_installed(agent, first), is_installed(agent, None)) == (True, False)
    left = uninstalling(agent)(first)
    assert left is None or not any(map(is_managed, _strings(json.loads(left))))
    assert uninstalling(agent)(None) is None


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "qwen"])
def test_what_others_wrote_survives_install_and_uninstall(agent: str) -> None:
    """Edge case 53: every line of it is there after the install, and every byte after the uninstall."""
    text = FOREIGN.replace("Stop", TARGETS[agent].entries(PROGRAM, None)[0][0].event)
    made = install(agent, text.encode())
    position = 0
    for line in text.splitlines():
        position = made.decode().index(line.rstrip(",") if line.strip() not in "{}]" else line.strip(), position)
    assert json.loads(made)["env"] == {"A": "é"}
    assert b'"\\u00e9"' in made
    assert uninstalling(agent)(made) == text.encode()


def test_a_managed_command_is_corrected_where_it_stands() -> None:
    old = (
        install("claude", None).replace(b"/opt/signaltty", b"/old/signaltty").replace(b'"timeout": 10', b'"timeout": 5')
    )
    moved = json.loads(old)
    moved["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    moved["hooks"]["Stop"][0]["matcher"] = "own"
    made = json.loads(install("claude", json.dumps(moved).encode()))
    expected = json.loads(install("claude", None))
    expected["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    expected["hooks"]["Stop"][0]["matcher"] = "own"
    assert made == expected


def test_a_command_that_stands_twice_stands_once_afterwards() -> None:
    doubled = json.loads(install("codex", None))
    doubled["hooks"]["Stop"] += doubled["hooks"]["Stop"]
    assert json.loads(install("codex", json.dumps(doubled).encode())) == json.loads(install("codex", None))


def test_commands_of_ours_under_other_events_go() -> None:
    made = json.loads(install("cursor", None))
    made["hooks"]["afterFileEdit"] = [*made["hooks"]["stop"], {"command": "mine"}]
    made["hooks"]["beforeReadFile"] = made["hooks"]["stop"]
    cleaned = json.loads(install("cursor", json.dumps(made).encode()))["hooks"]
    assert cleaned["afterFileEdit"] == [{"command": "mine"}]
    assert list(cleaned) == ["sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd", "afterFileEdit"]


def test_uninstall_keeps_groups_that_hold_more_than_we_wrote() -> None:
    made = json.loads(install("claude", None))
    made["hooks"]["Stop"][0]["note"] = "mine"
    made["hooks"]["SessionEnd"][0]["matcher"] = "mine"
    made["hooks"]["SessionStart"].append({"hooks": []})
    left = uninstalling("claude")(json.dumps(made).encode())
    assert left is not None
    assert json.loads(left)["hooks"] == {
        "SessionStart": [{"hooks": []}],
        "Stop": [{"matcher": "", "hooks": [], "note": "mine"}],
        "SessionEnd": [{"matcher": "mine", "hooks": []}],
    }


def test_claudes_newer_events_depend_on_what_is_known_of_its_version() -> None:
    newer = {"StopFailure", "PostToolUseFailure", "PermissionDenied"}
    with_them = install("claude", None, version=(2, 1, 332))
    without = install("claude", None, version=(2, 1, 331))
    assert set(json.loads(with_them)["hooks"]) - set(json.loads(without)["hooks"]) == newer
    assert install("claude", None) == without
    assert install("claude", with_them) == with_them
    assert set(json.loads(install("claude", with_them, version=(2, 0, 0)))["hooks"]) & newer == set()


def test_copilots_permission_hook_comes_on_request_and_stays() -> None:
    plain = install("copilot", None)
    asked = install("copilot", plain, permissions=True)
    entry = json.loads(asked)["hooks"]["PermissionRequest"][0]
    assert (entry["timeoutSec"], "--wait-for-answer" in entry["bash"]) == (125, True)
    assert "PermissionRequest" not in json.loads(plain)["hooks"]
    assert install("copilot", asked) == asked


def test_files_of_our_own_go_unless_somebody_added_to_them() -> None:
    for agent in ("copilot", "goose"):
        made = install(agent, None)
        assert uninstalling(agent)(made) is None
        shared = json.loads(made)
        event = next(iter(shared["hooks"]))
        shared["hooks"][event] += [{"bash": "mine"}] if agent == "copilot" else [{"hooks": [{"command": "mine"}]}]
        left = uninstalling(agent)(json.dumps(shared).encode())
        assert left is not None
        assert list(json.loads(left)["hooks"]) == [event]
        assert uninstalling(agent)(b"{}\n") == b"{}\n"


def test_droid_has_its_events_at_the_root_unless_there_is_a_hooks_object() -> None:
    plain = json.loads(install("droid", None))
    assert list(plain) == ["SessionStart", "UserPromptSubmit", "Notification", "PostToolUse", "Stop", "SessionEnd"]
    assert json.loads(install("droid", b'{"hooks": {}}')) == {"hooks": plain}
    both = json.dumps({**plain, "hooks": {"Stop": plain["Stop"]}}).encode()
    assert uninstalling("droid")(both) == b'{"hooks": {}}'


def test_goose_has_groups_without_a_matcher() -> None:
    command = f"'{PROGRAM}' hook-event --agent goose --event Stop --payload-stdin # signaltty hook-event (managed)"
    assert json.loads(install("goose", None))["hooks"]["Stop"] == [
        {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"{broken",
        b"null",
        b"[]",
        b'{"hooks":false}',
        b'{"hooks":[]}',
        b'{"hooks":{"Stop":{}}}',
        b'{"hooks":{"Stop":null}}',
    ],
)
def test_a_file_that_makes_no_sense_is_refused(data: bytes) -> None:
    """Edge case 54."""
    with pytest.raises(Refused, match="invalid"):
        install("claude", data)


def test_values_of_other_events_are_nobodys_business() -> None:
    made = json.loads(install("gemini", b'{"hooks": {"disabled": ["x"], "enabled": true, "odd": {"a": 1}}}'))["hooks"]
    assert (made["disabled"], made["enabled"], made["odd"]) == (["x"], True, {"a": 1})


def test_elements_of_strange_shape_are_stepped_over() -> None:
    strange = b'{"hooks": {"Stop": [1, null, {"hooks": 5}, {"hooks": [null, {"command": 7}]}]}}'
    made = json.loads(install("claude", strange))["hooks"]["Stop"]
    assert made[:4] == [1, None, {"hooks": 5}, {"hooks": [None, {"command": 7}]}]
    assert len(made) == 5


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in inside for text in _strings(child)]
