/** Reports progress 50,000 times (or `count`) in one call of its tool `work`, as fast as it can; `endless` never stops. */
import { setImmediate, setTimeout } from "node:timers/promises"
import { type Message, send, text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

const report = (message: Message, progress: number) =>
  send({
    method: "notifications/progress",
    params: { progressToken: message.params?._meta?.progressToken, progress, message: "still at it" }
  })

const work = async (message: Message) => {
  const count = Number(message.params?.arguments?.["count"] ?? 50_000)
  for (let progress = 1; progress <= count; progress++) {
    report(message, progress)
    if (progress % 500 === 0) await setImmediate()
  }
  return text("done")
}

const endless = async (message: Message): Promise<never> => {
  for (let progress = 1;; progress++) {
    report(message, progress)
    await setTimeout(10)
  }
}

serveTools("progress-flood", { work, endless })
