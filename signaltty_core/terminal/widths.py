"""How many cells a character takes, and which characters belong to the one before them."""

from __future__ import annotations

from bisect import bisect_right

from wcwidth import wcwidth  # type: ignore[import-untyped, unused-ignore]

# A cell that collects marks without end would be an unbounded string; real clusters have at most about ten code points.
CLUSTER_CHARS = 32

JOINER = "\u200d"
# First and last code points, one after the other, of blocks whose characters may follow a joiner (Unicode's
# Extended_Pictographic, by block). Everything else is decided by its width alone, which lets text and box drawing skip
# the look at the cell before.
_PICTOGRAPHS = (
    *(0x203C, 0x203C, 0x2049, 0x2049, 0x2122, 0x2122, 0x2139, 0x2139, 0x2190, 0x21FF, 0x2300, 0x23FF, 0x24C2, 0x24C2),
    *(0x25A0, 0x27BF, 0x2900, 0x297F, 0x2B00, 0x2BFF, 0x3030, 0x3030, 0x303D, 0x303D, 0x3297, 0x3299),
    *(0x1F000, 0x1FAFF),
)
_EDGES = [code + (at & 1) for at, code in enumerate(_PICTOGRAPHS)]


def width_of(character: str) -> int:
    """Cells of one character: 0 for a mark that joins the cell before it, -1 for one that is not shown."""
    if "\U0001f3fb" <= character <= "\U0001f3ff":
        return 2  # a skin tone stays a cell of its own: terminals that programs measure themselves against do it
    if is_regional(character):
        return 2  # half a flag alone is shown as a wide letter, so that the pair needs no further cell
    return int(wcwidth(character))


def is_regional(character: str) -> bool:
    """Whether it is one of the two letters that make a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def is_pictograph(character: str) -> bool:
    """Whether it may join a cell that ends with a zero-width joiner."""
    return bool(bisect_right(_EDGES, ord(character)) & 1)


def joins(cluster: str, character: str, width: int) -> bool:
    """Whether the character belongs to the cluster written before it."""
    if width == 0:
        return True
    if cluster.endswith(JOINER):
        return is_pictograph(character)
    return is_regional(character) and len(cluster) == 1 and is_regional(cluster)


def clusters(text: str) -> list[tuple[str, int]]:
    """The text cut into (cluster, cells); marks without a character before them are dropped."""
    found: list[tuple[str, int]] = []
    for character in text:
        if " " <= character <= "~":
            found.append((character, 1))
            continue
        width = width_of(character)
        if found and width >= 0 and joins(found[-1][0], character, width):
            found[-1] = (found[-1][0] + character, found[-1][1])
        elif width > 0:
            found.append((character, width))
    return found
