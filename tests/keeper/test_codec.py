from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.keeper.codec import build

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
encode, decode = build()


@given(VALUES)
def test_what_is_encoded_is_json_and_comes_back(value: object) -> None:
    assert json.loads(encode(value)) == value
    assert decode(encode(value).encode()) == value


def test_a_byte_that_is_no_character_survives_as_surrogate() -> None:
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert decode(encode({"cwd": name}).encode()) == {"cwd": name}


@pytest.mark.parametrize("body", [b"", b"{", b"{} {}", b"\xff", b"nope", b"[" * 100_000])
def test_what_is_no_json_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        decode(body)


def test_what_cannot_be_encoded_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        encode({"a": b"bytes"})
