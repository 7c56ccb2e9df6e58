"""`decision answer`: choose for an agent that asks."""

from __future__ import annotations

from ..spec import ID, PANE, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def answer(session: Session, values: dict[str, Any]) -> None:
    result = session.call("decision.answer", values)
    session.show(result, f"answered {values['decision_id']} with {values['option_id']}")


COMMANDS = (
    Command(
        "decision answer",
        "Answer the question an agent waits with; `pane get` shows it.",
        answer,
        Option("--pane", PANE, "The pane.", param="pane_id", required=True),
        Option("--decision", ID, "The question.", param="decision_id", required=True),
        Option("--option", ID, "The answer.", param="option_id", required=True),
        example="signaltty decision answer --pane PANE --decision permission_… --option once",
    ),
)
