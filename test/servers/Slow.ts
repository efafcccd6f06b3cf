/** Is slow: its tool `slow` takes `millis` and reports progress `every` so many of them, or never. */
import { type Message, send, text } from "./JsonRpcLines.ts"
import { count, serveTools } from "./ZooServer.ts"

const slow = ({ params }: Message) =>
  new Promise<object>((resolve) => {
    const { every, millis } = params?.arguments ?? {}
    const progressToken = params?._meta?.progressToken
    count(progressToken === undefined ? "withoutToken" : "withToken")
    let progress = 0
    const report = () => send({ method: "notifications/progress", params: { progressToken, progress: ++progress } })
    const timer = every === undefined ? undefined : setInterval(report, Number(every))
    setTimeout(() => {
      clearInterval(timer)
      resolve(text("done at last"))
    }, Number(millis ?? 60_000))
  })

serveTools("slow", { slow })
