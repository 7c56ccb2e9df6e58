"""The closed list of parameter types. Each knows its JSON schema, how to check a value and how to read a shell word.

A method may use only types found here; a test refuses any other annotation, so that `server.schema`, the command line
and the docs cannot lag behind. Checks are exact and name the faulty path (behaviour §2.4).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ..base.errors import BadParams
from ..base.limits import WAIT_S_MAX

Check = Callable[[Any, str], Any]


class Kind:
    """One parameter type: `schema` for documents, `check` for the wire, `choices` and `noun` for completion."""

    __slots__ = ("check", "choices", "noun", "schema")

    def __init__(
        self, schema: dict[str, Any], check: Check, choices: tuple[str, ...] = (), noun: str | None = None
    ) -> None:
        self.schema = schema
        self.check = check
        self.choices = choices
        self.noun = noun


Narrow = Callable[[Kind], Kind]

_JSON_NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
}


def _fault(value: object, path: str, expected: str) -> BadParams:
    got = "null" if value is None else _JSON_NAMES.get(type(value), type(value).__name__)
    return BadParams(f"{path}: expected {expected}, got {got}", path=path)


def _check_str(value: Any, path: str) -> str:
    if type(value) is str:
        return value
    raise _fault(value, path, "a string")


def _check_bool(value: Any, path: str) -> bool:
    if type(value) is bool:
        return value
    raise _fault(value, path, "a boolean")


def _check_int(value: Any, path: str) -> int:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise _fault(value, path, "an integer")


def _check_float(value: Any, path: str) -> float:
    if type(value) is int and abs(value) < 1 << 53:
        return float(value)
    if type(value) is float and value - value == 0.0:  # neither NaN nor infinite
        return value
    raise _fault(value, path, "a finite number")


def _check_object(value: Any, path: str) -> dict[str, Any]:
    if type(value) is dict:
        return value
    raise _fault(value, path, "an object")


def within(low: float, high: float) -> Narrow:
    """Narrow a number to low..high, both ends allowed."""

    def narrow(kind: Kind) -> Kind:
        def check(value: Any, path: str) -> Any:
            value = kind.check(value, path)
            if not low <= value <= high:
                raise BadParams(f"{path}: {value} is outside {low}..{high}", path=path)
            return value

        return Kind({**kind.schema, "minimum": low, "maximum": high}, check)

    return narrow


def at_least(low: int) -> Narrow:
    """Narrow a number to low or more."""

    def narrow(kind: Kind) -> Kind:
        def check(value: Any, path: str) -> Any:
            value = kind.check(value, path)
            if value < low:
                raise BadParams(f"{path}: {value} is below {low}", path=path)
            return value

        return Kind({**kind.schema, "minimum": low}, check)

    return narrow


def longest(chars: int) -> Narrow:
    """Narrow a string to at most `chars` characters."""

    def narrow(kind: Kind) -> Kind:
        def check(value: Any, path: str) -> Any:
            value = kind.check(value, path)
            if len(value) > chars:
                raise BadParams(f"{path}: longer than {chars} characters", path=path)
            return value

        return Kind({**kind.schema, "maxLength": chars}, check, noun=kind.noun)

    return narrow


def filled(kind: Kind) -> Kind:
    """Narrow a string or list to a non-empty one."""

    def check(value: Any, path: str) -> Any:
        value = kind.check(value, path)
        if not value:
            raise BadParams(f"{path}: must not be empty", path=path)
        return value

    size = "minItems" if kind.schema.get("type") == "array" else "minLength"
    return Kind({**kind.schema, size: 1}, check)


def no_nul(kind: Kind) -> Kind:
    """Narrow a string to one that can be an argument of a program."""

    def check(value: Any, path: str) -> Any:
        value = kind.check(value, path)
        if "\0" in value:
            raise BadParams(f"{path}: holds a NUL character", path=path)
        return value

    return Kind(kind.schema, check)


def absolute(kind: Kind) -> Kind:
    """Narrow a string to an absolute path."""

    def check(value: Any, path: str) -> Any:
        value = kind.check(value, path)
        if not value.startswith("/") or "\0" in value:
            raise BadParams(f"{path}: expected an absolute path, got {value!r}", path=path)
        return value

    return Kind({**kind.schema, "format": "absolute-path"}, check)


def ref(noun: str) -> Narrow:
    """Mark a string as the id, handle or name of a `noun`; existence is the handler's business."""
    return lambda kind: Kind({**kind.schema, "x-ref": noun}, kind.check, noun=noun)


WorkspaceRef = Annotated[str, ref("workspace")]
TabRef = Annotated[str, ref("tab")]
PaneRef = Annotated[str, ref("pane")]
TaskRef = Annotated[str, ref("task")]
AbsPath = Annotated[str, absolute]
Arg = Annotated[str, no_nul]
Argv = Annotated[list[Arg], filled]
StringMap = dict[str, str]
Object = dict[str, Any]
Json = Annotated[Any, lambda kind: kind]
WaitSeconds = Annotated[float, within(0, WAIT_S_MAX)]
DelayMs = Annotated[float, within(0, 60_000)]
StallSeconds = Annotated[float, within(0.5, 3_600)]
ReadySeconds = Annotated[float, within(1, 86_400)]
Count = Annotated[int, at_least(1)]
Seq = Annotated[int, at_least(0)]
Direction = Literal["right", "down"]
Severity = Literal["info", "warning", "error"]
ReadMode = Literal["screen", "tail", "rendered"]

_SCALARS: dict[Any, Kind] = {
    str: Kind({"type": "string"}, _check_str),
    bool: Kind({"type": "boolean"}, _check_bool, ("true", "false")),
    int: Kind({"type": "integer"}, _check_int),
    float: Kind({"type": "number"}, _check_float),
    Any: Kind({}, lambda value, path: value),
}


def kind_of(hint: Any) -> Kind:
    """The Kind of an annotation. Raises TypeError for anything outside the closed list."""
    if hint in (str, bool, int, float, Any):
        return _SCALARS[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind = kind_of(args[0])
        for narrow in args[1:]:
            kind = narrow(kind)
        return kind
    if origin is Literal:
        return _choice(args)
    if origin in (Union, types.UnionType):
        return _alternatives([kind_of(arg) for arg in args if arg is not type(None)], len(args))
    if origin is list:
        return _array(kind_of(args[0]))
    if origin is dict and args[0] is str:
        return _mapping(args[1])
    raise TypeError(f"{hint!r} is no parameter type; see signaltty_core/wire/kinds.py")


def _choice(args: tuple[Any, ...]) -> Kind:
    def check(value: Any, path: str) -> Any:
        if type(value) is str and value in args:
            return value
        shown = repr(value)[:60] if type(value) is str else _JSON_NAMES.get(type(value), "null")
        raise BadParams(f"{path}: expected one of {', '.join(args)}, got {shown}", path=path)

    return Kind({"enum": list(args)}, check, args)


def _alternatives(kinds: list[Kind], args: int) -> Kind:
    """A union; null is handled by the binder, which treats it as absent."""
    if len(kinds) == 1 and args == 2:
        return kinds[0]

    def check(value: Any, path: str) -> Any:
        for kind in kinds:
            try:
                return kind.check(value, path)
            except BadParams as fault:
                last = fault
        raise last

    return Kind({"anyOf": [kind.schema for kind in kinds]}, check)


def _array(item: Kind) -> Kind:
    def check(value: Any, path: str) -> Any:
        if type(value) is not list:
            raise _fault(value, path, "an array")
        return [item.check(each, f"{path}[{index}]") for index, each in enumerate(value)]

    return Kind({"type": "array", "items": item.schema}, check, item.choices)


def _mapping(hint: Any) -> Kind:
    if hint is Any:
        return Kind({"type": "object"}, _check_object)
    item = kind_of(hint)

    def check(value: Any, path: str) -> Any:
        return {name: item.check(each, f"{path}.{name}") for name, each in _check_object(value, path).items()}

    return Kind({"type": "object", "additionalProperties": item.schema}, check)
