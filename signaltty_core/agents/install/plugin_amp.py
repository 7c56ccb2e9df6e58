"""Amp's plugin: threads, turns and tools (agents §4.12, §8.4)."""

from __future__ import annotations

from .plugin_file import PluginFile

_BODY = """
const EVENTS = ["session.start", "agent.start", "tool.call", "tool.result", "agent.end"]

export default function (amp) {
  if (!process.env.SIGNALTTY_PANE) return
  for (const name of EVENTS) {
    try {
      amp.on(name, async (event) => {
        report(name, {
          thread_id: event?.thread?.id,
          status: event?.status,
          tool_name: event?.tool,
          tool_use_id: event?.toolUseID,
          tool_input: name === "tool.call" ? event?.input : undefined,
        })
        // a handler of this event must say what is to become of the call
        if (name === "tool.call") return { action: "allow" }
      })
    } catch {}
  }
}
"""

PLUGIN = PluginFile("amp", _BODY, typed=True)
