"""Which module of this folder holds which methods: by whole name, or by everything before the dot."""

from __future__ import annotations

MODULES: dict[str, str] = {
    "server.": "server",
    "workspace.": "workspace",
    "tab.": "tab",
    "layout.": "layout",
    "layout.apply": "layout_apply",
    "pane.": "pane",
    "pane.spawn": "spawn",
    "pane.split": "spawn",
    "pane.swap": "layout",
    "pane.move": "layout",
    "pane.input": "pane_io",
    "pane.read": "pane_io",
    "pane.wait_for_output": "pane_io",
    "pane.clear": "pane_io",
    "pane.resize": "pane_io",
    "pane.attach": "attach",
    "pane.detach": "attach",
    "decision.": "decision",
    "hook-event": "hook",
    "report-session": "session",
    "subscribe": "subscribe",
    "wait": "wait",
    "focus.": "attention",
    "attention.": "attention",
    "notify": "notification",
    "notification.": "notification",
}
