"""`pane.submit` against programs that behave like the input lines of real agents."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest

from tests.e2e.composers.rig import Composers
from tests.server.rig import Client, running, wait_until

LONG = "\n".join(f"line {number}: " + "words " * 12 for number in range(120))


@pytest.fixture(scope="module")
def composers() -> Iterator[Composers]:
    with running(started=False) as server:
        server.environ["SIGNALTTY_INTEGRATION"] = "off"
        server.start()
        yield Composers(server)


@pytest.mark.parametrize("modes", ["plain", "early", "late", "deaf", "mute", "placeholder", "slow,early"])
@pytest.mark.parametrize(
    "text", ["fix the bug", "first line\nsecond line\n\ttabbed é 世界", LONG], ids=["one", "three", "long"]
)
def test_a_prompt_is_submitted_once_whatever_the_input_line_is_like(
    composers: Composers, modes: str, text: str
) -> None:
    pane = composers.start(modes)
    done = composers.submit(pane, text)
    assert (done["submitted"], done["outcome"]) == (True, "working")
    composers.state(pane, "done")
    assert composers.submitted(pane) == [text]
    composers.client.call("pane.close", pane_id=pane)


def test_a_program_that_draws_nothing_yet_is_not_typed_at(composers: Composers) -> None:
    """Claude's start hook comes before it reads the keyboard; an Enter typed then becomes a line break."""
    pane = composers.begin("shy")

    def hook(event: str) -> None:
        payload = {"session_id": "s1"}
        composers.client.call("hook-event", pane_id=pane, agent="claude", event=event, payload=payload)

    hook("SessionStart")
    submitter = Client(composers.shop.server.path)
    asked = submitter.send("pane.submit", pane_id=pane, text="first\nsecond")
    wait_until(lambda: composers.submitted(pane) == ["first\nsecond"], "the prompt")
    hook("UserPromptSubmit")
    assert submitter.reply(asked)["ok"]
    submitter.close()
    assert composers.submitted(pane) == ["first\nsecond"]


def test_line_breaks_at_the_end_are_left_out(composers: Composers) -> None:
    """Edge case 148, first half."""
    pane = composers.start("plain")
    composers.submit(pane, "run it\r\n\n")
    composers.state(pane, "done")
    assert composers.submitted(pane) == ["run it"]


def test_two_submissions_at_once_are_two_whole_messages_or_one_refusal(composers: Composers) -> None:
    """Edge case 148, second half."""
    pane = composers.start("plain")
    texts = ["a" * 300, "b" * 300]
    codes: list[str] = []

    def submit(text: str) -> None:
        client = Client(composers.shop.server.path)
        reply = client.reply(client.send("pane.submit", pane_id=pane, text=text))
        codes.append("ok" if reply["ok"] else reply["error"]["code"])
        client.close()

    threads = [Thread(target=submit, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: len(composers.submitted(pane)) == codes.count("ok"), "what was accepted")
    assert sorted(codes) in (["ok", "ok"], ["AGENT_BUSY", "ok"])
    assert set(composers.submitted(pane)) <= set(texts)


def test_a_dialog_after_the_paste_gets_no_enter(composers: Composers) -> None:
    pane = composers.start("dialog")
    refused = composers.refusal(pane, "go on")
    assert (refused["code"], refused["details"]) == (
        "AGENT_BUSY",
        {"stage": "delayed_enter", "paste_delivered": True},
    )
    assert composers.lines(pane) == []
    assert composers.refusal(pane, "once more")["code"] == "AGENT_BUSY"
    assert composers.lines(pane) == []


def test_an_agent_known_by_its_screen_alone_is_submitted_to(composers: Composers) -> None:
    pane = composers.start("untold", agent_hint="claude")
    assert composers.submit(pane, "go on")["outcome"] == "working"
    composers.state(pane, "done")
    assert composers.submitted(pane) == ["go on"]


def test_a_dialog_that_only_the_screen_tells_of_gets_no_enter(composers: Composers) -> None:
    """It is found in the very step in which Enter would be written, or half a second before."""
    for delay_ms in (300, 900):
        pane = composers.start("untold,dialog", agent_hint="claude")
        refused = composers.refusal(pane, "go on", submit_delay_ms=delay_ms)
        assert refused["details"] == {"stage": "delayed_enter", "paste_delivered": True}
        assert composers.lines(pane) == []


def test_a_pane_that_asks_is_not_typed_at(composers: Composers) -> None:
    """Edge case 76: no byte is written."""
    pane = composers.start("trust")
    assert composers.refusal(pane, "go on")["code"] == "AGENT_BUSY"
    composers.client.call("pane.input", pane_id=pane, data_b64="DQ==")
    composers.state(pane, "idle")
    assert composers.lines(pane) == [{"picked": "first"}]
    composers.submit(pane, "go on")
    assert composers.submitted(pane) == ["go on"]


def test_a_dialog_that_only_the_screen_tells_of_is_not_answered_by_a_prompt(composers: Composers) -> None:
    """Copilot asks like this whether it may trust a folder, and Enter means yes."""
    pane = composers.start("untold,trust", agent_hint="claude")
    assert composers.refusal(pane, "go on")["code"] == "AGENT_BUSY"
    composers.client.call("pane.input", pane_id=pane, data_b64="DQ==")
    composers.state(pane, "idle")
    assert composers.lines(pane) == [{"picked": "first"}]
    composers.submit(pane, "go on")
    assert composers.submitted(pane) == ["go on"]


def test_no_activity_is_told_as_such_and_enter_was_repeated_once(composers: Composers) -> None:
    pane = composers.start("stuck")
    refused = composers.refusal(pane, "go on", stall_timeout_s=0.6)
    assert (refused["code"], refused["details"]) == ("TIMEOUT", {"stage": "activity_gate"})
    assert composers.submitted(pane) == ["go on"]


def test_work_that_is_over_before_enter_confirms_nothing(composers: Composers) -> None:
    pane = composers.start("restless,stuck")
    assert composers.refusal(pane, "go on", stall_timeout_s=0.6)["details"] == {"stage": "activity_gate"}
    pane = composers.start("restless")
    assert composers.submit(pane, "go on")["submitted"]
    assert composers.submitted(pane) == ["go on"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\x1b[201~rm -rf /\r", "marker"),
        ("a\x1b[200~", "marker"),
        ("a\x03", "control"),
        ("\x9b31m", "control"),
        ("", "empty"),
        ("\n\r\n", "empty"),
        ("a" * 32_769, "32768"),
    ],
)
def test_what_cannot_be_pasted_is_refused(composers: Composers, text: str, words: str) -> None:
    pane = composers.start("plain")
    refused = composers.refusal(pane, text)
    assert refused["code"] == "BAD_PARAMS" and words in refused["message"]
    assert composers.shop.get(pane)["lifecycle"] == "idle"
    composers.client.call("pane.close", pane_id=pane)


def test_a_draft_is_kept_and_only_replaced_on_request(composers: Composers) -> None:
    pane = composers.start("draft", agent_hint="claude")
    refused = composers.refusal(pane, "go on")
    assert (refused["code"], refused["details"]) == (
        "AGENT_BUSY",
        {"stage": "draft", "draft": "an unfinished thought"},
    )
    composers.submit(pane, "go on", replace_draft=True)
    assert composers.submitted(pane) == ["go on"]


def test_panes_that_cannot_take_a_prompt_say_so(composers: Composers) -> None:
    """Edge case 76."""
    silent = composers.shop.run("sleep 300")["id"]
    assert composers.refusal(silent, "x")["code"] == "AGENT_NOT_READY"
    composers.client.call("pane.signal", pane_id=silent, signal="KILL")
    composers.shop.exited(silent)
    assert composers.refusal(silent, "x")["code"] == "PANE_EXITED"
    busy = composers.shop.run("printf '\\033]7501;state=working\\033\\\\'; sleep 300")["id"]
    composers.state(busy, "working")
    assert composers.refusal(busy, "x")["code"] == "AGENT_BUSY"
    asking = composers.shop.run("stty raw; printf '\\033]7501;state=blocked:kind=question\\033\\\\'; cat >/dev/null")[
        "id"
    ]
    composers.state(asking, "blocked")
    refused = composers.refusal(asking, "x", stall_timeout_s=0.5)
    assert refused["details"] == {"stage": "activity_gate"}  # accepted: it waits for input and no decision is pending


def test_a_program_that_ends_after_the_paste_is_told(composers: Composers) -> None:
    pane = composers.shop.run("printf '\\033]7501;state=idle\\033\\\\'; stty raw; head -c 1 >/dev/null")["id"]
    composers.state(pane, "idle")
    assert composers.refusal(pane, "x")["code"] == "PANE_EXITED"
