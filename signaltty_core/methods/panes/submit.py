"""`pane.submit`: give the agent in a pane a prompt (tasks-and-git §3)."""

from __future__ import annotations

from ...base.errors import BadParams
from ...state.tasks import PROMPT_BYTES, STALL_S, SUBMIT_DELAY_MS
from ...wire.kinds import DelayMs, PaneRef, StallSeconds
from ..registry import method
from .submission import Submission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

_MARKS = ("\x1b[200~", "\x1b[201~")
_ALLOWED = "\t\n\r"


@method("pane.submit", mutates=True)
async def pane_submit(
    call: Call,
    pane_id: PaneRef,
    text: str,
    submit_delay_ms: DelayMs = SUBMIT_DELAY_MS,
    stall_timeout_s: StallSeconds = STALL_S,
    replace_draft: bool = False,
) -> Record:
    """Paste a prompt into an agent's input line, submit it, and wait until the agent has begun.

    pane_id: id or name
    text: the prompt; line breaks at its end are left out
    submit_delay_ms: least time between paste and Enter; default 300
    stall_timeout_s: how long the agent may take to begin; default 5
    replace_draft: clear what already stands in the prompt box of claude, codex or qwen
    Errors: BAD_PARAMS, NO_SUCH_PANE, PANE_EXITED, AGENT_NOT_READY, AGENT_BUSY, TIMEOUT, IO_ERROR
    """
    prompt = check_text(text)
    id = call.world.pane(pane_id)["id"]
    delay_s = submit_delay_ms / 1000
    submission = Submission(call, id, prompt, delay_s=delay_s, stall_s=stall_timeout_s)
    return await submission.run(replace_draft=replace_draft)


def check_text(text: str) -> str:
    """The prompt without line breaks at its end. Raises BadParams for what cannot be pasted."""
    if any(mark in text for mark in _MARKS):
        raise BadParams("text: holds a marker of bracketed paste", path="text")
    if any((one < " " or "\x7f" <= one <= "\x9f") and one not in _ALLOWED for one in text):
        raise BadParams("text: holds a control character other than tab and line breaks", path="text")
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError:
        raise BadParams("text: holds half a character", path="text") from None
    if size_bytes > PROMPT_BYTES:
        raise BadParams(f"text: {size_bytes} bytes; at most {PROMPT_BYTES}", path="text")
    prompt = text.rstrip("\r\n")
    if not prompt:
        raise BadParams("text: must not be empty", path="text")
    return prompt
