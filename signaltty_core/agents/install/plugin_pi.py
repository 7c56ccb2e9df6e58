"""pi's extension: which session runs, and what happens in it (agents §4.5, §8.4)."""

from __future__ import annotations

from .plugin_file import PluginFile

_BODY = """
const EVENTS = [
  "session_start",
  "agent_start",
  "tool_call",
  "tool_result",
  "ui_prompt_start",
  "ui_prompt_end",
  "agent_end",
  "agent_settled",
  "session_shutdown",
]
// what there is beside these can be whole conversations
const FIELDS = ["reason", "kind", "title", "aborted", "toolName", "toolCallId"]

const payloadOf = (name, event, context) => {
  const payload = {}
  for (const field of FIELDS) {
    if (event?.[field] !== undefined) payload[field] = event[field]
  }
  if (name === "tool_call") payload.input = event?.input
  try {
    payload.session_id = context?.sessionManager?.getSessionId?.()
    payload.session_file = context?.sessionManager?.getSessionFile?.()
  } catch {}
  return payload
}

export default function (pi) {
  if (!process.env.SIGNALTTY_PANE) return
  for (const name of EVENTS) {
    try {
      pi.on(name, async (event, context) => {
        const told = report(name, payloadOf(name, event, context))
        // nothing runs any more once the handler of the last event has returned
        if (name === "session_shutdown") await told
      })
    } catch {}
  }
}
"""

PLUGIN = PluginFile("pi", _BODY, typed=True)
