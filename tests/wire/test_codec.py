"""JSON text from and to values: the C parts behave as the package would, and nastier texts are refused."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.wire.codec import MAX_DEPTH, NotJson, decode, encode, encode_line

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_a_value_survives(value: Any) -> None:
    assert decode(encode(value)) == value
    assert decode(encode_line(value)) == value


@given(values)
def test_the_text_is_that_of_the_package(value: Any) -> None:
    assert encode(value) == json.dumps(value, separators=(",", ":"))


@given(values, st.sampled_from(["", " ", "\r", "\t\n "]))
def test_blanks_around_a_value_do_not_matter(value: Any, blank: str) -> None:
    assert decode(blank + json.dumps(value, indent=1) + blank) == value


@given(st.text(alphabet='[]{}",:\\ 01aeu.-Ntrlsf\n', max_size=30))
def test_any_text_is_a_value_or_no_json_and_agrees_with_the_package(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        with pytest.raises(NotJson):
            decode(text)
        return
    if "NaN" in text or "Infinity" in text:
        return
    assert decode(text) == expected


@given(st.binary(max_size=40))
def test_any_bytes_are_a_value_or_no_json(data: bytes) -> None:
    try:
        decode(data)
    except NotJson as fault:
        assert str(fault)


@pytest.mark.parametrize(
    "text",
    ["", " ", "nul", "{", '{"a"', '{"a":', "[1,", "1 2", "{} x", "'a'", "NaN", "Infinity", "-Infinity", '"\n"', "+1"],
)
def test_what_is_no_json_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(NotJson) as caught:
        decode(text)
    assert len(str(caught.value)) > 5


def test_invalid_utf_8_is_refused() -> None:
    with pytest.raises(NotJson, match="invalid UTF-8 at byte 2"):
        decode(b'["\xff"]')


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_endless_nesting_is_refused(opening: str) -> None:
    """Edge case 141."""
    with pytest.raises(NotJson, match="nest"):
        decode(opening * 10_000)


def test_the_depth_that_is_accepted_is_exact() -> None:
    decode("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(NotJson, match=f"deeper than {MAX_DEPTH}"):
        decode("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


@pytest.mark.parametrize("inside", ["[", '\\"[', "\\\\", '\\\\\\"[{', "x" * 50 + "{"])
def test_brackets_inside_strings_do_not_nest(inside: str) -> None:
    text = "[" + ",".join(['"' + inside * 3 + '"'] * 500) + "]"
    assert decode(text) == json.loads(text)


@given(st.text(alphabet='[]{}\\"x', max_size=60))
def test_strings_of_brackets_and_quotes_never_count_as_depth(inner: str) -> None:
    text = json.dumps([inner] * 401)
    assert decode(text) == [inner] * 401


def test_looking_for_depth_in_megabytes_of_text_is_quick() -> None:
    """The bound is loose: a walk in Python over these four million characters takes far longer."""
    text = json.dumps(["code() { return [1]; }\n" * 200] * 900)
    began = time.process_time()
    decode(text)
    assert time.process_time() - began < 2.0


def test_a_number_of_a_million_digits_is_refused_or_read_but_never_worse() -> None:
    try:
        assert decode("9" * 1_000_000) > 0
    except NotJson:
        pass


@pytest.mark.parametrize("value", [math.nan, math.inf, b"bytes", object(), {1, 2}])
def test_what_is_no_json_value_cannot_be_sent(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode({"a": [value]})


def test_a_line_is_ascii_and_ends_once() -> None:
    assert encode_line({"a": "é\n\u2028"}) == b'{"a":"\\u00e9\\n\\u2028"}\n'


def test_a_value_that_could_not_be_encoded_leaves_nothing_behind() -> None:
    inner: list[object] = [object()]
    with pytest.raises(TypeError):
        encode({"a": inner})
    inner[0] = 1
    assert encode({"a": inner}) == '{"a":[1]}'


def test_a_number_beyond_every_float_is_no_json_value() -> None:
    with pytest.raises(NotJson):
        decode(b'{"a":1e999}')
    assert decode(b"[1e3,-2.5]") == [1000.0, -2.5]
