"""Agents that load code instead of reading hooks: a file of ours, known by its first line (agents §8.4)."""

from __future__ import annotations

import json

from .refusal import Refused

OWNER = "// Written by `signaltty integration`; changes are lost with the next install."
# what every plugin has in common: one report after the other, eight seconds each, and nothing thrown at the agent
REPORTER = """\
import { spawn } from "node:child_process"

const PROGRAM = __PROGRAM__
const LIMIT_MS = 8000

const run = (event, payload) =>
  new Promise((resolve) => {
    try {
      const words = ["hook-event", "--agent", "__AGENT__", "--event", event, "--payload-stdin"]
      const child = spawn(PROGRAM, words, { stdio: ["pipe", "ignore", "ignore"] })
      const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS)
      const end = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(undefined)
    }
  })

let last = Promise.resolve()
const report = (event, payload) => (last = last.then(() => run(event, payload)))
"""


class PluginFile:
    """A plugin's own part; the reporter stands above it."""

    __slots__ = ("_agent", "_body", "_typed")

    def __init__(self, agent: str, body: str, *, typed: bool) -> None:
        self._agent = agent
        self._body = body
        self._typed = typed

    def make(self, program: str) -> bytes:
        """The whole file for the reporter at `program`. Raises Refused for a path that is not UTF-8."""
        named = REPORTER.replace("__AGENT__", self._agent).replace("__PROGRAM__", json.dumps(program))
        checked = "// @ts-nocheck\n" if self._typed else ""
        try:
            return f"{OWNER}\n{checked}{named}{self._body}".encode()
        except UnicodeEncodeError:
            raise Refused("the reporter's path cannot be written as UTF-8") from None

    def install(self, data: bytes | None, program: str) -> bytes:
        """What the file must hold. Raises Refused when it is somebody else's."""
        if data is not None and not self.is_installed(data):
            raise Refused("a file of that name is there already and is not ours")
        return self.make(program)

    def uninstall(self, data: bytes) -> bytes | None:
        """None for a file of ours, which must go; another one stays."""
        return None if self.is_installed(data) else data

    def is_installed(self, data: bytes | None) -> bool:
        """Whether the file is ours."""
        return data is not None and data.split(b"\n", 1)[0].rstrip(b"\r") == OWNER.encode()
