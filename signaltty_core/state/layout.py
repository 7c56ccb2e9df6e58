"""Layout trees: pure operations on `{"type":"pane"}` and `{"type":"split"}` values (behaviour §4).

Trees are values: every operation returns a new tree and shares what it did not change.
"""

from __future__ import annotations

from ..base.errors import BadParams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Tree = dict[str, Any]

RATIO_MIN, RATIO_MAX = 0.05, 0.95
MAX_DEPTH = 256  # far beyond what fits a screen; keeps every walk within the interpreter's stack


def leaf(pane_id: str) -> Tree:
    return {"type": "pane", "pane_id": pane_id}


def leaves(tree: Tree | None) -> Iterator[str]:
    """Pane ids in tree order."""
    if tree is None:
        return
    if tree["type"] == "pane":
        yield tree["pane_id"]
    else:
        yield from leaves(tree["first"])
        yield from leaves(tree["second"])


def clamp(ratio: float) -> float:
    return min(max(ratio, RATIO_MIN), RATIO_MAX)


def parse(value: Any, resolve: Callable[[str], str], path: str = "layout", depth: int = 0) -> Tree:
    """A checked tree with ids resolved by `resolve` and ratios clamped. Raises BadParams naming the faulty place."""
    if depth > MAX_DEPTH:
        raise BadParams(f"{path}: the tree is nested too deeply", path=path)
    if not isinstance(value, dict):
        raise BadParams(f"{path}: expected an object", path=path)
    kind = value.get("type")
    if kind == "pane":
        ref = value.get("pane_id")
        if not isinstance(ref, str):
            raise BadParams(f"{path}.pane_id: expected a string", path=f"{path}.pane_id")
        return leaf(resolve(ref))
    if kind != "split":
        raise BadParams(f"{path}.type: expected pane or split", path=f"{path}.type")
    if value.get("dir") not in ("right", "down"):
        raise BadParams(f"{path}.dir: expected right or down", path=f"{path}.dir")
    return {
        "type": "split",
        "dir": value["dir"],
        "ratio": parse_ratio(value.get("ratio", 0.5), f"{path}.ratio"),
        "first": parse(value.get("first"), resolve, f"{path}.first", depth + 1),
        "second": parse(value.get("second"), resolve, f"{path}.second", depth + 1),
    }


def parse_ratio(value: Any, path: str) -> float:
    """A clamped ratio. Raises BadParams for anything that is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadParams(f"{path}: expected a number", path=path)
    ratio = float(min(max(value, -2), 2)) if isinstance(value, int) else value
    if ratio - ratio != 0.0:
        raise BadParams(f"{path}: expected a finite number", path=path)
    return clamp(ratio)


def split(tree: Tree, target: str, added: str, direction: str) -> Tree:
    """Put `added` beside `target` and even out the run of splits of that direction (behaviour §4.2)."""

    def replaced(node: Tree) -> tuple[Tree, bool, bool]:
        """The new subtree, whether it holds the new split, and whether that split's run may still grow upwards."""
        if node["type"] == "pane":
            if node["pane_id"] != target:
                return node, False, False
            return _even_root(_joined(direction, node, leaf(added))), True, True
        for side in ("first", "second"):
            below, found, growing = replaced(node[side])
            if found:
                grown = {**node, side: below}
                if growing and node["dir"] == direction:
                    return _even_root(grown), True, True
                return grown, True, False
        return node, False, False

    return replaced(tree)[0]


def remove(tree: Tree | None, pane_id: str) -> Tree | None:
    """The tree without that leaf; its parent split is replaced by the sibling, whose ratios stay."""
    if tree is None or (tree["type"] == "pane" and tree["pane_id"] == pane_id):
        return None
    if tree["type"] == "pane":
        return tree
    first, second = remove(tree["first"], pane_id), remove(tree["second"], pane_id)
    if first is None or second is None:
        return second if first is None else first
    return {**tree, "first": first, "second": second}


def rename(tree: Tree | None, names: dict[str, str]) -> Tree | None:
    """The tree with leaves exchanged by `names`; shapes and ratios stay."""
    if tree is None:
        return None
    if tree["type"] == "pane":
        pane_id: str = tree["pane_id"]
        return leaf(names.get(pane_id, pane_id))
    return {**tree, "first": rename(tree["first"], names), "second": rename(tree["second"], names)}


def set_ratio(tree: Tree | None, path: list[int], ratio: float) -> Tree:
    """Move the divider that `path` leads to: 0 first, 1 second, [] the root. Raises BadParams when it is no split."""
    if tree is None or tree["type"] != "split":
        raise BadParams("path: leads to no split", path="path")
    if not path:
        return {**tree, "ratio": clamp(ratio)}
    if path[0] not in (0, 1):
        raise BadParams(f"path: expected 0 or 1, got {path[0]}", path="path")
    side = "second" if path[0] else "first"
    return {**tree, side: set_ratio(tree[side], path[1:], ratio)}


def _joined(direction: str, first: Tree, second: Tree) -> Tree:
    return {"type": "split", "dir": direction, "ratio": 0.5, "first": first, "second": second}


def _columns(tree: Tree, direction: str) -> int:
    if tree["type"] == "pane" or tree["dir"] != direction:
        return 1
    return _columns(tree["first"], direction) + _columns(tree["second"], direction)


def _even_root(tree: Tree) -> Tree:
    """Every split of the run below gets the share of its columns."""
    direction = tree["dir"]

    def even(node: Tree) -> Tree:
        if node["type"] == "pane" or node["dir"] != direction:
            return node
        first, second = even(node["first"]), even(node["second"])
        left = _columns(first, direction)
        ratio = left / (left + _columns(second, direction))
        return {**node, "ratio": clamp(ratio), "first": first, "second": second}

    return even(tree)
