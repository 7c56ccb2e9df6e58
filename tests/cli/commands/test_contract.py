"""`schema` and `call`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run


def test_the_schema_is_four_lines(run: Run, server: ScriptedServer) -> None:
    server.answers["server.schema"] = {
        "protocol": "signaltty/1",
        "version": "0.1.0",
        "methods": ["a.b", "c"],
        "events": ["e"],
        "codes": ["X", "Y"],
    }
    assert run("schema") == (0, "signaltty 0.1.0 (signaltty/1)\nmethods: a.b c\nevents: e\ncodes: X Y\n", "")


def test_call_prints_indented_json(run: Run, server: ScriptedServer, stdin: Callable[[bytes], None]) -> None:
    server.answers["attention.pending"] = lambda params: {"got": params}
    stdin(b'{"limit": 2}')
    assert run("call", "attention.pending", '{"limit":1}') == (0, '{\n  "got": {\n    "limit": 1\n  }\n}\n', "")
    assert run("call", "attention.pending", "-", "--json") == (0, '{"got":{"limit":2}}\n', "")
    assert run("call", "attention.pending", "--json") == (0, '{"got":{}}\n', "")


@pytest.mark.parametrize(
    ("params", "sentence"), [("{", "PARAMS is not JSON: "), ("[]", "PARAMS must be a JSON object")]
)
def test_params_that_are_no_object_never_reach_the_server(
    run: Run, server: ScriptedServer, params: str, sentence: str
) -> None:
    status, _, said = run("call", "pane.get", params)
    assert (status, said.startswith(f"signaltty: {sentence}"), server.requests) == (1, True, [])
