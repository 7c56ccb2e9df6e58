"""Every kind says exactly what it takes, and names the faulty place."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.wire import kinds
from signaltty_core.wire.kinds import kind_of

MAX = float("1e300")

# kind, what it takes (given, read), what it refuses (given, path of the fault)
EXACT: list[tuple[Any, list[tuple[Any, Any]], list[tuple[Any, str]]]] = [
    (str, [("", ""), ("é", "é")], [(1, "p"), (True, "p"), (["a"], "p"), ({}, "p"), (1.5, "p")]),
    (bool, [(True, True), (False, False)], [(1, "p"), (0, "p"), ("true", "p"), ([], "p"), (1.0, "p")]),
    (int, [(3, 3), (-3, -3), (3.0, 3), (MAX, int(MAX))], [(3.5, "p"), (True, "p"), ("3", "p"), (float("inf"), "p")]),
    (
        float,
        [(3, 3.0), (0.5, 0.5), (-1, -1.0)],
        [(True, "p"), ("1", "p"), (float("nan"), "p"), (float("inf"), "p"), (10**400, "p"), ([1], "p")],
    ),
    (kinds.AbsPath, [("/a b", "/a b")], [("a", "p"), ("", "p"), ("/a\0", "p"), (7, "p")]),
    (kinds.Arg, [("", ""), ("x", "x")], [("a\0b", "p"), (7, "p")]),
    (
        kinds.Argv,
        [(["a"], ["a"]), (["a", ""], ["a", ""])],
        [([], "p"), (["a", 1], "p[1]"), (["a\0"], "p[0]"), ("a", "p")],
    ),
    (kinds.StringMap, [({}, {}), ({"A": ""}, {"A": ""})], [({"A": 1}, "p.A"), ({"A": None}, "p.A"), ([], "p")]),
    (kinds.Object, [({"a": [1]}, {"a": [1]})], [([], "p"), ("{}", "p"), (True, "p")]),
    (kinds.Json, [(None, None), ([1], [1]), (True, True)], []),
    (kinds.WaitSeconds, [(0, 0.0), (604_800, 604_800.0)], [(-1, "p"), (604_801, "p"), (True, "p"), ("1", "p")]),
    (kinds.Count, [(1, 1), (2.0, 2)], [(0, "p"), (-1, "p"), (1.5, "p"), (True, "p")]),
    (kinds.Seq, [(0, 0), (5, 5)], [(-1, "p"), ("0", "p"), (False, "p")]),
    (
        kinds.Direction,
        [("right", "right"), ("down", "down")],
        [("Right", "p"), (["down"], "p"), (1, "p")],
    ),
    (kinds.ReadMode, [("tail", "tail")], [("TAIL", "p"), ("", "p"), ({"tail": 1}, "p")]),
    (list[int], [([], []), ([1, 2.0], [1, 2])], [([1, "a"], "p[1]"), ([True], "p[0]"), ({}, "p")]),
    (list[list[str]], [([["a"]], [["a"]])], [([["a"], [1]], "p[1][0]")]),
    (str | list[str], [("a", "a"), (["a"], ["a"])], [([7], "p[0]"), (["done", 7], "p[1]"), (7, "p"), (True, "p")]),
    (str | None, [("a", "a")], [(1, "p")]),
    (Optional[int], [(1, 1)], [("a", "p")]),  # noqa: UP045
    (Union[str, int], [("a", "a"), (1, 1)], [([], "p"), (True, "p")]),  # noqa: UP007
    (kinds.PaneRef, [("x", "x")], [(1, "p")]),
]


@pytest.mark.parametrize(("hint", "taken", "_refused"), EXACT)
def test_a_kind_takes_what_it_says(hint: Any, taken: list[tuple[Any, Any]], _refused: Any) -> None:
    kind = kind_of(hint)
    for given, read in taken:
        value = kind.check(given, "p")
        assert (value, type(value)) == (read, type(read))


@pytest.mark.parametrize(("hint", "_taken", "refused"), EXACT)
def test_a_kind_refuses_the_rest_and_names_the_place(hint: Any, _taken: Any, refused: list[tuple[Any, str]]) -> None:
    kind = kind_of(hint)
    for given, path in refused:
        with pytest.raises(BadParams) as caught:
            kind.check(given, "p")
        assert caught.value.details == {"path": path}
        assert caught.value.message.startswith(f"{path}: ")


def test_narrowings_combine() -> None:
    short = kinds.longest(3)(kinds.filled(kind_of(str)))
    assert short.check("abc", "p") == "abc"
    for value in ("", "abcd"):
        with pytest.raises(BadParams):
            short.check(value, "p")
    assert short.schema == {"type": "string", "minLength": 1, "maxLength": 3}


def test_references_name_their_noun_and_keep_it_when_narrowed() -> None:
    assert [kind_of(hint).noun for hint in (kinds.WorkspaceRef, kinds.TabRef, kinds.PaneRef, kinds.TaskRef)] == [
        "workspace",
        "tab",
        "pane",
        "task",
    ]
    assert kind_of(str).noun is None


def test_choices_serve_completion() -> None:
    assert kind_of(kinds.Severity).choices == ("info", "warning", "error")
    assert kind_of(bool).choices == ("true", "false")
    assert kind_of(list[kinds.Direction]).choices == ("right", "down")


@pytest.mark.parametrize("hint", [bytes, set[str], tuple[int, ...], object, dict[int, str], complex])
def test_other_annotations_are_refused_at_declaration(hint: Any) -> None:
    with pytest.raises((TypeError, IndexError)):
        kind_of(hint)


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, str], {"type": "object", "additionalProperties": {"type": "string"}}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (str | list[str], {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        (kinds.WaitSeconds, {"type": "number", "minimum": 0, "maximum": 604_800}),
        (kinds.Argv, {"type": "array", "items": {"type": "string"}, "minItems": 1}),
    ],
)
def test_a_kind_has_a_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert kind_of(hint).schema == schema
