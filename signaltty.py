#!/usr/bin/env python3
"""The entry: hot words are answered here with a few C modules, every other word goes to the package.

Here are `hook-event` and what the hot words share, in one module, for each module more costs a hook a third of a
millisecond; `notify`, `report` and `ipc` are in signaltty_words.py. What stands between the marks is also copied in
front of the archive's zip data, where the shell header lets `python3 -c` read it while nothing is unpacked yet
(scripts/build.py cuts it out, so there is one copy). Hence its rules: ASCII, only modules every interpreter has, little
text, for there it is compiled at every call. Annotations are quoted: the future import that would defer them costs a
module.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# hot: core
import posix
import sys
import time

LIMIT_BYTES = 4 << 20
BLANK = " \t\r\n"
# what reorders or hides the characters around it
UNSEEN = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
TOO_LATE = "the server did not answer in time", "TIMEOUT"
ENDED = "the server ended before it answered; see `signaltty server logs`", "IO_ERROR"


class Late(Exception):
    """No answer, or no end of the input, within the time allowed."""


class Fault(Exception):
    """A sentence for a person; the command ends with exit status 1."""


def env(name: str) -> str:
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def written(c: str) -> str:
    return ("\\x%02x" if c < "\xa0" else "\\u%04x") % ord(c)


def say(fd: int, text: str) -> None:
    safe = "".join([c if " " <= c < "\x7f" or (c > "\x9f" and c not in UNSEEN) else written(c) for c in text])
    data = safe.encode("utf-8", "backslashreplace") + b"\n"
    try:
        while data:
            data = data[posix.write(fd, data) :]
    except OSError:
        pass


def encode(value: object) -> str:
    from json import dumps  # dear, and needed only where a value of the server is shown

    return dumps(value, separators=(",", ":"))


def fail(found: "dict[str, str]", message: str, code: str = "", details: object = None) -> int:
    if "json" in found:
        error = {"code": code or "BAD_PARAMS", "message": message, "details": details or {}}
        say(2, encode({"ok": False, "error": error}))
    else:
        say(2, "signaltty: " + message + (" (%s)" % code if code else ""))
    return 1


def refused(found: "dict[str, str]", reply: "Any") -> int:
    error = reply.get("error")
    error = error if isinstance(error, dict) else {}
    code, message = str(error.get("code", "INTERNAL")), str(error.get("message", ""))
    if code == "BAD_PROTOCOL":
        message = "this program speaks signaltty/1, the server %s" % reply.get("protocol")
    return fail(found, message, code, error.get("details"))


def parse(args: "list[str]", flags: str, values: str) -> "tuple[dict[str, str], list[str], list[str]]":
    """Options by name, the words among them, and what is not known."""
    found: dict[str, str] = {}
    words: list[str] = []
    odd: list[str] = []
    rest = iter(args)
    for arg in rest:
        name, equals, value = arg[2:].partition("=")
        if arg == "--":
            words += rest
        elif arg[:1] != "-" or arg == "-":
            words.append(arg)
        elif arg[:2] == "--" and name in flags.split() and not equals:
            found[name] = "true"
        elif arg[:2] == "--" and name in values.split():
            found[name] = value if equals else next(rest, "\0")
            if found[name] == "\0":  # no argument of a process can be that
                odd.append(arg)
        else:
            odd.append(arg)
    return found, words, odd


def text(raw: str) -> str:
    """An argument as JSON, with bytes that are not UTF-8 replaced."""
    return quote(raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def refuse(name: str) -> "NoReturn":
    raise ValueError(name + " is no JSON value")


class Scanner:
    """What the C scanner wants to know of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = refuse


try:
    from _json import encode_basestring_ascii as quote
    from _json import make_scanner

    scan = make_scanner(Scanner)  # type: ignore[arg-type]
except ImportError:  # an interpreter without the C half of json
    from json import JSONDecoder
    from json import dumps as quote

    scan = JSONDecoder(parse_constant=refuse).scan_once  # type: ignore[attr-defined]


def decode(source: str) -> "Any":
    """The value of a text that is one JSON value; else ValueError."""
    start = len(source) - len(source.lstrip(BLANK))
    try:
        try:
            value, end = scan(source, start)
        except SystemError:  # the C scanner raises what json.decoder defines, and does not import it
            import json.decoder  # noqa: F401

            value, end = scan(source, start)
    except (StopIteration, RecursionError):
        raise ValueError("no JSON value at character %d" % start) from None
    if source[end:].strip(BLANK):
        raise ValueError("extra text at character %d" % end)
    return value


def flat(source: str) -> str:
    """The same JSON on one line: its strings hold no raw line break."""
    return source.replace("\r", " ").replace("\n", " ")


def within(limit_s: float) -> None:
    """Raise Late when that much time has passed; 0 ends it."""
    import _signal

    def late(*_: object) -> "NoReturn":
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        raise Late(*TOO_LATE)

    _signal.signal(_signal.SIGALRM, late)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGALRM])
    _signal.setitimer(_signal.ITIMER_REAL, limit_s, 0.1)  # again: the first may come just before a call that blocks


def read_input() -> "tuple[bytes, bool, bool]":
    """Standard input until its end or for 2 seconds; whether it is too large; whether it ended."""
    parts, size, ended = [], 0, True
    try:
        within(2)
        while True:
            try:
                part = posix.read(0, 1 << 20)
            except BlockingIOError:
                time.sleep(0.01)
                continue
            size += len(part)
            if size <= LIMIT_BYTES:
                parts.append(part)
            if not part:
                break
        within(0)
    except Late:
        ended = False
    except OSError:
        within(0)
    return b"".join(parts), size > LIMIT_BYTES, ended


def socket_path(found: "dict[str, str]") -> str:
    """Where the server listens: the option, the variable, the runtime directory (persistence 1)."""
    path = found.get("socket") or env("SIGNALTTY_SOCKET")
    if path and path[0] != "/":
        return posix.getcwd() + "/" + path
    folder = env("XDG_RUNTIME_DIR").rstrip("/") + "/signaltty"
    if folder[0] != "/" or folder == "/signaltty" or long(folder):
        folder = "/tmp/signaltty-%d" % posix.getuid()
    return path or folder + "/signaltty.sock"


def long(folder: str) -> bool:
    return len(folder.encode("utf-8", "surrogateescape")) > 76  # 100 bytes less /s/ and 16 digits and .sock


def runtime_dir(path: str) -> str:
    """The directory of locks and helper sockets that belongs to this socket (persistence 1)."""
    own = "/tmp/signaltty-%d" % posix.getuid()
    folder, _, name = path.rpartition("/")
    if name == "signaltty.sock" and (folder.endswith("/signaltty") or folder == own):
        return folder
    if not long(path + ".d"):
        return path + ".d"
    from zlib import crc32

    return "%s/%08x.d" % (own, crc32(path.encode("utf-8", "surrogateescape")))


def keeper_lives(path: str) -> bool:
    """Whether a keeper can bring the server of this socket back (cli 3)."""
    try:
        posix.stat(runtime_dir(path) + "/keeper.sock")
    except OSError:
        return False
    return True


def ask(path: str, method: str, params: "dict[str, str]", patience_s: float, send_s: float, reply_s: float) -> "Any":
    """The reply to one request. OSError: it was not sent; Late: no reply in time, or none at all."""
    from _socket import AF_UNIX, SOCK_STREAM, socket

    body = ",".join([quote(name) + ":" + value for name, value in params.items()])
    head = '{"protocol":"signaltty/1","id":"h1","method":"' + method + '","params":{'
    line = (head + body + "}}\n").encode("utf-8", "replace")
    end = time.monotonic() + patience_s
    within(send_s)
    while True:
        peer = socket(AF_UNIX, SOCK_STREAM)
        try:
            peer.connect(path)
            peer.sendall(line)
            break
        except (ConnectionError, FileNotFoundError):  # half a line is never acted on, so it may go out again
            if time.monotonic() > end or not keeper_lives(path):
                within(0)
                raise
        peer.close()
        time.sleep(0.02)
    if reply_s:
        within(reply_s)
    answer = b""
    try:
        while b"\n" not in answer:
            part = peer.recv(1 << 16)
            if not part:
                raise Late(*ENDED)
            answer += part
        within(0)
        reply = scan(answer.decode(), 0)[0]
        return reply if isinstance(reply, dict) else {}
    except (OSError, ValueError, StopIteration, SystemError):
        raise Late(*ENDED) from None


def hot(argv: "list[str]") -> "int | None":
    """The exit status of a hot word; None: the full program must run."""
    try:
        run = globals().get(argv[0].replace("-", "_"))
        if run is None:  # the other words have a module of their own, which a hook does not pay for
            import signaltty_words

            run = getattr(signaltty_words, argv[0])
        status: "int | None" = run(argv[1:])
        return status
    except KeyboardInterrupt:
        return 130
    except ImportError:
        raise  # a file of the cache is gone; whoever called knows how to get it back
    except Exception as fault:
        say(2, "signaltty: %s: %s" % (type(fault).__name__, fault))
        return 1


# hot: hook-event
def hook_event(args: "list[str]") -> "int | None":
    """Report what happened in an agent (cli 7). Never 2: several agents read that as a refusal."""
    found, words, odd = parse(
        args,
        "payload-stdin wait-for-answer hold strict json no-start",
        "agent event pane payload wait-timeout message title severity decision socket",
    )
    if "--help" in odd or "--version" in odd:
        return None
    if env("SIGNALTTY_HOOKS") == "off":
        return 0
    if odd or words:
        return fail(found, "hook-event: unknown or incomplete argument " + (odd + words)[0])
    if not found.get("agent") or not found.get("event"):
        return fail(found, "hook-event: --agent and --event are required")
    if "payload" in found and "payload-stdin" in found:
        return fail(found, "hook-event: --payload and --payload-stdin exclude each other")
    waits, strict = "wait-for-answer" in found, "strict" in found
    params = {name: text(found[name]) for name in "agent event message title severity".split() if name in found}
    params["client_pid"] = str(posix.getpid())
    pane = found.get("pane") or env("SIGNALTTY_PANE")
    if pane:
        params["pane_id"] = text(pane)
    if "hold" in found:
        params["hold"] = "true"
    limit_s = 120.0
    if "wait-timeout" in found:
        try:
            limit_s = float(decode(found["wait-timeout"]))
        except (ValueError, TypeError):
            return fail(found, "hook-event: --wait-timeout must be a number of seconds")
        if waits:
            params["wait_timeout_s"] = found["wait-timeout"].strip()
    if waits:
        params["wait_for_answer"] = "true"
    payload = None
    raw, large = found.get("payload", "").encode("utf-8", "surrogateescape"), False
    if "payload-stdin" in found:
        raw, large, _ = read_input()
    if large:
        params["payload_dropped"] = "true"
    elif raw.strip():
        source = raw.decode("utf-8", "replace")
        try:
            payload = decode(source)
        except ValueError:
            return fail(found, "invalid payload JSON")
        params["payload"] = flat(source)
    if "decision" in found:
        try:
            decode(found["decision"])
        except ValueError:
            return fail(found, "invalid decision JSON")
        params["decision"] = flat(found["decision"])
    thread = env("CODEX_THREAD_ID")
    if thread and found["agent"] == "codex" and isinstance(payload, dict):
        if payload.get("session_id", thread) != thread:
            return 0
    path = socket_path(found)
    try:
        reply = ask(path, "hook-event", params, 2, 1.9, min(max(limit_s, 0), 120) + 5 if waits else 0)
    except OSError:
        return fail(found, "no server answers at " + path, "NO_SUCH_SERVER") if strict else 0
    except Late as late:
        return fail(found, *late.args) if strict else 0
    result = reply.get("result")
    if reply.get("ok") is not True or not isinstance(result, dict):
        return 0 if waits else refused(found, reply)
    if waits:
        if result.get("native_verdict") is not None:
            say(1, encode(result["native_verdict"]))
        return 0
    if "json" in found:
        say(1, encode(result))
    name = "%s:%s" % (found["agent"], found["event"])
    if result.get("dropped"):
        line = "dropped %s: %s" % (name, result.get("reason"))
    elif result.get("pane_id") is not None:
        state = (name, result.get("lifecycle") or "-", result.get("attention") or "-")
        line = "accepted %s lifecycle=%s attention=%s" % state
    else:
        return fail(found, "no pane belongs to this process") if strict else 0
    if not env("GEMINI_PROJECT_DIR"):  # Gemini and Qwen set it, and put what their hooks say into the conversation
        say(2, line)
    return 0


# hot: end
HOT = ("hook-event", "notify", "report", "ipc")


def main() -> int:
    """Run the program; `sys.argv[0]` becomes the absolute path of the file the person started."""
    if sys.version_info < (3, 10):
        say(2, "signaltty: needs Python 3.10 or newer, found %d.%d.%d" % sys.version_info[:3])
        return 1
    args = sys.argv[1:]
    first = 0
    while args[first : first + 1] and args[first].partition("=")[0] in ("--json", "--no-start", "--socket"):
        first += 2 if args[first] == "--socket" else 1
    if args[first : first + 1] and args[first] in HOT:
        status = hot([args[first], *args[:first], *args[first + 1 :]])
        if status is not None:
            posix._exit(status)  # nothing is buffered, and taking the interpreter down costs more than a hook
    import os

    from signaltty_core.cli.main import main as run

    os.environ["SIGNALTTY_PYTHON"] = sys.executable  # whoever runs the file again from here gets the same interpreter
    try:
        sys.argv[0] = os.path.abspath(sys.argv[0])
    except OSError:
        pass  # the working directory is gone; only a command that starts a server misses the path
    return run() or 0


if __name__ == "__main__":
    sys.exit(main())
