"""`report-session` and `report`: what a worker says about itself."""

from __future__ import annotations

from ..spec import ID, JSON, PANE, TEXT, Command, Option, one_of
from .hook import run_hot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def report_session(session: Session, values: dict[str, Any]) -> None:
    params = {name: value for name, value in values.items() if name != "argv"}
    params["pane_id"] = session.need_pane(values.get("pane_id"))
    if values["argv"]:
        params["resume_argv"] = values["argv"]
    result = session.call("report-session", params)
    session.show(result, f"session recorded for {result['pane']['id']}")


COMMANDS = (
    Command(
        "report-session",
        "Record the session an agent runs in, so that it can be resumed.",
        report_session,
        Option("--pane", PANE, "The pane; default: the one this runs in.", param="pane_id"),
        Option("--session", ID, "The agent's name for its session.", param="agent_session_id", required=True),
        Option("--agent", TEXT, "Which agent it is."),
        rest="ARGV…",
        example='signaltty report-session --session "$ID" -- my-agent --resume "$ID"',
    ),
    Command(
        "report",
        "Hand in the result of a task.",
        run_hot,
        Option("--status", one_of("completed", "failed", "rejected"), "How it ended.", required=True),
        Option("--summary", TEXT, "What was done.", required=True),
        Option("--task", ID, "The task; default: the one this runs for."),
        Option("--pane", PANE, "The worker's pane; default: the one this runs in."),
        Option("--artifacts", JSON, "What was made: a JSON array or a file with one."),
        Option("--evidence", JSON, "What shows it: JSON or a file with it."),
        example="signaltty report --status completed --summary 'all 12 tests pass'",
    ),
)
