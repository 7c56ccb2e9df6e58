"""subscribe: what reaches the connection; the stream itself is tests/engine/test_hub.py."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams
from tests.fake import FakeCaller, Stage


class Recorder(FakeCaller):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Any, ...]] = []

    def subscribe(self, events: Any, task_ids: Any, from_seq: Any) -> dict[str, Any]:
        self.asked.append((events, task_ids, from_seq))
        return {"subscribed": True, "seq": 7}


def test_what_is_asked_for_reaches_the_connection() -> None:
    caller = Recorder()
    stage = Stage()
    assert stage.ask("subscribe", caller=caller) == {"subscribed": True, "seq": 7}
    stage.ask("subscribe", caller=caller, events=["agent.*"], from_seq=3.0, task_ids=["task_1"])
    assert caller.asked == [(None, None, None), (["agent.*"], ["task_1"], 3)]


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"events": "agent.*"}, "events"),
        ({"events": ["a", None]}, "events[1]"),
        ({"from_seq": -1}, "from_seq"),
        ({"from_seq": True}, "from_seq"),
        ({"from_seq": "0"}, "from_seq"),
        ({"task_ids": [1]}, "task_ids[0]"),
    ],
)
def test_a_fault_registers_nothing(params: dict[str, Any], path: str) -> None:
    caller = Recorder()
    with pytest.raises(BadParams) as caught:
        Stage().ask("subscribe", caller=caller, **params)
    assert (caught.value.details, caller.asked) == ({"path": path}, [])
