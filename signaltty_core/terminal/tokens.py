"""How a decoded chunk is cut into tokens, and what each of them does.

A run is text with the SGR sequences in it, and with it what programs put around text: the cursor position before it and
the line end or the erasing of the rest behind it. So a row of a listing, a log or a full-screen program is one token,
and mostly kept as it is (rows.py).
"""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING

from .lines import split_codes
from .modes import FLAGS, SYNCHRONIZED
from .paint import draw_coded, draw_long, overwrite
from .printing import draw
from .rows import RAW_CHARS
from .styles import DIRTY, STYLED, WIDE

if TYPE_CHECKING:
    from .stream import Stream

_TEXT = "[^\x00-\x1f\x7f]"
_SGR = "\x1b\\[[0-9;]{0,64}m"
_START = "\r(?!\n)(?:\x1b\\[[0-9]{0,64}C)?(?:\x1b\\[[0-9]{0,64}B)?"
_MOVES = f"\x1b\\[[0-9;]{{0,64}}[A-DGH](?:{_START})?|{_START}"
_RUN = f"{_TEXT}+(?:{_SGR}{_TEXT}*){{0,400}}|(?:{_SGR}{_TEXT}*){{1,400}}"
# moves, run (none if moves stand alone), what ends it
# | parameters and final of CSI | one control character | a complete sequence | ESC and more
cut = re.compile(
    f"({_MOVES})?({_RUN}|(?(1)|(?!)))(\x1b\\[K(?:\r\n)?|\r\n)?"
    "|\x1b\\[([0-9;]*)([@-~])"
    "|(\r\n|[\x00-\x1a\x1c-\x1f\x7f])"
    "|(\x1b(?:"
    "\\[[<-?]?[0-9;:]*[ -/]*[@-~]"
    "|\\][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\\\)"
    "|[PX^_][^\x18\x1a\x1b]*\x1b\\\\"
    "|[ -/]+[0-~]|[0-OQ-WYZ\\\\`-~]))"
    "|(\x1b[^\x1b]*)"
).findall
# parameters and final, both empty for CR
split_moves = re.compile("\r|\x1b\\[([0-9;]*)([A-Zd])").findall
# prefix, parameters, intermediates, final
split_control = re.compile("\x1b\\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])").fullmatch
# A control sequence with more characters between CSI and its final one is unknown, whole or cut: what is held while its
# end is awaited must be bounded.
PARAMETER_CHARS = 1024


def run_tokens(stream: Stream, chunk: str) -> None:
    """Carries out a text whose last sequence is complete."""
    screen = stream.screen
    controls, remembered, steps = stream.controls, stream.remembered, stream.steps
    cols, is_narrow = screen.cols, screen.narrow.issuperset
    plain = screen.styles.plain
    grid, style, places = screen.grid, screen.style, screen.places
    keeps_text = screen.simple and not style.look[3]
    line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
    for moves, run, behind, parameters, final, control, other, broken in cut(chunk):
        if run or moves:
            if not moves:
                x, y = screen.x, screen.y
            elif moves in places:
                x, y, down = places[moves]
                if down is not None:
                    if y < 0:
                        y = screen.y
                    lowest = screen.bottom if y <= screen.bottom else screen.rows - 1
                    y += down
                    if y > lowest:
                        y = lowest
            else:
                for handler, numbers in steps.get(moves) or stream.plan(moves):
                    handler(screen, numbers)
                x, y = screen.x, screen.y
            if not run:
                end = screen.x = x
                screen.y = y
            else:
                if "\x1b" in run:
                    parts = split_codes(run)
                    codes = parts[1] if len(parts) == 3 else "".join(parts[1::2])
                    size = len(run) - len(codes)
                else:
                    parts = None
                    size = len(run)
                width_mark = DIRTY
                if not run.isascii():
                    rest = run if parts is None else "".join([part for part in parts[::2] if not part.isascii()])
                    if not is_narrow(rest):
                        special = [*filterfalse(screen.narrow.__contains__, rest)]
                        size += len(special) if screen.wide.issuperset(special) else cols + 1
                        width_mark = DIRTY | WIDE
                end = x + size
                row = grid[y]
                width = row.width
                if end > cols or not keeps_text:
                    screen.x, screen.y = x, y
                    if keeps_text and width_mark == DIRTY and (parts is not None or width >= 0 or size > 2 * cols):
                        draw_long(screen, parts or [run])
                    elif parts is None:
                        draw(screen, run)
                    else:
                        draw_coded(screen, parts)
                    style = screen.style
                    end = screen.x
                else:
                    if parts is None:
                        after, mark = style, style.mark | width_mark
                    else:
                        after = style.next.get(codes) or style.siblings.get(codes) or style.along(codes, parts[1::2])
                        mark = STYLED | width_mark
                    if not x and end < cols and behind[:1] == "\x1b":
                        row.raw = run if style is plain else style.code + run
                        row.width = end
                        row.last = after
                        row.tail = after.eraser or screen.styles.eraser_of(after)
                        row.mark = mark | row.tail.mark
                        row.wrapped = False
                        behind = behind[3:]
                    elif not size:
                        pass
                    elif 0 <= width <= x:
                        if width < x:
                            row.pad(x)
                        row.raw += run if style is row.last else style.code + run
                        row.width = end
                        row.last = after
                        row.mark |= mark
                        if len(row.raw) > RAW_CHARS:
                            row.settle()
                    elif not x and end >= width >= 0:
                        row.start_anew(run if style is plain else style.code + run, end, after, mark)
                    elif (
                        width < 0
                        and (parts is None or (len(parts) == 3 and not parts[0]))
                        and not (row.mark | mark) & WIDE
                    ):
                        ink, text = (style, run) if parts is None else (after, parts[2])
                        if size == 1:
                            row.drawn[x] = ink[text]
                        else:
                            row.drawn[x:end] = map(ink.__getitem__, text)
                        row.mark |= mark
                    else:
                        overwrite(row, x, end, parts or [run], style, after, mark)
                    screen.x = end
                    screen.y = y
                    if after is not style:
                        screen.style = style = after
            if behind:
                if behind != "\r\n":
                    if end < cols:
                        screen.erase_right()
                    if behind == "\x1b[K":
                        continue
                screen.x = 0
                line_feed()
        elif final:
            if final == "K" and not parameters:
                if screen.x < cols:
                    screen.erase_right()
            elif final == "m":
                if len(parameters) <= PARAMETER_CHARS:
                    screen.style = style = style.after(f"\x1b[{parameters}m")
            else:
                function = controls.get(final)
                if function is not None:
                    values = remembered.get(parameters)
                    if values is None:
                        if len(parameters) > PARAMETER_CHARS:
                            continue
                        values = stream.parameters_of(parameters)
                    function(screen, values)
                    if final in "hlu":  # the others change neither style nor modes
                        style, places = screen.style, screen.places
                        keeps_text = screen.simple and not style.look[3]
                        line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
        elif control:
            if control == "\r\n":
                screen.x = 0
                line_feed()
                continue
            stream.control_character(control)
            style = screen.style
            keeps_text = screen.simple and not style.look[3]
        else:
            flag = FLAGS.get(other)
            if flag:
                if flag < 0:
                    screen.modes.discard(-flag)
                    if flag == -SYNCHRONIZED:
                        screen.frame = None
                    continue
                if flag != SYNCHRONIZED or not screen.readers_may_look:
                    screen.modes.add(flag)
                    continue
            if other:
                stream.other(other)
            else:
                stream.broken(broken)
            grid, style, places = screen.grid, screen.style, screen.places
            keeps_text = screen.simple and not style.look[3]
            line_feed = screen.line_feed if 20 in screen.ansi_modes else screen.index
