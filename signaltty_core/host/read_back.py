"""The journal read back for a subscriber: its files at one moment, read to those lengths by a worker (persistence §6).

The writer thread makes the cut between two batches, so it holds exactly what was committed before it was asked for, and
a rotation meanwhile takes nothing away: the files are open already.
"""

from __future__ import annotations

from ..journal.replay import Collector, Replayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..journal.replay import Event
    from ..state.effects import ReadBack
    from .audit_files import Cut
    from .journal_file import JournalFile
    from .workers import Workers

    Done = Callable[[Any, Exception | None], None]

PIECE_BYTES = 256 << 10


def perform(journal: JournalFile, workers: Workers, effect: ReadBack, done: Done) -> None:
    """Cut, read, and write a doubt down before anybody is told of it; done(Replayed, None) comes on the loop."""

    def read(cut: Cut) -> None:
        if cut.retained_after is None or effect.after < cut.retained_after:
            done(Replayed(cut.retained_after, []), None)
        else:
            workers.run(collect, (cut, effect), finish_with(cut.retained_after))

    def finish_with(retained_after: int) -> Done:
        def finish(events: list[Event] | None, fault: Exception | None) -> None:
            if events is None:  # a line is broken, or the disk does not give what it was given
                journal.doubt(lambda: done(Replayed(None, []), None))
            else:
                done(Replayed(retained_after, events), None)

        return finish

    journal.cut(read)


def collect(cut: Cut, effect: ReadBack) -> list[Event] | None:
    """In a worker: the events, or None when a file is shorter than it was or holds a line that is none of ours.

    Raises OSError.
    """
    collector = Collector(effect.after, effect.through, effect.wants, effect.most)
    for file, size_bytes in cut.files:
        with file:
            rest = b""
            left = size_bytes
            while left:
                data = file.read(min(left, PIECE_BYTES))
                if not data:
                    return None
                left -= len(data)
                *lines, rest = (rest + data).split(b"\n")
                if not all(map(collector.take, lines)):
                    return None
            if rest:
                return None
    return collector.events()
