/** Waits as long as it is asked to, and writes into its file when a call begins, ends and is cancelled. */
import { appendFileSync } from "node:fs"
import * as JsonRpcLines from "./JsonRpcLines.ts"

const [, , file = ""] = process.argv

const waiting = new Map<number | string, { readonly text: string; readonly timer: NodeJS.Timeout }>()
const note = (what: string, text: string) => {
  if (file !== "") appendFileSync(file, `${what} ${text}\n`)
}

JsonRpcLines.serve({
  name: "patient",
  list: () => ({
    tools: [{
      name: "wait",
      description: "Says its text after so many milliseconds.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" }, millis: { type: "number" } },
        required: ["text", "millis"]
      },
      annotations: { readOnlyHint: true, destructiveHint: false }
    }]
  }),
  call: ({ id, params }) => {
    const { millis, text } = params?.arguments ?? {}
    const said = String(text)
    note("begins", said)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (id !== undefined) waiting.delete(id)
        note("ends", said)
        resolve(JsonRpcLines.text(`waited for ${said}`))
      }, Number(millis))
      if (id !== undefined) waiting.set(id, { text: said, timer })
    })
  },
  notified: ({ method, params }) => {
    const call = method === "notifications/cancelled" ? waiting.get(params?.requestId ?? "") : undefined
    if (call === undefined) return
    clearTimeout(call.timer)
    note("cancelled", call.text)
  }
})
