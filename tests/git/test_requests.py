"""The environment Git runs in."""

from __future__ import annotations

from signaltty_core.git import requests


def test_nothing_inherited_leads_git_elsewhere_and_what_a_user_needs_stays() -> None:
    names = (
        "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_DIFF_OPTS GIT_EXTERNAL_DIFF GIT_TRACE2 LANGUAGE"
    )
    kept = {"PATH": "/bin", "GIT_SSH_COMMAND": "ssh -x", "GIT_CONFIG_GLOBAL": "/g", "GIT_AUTHOR_NAME": "n"}
    made = requests.environment({**dict.fromkeys(names.split(), "x"), **kept, "LC_ALL": "de_DE"})
    assert made == {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}
    assert requests.reading_environment({}) == {**requests.environment({}), "GIT_OPTIONAL_LOCKS": "0"}
