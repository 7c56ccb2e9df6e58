"""`pane explain`: why a pane is in its state, as its rules and sources tell it."""

from __future__ import annotations

import time

from ..show import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def explain(session: Session, values: dict[str, Any]) -> None:
    told = session.call("pane.explain", values)
    flags = " ".join(f"{name}={str(told[name]).lower()}" for name in ("live", "hooked", "classifies"))
    winner = told.get("matched", {}).get("index")
    at = time.time()
    session.show(
        told,
        f"{told['pane_id']} kind={told['kind']} source={told['source']} {flags}",
        *(_rule(rule, index == winner) for index, rule in enumerate(told["rules"])),
        *(_source(source, at) for source in told["sources"]),
    )


def _rule(rule: dict[str, Any], wins: bool) -> str:
    words = [rule["id"], rule["state"], f"p={rule['priority']}", rule["region"], "match" if rule["matched"] else "-"]
    if rule.get("release"):
        words.append("release")
    return ("* " if wins else "  ") + " ".join(words)


def _source(source: dict[str, Any], at: float) -> str:
    words = [source["source"], source["value"], age(source["at"], at)]
    if source["decides"]:
        words.append("decides")
    return " ".join(words)
