"""Request lines in, replies out: order, single flight, ends of connections, panes that are being born."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import RateLimited
from signaltty_core.engine.router import QUEUED_LINES, UNREAD_BYTES, UNREAD_REPLIES
from signaltty_core.state.effects import SendSignal, Work
from tests.engine.stage import Engine, Peer


def ids(peer: Peer) -> list[str]:
    return [frame["id"] for frame in peer.heard()]


def signal(peer: Peer, pane_id: str, id: str) -> None:
    """A request that is answered when the host is."""
    peer.say("pane.signal", id, pane_id=pane_id, signal="INT")


def test_faulty_lines_leave_the_connection_as_it_is() -> None:
    """Edge case 1."""
    peer = Engine().peer()
    peer.line(b"not json")
    peer.line(b'{"protocol":"signaltty/99","id":"a","method":"server.status"}')
    peer.say("nope.nope", "b")
    peer.say("pane.get", "c", pane_id=7)
    peer.say("server.status", "d")
    assert [(frame["id"], frame["ok"] or frame["error"]["code"]) for frame in peer.heard()] == [
        ("?", "BAD_PARAMS"),
        ("a", "BAD_PROTOCOL"),
        ("b", "UNKNOWN_METHOD"),
        ("c", "BAD_PARAMS"),
        ("d", True),
    ]


@pytest.mark.parametrize("params", [b"7", b'"x"', b"[]", b"true", b"0", b"false"])
def test_params_are_an_object_but_an_unknown_method_is_told_first(params: bytes) -> None:
    peer = Engine().peer()
    for id, method in ((b"a", b"nope.nope"), (b"b", b"pane.get"), (b"c", b"server.status")):
        peer.line(b'{"protocol":"signaltty/1","id":"%s","method":"%s","params":%s}' % (id, method, params))
    assert [(frame["id"], frame["error"]["code"]) for frame in peer.heard()] == [
        ("a", "UNKNOWN_METHOD"),
        ("b", "BAD_PARAMS"),
        ("c", "BAD_PARAMS"),
    ]


@pytest.mark.parametrize("line", [b"", b" ", b"\r", b"\t \r"])
def test_blank_lines_are_no_requests(line: bytes) -> None:
    peer = Engine().peer()
    peer.line(line)
    assert peer.heard() == []


def test_pipelined_requests_are_answered_in_order_and_one_at_a_time() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "1")
    peer.say("server.status", "2")
    signal(peer, pane_id, "3")
    peer.say("server.status", "4")
    assert ([effect for effect, _ in engine.host.waiting], ids(peer)) == ([SendSignal(pane_id, "INT", False)], [])
    engine.host.waiting.pop()[1](True, None)
    assert ids(peer) == ["1", "2"]
    engine.host.waiting.pop()[1](True, None)
    assert ids(peer) == ["3", "4"]


def test_thousands_of_requests_behind_a_slow_one_are_all_answered() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "slow")
    for number in range(5000):
        peer.say("server.status", str(number))
    engine.host.waiting.pop()[1](True, None)
    assert ids(peer) == ["slow", *map(str, range(5000))]
    assert engine.faults == []


def test_a_client_that_asks_ahead_is_not_read_for_a_while() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "slow")
    for number in range(QUEUED_LINES):
        assert not peer.channel.is_paused
        peer.say("server.status", str(number))
    assert peer.channel.is_paused
    engine.host.waiting.pop()[1](True, None)
    assert not peer.channel.is_paused


def test_a_client_that_does_not_read_its_answers_has_no_further_request_begun() -> None:
    engine = Engine()
    peer = engine.peer()
    for number in range(UNREAD_REPLIES + QUEUED_LINES):
        peer.say("server.status", str(number))
    assert (len(peer.client.outbox), peer.channel.is_paused) == (UNREAD_REPLIES, True)
    assert [frame["id"] for frame in peer.heard(10)] == [str(number) for number in range(10)]
    assert (len(peer.client.outbox), peer.channel.is_paused) == (UNREAD_REPLIES, False)
    assert ids(peer) == [str(number) for number in range(10, UNREAD_REPLIES + QUEUED_LINES)]


def test_large_answers_that_nobody_reads_are_made_one_by_one() -> None:
    engine = Engine()
    peer = engine.peer()
    for number in range(3 * UNREAD_REPLIES):
        peer.say("server.schema", f"{number:03}")
    size = len(next(iter(peer.client.outbox._items)).data)
    waiting = -(-UNREAD_BYTES // size)
    assert 1 < waiting < UNREAD_REPLIES
    assert (len(peer.client.outbox), peer.client.outbox.unread_bytes) == (waiting, waiting * size)
    peer.heard(1)
    assert len(peer.client.outbox) == waiting
    assert ids(peer) == [f"{number:03}" for number in range(1, 3 * UNREAD_REPLIES)]
    assert peer.client.outbox.unread_bytes == 0


def test_a_reply_waits_for_the_changes_it_may_show() -> None:
    engine = Engine()
    pane_id = engine.pane()
    one, other = engine.peer(), engine.peer()
    one.say("pane.rename", "1", pane_id=pane_id, name="worker")
    other.say("pane.get", "2", pane_id=pane_id)
    assert (ids(one), ids(other)) == ([], [])
    engine.sync()
    assert (ids(one), ids(other)) == (["1"], ["2"])


def test_a_fault_of_ours_is_told_without_its_secrets_and_reported() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "1")
    engine.host.waiting.pop()[1](None, ZeroDivisionError("secret"))
    (frame,) = peer.heard()
    assert (frame["error"]["code"], "secret" in frame["error"]["message"]) == ("INTERNAL", False)
    assert [type(fault) for fault in engine.faults] == [ZeroDivisionError]


@pytest.mark.parametrize(
    "wait",
    [
        {"method": "wait", "until": "done"},
        {"method": "pane.wait_for_output", "match": "never"},
    ],
)
class TestSingleFlight:
    def begun(self, wait: dict[str, Any]) -> tuple[Engine, Peer]:
        engine = Engine()
        pane_id = engine.pane()
        peer = engine.peer()
        peer.say(**{"pane_id": pane_id, "timeout_s": 3.0, **wait})
        assert (peer.client.held, peer.heard()) == (True, [])
        return engine, peer

    def is_over(self, engine: Engine, peer: Peer, *answered: str) -> bool:
        """Nothing was said of the wait, what came before it was answered, and the connection is closed."""
        engine.advance(10)
        said = ids(peer)
        return said == [*answered] and not peer.channel.is_open and not engine.runner.live and not engine.faults

    def test_a_further_line_ends_it_without_a_reply(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        peer.say("server.status", "2")
        assert self.is_over(engine, peer)

    def test_even_a_faulty_line_ends_it(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        peer.line(b"what")
        assert self.is_over(engine, peer)

    def test_answers_of_earlier_requests_still_arrive(self, wait: dict[str, Any]) -> None:
        engine = Engine()
        pane_id = engine.pane()
        peer = engine.peer()
        peer.say("server.status", "1")
        peer.say(**{"id": "2", "pane_id": pane_id, **wait})
        peer.say("server.status", "3")
        assert self.is_over(engine, peer, "1")

    def test_the_end_of_file_ends_it(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        engine.router.on_eof(peer.client)
        assert self.is_over(engine, peer)

    def test_a_lost_connection_ends_it(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        peer.channel.close()
        assert self.is_over(engine, peer)

    def test_a_line_too_long_ends_it_with_the_reason(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        engine.router.refuse(peer.client, RateLimited("line too large"))
        (frame,) = peer.heard()
        assert (frame["id"], frame["error"]["code"]) == ("?", "RATE_LIMITED")
        assert self.is_over(engine, peer)

    def test_a_line_that_came_before_it_began_ends_it_too(self, wait: dict[str, Any]) -> None:
        engine = Engine()
        pane_id = engine.pane()
        peer = engine.peer()
        signal(peer, pane_id, "1")
        peer.say(**{"id": "2", "pane_id": pane_id, **wait})
        peer.say("server.status", "3")
        engine.host.waiting.pop()[1](True, None)
        assert self.is_over(engine, peer, "1")

    def test_an_end_of_file_that_came_before_it_began_ends_it_too(self, wait: dict[str, Any]) -> None:
        engine = Engine()
        pane_id = engine.pane()
        peer = engine.peer()
        signal(peer, pane_id, "1")
        peer.say(**{"id": "2", "pane_id": pane_id, **wait})
        engine.router.on_eof(peer.client)
        engine.host.waiting.pop()[1](True, None)
        assert self.is_over(engine, peer, "1")

    def test_when_it_is_over_the_connection_serves_on(self, wait: dict[str, Any]) -> None:
        engine, peer = self.begun(wait)
        engine.advance(3.1)
        (frame,) = peer.heard()
        assert (frame["error"]["code"], peer.client.held) == ("TIMEOUT", False)
        peer.say("server.status", "2")
        assert ids(peer) == ["2"]


def test_a_half_closed_client_still_gets_all_its_answers() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "1")
    peer.say("server.status", "2")
    engine.router.on_eof(peer.client)
    assert (peer.heard(), peer.channel.is_open) == ([], True)
    engine.host.waiting.pop()[1](True, None)
    assert (ids(peer), peer.channel.is_open) == (["1", "2"], False)
    assert engine.router.clients == set()


def test_a_half_closed_subscriber_gets_its_reply_and_is_closed() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.say("subscribe", "1")
    peer.say("pane.attach", "2", pane_id=pane_id)
    engine.router.on_eof(peer.client)
    engine.ingest.on_output(pane_id, b"\x07never sent")
    engine.sync()
    frames = peer.heard()
    assert [frame.get("id") for frame in frames if "id" in frame] == ["1", "2"]
    assert not peer.channel.is_open
    assert (engine.hub.subscribers, engine.panes.get(pane_id).viewers) == (set(), {})


def test_a_client_that_has_gone_gets_nothing_and_its_call_runs_on() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    signal(peer, pane_id, "1")
    peer.say("pane.rename", "2", pane_id=pane_id, name="never")
    peer.channel.close()
    engine.host.waiting.pop()[1](True, None)
    assert (len(peer.client.outbox), engine.runner.live, engine.faults) == (0, set(), [])
    assert "name" not in engine.world.panes[pane_id]


def test_a_client_that_has_gone_is_owed_nothing() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.say("subscribe", "1")
    peer.say("pane.attach", "2", pane_id=pane_id)
    engine.ingest.on_output(pane_id, b"\x07never read")
    assert len(peer.client.outbox) > 3
    peer.channel.close()
    outbox = peer.client.outbox
    assert (len(outbox), outbox.events, outbox.replies, outbox.unread_bytes, outbox.backlog) == (0, 0, 0, 0, {})


def test_requests_that_name_a_pane_being_born_wait_for_it() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.machine.expect(pane_id)
    engine.machine.expect("pane_other")
    peer, third = engine.peer(), engine.peer()
    peer.say("pane.get", "1", pane_id=pane_id)
    peer.say("server.status", "2")
    third.say("pane.swap", "3", pane_id="pane_x", target_pane_id="pane_other")
    assert (ids(peer), ids(third)) == ([], [])
    engine.machine.give_up(pane_id)
    assert (ids(peer), ids(third)) == (["1", "2"], [])
    engine.machine.give_up("pane_other")
    assert ids(third) == ["3"]


def test_a_deferred_request_of_a_client_that_has_gone_is_dropped() -> None:
    engine = Engine()
    engine.machine.expect("pane_new")
    peer = engine.peer()
    peer.say("pane.get", "1", pane_id="pane_new")
    peer.channel.close()
    engine.machine.give_up("pane_new")
    assert (peer.heard(), engine.faults) == ([], [])


def test_a_half_closed_client_gets_the_answer_of_a_deferred_request() -> None:
    engine = Engine()
    engine.machine.expect("pane_new")
    peer = engine.peer()
    peer.say("pane.get", "1", pane_id="pane_new")
    engine.router.on_eof(peer.client)
    assert peer.channel.is_open
    engine.machine.give_up("pane_new")
    (frame,) = peer.heard()
    assert (frame["error"]["code"], peer.channel.is_open) == ("NO_SUCH_PANE", False)


def test_one_wait_of_many_does_not_end_another() -> None:
    engine = Engine()
    pane_id = engine.pane()
    first, second = engine.peer(), engine.peer()
    for peer in (first, second):
        peer.say("wait", pane_id=pane_id, until="unread")
    first.channel.close()
    engine.ingest.on_output(pane_id, b"\x07")
    engine.settle()
    engine.sync()
    (frame,) = second.heard()
    assert frame["result"]["outcome"] == "unread"


def test_a_wait_ends_in_the_pass_of_the_change_even_if_the_state_has_passed() -> None:
    engine = Engine()
    pane_id = engine.pane()
    waiting, actor = engine.peer(), engine.peer()
    waiting.say("wait", pane_id=pane_id, until=["permission_required", "unread"])
    engine.ingest.on_output(pane_id, b"\x07")
    actor.say("pane.mark_seen", pane_id=pane_id)
    engine.settle()
    engine.sync()
    (frame,) = waiting.heard()
    assert {**frame["result"], "transition_seq": 0} == {
        "satisfied": True,
        "outcome": "unread",
        "transition_seq": 0,
        "lifecycle": "unknown",
        "attention": "unread",
    }


def test_work_goes_to_the_host_and_its_result_comes_back() -> None:
    engine = Engine()
    peer = engine.peer()
    peer.say("workspace.create", cwd="/somewhere")
    effect, done = engine.host.waiting.pop()
    assert isinstance(effect, Work)
    assert effect.args == ("/somewhere",)
    done("does not exist", None)
    (frame,) = peer.heard()
    assert (frame["error"]["code"], frame["error"]["details"]) == ("BAD_PARAMS", {"path": "cwd"})
