/** Answers requests that nobody sent, before each answer to one that somebody did. */
import { send } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

serveTools("unknown-ids", {}, {
  beforeAnswer: () => {
    for (const id of [987_654, "nobody", -1, 0.5]) send({ id, result: { content: [] } })
    send({ id: 987_655, error: { code: -32000, message: "an error for nobody" } })
    send({ id: null, error: { code: -32700, message: "Parse error" } })
  }
})
