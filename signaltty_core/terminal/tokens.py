"""How a decoded chunk is cut into tokens, and what each of them does.

A run is text with the SGR sequences in it, and with it what programs put around text: the cursor position before it and
the line end or the erasing of the rest behind it. So a row of a listing, a log or a full-screen program is one token,
and mostly kept as it is (rows.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .printing import draw, draw_coded, overwrite
from .rows import RAW_CHARS
from .styles import DIRTY, STYLED

if TYPE_CHECKING:
    from .stream import Stream

_TEXT = "[^\x00-\x1f\x7f]"
_SGR = "\x1b\\[[0-9;]{0,64}m"
# position, run, what ends it | parameters and final of CSI | one control character | a complete sequence | ESC and more
cut = re.compile(
    f"(\x1b\\[[0-9;]{{0,64}}H)?((?:{_TEXT}+|{_SGR}){_TEXT}*(?:{_SGR}{_TEXT}*){{0,400}})(\r\n|\x1b\\[K)?"
    "|\x1b\\[([0-9;]*)([@-~])"
    "|(\r\n|[\x00-\x1a\x1c-\x1f\x7f])"
    "|(\x1b(?:"
    "\\[[<-?]?[0-9;:]*[ -/]*[@-~]"
    "|\\][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\\\)"
    "|[PX^_][^\x18\x1a\x1b]*\x1b\\\\"
    "|[ -/]+[0-~]|[0-OQ-WYZ\\\\`-~]))"
    "|(\x1b[^\x1b]*)"
).findall
_codes = re.compile("\x1b\\[[0-9;]*m").findall
# prefix, parameters, intermediates, final
split_control = re.compile("\x1b\\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])").fullmatch
# A control sequence with more characters between CSI and its final one is unknown, whole or cut: what is held while its
# end is awaited must be bounded.
PARAMETER_CHARS = 1024
PLACES = 4096


def run_tokens(stream: Stream, text: str) -> None:
    """Carries out a text whose last sequence is complete."""
    screen = stream.screen
    controls, parameters_of = stream.controls, stream.parameters_of
    cols, is_narrow = screen.cols, screen.narrow.issuperset
    grid, style, places = screen.grid, screen.style, screen.places
    plain = screen.styles.plain
    keeps_text = screen.simple and not style.look[3]
    line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
    for place, run, behind, parameters, final, control, other, broken in cut(text):
        if run:
            if place:
                spot = places.get(place)
                if spot is None:
                    controls["H"](screen, parameters_of(place[2:-1]))
                    if 6 not in screen.modes and len(places) < PLACES:
                        places[place] = screen.x, screen.y
                else:
                    screen.x, screen.y = spot
            x = screen.x
            after, mark = style, style.mark
            size = len(run)
            if "\x1b" in run:
                each = _codes(run)
                codes = "".join(each)
                size -= len(codes)
                after = style.next.get(codes) or style.siblings.get(codes) or style.along(codes, each)
                mark = DIRTY | STYLED
            end = x + size
            row = grid[screen.y]
            if not keeps_text or end > cols or not (run.isascii() or is_narrow(run)):
                if after is style and "\x1b" not in run:
                    draw(screen, run)
                else:
                    draw_coded(screen, run)
                    style = after
                end = screen.x
                row = grid[screen.y]
            else:
                if size:
                    width = row.width
                    if 0 <= width <= x:
                        if x > width:
                            row.pad(x)
                        if style is not row.last:
                            row.raw += style.code
                        row.raw += run
                        row.width = end
                        row.last = after
                        row.mark |= mark
                        if len(row.raw) > RAW_CHARS:
                            row.cells  # noqa: B018
                    elif not x and (0 <= width <= end or (behind == "\x1b[K" and end < cols)):
                        if width < 0:
                            row.tail = plain
                        row.raw = run if style is plain else style.code + run
                        row.width = end
                        row.last = after
                        row.mark = mark | row.tail.mark
                    else:
                        overwrite(row, x, end, run, style)
                    screen.x = end
                screen.style = style = after
            if behind == "\r\n":
                screen.x = 0
                line_feed()
            elif behind and end < cols:
                eraser = style.eraser or screen.styles.eraser_of(style)
                if row.width == end:
                    row.tail = eraser
                    row.mark |= eraser.mark
                    row.wrapped = False
                else:
                    screen.erase_cells(end, cols)
        elif final:
            if final == "H" and parameters in places:
                screen.x, screen.y = places[parameters]
            elif final == "m":
                if len(parameters) <= PARAMETER_CHARS:
                    screen.style = style = style.after(parameters)
            elif final == "K" and not parameters:
                if screen.x < cols:
                    screen.erase_cells(screen.x, cols)
            else:
                handler = controls.get(final)
                if handler is not None and len(parameters) <= PARAMETER_CHARS:
                    handler(screen, parameters_of(parameters))
                    if final == "H" and 6 not in screen.modes and len(places) < PLACES:
                        places[parameters] = screen.x, screen.y
                    elif final in "hlu":  # the others change neither style nor modes
                        style, places = screen.style, screen.places
                        keeps_text = screen.simple and not style.look[3]
                        line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
        elif control:
            if control == "\r\n":
                screen.x = 0
                line_feed()
            elif control == "\r":
                screen.x = 0
            else:
                stream.control_character(control)
                style = screen.style
                keeps_text = screen.simple and not style.look[3]
        else:
            if other:
                stream.other(other)
            else:
                stream.broken(broken)
            grid, style, places = screen.grid, screen.style, screen.places
            keeps_text = screen.simple and not style.look[3]
            line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
