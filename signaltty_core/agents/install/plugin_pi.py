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
const TEXT_CHARS = 2000

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

// how the last run ended; pi tells it before it settles, when it may still try again
const outcomeOf = (messages) => {
  const last = messages?.findLast?.((message) => message?.role === "assistant")
  if (last?.stopReason === "error") return { failed: true, error: cut(last.errorMessage) }
  const said = Array.isArray(last?.content) ? last.content.filter((part) => part?.type === "text") : []
  return { last_assistant_message: cut(said.map((part) => part.text).join("\\n\\n")) }
}
// without the first half of a character at its end
const cut = (text) => {
  if (typeof text !== "string" || !text) return undefined
  return text.slice(0, TEXT_CHARS).replace(/[\\ud800-\\udbff]$/, "")
}

export default function (pi) {
  if (!process.env.SIGNALTTY_PANE) return
  let outcome = {}
  for (const name of EVENTS) {
    try {
      pi.on(name, async (event, context) => {
        const payload = payloadOf(name, event, context)
        if (name === "agent_end") outcome = outcomeOf(event?.messages)
        if (name === "agent_settled") {
          Object.assign(payload, outcome)
          outcome = {}
        }
        const told = report(name, payload)
        // nothing runs any more once the handler of the last event has returned
        if (name === "session_shutdown") await told
      })
    } catch {}
  }
}
"""

PLUGIN = PluginFile("pi", _BODY, typed=True)
