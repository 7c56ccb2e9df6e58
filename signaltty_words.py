"""The hot words beside `hook-event`: `notify`, `report`, `ipc agent-event`. The rules of signaltty.py hold here too."""

import posix
import time

from signaltty import (
    BLANK,
    Fault,
    Late,
    ask,
    decode,
    encode,
    env,
    fail,
    flat,
    parse,
    read_input,
    refused,
    say,
    socket_path,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# hot: others
def answered(found: "dict[str, str]", reply: "Any", sentence: str, *path: str) -> int:
    """Show the reply: raw, or as a sentence filled with what stands at the paths below its result."""
    if reply.get("ok") is not True:
        return refused(found, reply)
    result = reply.get("result")
    if "json" in found:
        say(1, encode(result))
        return 0
    values = []
    for steps in path:
        value = result
        for step in steps.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        values.append(value)
    say(1, sentence % tuple(values))
    return 0


def notify(args: "list[str]") -> "int | None":
    """Leave a notification (cli 4.4). With no server the full program starts one."""
    found, words, odd = parse(args, "json no-start", "title body pane severity socket")
    if odd or words or "title" not in found or found.get("severity", "info") not in ("info", "warning", "error"):
        return None
    params = {name: text(found[name]) for name in "title body severity".split() if name in found}
    pane = found.get("pane") or env("SIGNALTTY_PANE")
    if pane:
        params["pane_id"] = text(pane)
    path = socket_path(found)
    try:
        reply = ask(path, "notify", params, 2, 4, 30)
    except (ConnectionError, FileNotFoundError):
        return None
    except OSError as fault:
        return fail(found, "cannot reach the server at %s: %s" % (path, fault.strerror or fault))
    except Late as late:
        return fail(found, *late.args)
    return answered(found, reply, "notification %s", "notification.id")


def report(args: "list[str]") -> "int | None":
    """Hand in the result of a task (cli 4.5)."""
    found, words, odd = parse(args, "json no-start", "status summary task pane artifacts evidence socket")
    if odd or words or "summary" not in found or found.get("status") not in ("completed", "failed", "rejected"):
        return None
    params = {name: text(found[name]) for name in ("status", "summary")}
    for name, variable in (("task", "SIGNALTTY_TASK"), ("pane", "SIGNALTTY_PANE")):
        value = found.get(name) or env(variable)
        if value:
            params[name + "_id"] = text(value)
    if len(params) == 2:
        return fail(found, "report: give --task or --pane, or run it inside a pane")
    for name in ("artifacts", "evidence"):
        if name in found:
            source = found[name]
            try:
                if source.lstrip(BLANK)[:1] not in ("[", "{"):
                    with open(source, encoding="utf-8") as file:
                        source = file.read()
                value = decode(source)
            except OSError as fault:
                return fail(found, "cannot read %s: %s" % (source, fault.strerror))
            except ValueError:
                return fail(found, "invalid %s JSON" % name)
            if name == "artifacts" and not isinstance(value, list):
                return fail(found, "artifacts must be a JSON array")
            params[name] = flat(source)
    path = socket_path(found)
    try:
        reply = ask(path, "task.report", params, 5, 7, 30)
    except (ConnectionError, FileNotFoundError):
        return fail(found, "no server is running", "NO_SUCH_SERVER")
    except PermissionError as fault:  # what the sandbox of an agent says to its commands
        said = "not allowed to reach the server at %s: %s; in a sandbox, run this command outside of it"
        return fail(found, said % (path, fault.strerror))
    except OSError as fault:
        return fail(found, "cannot reach the server at %s: %s" % (path, fault.strerror or fault))
    except Late as late:
        return fail(found, *late.args)
    sentence = "reported %s: task %%s is %%s" % found["status"]
    return answered(found, reply, sentence, "task.id", "task.state")


ADAPTERS = "agy claude codex codex-notify copilot cursor droid gemini grok hermes kimi small-harness vibe"
PANE = "ZENTTY_INSTANCE_SOCKET ZENTTY_PANE_TOKEN ZENTTY_WORKLANE_ID ZENTTY_PANE_ID"
GONE = {
    "FORBIDDEN": "the server refused the pane token (FORBIDDEN)",
    "NO_SUCH_PANE": "the pane no longer exists (NO_SUCH_PANE)",
}


def started_ms() -> int:
    """When this command was started, on the clock that counts from boot (agent-status 3.5)."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return ticks * 1000 // posix.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return int(time.clock_gettime(clock) * 1000)


def standard_input() -> "tuple[bytes, bool, bool]":
    return (b"", False, True) if posix.isatty(0) else read_input()


def ipc(
    args: "list[str]",
    env: "Any" = env,
    read: "Any" = standard_input,
    send: "Any" = ask,
    fail: "Any" = fail,
    started: "Any" = started_ms,
) -> "int | None":
    """Pass one event of the Agent Status Protocol on (agent-status 3). A replay brings its own outside world."""
    begun, params = time.monotonic(), {"sent_ms": str(started())}
    found, words, odd = parse(args, "strict json no-start", "adapter socket")
    if "--help" in odd or "--version" in odd:
        return None
    adapter = found.get("adapter", "")
    try:
        if words[:1] != ["agent-event"]:
            raise Fault('unknown ipc command "%s" (known: agent-event)' % (words or [""])[0])
        if odd:
            lacking = odd[0] in ("--adapter", "--socket")
            raise Fault("ipc agent-event: " + ("%s needs a value" if lacking else "unknown option %s") % odd[0])
        if adapter and adapter not in ADAPTERS.split():
            raise Fault('unknown adapter "%s" (known: %s)' % (adapter, ADAPTERS.replace(" ", ", ")))
        given = words.pop() if adapter == "codex-notify" and words[-1][:1] == "{" else ""
        if len(words) > 2:
            raise Fault("ipc agent-event: unexpected argument " + words[2])
    except Fault as fault:
        fail(found, str(fault))
        return 1
    try:
        for name in PANE.split():
            if not env(name) and not ("socket" in found and name == "ZENTTY_INSTANCE_SOCKET"):
                raise Fault("not inside a signaltty pane: %s is not set" % name)
        hook = words[1] if adapter and words[1:] else ""
        params["token"] = text(env("ZENTTY_PANE_TOKEN"))
        params["pane_id"] = text(env("ZENTTY_PANE_ID"))
        if adapter:
            params["adapter"] = text(adapter)
            pid = env("ZENTTY_%s_PID" % adapter.upper().replace("-", "_"))
            if pid.isascii() and pid.isdigit() and int(pid[:20]) > 0:
                params["agent_pid"] = str(int(pid[:20]))
        if hook:
            params["name"] = text(hook)
        params.update(payload(read(), given, adapter, hook))
        path = socket_path({"socket": found.get("socket") or env("ZENTTY_INSTANCE_SOCKET")})
        agent_event(path, params, begun, send)
        return 0
    except Fault as fault:
        fail(found, str(fault))
        return 0 if adapter and "strict" not in found else 1


def payload(arrived: "tuple[bytes, bool, bool]", given: str, adapter: str, hook: str) -> "dict[str, str]":
    """What came on standard input as a parameter (agent-status 3.2)."""
    raw, large, ended = arrived
    raw = raw if raw.strip() or large else given.encode("utf-8", "surrogateescape")
    named = adapter and hook
    if large:
        if named:
            return {"payload_dropped": "true"}
        raise Fault("the event is larger than 4 MiB")
    if not raw.strip() and ended:
        if named:
            return {}
        raise Fault("no event on standard input")
    try:
        source = raw.decode("utf-8")
        value = decode(source)
    except ValueError as fault:
        if not ended:
            raise Fault("standard input held no complete event after 2 seconds") from None
        raise Fault("the event is not valid JSON: %s" % fault) from None
    if not isinstance(value, dict):
        raise Fault("the event must be one JSON object")
    return {"payload": flat(source)}


def agent_event(path: str, params: "dict[str, str]", begun: float, send: "Any") -> None:
    try:
        reply = send(path, "agent-event", params, 2, max(begun + 4.9 - time.monotonic(), 0.1), 0)
    except OSError:
        raise Fault("no server answers at %s (NO_SUCH_SERVER)" % path) from None
    except Late as late:
        raise Fault("%s (%s)" % late.args) from None
    if reply.get("ok") is True:
        return
    error = reply.get("error")
    error = error if isinstance(error, dict) else {}
    code, message = str(error.get("code", "INTERNAL")), str(error.get("message", ""))
    raise Fault(GONE.get(code) or (message if code == "BAD_PARAMS" else "%s (%s)" % (message, code)))


# hot: end
