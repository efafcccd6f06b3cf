/** Sends 10,000 notifications a second, known ones and unknown ones, from `initialize` on. */
import { send } from "./JsonRpcLines.ts"
import { serveTools, tally } from "./ZooServer.ts"

const notes = [
  { method: "notifications/message", params: { level: "info", logger: "flood", data: "all is well, as ever" } },
  { method: "notifications/resources/updated", params: { uri: "file:///nowhere" } },
  { method: "notifications/nobody/knows/this", params: {} }
]

let due = 0
const flood = () => {
  const started = Date.now()
  setInterval(() => {
    for (const target = (Date.now() - started) * 10; due < target; due++) send(notes[due % notes.length] ?? {})
    tally["sent"] = due
  }, 10)
}

serveTools("notification-flood", {}, {
  initialize: (usual) => {
    flood()
    return usual
  }
})
