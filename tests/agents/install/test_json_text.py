"""JSON files are changed in one place and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.agents.install.json_text import JsonText
from signaltty_core.agents.install.refusal import Refused

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
STYLES = st.sampled_from([{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}])


def written(document: Any, style: dict[str, Any], ascii_only: bool = False) -> bytes:
    return json.dumps(document, ensure_ascii=ascii_only, **style).encode()


def containers(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(path, value)] if isinstance(value, dict | list) else []
    for key, child in inside:
        found += containers(child, (*path, key))
    return found


def lookup(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(DOCUMENTS, STYLES, st.booleans(), st.data())
def test_adding_and_taking_out_again_leaves_every_byte_where_it_was(
    document: Any, style: dict[str, Any], ascii_only: bool, data: st.DataObject
) -> None:
    before = written(document, style, ascii_only)
    path, container = data.draw(st.sampled_from(containers(document)))
    text = JsonText(before)
    if isinstance(container, dict):
        text.put((*path, "brand new"), {"a": [1]})
        place: str | int = "brand new"
    else:
        text.append(path, {"a": [1]})
        place = len(container)
    expected = json.loads(before)
    if isinstance(container, dict):
        lookup(expected, path)["brand new"] = {"a": [1]}
    else:
        lookup(expected, path).append({"a": [1]})
    assert json.loads(text.data) == expected == text.tree
    text.remove((*path, place))
    assert text.data == before


@given(DOCUMENTS.filter(bool), STYLES, st.data())
def test_a_value_is_replaced_or_removed_and_the_rest_means_what_it_meant(
    document: Any, style: dict[str, Any], data: st.DataObject
) -> None:
    path, container = data.draw(st.sampled_from([one for one in containers(document) if one[1]]))
    key = data.draw(st.sampled_from(list(container) if isinstance(container, dict) else list(range(len(container)))))
    expected = json.loads(json.dumps(document))
    text = JsonText(written(document, style))
    if isinstance(container, dict):
        text.put((*path, key), "new")
        lookup(expected, path)[key] = "new"
        assert text.tree == expected
    text.remove((*path, key))
    del lookup(expected, path)[key]
    assert text.tree == expected


def test_what_is_added_looks_like_what_stands_around_it() -> None:
    text = JsonText(b'{\r\n\t"a": 1,\r\n\t"list": [\r\n\t\t{"b": 2}\r\n\t]\r\n}\r\n')
    text.append(("list",), {"c": [3]})
    text.put(("d",), {})
    text.put(("d", "e"), [])
    assert text.data == (
        b'{\r\n\t"a": 1,\r\n\t"list": [\r\n\t\t{"b": 2},\r\n\t\t'
        b'{\r\n\t\t\t"c": [\r\n\t\t\t\t3\r\n\t\t\t]\r\n\t\t}\r\n\t],'
        b'\r\n\t"d": {\r\n\t\t"e": []\r\n\t}\r\n}\r\n'
    )


def test_a_document_of_one_line_stays_one() -> None:
    text = JsonText(b'{"a":[1,2],"b":{}}')
    text.append(("a",), 3)
    text.put(("b", "c"), [4])
    assert text.data == b'{"a":[1,2,3],"b":{"c": [4]}}'


def test_a_byte_order_mark_stays() -> None:
    text = JsonText(b'\xef\xbb\xbf{"a": 1}')
    text.put(("a",), 2)
    assert text.data == b'\xef\xbb\xbf{"a": 2}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"{broken",
        b"null",
        b"[]",
        b'"text"',
        b"{} {}",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"{'a': 1}",
        b'{"a": 1,}',
        b'{"a": 1} // why',
        b'{"a": "\n"}',
        b'{"a": "\xff"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"1" * 5000 + b"}",
    ],
)
def test_anything_but_one_object_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="invalid"):
        JsonText(data)


def test_a_key_that_stands_twice_is_not_touched() -> None:
    text = JsonText(b'{"hooks": {"a": 1}, "hooks": {"b": 2}}')
    with pytest.raises(Refused, match="2 times"):
        text.put(("hooks", "c"), 3)
