"""Which module holds which methods."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from signaltty_core.methods.nouns import MODULES

ROOT = Path(__file__).parents[2]


def test_every_module_that_is_named_exists_and_every_one_that_declares_is_named() -> None:
    folder = ROOT / "signaltty_core/methods"
    declaring = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "\n@method(" in path.read_text()
    }
    assert declaring == set(MODULES.values())


@pytest.mark.parametrize("method", ["server.status", "pane.get", "wait", "subscribe", "notify", "hook-event"])
def test_finding_one_method_imports_its_own_module_only(method: str) -> None:
    code = (
        "import sys; from signaltty_core.methods import registry, nouns; "
        f"registry.find({method!r}); "
        "print(*sorted(m for m in set(nouns.MODULES.values()) if 'signaltty_core.methods.' + m in sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded = set(said.split())
    own = MODULES.get(method) or MODULES[method.partition(".")[0] + "."]
    assert own in loaded
    assert "panes.spawn" not in loaded
