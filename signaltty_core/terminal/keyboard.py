"""The keyboard protocol's flags: a stack for each screen, kept so that programs can ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .screen import Screen

# Programs nest two or three deep; a stack without an end would be memory without one.
KEYBOARD_DEPTH = 16


def push_keyboard(screen: Screen, parameters: tuple[int, ...]) -> None:
    stack = screen.keyboard[screen.on_alternate]
    stack.append((parameters[0] if parameters else 0) & 31)
    if len(stack) > KEYBOARD_DEPTH:
        del stack[0]


def pop_keyboard(screen: Screen, parameters: tuple[int, ...]) -> None:
    stack = screen.keyboard[screen.on_alternate]
    count = (parameters[0] or 1) if parameters else 1
    del stack[max(len(stack) - count, 0) :]
    if not stack:
        stack.append(0)


def set_keyboard(screen: Screen, parameters: tuple[int, ...]) -> None:
    stack = screen.keyboard[screen.on_alternate]
    flags = (parameters[0] if parameters else 0) & 31
    how = parameters[1] if len(parameters) > 1 else 1
    stack[-1] = {2: stack[-1] | flags, 3: stack[-1] & ~flags}.get(how, flags)
