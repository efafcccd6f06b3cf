/** Does one thing at a time: its tool `work` blocks everything else for so many milliseconds. */
import { text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

serveTools("busy", {
  work: ({ params }) => {
    const end = performance.now() + Number(params?.arguments?.["millis"] ?? 1000)
    while (performance.now() < end);
    return text("done")
  }
})
