"""`hook-event` and `ipc agent-event`: their help. The entry answers them before this package is imported."""

from __future__ import annotations

from ..spec import ID, JSON, SECONDS, SEVERITY, TEXT, Argument, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def run_hot(session: Session, values: dict[str, Any]) -> int:
    """The line as it was, handed to the one client that knows these words."""
    from signaltty import hot

    status = hot(session.argv)
    if status is None:
        raise LocalError("the command cannot run here")
    return status


COMMANDS = (
    Command(
        "hook-event",
        "Report what happened in an agent; for its hooks.",
        run_hot,
        Option("--agent", TEXT, "Which agent.", required=True),
        Option("--event", TEXT, "The hook's name.", required=True),
        Option("--pane", ID, "The pane; default: the one this runs in."),
        Option("--payload-stdin", None, "The hook's JSON comes on standard input."),
        Option("--payload", JSON, "The hook's JSON."),
        Option("--wait-for-answer", None, "Wait for the decision and print the agent's verdict."),
        Option("--wait-timeout", SECONDS, "Wait at most so long, 1 to 120; default 120."),
        Option("--hold", None, "Go on waiting although a person looks at the pane."),
        Option("--message", TEXT, "A line about it."),
        Option("--title", TEXT, "Title of a notification."),
        Option("--severity", SEVERITY, "How urgent that is."),
        Option("--decision", JSON, "A question with its options."),
        Option("--strict", None, "Fail where the report did not arrive."),
        example="signaltty hook-event --agent claude --event Stop --payload-stdin < hook.json",
        usage_status=1,
    ),
    Command(
        "ipc agent-event",
        "Pass on one event of the agent status protocol from standard input.",
        run_hot,
        Argument("HOOK", required=False),
        Option("--adapter", TEXT, "The input is this agent's native hook."),
        Option("--strict", None, "Fail where the event did not arrive, with --adapter too."),
        example="signaltty ipc agent-event < event.json",
        usage_status=1,
    ),
)
