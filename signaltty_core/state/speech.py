"""What a terminal's signals do to its pane: titles, bells, notifications, directory, progress, reports, shell marks.

Signals are told apart by the names of their classes: the terminal's own modules are imported with the first pane only.
"""

from __future__ import annotations

from ..base.clock import passed_s, rfc3339
from ..base.limits import TITLE_CHARS
from ..base.text import sanitise
from . import attention, hearing, lifecycle, notifications, program_status, progress, sources, status_line
from .world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .world import Draft, Record

    Heed = Callable[[Draft, str, Any, "Ground"], None]

PROGRESS_S = 600.0  # some programs never take their progress back (terminal-status §4)
_NO_PROMPT = ("k=s", "k=c", "k=r")


class Ground:
    """What a signal's meaning hangs on beside the pane.

    foreground: the terminal's foreground process group at this moment. look_up: has a directory on a host looked at,
    which leads to `enter`. on_prompt: follows when the shell is back at its prompt.
    """

    __slots__ = ("foreground", "look_up", "new_id", "on_prompt")

    def __init__(
        self,
        new_id: Callable[[str], str],
        foreground: Callable[[], int | None],
        look_up: Callable[[str, str], None],
        on_prompt: Callable[[Draft, str], None],
    ) -> None:
        self.new_id = new_id
        self.foreground = foreground
        self.look_up = look_up
        self.on_prompt = on_prompt


def heed(draft: Draft, pane_id: str, signals: list[Any], ground: Ground) -> None:
    """The changes these signals ask for, in their order."""
    for signal in signals:
        _HEED[type(signal).__name__](draft, pane_id, signal, ground)


def enter(draft: Draft, pane_id: str, path: str) -> None:
    """The shell is in this directory, which exists here."""
    if draft.see_pane(pane_id)["cwd"] != path:
        pane = draft.pane(pane_id)
        pane["cwd"] = path
        draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane})


def tire(draft: Draft, pane_id: str) -> None:
    """Drop a progress that nothing has confirmed for long."""
    heard = hearing.of(draft.world, pane_id)
    if heard.progress_at is not None and passed_s(heard.progress_at, draft.at) >= PROGRESS_S:
        _drop_progress(draft, pane_id)


def end_child(draft: Draft, pane_id: str, code: int | None, os_signal: str | None) -> None:
    """The pane's child has ended: its end is a source too, and what it and its senders said is void."""
    if not is_live(draft.see_pane(pane_id)):
        return
    before = draft.see_pane(pane_id)["lifecycle"]
    sources.speak(draft, pane_id, "exit", str(os_signal or ("unknown" if code is None else code)))
    lifecycle.end_child(draft, pane_id, code, os_signal)
    if draft.see_pane(pane_id)["lifecycle"] != before:
        sources.decide(draft, pane_id, "exit")
    draft.instance(pane_id)["holds"] = ["exit"]
    status_line.forget(draft, pane_id)
    draft.instance(pane_id).pop("program", None)
    draft.instance(pane_id).pop(hearing.FIELD, None)
    draft.instance(pane_id).pop("status_sessions", None)
    progress.forget(draft, pane_id)
    hearing.forget(draft.world, pane_id)


def _title(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    title = sanitise(signal.text.replace("\n", " "), TITLE_CHARS)
    if title and title != draft.see_pane(pane_id)["title"]:
        pane = draft.pane(pane_id)
        pane["title"] = title
        draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane, "title": title})


def _bell(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    attention.raise_to(draft, pane_id, "unread")


def _notification(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    """It raises `unread`, whatever its words say (terminal-status §5)."""
    notifications.post(
        draft,
        ground.new_id("notification"),
        pane_id=pane_id,
        title=signal.title or "",
        body=signal.body or "",
        severity="info",
        source=signal.source,
        raises=True,
    )
    notifications.say(draft, pane_id, signal.title or "", signal.body or "")


def _directory(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    ground.look_up(signal.path, signal.host)


def _progress(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    """OSC 9;4: what is kept of an earlier value is the value, not the state."""
    if not is_live(draft.see_pane(pane_id)):
        return
    heard = hearing.of(draft.world, pane_id)
    if signal.state is None:
        _drop_progress(draft, pane_id)
        return
    before = progress.last(draft.see_instance(pane_id), "osc9_4")
    value = signal.value
    if value is None and before is not None and signal.state in ("error", "paused"):
        value = before["value"]
    heard.progress_at = draft.at
    told: Record = {"kind": "percent", "value": value, "state": signal.state, "source": "osc9_4"}
    if told != before:
        progress.tell(draft, pane_id, "osc9_4", told)
        shown = signal.state if signal.state != "normal" else "indeterminate" if value is None else f"{value}%"
        sources.speak(draft, pane_id, "osc9_4", shown)


def _report(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    program_status.take(draft, pane_id, signal.body, ground.foreground())


def _mark(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    if not is_live(draft.see_pane(pane_id)):
        return
    heard = hearing.of(draft.world, pane_id)
    heard.shell = {"mark": signal.letter, "at": rfc3339(draft.at)}
    if signal.exit_code is not None:
        heard.shell["exit_code"] = signal.exit_code
    is_prompt = signal.letter == "A" and not any(word in _NO_PROMPT for word in signal.parameters)
    child = draft.see_instance(pane_id).get("pid")
    if is_prompt and child is not None and not heard.program.has_reporter(child) and ground.foreground() == child:
        program_status.drop_unfinished(draft, pane_id, [None])
        _drop_progress(draft, pane_id)
        ground.on_prompt(draft, pane_id)


def _reset(draft: Draft, pane_id: str, signal: Any, ground: Ground) -> None:
    program_status.reset(draft, pane_id)
    _drop_progress(draft, pane_id)


def _drop_progress(draft: Draft, pane_id: str) -> None:
    hearing.of(draft.world, pane_id).progress_at = None
    if progress.last(draft.see_instance(pane_id), "osc9_4") is not None:
        progress.tell(draft, pane_id, "osc9_4", None)
        sources.speak(draft, pane_id, "osc9_4", "none")


_HEED: dict[str, Heed] = {
    "Title": _title,
    "Bell": _bell,
    "Notification": _notification,
    "Directory": _directory,
    "Progress": _progress,
    "Report": _report,
    "Mark": _mark,
    "Reset": _reset,
}
