"""Vectors of kind `screen`: what the bundled rules say about recorded screens."""

from __future__ import annotations

import os

from ....agents.catalog import Catalog
from ....agents.regions import View
from ....agents.screen_rules import judge
from ....base.version import VERSION
from ....terminal.terminal import Terminal
from ...spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BY_PROGRAM = ("generic", "none")


def play(vector: dict[str, Any]) -> dict[str, Any]:
    """The state the winning rule gives, its id, and whether it is a release rule."""
    terminal = Terminal(vector.get("cols", 80), vector.get("rows", 24), version=VERSION)
    for step in vector["steps"]:
        terminal.feed(_bytes(vector.get("folder", ""), step), 0.0)
    agent = vector.get("agent", "generic")
    rules = _rules(agent)
    view = View(terminal.read_screen().split("\n"), terminal.title)
    rule = judge(rules, view, lambda run: run(), lambda _rule: None).rule
    if rule is None:
        return {"screen_state": None, "rule": None, "release": False}
    return {"screen_state": rule.state, "rule": rule.id, "release": rule.release}


def _rules(agent: str) -> Any:
    """An agent of no known kind is a program in a generic pane."""
    from ....agents.table import KINDS  # the names alone

    kind = agent if agent in KINDS and agent not in _BY_PROGRAM else "generic"
    return Catalog().rules_for(kind, agent)


def _bytes(folder: str, step: dict[str, Any]) -> bytes:
    path = os.path.join(folder, step["file"])
    try:
        with open(path, "rb") as file:
            return file.read(step["to"])
    except OSError as fault:
        raise LocalError(f"cannot read {path}: {fault.strerror}") from None
