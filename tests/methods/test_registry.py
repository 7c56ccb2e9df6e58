"""The table of methods: complete, documented, and exact about every parameter."""

from __future__ import annotations

import ast
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import CODES, BadParams, ProtocolError, UnknownMethod
from signaltty_core.methods import registry
from signaltty_core.methods.nouns import MODULES
from signaltty_core.methods.registry import REQUIRED
from signaltty_core.methods.server import EVENTS
from signaltty_core.state.environment import pane_token
from signaltty_core.wire.codec import encode
from tests.fake import Stage
from tests.play import Play

METHODS = registry.every()
PARAMS = [(method, param) for method in METHODS for param in method.params()]
WRONG: list[Any] = [
    0,
    -1,
    1.5,
    True,
    False,
    "",
    "\0",
    "no such thing",
    [],
    [1],
    ["a"],
    {},
    {"a": 1},
    [[]],
    10**30,
    -1e300,
]
CORE = Path(registry.__file__).parents[1]


@pytest.mark.parametrize(("method", "param"), PARAMS, ids=lambda value: value.name)
def test_every_parameter_has_a_line_that_says_what_it_is(method: Any, param: Any) -> None:
    assert len(param.doc) > 2
    assert param.doc == param.doc.strip()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_says_what_it_does_and_how_it_fails(method: Any) -> None:
    assert re.fullmatch(r"[A-Z].*\.", method.summary)
    doc = method.handler.__doc__
    assert doc.count("Errors:") == 1
    listed = method.errors
    assert listed == ("none",) or [code for code in listed if code not in CODES] == []
    named = set(registry._doc_lines(doc)) - {"Errors"}
    assert named == {param.name for param in method.params()}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_with_a_parameter_can_refuse_it(method: Any) -> None:
    kinds = [param.kind for param in method.params()]
    refusals = {f"NO_SUCH_{kind.noun.upper()}" for kind in kinds if kind.noun} | ({"BAD_PARAMS"} if kinds else set())
    assert refusals - set(method.errors) == set()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_noun_leads_to_a_method_of_that_module(name: str) -> None:
    names = [method.name for method in METHODS]
    found = [one for one in names if one == name or (name.endswith(".") and one.startswith(name))]
    assert found
    assert registry.find(found[0]).name == found[0]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_is_found_in_the_module_its_noun_names(method: Any) -> None:
    module = MODULES.get(method.name) or MODULES[method.name.partition(".")[0] + "."]
    assert method.handler.__module__ == f"signaltty_core.methods.{module}"


@pytest.mark.parametrize("name", ["", ".", "server.", "server", "server.nope", "SERVER.STATUS", "x" * 5000])
def test_any_other_name_is_unknown(name: str) -> None:
    with pytest.raises(UnknownMethod) as caught:
        registry.find(name)
    assert len(caught.value.message) < 120


def test_a_name_is_declared_once() -> None:
    with pytest.raises(RuntimeError, match="twice"):
        registry.method("server.status")(lambda call: {})


def test_every_event_the_code_emits_is_one_of_the_contract() -> None:
    """The lifecycle's own names are made from its states."""
    emitted: set[str] = set()
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "emit":
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    emitted.add(name.value)
    assert len(emitted) > 15
    assert emitted - set(EVENTS) == set()
    assert len(EVENTS) == len(set(EVENTS)) == 34


class Rich(Stage):
    """A stage with two panes side by side, one of them named, a decision pending and a terminal each."""

    def __init__(self) -> None:
        from signaltty_core.terminal.terminal import Terminal

        super().__init__()
        for name in ("first", "second"):
            pane_id = self.pane("generic", name=name)
            self.machine.runtimes[pane_id] = type("Runtime", (), {"terminal": Terminal(80, 24, version="1")})()
            self.machine.runtimes[pane_id].output_offset = 0
        self.good: dict[str, Any] = {
            "workspace_id": "ws_0",
            "tab_id": "tab_0",
            "pane_id": "pane_0",
            "target_pane_id": "pane_1",
            "task_id": self.task("pane_1"),
            "argv": ["true"],
            "data_b64": "",
            "signal": "INT",
            "layout": self.world.tabs["tab_0"]["layout"],
            "path": [],
            "branch": "b",
            "ratio": 0.5,
            "cols": 80,
            "rows": 24,
            "match": "x",
            "until": "done",
            "timeout_s": 0,
            "agent": "claude",
            "event": "Stop",
            "title": "t",
            "name": "n",
            "root": {"type": "pane"},
            "decision_id": "d",
            "option_id": "o",
            "agent_session_id": "s",
            "text": "go on",
            "status": "completed",
            "summary": "done",
            "repo": "/src",
            "contract": {"objective": "win"},
            "mode": "merge",
            "token": pane_token(b"", "pane_0"),
        }

    def required(self, method: Any) -> dict[str, Any]:
        """Good values for what must be given."""
        given = {one.name: self.good[one.name] for one in method.params() if one.default is REQUIRED}
        kinds = {one.name: one.kind for one in method.params()}
        if "path" in given and kinds["path"].schema["type"] == "string":
            given["path"] = "/src/new"
        return given

    def outcome(self, method: str, params: dict[str, Any]) -> str:
        """The error's code, `ok`, or `waits`."""
        try:
            found = registry.find(method)
            result = found.run(self.call(), params)
            if hasattr(result, "send"):
                play = Play(result)
                if not play.over:
                    play.close()
                    return "waits"
                play.ended()
        except ProtocolError as fault:
            encode(fault.as_wire())
            return fault.code
        return "ok"


def frozen(stage: Stage) -> Any:
    return deepcopy(stage.world.tables), stage.world.seq, list(stage.machine.deeds)


@pytest.mark.parametrize(("method", "param"), PARAMS, ids=lambda value: value.name)
def test_every_parameter_of_the_wrong_type_is_refused_by_its_path_and_changes_nothing(method: Any, param: Any) -> None:
    stage = Rich()
    required = stage.required(method)
    refused = 0
    for value in WRONG:
        before = frozen(stage)
        try:
            param.kind.check(value, param.name)
        except BadParams as fault:
            refused += 1
            with pytest.raises(BadParams) as caught:
                method.bind({**required, param.name: value})
            assert caught.value.as_wire() == fault.as_wire()
            path = str(caught.value.details["path"])
            assert re.fullmatch(re.escape(param.name) + r"([.\[].*)?", path)
            assert caught.value.message.startswith(f"{path}: ")
            assert stage.outcome(method.name, {**required, param.name: value}) == "BAD_PARAMS"
            assert frozen(stage) == before
    assert refused >= len(WRONG) - 8 or param.kind.schema == {}


@pytest.mark.parametrize(("method", "param"), PARAMS, ids=lambda value: value.name)
def test_every_parameter_of_the_right_type_and_a_silly_value_has_a_listed_outcome(method: Any, param: Any) -> None:
    for value in WRONG:
        stage = Rich()
        required = stage.required(method)
        outcome = stage.outcome(method.name, {**required, param.name: value})
        assert outcome in {"ok", "waits", *method.errors} - {"INTERNAL", "none"}


@pytest.mark.parametrize(("method", "param"), PARAMS, ids=lambda value: value.name)
def test_null_is_absent(method: Any, param: Any) -> None:
    required = Rich().required(method)
    absent = {name: value for name, value in required.items() if name != param.name}
    if param.default is REQUIRED:
        for given in (absent, {**absent, param.name: None}):
            with pytest.raises(BadParams, match=f"{param.name}: missing") as caught:
                method.bind(given)
            assert caught.value.details == {"path": param.name}
    else:
        assert method.bind({**required, param.name: None}) == method.bind(required)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_unknown_fields_are_ignored(method: Any) -> None:
    required = Rich().required(method)
    assert method.bind({**required, "unknown_field": {"x": [1]}}) == method.bind(required)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_no_method_is_unknown_when_called_with_nothing(method: Any) -> None:
    """Edge case 3."""
    assert Rich().outcome(method.name, {}) not in ("UNKNOWN_METHOD", "INTERNAL")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_objects_that_do_not_exist_have_codes_of_their_own(method: Any) -> None:
    for param in method.params():
        if param.kind.noun is None:
            continue
        stage = Rich()
        required = stage.required(method)
        before = frozen(stage)
        assert stage.outcome(method.name, {**required, param.name: "unknown"}) == f"NO_SUCH_{param.kind.noun.upper()}"
        assert frozen(stage) == before


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_schema_lists_what_is_required(method: Any) -> None:
    schema = method.schema()
    encode(schema)
    assert schema["required"] == [param.name for param in method.params() if param.default is REQUIRED]
    assert list(schema["properties"]) == [param.name for param in method.params()]
    assert all(field["description"] for field in schema["properties"].values())
