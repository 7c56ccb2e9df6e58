"""worklog.py write: one line for the event on standard input. worklog.py show [N]: the last N lines."""

import json
import os
import sys
import time

LOG = os.path.join(os.environ["SIGNALTTY_PLUGIN_DIR"], "worklog.txt")


def sentence_of(event, payload):
    if event == "agent.done":
        return f"{payload['pane_id']} is done"
    if event == "agent.failed":
        return f"{payload['pane_id']} failed"
    if event == "task.result":
        return f"{payload['task_id']}: {payload['result'].get('summary', '')}"
    return f"{payload['pane_id']} asks: {payload['decision']['prompt']}"


def write():
    frame = json.loads(sys.stdin.readline())
    sentence = " ".join(sentence_of(frame["event"], frame["payload"]).split())
    line = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sentence}\n"
    # one write of an appended line: runs of a hook may overlap
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(log, line.encode("utf-8", "replace"))
    os.close(log)


def show(count):
    try:
        with open(LOG, encoding="utf-8") as log:
            lines = log.readlines()
    except FileNotFoundError:
        lines = ["nothing happened yet\n"]
    sys.stdout.write("".join(lines[-count:] if count else lines))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write()
    else:
        show(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
