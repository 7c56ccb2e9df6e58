"""Diffs as lines for people (cli §4.2, §4.5)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SIGNS = {"context": " ", "added": "+", "removed": "-", "no_newline": "\\ "}


def summary_lines(result: dict[str, Any]) -> Iterator[str]:
    """A line per file and per directory, and the total."""
    for file in result["files"]:
        if file["untracked"]:
            yield f"?? {file['path']}"
        elif file["binary"]:
            yield f"bin {file['path']}"
        else:
            yield f"+{file['added']} -{file['removed']} {file['path']}"
    for one in result["dirs"]:
        yield f"{one['dir']}/ +{one['added']} -{one['removed']}"
    yield f"total +{result['added']} -{result['removed']}"


def file_lines(result: dict[str, Any]) -> Iterator[str]:
    """One file's hunks, or why there are none."""
    yield f"{'untracked' if result['untracked'] else 'diff'} {result['path']}"
    content = result["content"]
    kind = content["kind"]
    if kind == "binary":
        yield "(binary file)"
    elif kind == "unavailable":
        yield f"(unavailable: {content['reason']})"
    elif kind != "text":
        yield f"({kind})"
    else:
        for hunk in content["hunks"]:
            yield hunk["heading"]
            for line in hunk["lines"]:
                yield _SIGNS.get(line["kind"], " ") + line["text"]
        if content["notice"]:
            yield f"({content['notice']})"
