"""One table of RPC methods. The function is the declaration: its name, annotations, defaults and docstring.

Reading annotations costs; it happens at a method's first use, so a server start pays for none.
"""

from __future__ import annotations

from ..base.errors import BadParams, UnknownMethod
from .nouns import MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ..base.errors import ProtocolError
    from ..wire.kinds import Kind
    from .call import Call

    Handler = TypeVar("Handler", bound=Callable[..., Any])
    Misfit = Callable[[Call, dict[str, Any], BadParams], ProtocolError]

REQUIRED: Any = object()


class Param:
    """One parameter: default is REQUIRED when the caller must give it."""

    __slots__ = ("default", "doc", "kind", "name")

    def __init__(self, name: str, kind: Kind, default: Any, doc: str) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.doc = doc


class Method:
    """One published handler. misfit: what becomes of a fault in the parameters where checks come before them."""

    __slots__ = ("_misfit", "_params", "handler", "mutates", "name")

    def __init__(self, name: str, handler: Callable[..., Any], mutates: bool, misfit: Misfit | None = None) -> None:
        self.name = name
        self.handler = handler
        self.mutates = mutates
        self._misfit = misfit
        self._params: tuple[Param, ...] | None = None

    @property
    def summary(self) -> str:
        return (self.handler.__doc__ or "").strip().split("\n", 1)[0]

    @property
    def errors(self) -> tuple[str, ...]:
        """The codes the docstring's `Errors:` line lists."""
        for line in (self.handler.__doc__ or "").splitlines():
            if line.strip().startswith("Errors:"):
                return tuple(word.strip(" .") for word in line.split(":", 1)[1].split(",") if word.strip(" ."))
        return ()

    def params(self) -> tuple[Param, ...]:
        """The parameters in order, `call` left out."""
        if self._params is None:
            self._params = _read_params(self.handler)
        return self._params

    def bind(self, given: dict[str, Any]) -> dict[str, Any]:
        """Checked keyword arguments for the handler; unknown fields are ignored, null means absent.

        Raises BadParams naming the first fault.
        """
        if self.handler.__code__.co_argcount == 1:
            return {}
        bound: dict[str, Any] = {}
        for param in self.params():
            value = given.get(param.name)
            if value is not None:
                bound[param.name] = param.kind.check(value, param.name)
            elif param.default is REQUIRED:
                raise BadParams(f"{param.name}: missing", path=param.name)
        return bound

    def run(self, call: Call, given: Any) -> Any:
        """What the handler makes of the request's parameters."""
        if type(given) is not dict:
            raise BadParams("params: expected an object", path="params")
        try:
            bound = self.bind(given)
        except BadParams as fault:
            raise fault if self._misfit is None else self._misfit(call, given, fault) from None
        return self.handler(call, **bound)

    def schema(self) -> dict[str, Any]:
        """JSON schema of the params object, with each field's doc."""
        fields = {param.name: {**param.kind.schema, "description": param.doc} for param in self.params()}
        required = [param.name for param in self.params() if param.default is REQUIRED]
        return {"type": "object", "properties": fields, "required": required}


_table: dict[str, Method] = {}


def method(name: str, *, mutates: bool = False, misfit: Misfit | None = None) -> Callable[[Handler], Handler]:
    """Publish a handler as RPC method `name`; its module must stand in nouns.MODULES."""

    def publish(handler: Handler) -> Handler:
        if name in _table:
            raise RuntimeError(f"{name} is declared twice")
        _table[name] = Method(name, handler, mutates, misfit)
        return handler

    return publish


def find(name: str) -> Method:
    """The method called `name`; its module is imported on first use. Raises UnknownMethod."""
    found = _table.get(name)
    if found is None:
        module = MODULES.get(name) or MODULES.get(name.partition(".")[0] + ".")
        if module is not None:
            _load(module)
            found = _table.get(name)
    if found is None:
        raise UnknownMethod(f"unknown method {name[:80]!r}")
    return found


def every() -> list[Method]:
    """All methods in name order."""
    for module in sorted(set(MODULES.values())):
        _load(module)
    return [_table[name] for name in sorted(_table)]


def _load(module: str) -> None:
    from importlib import import_module

    import_module(f"signaltty_core.methods.{module}")


def _read_params(handler: Callable[..., Any]) -> tuple[Param, ...]:
    from ..wire.kinds import kind_of

    code, defaults = handler.__code__, handler.__defaults__ or ()
    names = code.co_varnames[1 : code.co_argcount]
    docs = _doc_lines(handler.__doc__ or "")
    padded = (REQUIRED,) * (len(names) - len(defaults)) + defaults
    # evaluated one by one: the handler's first parameter and result may name types that exist for the checker only
    hints = {name: eval(handler.__annotations__[name], handler.__globals__) for name in names}
    return tuple(
        Param(name, kind_of(hints[name]), default, docs.get(name, ""))
        for name, default in zip(names, padded, strict=True)
    )


def _doc_lines(doc: str) -> dict[str, str]:
    pairs = (line.strip().partition(": ") for line in doc.splitlines()[1:])
    return {name: text for name, found, text in pairs if found and name.isidentifier()}
