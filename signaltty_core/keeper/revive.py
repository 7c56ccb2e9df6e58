"""When a server that was lost is started again: soon, then ever later, and never too often. No clock, no process."""

from __future__ import annotations


class Timings:
    """The keeper's delays in seconds; the defaults are those of keeper §1, tests give shorter ones."""

    __slots__ = (
        "first_s",
        "forsaken_s",
        "hello_s",
        "kill_s",
        "lonely_s",
        "longest_s",
        "most",
        "settled_s",
        "start_s",
        "unread_s",
        "window_s",
    )

    def __init__(
        self,
        *,
        first_s: float = 0.2,
        longest_s: float = 30.0,
        most: int = 10,
        window_s: float = 600.0,
        settled_s: float = 60.0,
        start_s: float = 30.0,
        kill_s: float = 1.0,
        forsaken_s: float = 2.0,
        hello_s: float = 5.0,
        lonely_s: float = 10.0,
        unread_s: float = 600.0,
    ) -> None:
        self.first_s = first_s  # before the first start
        self.longest_s = longest_s  # the delay doubles up to this
        self.most = most  # starts
        self.window_s = window_s  # in this time
        self.settled_s = settled_s  # a server that stayed so long sets the delay back
        self.start_s = start_s  # a started server that neither ends nor connects is given up
        self.forsaken_s = forsaken_s  # from a server's end to KILL for what it has closed, as behaviour §8.4 gives it
        self.kill_s = kill_s  # from hang-up to KILL when the keeper is told to end
        self.hello_s = hello_s  # for the first message of a connection
        self.lonely_s = lonely_s  # a keeper that no server ever used ends, or one whose server said bye
        self.unread_s = unread_s  # how long exit statuses wait for a server that was lost


class Revival:
    """`due`: monotonic time of the next start, None when none is wanted."""

    __slots__ = ("_delay_s", "_starts", "_timings", "due")

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._delay_s = timings.first_s
        self._starts: list[float] = []
        self.due: float | None = None

    def lose(self, now: float, stayed_s: float) -> None:
        """A server that was connected for `stayed_s` seconds is gone without a farewell."""
        if stayed_s >= self._timings.settled_s:
            self._delay_s = self._timings.first_s
        self.plan(now)

    def plan(self, now: float) -> None:
        """Set `due`: after the delay, and within the number of starts allowed."""
        due = now + self._delay_s
        if len(self._starts) >= self._timings.most:
            due = max(due, self._starts[-self._timings.most] + self._timings.window_s)
        self.due = due

    def start(self, now: float) -> None:
        """A server is being started: note it and wait for what becomes of it."""
        self._starts = [*self._starts[1 - self._timings.most :], now] if self._timings.most > 1 else [now]
        self._delay_s = min(self._delay_s * 2, self._timings.longest_s)
        self.due = None

    def cancel(self) -> None:
        """A server is there, or none is wanted."""
        self.due = None
