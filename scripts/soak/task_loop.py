"""kill -9 of the server again and again while tasks and worktrees are made, ended and removed, and nothing else runs.

Usage: python -m scripts.soak.task_loop [--rounds 60] [--seed 1]. What must hold after every loss: `git_work.py`.
"""

from __future__ import annotations

import argparse
import time

from scripts.soak.git_work import GitWork, environ
from scripts.soak.scene import kill_server, main, start_next
from tests.server.rig import running

LONGEST_S = 2.0  # between two losses; a start takes up to a second on a busy machine


def play(rounds: int, seed: int) -> dict[str, object]:
    with running(started=False) as server:
        server.environ.update(environ(server))
        server.start()
        work = GitWork(server, seed)
        for number in range(rounds):
            lasting_s = work.chance.uniform(0.05, LONGEST_S)
            work.begin(lasting_s)
            time.sleep(lasting_s)
            kill_server(server)
            work.pause()
            start_next(server)  # the keeper would take longer and longer after so many losses
            work.prove()
            if number % 10 == 9:
                print(f"{number + 1} rounds, {len(work.tasks.known)} tasks", flush=True)
        return {"rounds": rounds, **work.figures()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    main(lambda: play(given.rounds, given.seed))
