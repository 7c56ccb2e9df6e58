"""What goes into a pane and comes out of it by the command line."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run


def typed(server: ScriptedServer) -> list[bytes]:
    return [b64decode(params["data_b64"]) for method, params in server.asked if method == "pane.input"]


def test_input_types_the_bytes_of_its_argument(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.input"] = lambda params: {"written": len(b64decode(params["data_b64"]))}
    assert run("pane", "input", "p", "--data", "- ä\n") == (0, "wrote 5 bytes\n", "")
    assert run("pane", "input", "p", "--data=", "--json") == (0, '{"written":0}\n', "")
    assert typed(server) == ["- ä\n".encode(), b""]


def test_a_long_standard_input_is_typed_in_pieces(
    run: Run, server: ScriptedServer, stdin: Callable[[bytes], None]
) -> None:
    data = bytes(range(256)) * 6000
    stdin(data)
    server.answers["pane.input"] = lambda params: {"written": len(b64decode(params["data_b64"]))}
    assert run("pane", "input", "p", "--stdin") == (0, "wrote 1536000 bytes\n", "")
    assert (b"".join(typed(server)) == data, len(typed(server))) == (True, 2)


def test_input_that_stops_half_way_tells_how_far_it_came(
    run: Run, server: ScriptedServer, stdin: Callable[[bytes], None]
) -> None:
    stdin(b"x" * 1_100_000)
    answers = iter([{"written": 1 << 20}, Exception("TIMEOUT", "the program does not read", {"written_bytes": 7})])
    server.answers["pane.input"] = lambda params: next(answers)
    status, _, said = run("pane", "input", "p", "--stdin", "--json")
    assert (status, said) == (
        1,
        '{"ok":false,"error":{"code":"TIMEOUT","message":"the program does not read",'
        '"details":{"written_bytes":1048583}}}\n',
    )


@pytest.mark.parametrize("line", ["pane input p", "pane input p --data x --stdin"])
def test_input_wants_exactly_one_source(run: Run, server: ScriptedServer, line: str) -> None:
    assert run(*line.split()) == (2, "", "signaltty: give either --data or --stdin\n")
    assert server.requests == []


def test_read_escapes_control_characters_line_by_line(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.read"] = {"text": "one\ntwo\x9b31m\ttab", "truncated": False}
    assert run("pane", "read", "p") == (0, "one\ntwo\\x9b31m\\x09tab\n", "")
    assert server.asked == [("pane.read", {"pane_id": "p", "mode": "tail", "lines": 200})]


def test_read_raw_prints_the_text_as_it_is(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.read"] = {"text": "\x1b[31mred\x1b[0m\n", "truncated": False}
    assert run("pane", "read", "p", "--raw", "--mode", "rendered", "--after-seq", "0") == (
        0,
        "\x1b[31mred\x1b[0m\n",
        "",
    )
    assert server.asked == [
        ("pane.read", {"pane_id": "p", "mode": "rendered", "lines": 200, "after_seq": 0, "strip_ansi": False})
    ]


def test_read_of_an_empty_pane_prints_nothing(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.read"] = {"text": "", "truncated": False}
    assert run("pane", "read", "p") == (0, "", "")


def test_wait_output_prints_the_line_that_matched(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.wait_for_output"] = {"text": "a\nok 3", "truncated": False, "matched_line": "ok\x07 3"}
    line = ("pane", "wait-output", "p", "ok", "--regex", "--mode", "screen", "--timeout", "2.5")
    assert run(*line) == (0, "ok\\x07 3\n", "")
    assert run(*line, "--raw")[1] == "ok\x07 3\n"
    assert server.asked[0] == (
        "pane.wait_for_output",
        {"pane_id": "p", "match": "ok", "regex": True, "mode": "screen", "timeout_s": 2.5},
    )


def test_clear_says_nothing(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.clear"] = {}
    assert run("pane", "clear", "p") == (0, "", "")
