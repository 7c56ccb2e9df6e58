from __future__ import annotations

import pytest

from signaltty_core.cli.local import recording as recordings
from signaltty_core.cli.spec import LocalError


@pytest.mark.parametrize("name", recordings.names())
def test_a_recording_runs_forward_to_its_last_byte(name: str) -> None:
    recording = recordings.load(name)
    moments = [step["at"] for step in recording.steps]
    offsets = [step["write"] for step in recording.steps if "write" in step]
    assert moments == sorted(moments)
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(recording.data)


@pytest.mark.parametrize("name", recordings.names())
def test_a_recording_begins_and_ends_a_session_and_its_hooks_name_themselves(name: str) -> None:
    hooks = [step for step in recordings.load(name).steps if "hook" in step]
    assert (hooks[0]["hook"], hooks[-1]["hook"]) == ("SessionStart", "SessionEnd")
    assert [hook["stdin"]["hook_event_name"] for hook in hooks] == [hook["hook"] for hook in hooks]


def test_an_unknown_recording_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(LocalError, match=r"no recording '\.\./allow'; there are allow, question, turn"):
        recordings.load("../allow")
