"""What diffs through the server cost beside plain Git, and how long others wait meanwhile.

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
        plain = ["git", "diff", "--numstat"]
        probe.start()
        took = measure_ms(
            [
                lambda: subprocess.run(plain, cwd=root, stdout=subprocess.DEVNULL, check=True),
                lambda: client.call("workspace.diff", workspace_id=id),
                lambda: client.call("workspace.file_diff", workspace_id=id, path=names[0]),
            ],
            given.rounds,
        )
        probe.end()
        (plain_ms, best_ms), *ours = took
        print(f"git diff --numstat    median {plain_ms:7.1f} ms          best {best_ms:7.1f} ms")
        for name, (median, best) in zip(("workspace.diff", "workspace.file_diff"), ours, strict=True):
            ratios = median / plain_ms, best / best_ms
            print(f"{name:20}  median {median:7.1f} ms x{ratios[0]:5.2f}   best {best:7.1f} ms x{ratios[1]:5.2f}")
        print(f"longest wait for server.status meanwhile {probe.longest_s * 1000:.1f} ms")


if __name__ == "__main__":
    main()
