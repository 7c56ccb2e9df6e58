"""What several sources say about one pane, from its own program and from hooks: who is believed, and what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import PYTHON, Record, Shop, b64, wait_until


class Agent:
    """A pane whose program does what its standard input says, and the hooks that are told about it."""

    def __init__(self, shop: Shop, agent: str = "claude") -> None:
        self.shop = shop
        self.agent = agent
        # what is typed is printed, with \033 and its kin understood
        script = 'stty -echo; printf ready; while IFS= read -r line; do printf "$line"; done'
        self.id: str = shop.run(script, agent_hint=agent)["id"]
        shop.shows(self.id, "ready")
        self.events = shop.server.client()
        self.events.call("subscribe", events=["agent.*", "attention.*", "decision.*", "notification.*"])

    def hook(self, event: str, **payload: Any) -> Record:
        told = {"session_id": "s", **payload}
        found: Record = self.shop.client.call(
            "hook-event", agent=self.agent, event=event, pane_id=self.id, payload=told
        )
        return found

    def prints(self, text: str) -> None:
        """Once this has returned, the server has seen it: a mark behind it is on the screen."""
        self.shop.client.call("pane.input", pane_id=self.id, data_b64=b64(text.encode() + b"\n"))

    def state(self) -> tuple[str, str]:
        pane = self.shop.get(self.id)
        return pane["lifecycle"], pane["attention"]

    def comes_to(self, *state: str) -> None:
        wait_until(lambda: self.state() == state, f"{state}, last {self.state()}")

    def told(self) -> list[tuple[Any, ...]]:
        """Name and what changed of this pane's events so far."""
        return [
            (frame["event"], *(frame["payload"].get(key) for key in ("prev", "lifecycle", "attention", "reason")))
            for frame in self.events.settle()
            if frame.get("payload", {}).get("pane_id") == self.id
        ]

    def sources(self) -> dict[str, Record]:
        explained = self.shop.client.call("pane.explain", pane_id=self.id)
        return {entry["source"]: entry for entry in explained["sources"]}


def test_an_interrupt_that_only_the_program_tells_is_no_finished_turn(shop: Shop) -> None:
    """Edge case 117."""
    agent = Agent(shop)
    agent.hook("UserPromptSubmit")
    agent.prints(r"\033]7501;state=working\007")
    wait_until(lambda: "osc7501" in agent.sources(), "the program's word")
    agent.prints(r"\033]7501;state=idle\007")
    agent.comes_to("idle", "none")
    assert [event[0] for event in agent.told()] == ["agent.working", "agent.idle"]
    assert agent.hook("PostToolUse", tool_name="Bash")["lifecycle"] == "idle"
    # a hook that ends the turn all the same is believed
    assert agent.hook("Stop")["lifecycle"] == "done"


def test_a_program_cannot_reopen_a_turn_that_a_hook_ended(shop: Shop) -> None:
    """Edge case 119."""
    agent = Agent(shop)
    agent.hook("UserPromptSubmit")
    agent.hook("Stop")
    agent.prints(r"\033]7501;state=working:app=cc\007")
    wait_until(lambda: "osc7501" in agent.sources(), "the program's word")
    assert agent.state() == ("done", "unread")
    told = {
        name: {key: entry.get(key) for key in ("value", "decides", "holds", "applied")}
        for name, entry in agent.sources().items()
    }
    assert told == {
        "hook": {"value": "claude:Stop", "decides": True, "holds": True, "applied": None},
        "osc7501": {"value": "working cc", "decides": False, "holds": False, "applied": False},
    }


ASKER = r"""
import os, select, sys, termios, tty
tty.setraw(0)
print("up", end="", flush=True)
for number in range(len({query!r}) + 1):
    os.write(1, {query!r}[:number])
    select.select([], [], [], 0.05)
    os.write(1, {query!r}[number:] + b"\x1b[c")
    said = b""
    while not said.endswith(b"c"):
        said += os.read(0, 100)
    with open({log!r}, "a") as log:
        log.write(said.hex() + "\n")
print("over", end="", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("query", [b"\x1b]7501;?\x07", b"\x1b]7501; ? \x1b\\"])
def test_a_program_that_asks_gets_one_answer_before_any_other_however_its_question_is_cut(
    shop: Shop, query: bytes
) -> None:
    """Edge case 120."""
    log = Path(shop.server.work) / f"asked-{len(query)}"
    pane = shop.spawn(PYTHON, "-c", ASKER.format(query=query, log=str(log)))
    shop.shows(pane["id"], "over")
    answer = b"\x1b]7501;?" + (b"\x07" if query.endswith(b"\x07") else b"\x1b\\") + b"\x1b[?62;22c"
    assert log.read_text().split() == [answer.hex()] * (len(query) + 1)
    assert shop.text(pane["id"]) == "upover"


def test_a_compaction_on_request_gives_a_finished_agent_its_state_back(shop: Shop) -> None:
    """Edge case 169, except for the minute: two seconds after the end of a turn are what counts."""
    agent = Agent(shop)
    agent.hook("UserPromptSubmit")
    assert agent.hook("PreCompact", trigger="auto")["lifecycle"] == "working"
    assert agent.hook("PostCompact", trigger="auto")["lifecycle"] == "working"
    agent.hook("Stop")
    before = agent.told()
    wait_until(lambda: agent.hook("PreCompact", trigger="manual")["lifecycle"] == "working", "the work of compacting")
    assert agent.state() == ("working", "unread")
    assert agent.hook("PostCompact", trigger="manual")["lifecycle"] == "done"
    assert agent.state() == ("done", "unread")
    assert [event[0] for event in before] == ["agent.working", "agent.done", "attention.created"]
    assert [event[:3] for event in agent.told()] == [
        ("agent.working", "done", "working"),
        ("agent.done", "working", "done"),
    ]
