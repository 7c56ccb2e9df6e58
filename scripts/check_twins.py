"""Hold tests against modules: `signaltty_core/terminal/rows.py` has its tests in `tests/terminal/test_rows.py`.

Usage: check_twins.py [--list]. A test file without a twin is a fault, unless its folder tests the whole (WHOLE) or it
tests one theme of a module and is named after both (test_ptys_fairness.py beside test_ptys.py);
with --list the modules without a test of their own are printed, which is no fault.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHOLE = {"e2e", "entry", "corpus", "vectors"}


def main(arguments: list[str]) -> int:
    modules = {path.relative_to(ROOT / "signaltty_core") for path in (ROOT / "signaltty_core").rglob("*.py")}
    tests = {path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    lonely = sorted(str(test) for test in tests if not has_twin(test, modules))
    for name in lonely:
        print(f"tests/{name}: there is no signaltty_core module of that name")
    if "--list" in arguments:
        tested = {twin_of(test) for test in tests}
        for module in sorted(modules - tested):
            if module.name != "__init__.py":
                print(f"signaltty_core/{module}: has no test file of its own")
    return 1 if lonely else 0


def has_twin(test: Path, modules: set[Path]) -> bool:
    if test.parts[0] in WHOLE:
        return True
    if len(test.parts) == 1:  # tests/test_layers.py tests scripts/check_layers.py
        name = test.name.removeprefix("test_")
        return (ROOT / "scripts" / name).exists() or (ROOT / "scripts" / f"check_{name}").exists()
    twin = twin_of(test)
    return any(module.parent == twin.parent and is_named_after(twin.stem, module.stem) for module in modules)


def is_named_after(test: str, module: str) -> bool:
    return test == module or test.startswith(module + "_")


def twin_of(test: Path) -> Path:
    return test.with_name(test.name.removeprefix("test_"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
