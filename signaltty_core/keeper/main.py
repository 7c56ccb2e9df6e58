"""The keeper: parent of every pane's child, holder of every master, and the one who brings a lost server back.

One thread, one selector. A server that is connected has the masters to itself; without one they are drained.
"""

from __future__ import annotations

import _signal
import os
import resource
import selectors
import time

from ..base.version import VERSION
from .children import Children
from .codec import build
from .door import open_door, peer_uid
from .process import detach, log, log_to, raise_descriptor_limit
from .protocol import PROTOCOL, BadFrame, Channel
from .restart import Restart
from .revive import Timings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .door import Door
    from .protocol import Message

_DOOR_S = 5.0  # half of the 10 s within which a deleted socket is bound anew (keeper §1)
_DOOR_ALONE_S = 0.5  # without a server: its successor waits for us
_GROUP_S = 0.05  # the first look at a group that outlived its leader; then ever later
_FAULT_S = 0.05  # so that a fault that comes again does not burn a core
_ENDING_S = 0.02  # how often a keeper that ends looks whether its children have


def run(runtime_dir: str, timings: Timings | None = None) -> int:
    """Be the keeper of a runtime directory until no server and no child is left. Gives the exit status.

    The caller's process becomes the keeper: own session, no descriptor but 0, 1, 2, and those lead nowhere."""
    door = open_door(runtime_dir)
    if door is None:
        return 0  # another one lives
    try:
        detach(keep={door.listener.fileno(), door.lock})
        Keeper(door, timings or Timings()).serve()
    finally:
        door.close()
    return 0


class Keeper:
    def __init__(self, door: Door, timings: Timings) -> None:
        self._encode, self._decode = build()
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        raise_descriptor_limit(limits)
        self._door = door
        self._timings = timings
        self._selector = selectors.DefaultSelector()
        self._children = Children(self._selector, limits)
        self._restart = Restart(timings)
        self._channel: Channel | None = None
        self._is_server = False  # the first message has come
        self._since = time.monotonic()  # of the connection
        self._stay_until = self._since + timings.lonely_s
        self._said_bye = False
        self._look_s = _DOOR_S
        self._look_due = self._since
        self._told_to_end = False
        self._kill_due: float | None = None
        self._killed = False
        self._forsaken_due: float | None = None
        wake, self._wake_w = os.pipe()
        for descriptor in (wake, self._wake_w):
            os.set_blocking(descriptor, False)
        self._wake = wake
        self._selector.register(wake, selectors.EVENT_READ, self._woken)
        self._selector.register(door.listener, selectors.EVENT_READ, self._accept)
        _signal.set_wakeup_fd(self._wake_w, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        for number in (_signal.SIGTERM, _signal.SIGINT):
            _signal.signal(number, self._be_told)
        _signal.signal(_signal.SIGHUP, _signal.SIG_IGN)

    def serve(self) -> None:
        while not self._is_done(time.monotonic()):
            for key, mask in self._selector.select(self._wait_s(time.monotonic())):
                if self._selector.get_map().get(key.fd) is key:  # else an earlier callback has dropped it
                    self._call(key.data, mask)
            self._keep_time(time.monotonic())

    def _call(self, ready: Callable[[int], None], mask: int) -> None:
        """A fault costs the connection, never the children; a server that lives can come back."""
        try:
            ready(mask)
        except Exception as fault:
            log(f"{type(fault).__name__}: {fault}")
            if self._channel is not None and ready == self._serve_channel:
                self._part(time.monotonic())
            time.sleep(_FAULT_S)

    def _is_done(self, now: float) -> bool:
        if self._kill_due is not None:
            return all(child.group_gone for child in self._children) or now > self._kill_due + self._timings.kill_s
        if self._channel is not None or self._children.is_any_running():
            return False
        return now >= self._stay_until

    def _wait_s(self, now: float) -> float:
        if self._kill_due is not None:
            return _ENDING_S
        due = self._look_due
        for other in (self._restart.due, self._forsaken_due):
            if other is not None:
                due = min(due, other)
        return max(0.0, due - now)

    def _keep_time(self, now: float) -> None:
        if self._told_to_end and self._kill_due is None:
            self._children.hang_up()
            self._kill_due = now + self._timings.kill_s
        if self._kill_due is not None:
            self._children.drop_spent()
            if now >= self._kill_due and not self._killed:
                self._killed = True
                self._children.signal_groups("KILL")
            return
        if now >= self._look_due:
            self._look_s = min(self._look_s * 2, _DOOR_ALONE_S if self._channel is None else _DOOR_S)
            self._look_due = now + self._look_s
            self._look(now)
        self._forsaken_due = self._children.end_forsaken(now)
        self._restart.look(now, self._children.nofile)

    def _look(self, now: float) -> None:
        """What nobody tells us: a deleted socket, empty groups, a peer that says nothing."""
        if not self._door.is_in_place():
            self._bind_anew()
        self._children.drop_spent()
        if self._channel is not None and not self._is_server and now > self._since + self._timings.hello_s:
            self._part(now)

    def _bind_anew(self) -> None:
        self._selector.unregister(self._door.listener)
        try:
            self._door.renew()
        except OSError as fault:
            log(f"cannot bind the socket anew: {fault}")
        self._selector.register(self._door.listener, selectors.EVENT_READ, self._accept)

    # The connection

    def _accept(self, _mask: int) -> None:
        socket = self._door.accept()
        if socket is None:
            return
        if self._channel is not None:
            self._serve_channel(selectors.EVENT_READ)  # its end may have come in this very pass
        channel = Channel(socket, self._encode, self._decode)
        hello: Message = {"keeper": PROTOCOL, "version": VERSION, "pid": os.getpid()}
        refusal = ""
        if peer_uid(socket) != os.geteuid():
            refusal = "this keeper belongs to another user"
        elif self._channel is not None:
            refusal = "another server is connected to this keeper"
        elif self._kill_due is not None:
            refusal = "this keeper is ending"
        if refusal:
            channel.send({**hello, "error": refusal})
            channel.close()
            return
        self._channel = channel
        self._is_server = False
        self._since = time.monotonic()
        self._selector.register(channel.socket, selectors.EVENT_READ, self._serve_channel)
        self._send(hello)

    def _serve_channel(self, mask: int) -> None:
        channel = self._channel
        if channel is None:
            return
        if mask & selectors.EVENT_WRITE:
            channel.flush()
        try:
            messages, is_there = channel.receive() if mask & selectors.EVENT_READ else ([], True)
        except BadFrame as fault:
            log(f"the server sends {fault}")
            messages, is_there = [], False
        for message, master in messages:
            if master >= 0:
                os.close(master)  # nobody has asked for one
            if self._is_server:
                self._handle(message)
            else:
                is_there = self._greet(message) and is_there
        if self._channel is channel:
            if is_there:
                self._show_interest()
            else:
                self._part(time.monotonic())

    def _greet(self, message: Message) -> bool:
        """The server's first message; False when it is none."""
        if message.get("keeper") != PROTOCOL:
            return False
        argv, log_path, nofile = message.get("argv"), message.get("log"), message.get("nofile")
        self._restart.argv = argv if isinstance(argv, list) and all(isinstance(word, str) for word in argv) else []
        if isinstance(nofile, int) and nofile > 0:
            hard = self._children.nofile[1]
            self._children.nofile = (nofile if hard == resource.RLIM_INFINITY else min(nofile, hard), hard)
        if isinstance(log_path, str):
            log_to(log_path)
        self._is_server = True
        self._said_bye = False
        self._restart.cancel()
        self._children.drain(False)
        return True

    def _handle(self, message: Message) -> None:
        if message.get("notice") == "bye":
            self._said_bye = True
        elif "request" in message:
            reply, master = self._children.answer(message)
            self._send({"id": message.get("id"), **reply}, master)

    def _send(self, message: Message, master: int = -1) -> None:
        if self._channel is not None:
            self._channel.send(message, master)
            self._show_interest()

    def _show_interest(self) -> None:
        channel = self._channel
        if channel is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if channel.is_waiting() else 0)
            if self._selector.get_key(channel.socket).events != events:
                self._selector.modify(channel.socket, events, self._serve_channel)

    def _part(self, now: float) -> None:
        """The connection is over: look after the children, and have a lost server started again."""
        channel = self._channel
        if channel is None:
            return
        self._selector.unregister(channel.socket)
        channel.close()
        self._channel = None
        if not self._is_server:
            return
        self._is_server = False
        self._children.drain(True)
        self._children.forsake(now + self._timings.forsaken_s)
        self._look_due = now
        self._set_stay(now)
        if not self._said_bye and [*self._children]:
            self._restart.lose(now, now - self._since)

    def _set_stay(self, now: float) -> None:
        """How long exit statuses are worth waiting for when nothing else is left."""
        if not self._children.is_any_unread():
            self._stay_until = now
        else:
            self._stay_until = now + (self._timings.lonely_s if self._said_bye else self._timings.unread_s)

    # Processes

    def _woken(self, _mask: int) -> None:
        try:
            while os.read(self._wake, 4096):
                pass
        except BlockingIOError:
            pass
        ended, others = self._children.reap()
        for child in ended:
            notice = {"notice": "exited", "pane_id": child.pane_id, "code": child.code, "signal": child.os_signal}
            if self._is_server:
                self._send(notice)
        now = time.monotonic()
        if self._channel is None and ended:
            self._set_stay(now)
        if any(not child.running and not child.group_gone for child in self._children):
            self._look_s = _GROUP_S
            self._look_due = now + self._look_s
        self._restart.end(others, now, wanted=self._channel is None and not self._said_bye)

    def _be_told(self, *_: object) -> None:
        self._told_to_end = True
