/** Goes on after a call was cancelled: its tool `work` answers after `millis` whatever it hears. Counts cancellations. */
import { setTimeout } from "node:timers/promises"
import { type Message, text } from "./JsonRpcLines.ts"
import { count, serveTools } from "./ZooServer.ts"

const work = async ({ id, params }: Message) => {
  count("begun")
  await setTimeout(Number(params?.arguments?.["millis"] ?? 500))
  count("answered")
  return text(`late answer to ${id}`)
}

serveTools("late-answer", { work }, {
  notified: ({ method, params }) => {
    if (method !== "notifications/cancelled") return
    count("cancelled")
    count(`reason: ${JSON.stringify(params)}`, 1)
  }
})
