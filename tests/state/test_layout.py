"""Layout trees: examples of the rules, and properties that hold for every tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.errors import BadParams
from signaltty_core.state import layout
from signaltty_core.state.layout import leaf, leaves

Tree = dict[str, Any]


def branch(direction: str, ratio: float, first: Tree, second: Tree) -> Tree:
    return {"type": "split", "dir": direction, "ratio": ratio, "first": first, "second": second}


@st.composite
def trees(draw: Any, most: int = 12) -> Tree:
    """A tree of distinct leaves p0, p1, … in tree order."""

    def grow(first: int, count: int) -> Tree:
        if count == 1:
            return leaf(f"p{first}")
        left = draw(st.integers(1, count - 1))
        ratio = draw(st.floats(layout.RATIO_MIN, layout.RATIO_MAX))
        direction = draw(st.sampled_from(["right", "down"]))
        return branch(direction, ratio, grow(first, left), grow(first + left, count - left))

    return grow(0, draw(st.integers(1, most)))


DIRECTIONS = st.sampled_from(["right", "down"])


def names(tree: Tree | None) -> list[str]:
    return list(leaves(tree))


def splits(tree: Tree) -> list[Tree]:
    return [] if tree["type"] == "pane" else [tree, *splits(tree["first"]), *splits(tree["second"])]


def columns(tree: Tree, direction: str) -> int:
    if tree["type"] == "pane" or tree["dir"] != direction:
        return 1
    return columns(tree["first"], direction) + columns(tree["second"], direction)


def run_with(tree: Tree, added: str, direction: str) -> set[str]:
    """Leaves below the topmost split of the run that holds the new split."""
    path = [tree]
    while path[-1]["type"] == "split":
        path.append(path[-1]["first"] if added in names(path[-1]["first"]) else path[-1]["second"])
    top = path.pop()
    while path and path[-1]["dir"] == direction:
        top = path.pop()
    return set(names(top))


def test_three_panes_by_two_right_splits_share_evenly() -> None:
    tree = layout.split(layout.split(leaf("a"), "a", "b", "right"), "b", "c", "right")
    assert tree == branch("right", 1 / 3, leaf("a"), branch("right", 1 / 2, leaf("b"), leaf("c")))


def test_a_down_split_inside_a_run_is_one_column_of_it() -> None:
    row = layout.split(layout.split(leaf("a"), "a", "b", "right"), "b", "c", "right")
    tree = layout.split(row, "b", "d", "down")
    assert tree == branch(
        "right", 1 / 3, leaf("a"), branch("right", 1 / 2, branch("down", 0.5, leaf("b"), leaf("d")), leaf("c"))
    )


def test_ratios_outside_the_run_stay() -> None:
    tree = branch("down", 0.3, leaf("a"), branch("right", 0.2, leaf("b"), leaf("c")))
    assert layout.split(tree, "c", "d", "right") == branch(
        "down", 0.3, leaf("a"), branch("right", 1 / 3, leaf("b"), branch("right", 0.5, leaf("c"), leaf("d")))
    )


@given(trees(), st.data(), DIRECTIONS)
def test_a_split_puts_the_new_leaf_right_behind_its_target(tree: Tree, data: Any, direction: str) -> None:
    before = names(tree)
    target = data.draw(st.sampled_from(before))
    at = before.index(target) + 1
    assert names(layout.split(tree, target, "new", direction)) == [*before[:at], "new", *before[at:]]


@given(trees(), st.data(), DIRECTIONS)
def test_a_split_evens_out_its_run_and_nothing_else(tree: Tree, data: Any, direction: str) -> None:
    target = data.draw(st.sampled_from(names(tree)))
    after = layout.split(tree, target, "new", direction)
    run = run_with(after, "new", direction)
    old = {tuple(names(each)): each["ratio"] for each in splits(tree)}

    def walk(node: Tree, inside: bool) -> None:
        if node["type"] == "pane":
            return
        if inside and node["dir"] == direction:
            share = columns(node["first"], direction) / columns(node, direction)
            assert node["ratio"] == layout.clamp(share)
        else:
            assert node["ratio"] == old[tuple(name for name in names(node) if name != "new")]
        for side in (node["first"], node["second"]):
            below = inside and node["dir"] == direction
            walk(side, below or set(names(side)) == run)

    walk(after, set(names(after)) == run)


@given(trees(), st.data(), DIRECTIONS)
def test_removing_a_leaf_undoes_a_split_but_for_the_run_s_ratios(tree: Tree, data: Any, direction: str) -> None:
    target = data.draw(st.sampled_from(names(tree)))
    back = layout.remove(layout.split(tree, target, "new", direction), "new")
    assert back is not None and shape(back) == shape(tree)


@given(trees(), st.data())
def test_removing_takes_one_leaf_and_keeps_the_sibling_s_ratios(tree: Tree, data: Any) -> None:
    gone = data.draw(st.sampled_from(names(tree)))
    left = layout.remove(tree, gone)
    assert names(left) == [name for name in names(tree) if name != gone]
    if left is not None:
        kept = {(each["dir"], each["ratio"]) for each in splits(tree)}
        assert {(each["dir"], each["ratio"]) for each in splits(left)} <= kept


@given(trees())
def test_an_unknown_leaf_changes_nothing(tree: Tree) -> None:
    assert layout.remove(tree, "other") == tree
    assert layout.split(tree, "other", "new", "right") == tree


@given(trees(), st.data())
def test_exchanging_two_leaves_keeps_shape_and_ratios(tree: Tree, data: Any) -> None:
    one, other = data.draw(st.sampled_from(names(tree))), data.draw(st.sampled_from(names(tree)))
    swapped = layout.rename(tree, {one: other, other: one})
    assert swapped is not None
    assert [(each["dir"], each["ratio"]) for each in splits(swapped)] == [
        (each["dir"], each["ratio"]) for each in splits(tree)
    ]
    exchanged = {one: other, other: one}
    assert names(swapped) == [exchanged.get(name, name) for name in names(tree)]
    assert layout.rename(swapped, {one: other, other: one}) == tree


@given(trees(), st.data())
def test_a_moved_divider_changes_its_own_ratio_only(tree: Tree, data: Any) -> None:
    path: list[int] = []
    node = tree
    while node["type"] == "split":
        if data.draw(st.booleans()):
            break
        path.append(data.draw(st.integers(0, 1)))
        node = node["second"] if path[-1] else node["first"]
    if node["type"] == "pane":
        with pytest.raises(BadParams, match="path"):
            layout.set_ratio(tree, path, 0.5)
        return
    ratio = data.draw(st.floats(-1, 2))
    moved = layout.set_ratio(tree, path, ratio)
    assert layout.set_ratio(moved, path, node["ratio"]) == tree
    assert names(moved) == names(tree)
    at = moved
    for step in path:
        at = at["second"] if step else at["first"]
    assert at["ratio"] == min(max(ratio, 0.05), 0.95)


@given(trees())
def test_a_valid_tree_is_read_as_it_is(tree: Tree) -> None:
    assert layout.parse(tree, lambda name: name) == tree


@given(trees())
def test_operations_leave_their_argument_alone(tree: Tree) -> None:
    text = repr(tree)
    layout.split(tree, "p0", "new", "down")
    layout.remove(tree, "p0")
    layout.rename(tree, {"p0": "x"})
    assert repr(tree) == text


@pytest.mark.parametrize(
    ("given_ratio", "kept"), [(0.5, 0.5), (0, 0.05), (1, 0.95), (-3.0, 0.05), (10**400, 0.95), (0.95, 0.95)]
)
def test_ratios_are_clamped(given_ratio: float, kept: float) -> None:
    assert layout.parse_ratio(given_ratio, "ratio") == kept


@pytest.mark.parametrize("ratio", [float("nan"), float("inf"), float("-inf"), True, "0.5", None, [0.5]])
def test_what_is_no_finite_number_is_refused(ratio: Any) -> None:
    with pytest.raises(BadParams, match=r"^ratio"):
        layout.parse_ratio(ratio, "ratio")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (7, "layout"),
        ({}, "layout.type"),
        ({"type": "pane"}, "layout.pane_id"),
        ({"type": "pane", "pane_id": 7}, "layout.pane_id"),
        ({"type": "split", "dir": "left"}, "layout.dir"),
        (branch("right", "x", leaf("a"), leaf("b")), "layout.ratio"),  # type: ignore[arg-type]
        ({"type": "split", "dir": "right", "first": leaf("a")}, "layout.second"),
        (branch("right", 0.5, leaf("a"), branch("down", 0.5, leaf("b"), {"type": "x"})), "layout.second.second.type"),
    ],
)
def test_a_faulty_tree_is_refused_by_its_path(value: Any, path: str) -> None:
    with pytest.raises(BadParams) as refused:
        layout.parse(value, lambda name: name)
    assert refused.value.details == {"path": path}


def test_a_tree_nested_too_deeply_is_refused() -> None:
    tree = leaf("a")
    for _ in range(300):
        tree = branch("right", 0.5, tree, leaf("b"))
    with pytest.raises(BadParams, match="nested too deeply"):
        layout.parse(tree, lambda name: name)


def shape(tree: Tree) -> Any:
    """Directions and leaves without ratios."""
    if tree["type"] == "pane":
        return tree["pane_id"]
    return tree["dir"], shape(tree["first"]), shape(tree["second"])
