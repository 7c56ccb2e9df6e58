"""What waits to be typed into one PTY: input in order, answers between, each with its deadline. No clock of its own."""

from __future__ import annotations

import os
from collections import deque

from ..base.errors import TimedOut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..base.errors import ProtocolError

    WriteDone = Callable[[int, ProtocolError | None], None]

_WRITE_BYTES = 64 << 10  # per call, so that a fast reader cannot keep us in the kernel
_PUMP_BYTES = 256 << 10  # per pump
_ANSWERS_BYTES = 512  # terminal-status §2
_ANSWER_S = 5.0


class _Message:
    __slots__ = ("data", "done", "due", "written")

    def __init__(self, data: bytes, due: float, done: WriteDone | None) -> None:
        self.data = memoryview(data)
        self.due = due
        self.done = done
        self.written = 0


class PtyWriter:
    """fd: the non-blocking master. Every `done` is called exactly once."""

    __slots__ = ("_answers", "_fd", "_inputs")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._inputs: deque[_Message] = deque()
        self._answers: deque[_Message] = deque()

    def is_waiting(self) -> bool:
        return bool(self._inputs or self._answers)

    def add(self, data: bytes, due: float, done: WriteDone) -> None:
        self._inputs.append(_Message(data, due, done))

    def answer(self, data: bytes, now: float) -> None:
        """Queue an answer, unless too many bytes wait already because the program does not read."""
        waiting_bytes = sum(len(message.data) - message.written for message in self._answers)
        if not waiting_bytes or waiting_bytes + len(data) <= _ANSWERS_BYTES:
            self._answers.append(_Message(data, now + _ANSWER_S, None))

    def pump(self, now: float) -> bool:
        """Write what the kernel takes, then drop what is late; whether anything moved. Raises OSError."""
        left_bytes = _PUMP_BYTES
        try:
            while left_bytes > 0:
                queue = self._next_queue()
                if queue is None:
                    return True
                message = queue[0]
                part = message.data[message.written : message.written + min(_WRITE_BYTES, left_bytes)]
                written = os.write(self._fd, part) if part else 0
                message.written += written
                left_bytes -= written
                if message.written == len(message.data):
                    queue.popleft()
                    if message.done is not None:
                        message.done(message.written, None)
                elif written == 0:
                    break
        except BlockingIOError:
            pass
        self._expire(now)
        return left_bytes < _PUMP_BYTES

    def cancel(self, error: ProtocolError) -> None:
        """Fail everything that waits with an error of this kind."""
        messages = [*self._inputs]
        self._inputs.clear()
        self._answers.clear()
        for message in messages:
            if message.done is not None:
                message.done(message.written, type(error)(error.message, written_bytes=message.written))

    def _next_queue(self) -> deque[_Message] | None:
        """Answers first, but a message that is begun is ended before another."""
        inside_input = bool(self._inputs) and self._inputs[0].written > 0
        if self._answers and not inside_input:
            return self._answers
        return self._inputs or None

    def _expire(self, now: float) -> None:
        """An answer that is begun is kept: half of it would be worse."""
        while self._answers and self._answers[0].written == 0 and self._answers[0].due <= now:
            self._answers.popleft()
        late = [message for message in self._inputs if message.due <= now]
        if late:
            self._inputs = deque(message for message in self._inputs if message.due > now)
            for message in late:
                if message.done is not None:
                    text = f"the program did not read its input in time; {message.written} bytes were written"
                    message.done(message.written, TimedOut(text, written_bytes=message.written))
