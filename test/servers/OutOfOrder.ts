/** Answers late and out of order: its tool `work` takes `millis`, less the higher its `rank`; counts what is in flight. */
import { setTimeout } from "node:timers/promises"
import { type Message, text } from "./JsonRpcLines.ts"
import { count, serveTools, tally } from "./ZooServer.ts"

const work = async ({ params }: Message) => {
  tally["most"] = Math.max(tally["most"] ?? 0, count("inFlight"))
  const rank = Number(params?.arguments?.["rank"] ?? 0)
  await setTimeout(Number(params?.arguments?.["millis"] ?? 300) - rank * 5)
  count("inFlight", -1)
  return text(`rank ${rank}`)
}

serveTools("out-of-order", { work })
