"""`agents.list` and `agents.reload`."""

from __future__ import annotations

from signaltty_core.agents.catalog import Catalog
from tests.fake import Stage

FILE = b'[agent]\nkind = "codex"\nbinaries = ["cdx"]\n[[screen]]\nid = "a"\nstate = "idle"\nregex = ["x"]\n'


def test_manifests_are_listed_and_read_again() -> None:
    stage = Stage()
    files: list[tuple[str, bytes | str]] = [("a.toml", FILE)]
    stage.catalog = Catalog("/agents", lambda: list(files))
    listed = {"file": "a.toml", "kind": "codex", "binaries": ["cdx"], "screen_rules": 1}
    assert stage.ask("agents.list") == {"dir": "/agents", "manifests": [listed], "failures": []}
    files[:] = [("b.toml", b"")]
    assert stage.ask("agents.list")["manifests"] == [listed]
    assert stage.machine.deeds == []
    failure = {"file": "b.toml", "error": "[agent].kind: missing"}
    assert stage.ask("agents.reload") == {"dir": "/agents", "manifests": [], "failures": [failure]}
    assert stage.machine.deeds == [("look_again",)]
