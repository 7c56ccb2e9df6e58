"""Request lines in, replies out: one request at a time per connection, in order, checked before its handler runs."""

from __future__ import annotations

from ..base.errors import Internal, ProtocolError
from ..methods import registry
from ..wire.envelope import Refused, Request, error_line, parse_request, result_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ..methods.call import Call
    from .client import Client
    from .ledger import Ledger
    from .procedures import Runner

QUEUED_LINES = 64  # a pipelining client may be this far ahead before its socket is no longer read
UNREAD_REPLIES = 64  # and this many answers behind with reading before its next request is begun
UNREAD_BYTES = 256 << 10  # or this far: large answers take long to make, and those of a thousand clients much room
_NAMES_OF_PANES = ("pane_id", "target_pane_id", "parent_pane_id")


class Router:
    """make_call(client): the Call of a request that has just arrived. on_fault: gets what is a bug of ours.

    unborn: panes whose child runs but is not published yet; requests that name one wait until it is (keeper §2).
    """

    def __init__(
        self,
        ledger: Ledger,
        runner: Runner,
        make_call: Callable[[Client], Call],
        on_fault: Callable[[BaseException], None],
        unborn: Callable[[str], bool],
    ) -> None:
        self._ledger = ledger
        self._runner = runner
        self._make_call = make_call
        self._on_fault = on_fault
        self._unborn = unborn
        self._deferred: list[tuple[Client, Request]] = []
        self.clients: set[Client] = set()

    def on_line(self, client: Client, line: bytes) -> None:
        """A whole line arrived, without its newline."""
        if client.gone or client.ended or not line.strip():
            return
        if client.held:
            self._hang_up(client)
            return
        client.lines.append(line)
        self._advance(client)
        if len(client.lines) >= QUEUED_LINES:
            client.channel.pause()

    def next_line(self, client: Client) -> bytes | None:
        """The next line to send to the client; an answer taken makes room for a further request."""
        line = client.outbox.take(self._ledger.synced)
        if client.lines:
            self._advance(client)
        return line

    def on_eof(self, client: Client) -> None:
        """The peer has finished sending: a single-flight call or a stream ends; what it asked for is still answered."""
        client.ended = True
        if client.held:
            self._hang_up(client)
        else:
            client.end_streams()
            client.channel.close_when_sent()

    def on_gone(self, client: Client) -> None:
        """The connection is closed. A single-flight call ends; others run on, their reply is dropped."""
        client.lines.clear()
        client.leave()
        client.outbox.clear()
        self.clients.discard(client)
        if client.held:
            self.end(client)

    def end(self, client: Client) -> None:
        """End the connection's running call without a reply."""
        if client.running is not None:
            running, client.running = client.running, None
            self._runner.cancel(running)
        client.held = client.busy = False

    def is_idle(self, client: Client) -> bool:
        """Whether nothing more will be sent to it without a further request."""
        return not client.busy and not client.lines and not len(client.outbox)

    def refuse(self, client: Client, error: ProtocolError) -> None:
        """One error line under no request's id, then close; a single-flight call ends, other requests are answered."""
        if client.held:
            self.end(client)
        client.ended = True
        client.end_streams()
        client.outbox.reply(0, error_line("?", error))
        client.wake()
        client.channel.close_when_sent()

    def born(self) -> None:
        """A pane was published or given up: requests that waited for it go on."""
        waiting, self._deferred = self._deferred, []
        for client, request in waiting:
            if not client.gone:
                self._run(client, request)
                self._advance(client)

    def _hang_up(self, client: Client) -> None:
        """End a single-flight call without a reply, and the connection once earlier replies are sent (behaviour §7)."""
        self.end(client)
        client.ended = True
        client.lines.clear()
        client.end_streams()
        client.channel.close_when_sent()

    def _advance(self, client: Client) -> None:
        """Begin the requests that wait, one after the other, as long as each is answered at once.

        A loop and not a call from `_finish`: thousands of pipelined requests must not nest.
        """
        if client.advancing:
            return
        client.advancing = True
        try:
            while client.lines and not client.busy and not client.gone and _may_begin(client):
                self._begin(client, client.lines.popleft())
        finally:
            client.advancing = False
        if len(client.lines) < QUEUED_LINES:
            client.channel.resume()

    def _begin(self, client: Client, line: bytes) -> None:
        client.busy = True
        try:
            request = parse_request(line)
        except Refused as refused:
            self._finish(client, refused.id, None, refused.error)
            return
        self._run(client, request)

    def _run(self, client: Client, request: Request) -> None:
        """Answer the request, or put it off while it names a pane that is being born."""
        params = request.params
        named = (params.get(name) for name in _NAMES_OF_PANES) if type(params) is dict else ()
        if any(isinstance(pane_id, str) and self._unborn(pane_id) for pane_id in named):
            self._deferred.append((client, request))
            return
        try:
            method = registry.find(request.method)
            result = method.run(self._make_call(client), params)
        except Exception as fault:
            self._finish(client, request.id, None, fault)
            return
        if hasattr(result, "send"):
            self._await(client, request.id, result)
        else:
            self._finish(client, request.id, result, None)

    def _await(self, client: Client, id: str, coroutine: Coroutine[Any, Any, Any]) -> None:
        landed = False

        def finish(result: Any, fault: Exception | None) -> None:
            nonlocal landed
            landed = True
            client.running = None
            client.held = False
            self._finish(client, id, result, fault)

        running = self._runner.start(coroutine, finish)
        if landed:
            return
        client.running = running
        if client.held and (client.lines or client.ended):
            self._hang_up(client)  # what ends a single-flight call has come before it

    def _finish(self, client: Client, id: str, result: Any, fault: Exception | None) -> None:
        client.busy = False
        if client.gone:
            if fault is not None and not isinstance(fault, ProtocolError):
                self._on_fault(fault)
            return
        client.outbox.reply(self._ledger.committed, self._reply_line(id, result, fault), client.behind_reply)
        client.behind_reply = []
        client.wake()
        if client.close_after_reply:
            client.lines.clear()
            client.channel.close_when_sent()
        elif client.lines:
            self._advance(client)

    def _reply_line(self, id: str, result: Any, fault: Exception | None) -> bytes:
        if fault is None:
            try:
                return result_line(id, result)
            except (TypeError, ValueError) as unsendable:
                fault = unsendable
        if isinstance(fault, ProtocolError):
            return error_line(id, fault)
        self._on_fault(fault)
        return error_line(id, Internal(f"internal error ({type(fault).__name__}); the server's log has the details"))


def _may_begin(client: Client) -> bool:
    """Whether it has read enough of its earlier answers."""
    return client.outbox.replies < UNREAD_REPLIES and client.outbox.unread_bytes < UNREAD_BYTES
