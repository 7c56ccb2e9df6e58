"""What diffs through the server cost beside plain Git, and how long others wait meanwhile.

`workspace.diff` also names untracked files, which `git diff --numstat` does not: beside that command stand the two
commands that do the same work, one after the other and at once.

Usage: git_diffs.py [--files 20000] [--rounds 15]. Needs git; a private server is started and ended.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.e2e.repositories import git, repository, write  # noqa: E402
from tests.server.rig import Client, running  # noqa: E402


class Probe(threading.Thread):
    """Asks for the status again and again; longest_s: the longest it waited."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._over = threading.Event()
        self.longest_s = 0.0

    def run(self) -> None:
        while not self._over.wait(0.003):
            since = time.perf_counter()
            self._client.call("server.status")
            self.longest_s = max(self.longest_s, time.perf_counter() - since)

    def end(self) -> None:
        self._over.set()
        self.join()


def measure_ms(deeds: list[Callable[[], object]], rounds: int) -> list[tuple[float, float]]:
    """Median and best of each deed; they take turns, so that a busy machine is equally busy for all."""
    took: list[list[float]] = [[] for _ in deeds]
    for _ in range(rounds):
        for deed, times in zip(deeds, took, strict=True):
            since = time.perf_counter()
            deed()
            times.append((time.perf_counter() - since) * 1000)
    return [(sorted(times)[rounds // 2], min(times)) for times in took]


def begin(root: Path, argv: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd=root, stdout=subprocess.DEVNULL)


def finish(child: subprocess.Popen[bytes]) -> bool:
    assert child.wait() == 0
    return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with running() as server:
        names = [f"d{index // 100}/f{index}" for index in range(given.files)]
        root = repository(Path(server.work) / "big", **{name: f"{name}\n" * 20 for name in names})
        time.sleep(1.1)  # files older than the index need not be read again
        git(root, "status")
        write(root, {name: f"{name}\n" * 20 + "more\n" for name in names[::400]})
        client, probe = server.client(), Probe(server.client())
        id = client.call("workspace.create", cwd=str(root))["workspace"]["id"]
        numstat = ["git", "diff", "--numstat", "HEAD"]
        untracked = ["git", "ls-files", "--others", "--exclude-standard"]
        deeds: dict[str, Callable[[], object]] = {
            "git diff --numstat": lambda: finish(begin(root, numstat)),
            "  then git ls-files --others": lambda: [finish(begin(root, argv)) for argv in (numstat, untracked)],
            "  and at once": lambda: [finish(one) for one in [begin(root, argv) for argv in (numstat, untracked)]],
            "workspace.diff": lambda: client.call("workspace.diff", workspace_id=id),
            "workspace.file_diff": lambda: client.call("workspace.file_diff", workspace_id=id, path=names[0]),
        }
        took = measure_ms(list(deeds.values()), given.rounds)
        plain_ms, best_ms = took[0]
        for name, (median, best) in zip(deeds, took, strict=True):
            ratios = median / plain_ms, best / best_ms
            print(f"{name:29} median {median:7.1f} ms x{ratios[0]:5.2f}   best {best:7.1f} ms x{ratios[1]:5.2f}")
        probe.start()  # only now: it would take a part of the machine from what is compared
        for _ in range(given.rounds):
            deeds["workspace.diff"]()
            deeds["workspace.file_diff"]()
        probe.end()
        print(f"longest wait for server.status meanwhile {probe.longest_s * 1000:.1f} ms")


if __name__ == "__main__":
    main()
