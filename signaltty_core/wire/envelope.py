"""Request, response and event frames (seeds: "Envelope"; order of checks: behaviour §13)."""

from __future__ import annotations

from ..base.errors import BadParams, BadProtocol, ProtocolError
from ..base.limits import REQUEST_ID_CHARS
from ..base.version import PROTOCOL
from .codec import NotJson, decode, encode, encode_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NO_ID = "?"


class Request:
    """One checked request line. params may be any JSON: an unknown method comes before them (behaviour §13)."""

    __slots__ = ("id", "method", "params")

    def __init__(self, id: str, method: str, params: Any) -> None:
        self.id = id
        self.method = method
        self.params = params


class Refused(Exception):
    """A line that is no request; `id` is the one to answer under."""

    def __init__(self, id: str, error: ProtocolError) -> None:
        super().__init__(error.message)
        self.id = id
        self.error = error


def parse_request(line: bytes) -> Request:
    """JSON, then protocol, then id, then method. Raises Refused naming the first fault."""
    try:
        frame = decode(line)
    except NotJson as fault:
        raise Refused(NO_ID, BadParams(f"the request is not JSON: {fault}")) from None
    if not isinstance(frame, dict):
        raise Refused(NO_ID, BadParams("the request must be a JSON object"))
    given = frame.get("id")
    usable = isinstance(given, str) and 0 < len(given) <= REQUEST_ID_CHARS
    id = given if isinstance(given, str) and usable else NO_ID
    protocol = frame.get("protocol")
    if protocol != PROTOCOL:
        raise Refused(id, BadProtocol(f"expected protocol {PROTOCOL}, got {encode(protocol)[:80]}", expected=PROTOCOL))
    if not usable:
        raise Refused(id, BadParams(f"id: expected a string of 1 to {REQUEST_ID_CHARS} characters", path="id"))
    method = frame.get("method")
    if not isinstance(method, str):
        raise Refused(id, BadParams("method: expected a string", path="method"))
    params = frame.get("params")
    return Request(id, method, {} if params is None else params)


def request_line(id: str, method: str, params: dict[str, Any]) -> bytes:
    return encode_line({"protocol": PROTOCOL, "id": id, "method": method, "params": params})


def result_line(id: str, result: object) -> bytes:
    return encode_line({"protocol": PROTOCOL, "id": id, "ok": True, "result": result})


def error_line(id: str, error: ProtocolError) -> bytes:
    return encode_line({"protocol": PROTOCOL, "id": id, "ok": False, "error": error.as_wire()})


def event_line(event: str, seq: int, payload_text: str) -> bytes:
    """payload_text: the payload already encoded, so that journal and every subscriber share one encoding."""
    return (
        f'{{"protocol":"{PROTOCOL}","type":"event","event":"{event}","seq":{seq},"payload":{payload_text}}}\n'
    ).encode("ascii")
