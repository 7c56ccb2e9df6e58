"""Frames: what is no request is named, in a fixed order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signaltty_core.base.errors import NoSuchPane
from signaltty_core.base.version import PROTOCOL
from signaltty_core.wire.envelope import (
    Refused,
    error_line,
    event_line,
    parse_request,
    request_line,
    result_line,
)


def refusal(frame: Any) -> tuple[str, str, object]:
    line = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
    with pytest.raises(Refused) as caught:
        parse_request(line)
    error = caught.value.error
    return caught.value.id, error.code, error.details.get("path")


def frame(**changed: Any) -> dict[str, Any]:
    made = {"protocol": PROTOCOL, "id": "c1", "method": "server.status", "params": {}, **changed}
    return {key: value for key, value in made.items() if value is not ...}


def test_the_protocol_is_the_one_of_the_contract() -> None:
    assert PROTOCOL == "signaltty/1"


def test_a_request_is_read() -> None:
    request = parse_request(request_line("c1", "pane.get", {"pane_id": "p"}))
    assert (request.id, request.method, request.params) == ("c1", "pane.get", {"pane_id": "p"})


@pytest.mark.parametrize("params", [None, ...])
def test_absent_params_are_no_params(params: Any) -> None:
    assert parse_request(json.dumps(frame(params=params)).encode()).params == {}


def test_unknown_fields_are_ignored() -> None:
    assert parse_request(json.dumps(frame(trace=[1], type="request")).encode()).id == "c1"


@pytest.mark.parametrize("line", [b"not json", b"\xff", b'{"a":', b"{} {}", b"[" * 10_000])
def test_a_line_that_is_no_json_is_answered_under_a_question_mark(line: bytes) -> None:
    assert refusal(line) == ("?", "BAD_PARAMS", None)


@pytest.mark.parametrize("value", [None, 1, "text", [], True])
def test_a_line_that_is_no_object_is_answered_under_a_question_mark(value: Any) -> None:
    assert refusal(value) == ("?", "BAD_PARAMS", None)


@pytest.mark.parametrize("protocol", ["signaltty/99", "", None, 1, ..., {"deep": [1]}, "SIGNALTTY/1"])
def test_another_protocol_is_refused_before_anything_else_is_looked_at(protocol: Any) -> None:
    assert refusal(frame(protocol=protocol, method=7, params=7)) == ("c1", "BAD_PROTOCOL", None)


@pytest.mark.parametrize("id", ["", "x" * 257, 1, None, ..., True, ["a"], {}])
def test_an_unusable_id_is_answered_as_a_question_mark(id: Any) -> None:
    assert refusal(frame(id=id)) == ("?", "BAD_PARAMS", "id")
    assert refusal(frame(id=id, protocol="other")) == ("?", "BAD_PROTOCOL", None)


def test_an_id_may_have_256_characters() -> None:
    assert parse_request(json.dumps(frame(id="é" * 256)).encode()).id == "é" * 256


@pytest.mark.parametrize("method", [None, ..., 7, ["x"], {}, True])
def test_a_method_is_a_string(method: Any) -> None:
    assert refusal(frame(method=method, params=7)) == ("c1", "BAD_PARAMS", "method")


@pytest.mark.parametrize("params", [7, "x", [], True, 0, False])
def test_the_method_is_for_others_to_know_before_params_are_judged(params: Any) -> None:
    assert parse_request(json.dumps(frame(params=params)).encode()).params == params


def test_frames_to_the_client_have_the_shape_of_the_contract() -> None:
    assert json.loads(result_line("c1", {"a": 1})) == {"protocol": PROTOCOL, "id": "c1", "ok": True, "result": {"a": 1}}
    assert json.loads(error_line("c1", NoSuchPane("none", pane_id="p"))) == {
        "protocol": PROTOCOL,
        "id": "c1",
        "ok": False,
        "error": {"code": "NO_SUCH_PANE", "message": "none", "details": {"pane_id": "p"}},
    }
    assert json.loads(event_line("agent.done", 412, '{"pane_id":"p"}')) == {
        "protocol": PROTOCOL,
        "type": "event",
        "event": "agent.done",
        "seq": 412,
        "payload": {"pane_id": "p"},
    }
