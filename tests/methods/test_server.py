"""server.*"""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import CODES, PanesAlive
from signaltty_core.base.version import PROTOCOL, VERSION
from signaltty_core.methods import registry
from signaltty_core.methods.server import EVENTS
from tests.fake import Stage


def test_the_status_says_who_answers() -> None:
    stage = Stage()
    stage.pane()
    stage.pane(live={"state": "exited", "code": 0})
    stage.at += 61.9
    assert stage.ask("server.status") == {
        "version": VERSION,
        "protocol": PROTOCOL,
        "uptime_s": 61,
        "workspaces": 1,
        "tabs": 1,
        "panes": 2,
        "live_panes": 1,
        "seq": stage.world.seq,
        "pid": 1,
    }


def test_the_schema_is_made_of_the_routers_own_tables() -> None:
    schema = Stage().ask("server.schema")
    assert (schema["protocol"], schema["version"]) == (PROTOCOL, VERSION)
    assert schema["methods"] == [method.name for method in registry.every()]
    assert (schema["events"], schema["codes"]) == (EVENTS, list(CODES))
    assert set(schema["params"]) == set(schema["methods"])


def test_a_server_with_live_panes_ends_only_by_force_or_without_them() -> None:
    stage = Stage()
    stage.pane()
    with pytest.raises(PanesAlive) as caught:
        stage.ask("server.shutdown")
    assert (caught.value.details, stage.machine.deeds) == ({"live_panes": 1}, [])
    assert stage.ask("server.shutdown", force=True) == {"stopped": True}
    assert stage.ask("server.shutdown", keep_panes=True) == {"stopped": True}
    assert stage.machine.deeds == [("stop", False), ("stop", True)]


def test_a_server_without_live_panes_just_ends() -> None:
    stage = Stage()
    stage.pane(live={"state": "exited", "code": 0})
    assert stage.ask("server.shutdown") == {"stopped": True}
