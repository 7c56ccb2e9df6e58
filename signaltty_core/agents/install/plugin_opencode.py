"""OpenCode's plugin: sessions, turns, permissions and questions (agents §8.4)."""

from __future__ import annotations

from .plugin_file import PluginFile

_BODY = """
// sessions that were started by another one: only what they ask is of interest
const parents = new Map()

const NAMES = {
  "session.execution.failed": "session.error",
  "session.execution.succeeded": "session.idle",
  "session.execution.interrupted": "session.idle",
}
const TURNS = new Set(["session.created", "session.status", "session.idle", "session.error"])
const ASKED = new Set([
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
])
const STATUS = new Set(["busy", "idle", "retry"])

export const Signaltty = async ({ client }) => {
  if (!process.env.SIGNALTTY_PANE) return {}

  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      parents.set(id, found?.data?.parentID)
    }
    return parents.get(id)
  }

  const forward = async (name, properties) => {
    const id = properties.sessionID ?? properties.info?.id
    if (properties.info?.id) parents.set(properties.info.id, properties.info.parentID)
    const parent = id ? await parentOf(id) : undefined
    if (parent && !ASKED.has(name)) return
    const payload = { properties }
    if (id) payload.session_id = id
    if (parent) payload.parentID = parent
    const message = properties.error?.data?.message ?? properties.error?.message
    if (message) payload.message = message
    await report(name, payload)
  }

  // a turn that is interrupted before its answer has begun ends without an error of the session
  const aborted = new Set()
  const abortOf = (event) => {
    const info = event?.type === "message.updated" ? event.properties?.info : undefined
    if (!String(info?.error?.name).includes("Abort") || aborted.has(info.id)) return undefined
    aborted.add(info.id)
    const sessionID = event.properties.sessionID ?? info.sessionID
    return { type: "session.error", properties: { sessionID, error: info.error } }
  }

  let order = Promise.resolve()
  return {
    event: async ({ event: heard }) => {
      const event = abortOf(heard) ?? heard
      const name = NAMES[event?.type] ?? event?.type
      const properties = event?.properties ?? {}
      if (!TURNS.has(name) && !ASKED.has(name)) return
      const status = properties.status?.type ?? properties.status
      if (name === "session.status" && !STATUS.has(status)) return
      order = order.then(() => forward(name, properties)).catch(() => {})
    },
  }
}
"""

PLUGIN = PluginFile("opencode", _BODY, typed=False)
