"""The connection to a keeper: greeting, requests with their replies, notices, and its end."""

from __future__ import annotations

import os
import select
import time
from collections import deque

from ..keeper.protocol import PROTOCOL, BadFrame
from .loop import READ, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..keeper.protocol import Channel, Message
    from .loop import Loop

    Reply = Callable[[Message | None, int], None]


class KeeperWire:
    """One connection at a time. hello: our first message.

    on_open(): the keeper has answered the greeting. on_notice(message). on_closed(): an open connection has ended, and
    every request that waited has got None."""

    def __init__(
        self,
        loop: Loop,
        hello: Message,
        on_open: Callable[[], None],
        on_notice: Callable[[Message], None],
        on_closed: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._hello = hello
        self._on_open = on_open
        self._on_notice = on_notice
        self._on_closed = on_closed
        self._channel: Channel | None = None
        self._replies: dict[int, Reply] = {}
        self._inbox: deque[tuple[Message, int]] = deque()
        self._next_id = 0
        self.is_open = False

    def is_taken(self) -> bool:
        """Whether there is a connection, greeted or not."""
        return self._channel is not None

    def greet(self, channel: Channel) -> None:
        """Use this connection from now on."""
        self._channel = channel
        channel.send(self._hello)
        self._loop.watch(channel.socket, READ, self._ready)

    def ask(self, request: Message, reply: Reply) -> None:
        """Send a request; reply(message, master) comes later, reply(None, -1) when there is no keeper or it is lost."""
        if self._channel is None or not self.is_open:
            reply(None, -1)
            return
        self._next_id += 1
        self._replies[self._next_id] = reply
        self._channel.send({**request, "id": self._next_id})
        self._show_interest()

    def say(self, notice: str, wait_s: float) -> None:
        """Send a notice and see to it that it leaves: what follows may be the end of this process."""
        channel = self._channel
        if channel is not None:
            channel.send({"notice": notice})
            until = time.monotonic() + wait_s
            while channel.is_waiting() and time.monotonic() < until:
                select.select([], [channel.socket], [], wait_s)
                channel.flush()

    def await_message(self, wait_s: float) -> None:
        """Outside the loop: wait for the keeper's next message and take it."""
        if self._channel is not None:
            select.select([self._channel.socket], [], [], wait_s)
            self._ready(READ)

    def leave(self) -> None:
        """End the connection from here; requests that wait get no reply."""
        self._drop()
        self._replies.clear()

    def _ready(self, mask: int) -> None:
        channel = self._channel
        if channel is None:
            return
        if mask & WRITE:
            channel.flush()
        try:
            messages, is_there = channel.receive() if mask & READ else ([], True)
        except BadFrame:
            messages, is_there = [], False
        self._inbox.extend(messages)
        if not self.is_open and self._inbox:
            first, _ = self._inbox.popleft()
            if first.get("keeper") == PROTOCOL and "error" not in first:
                self.is_open = True
                self._on_open()
            else:
                is_there = False  # refused: another server is connected, or this keeper is leaving
        self._work()
        if self._channel is channel:
            if is_there:
                self._show_interest()
            else:
                self._end()

    def _work(self) -> None:
        """Take every message; a callback that fails costs no other its message."""
        try:
            while self._inbox:
                self._take(*self._inbox.popleft())
        finally:
            if self._inbox:
                self._loop.post(self._work)

    def _take(self, message: Message, master: int) -> None:
        reply = self._replies.pop(message.get("id", 0), None)
        if reply is not None:
            reply(message, master)
        elif master >= 0:
            os.close(master)  # its request is of no interest any more
        if "notice" in message:
            self._on_notice(message)

    def _show_interest(self) -> None:
        if self._channel is not None:
            self._loop.watch(self._channel.socket, READ | (WRITE if self._channel.is_waiting() else 0), self._ready)

    def _end(self) -> None:
        was_open = self.is_open
        self._drop()
        replies, self._replies = self._replies, {}
        for reply in replies.values():
            reply(None, -1)
        if was_open:
            self._on_closed()

    def _drop(self) -> None:
        self.is_open = False
        channel, self._channel = self._channel, None
        if channel is not None:
            self._loop.forget(channel.socket)
            channel.close()
        while self._inbox:
            _, master = self._inbox.popleft()
            if master >= 0:
                os.close(master)
