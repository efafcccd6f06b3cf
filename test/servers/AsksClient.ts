/** Asks the client back, for what nobody offered: its tool `ask` tells what became of each request, and after how long. */
import { type Message, send, text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

const requests = [
  { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
  { method: "elicitation/create", params: { message: "yes?", requestedSchema: { type: "object", properties: {} } } },
  { method: "roots/list" },
  { method: "nobody/knows/this", params: {} },
  { method: "ping" }
]

const waiting = new Map<string | number, (message: Message) => void>()

const ask = ({ method, params = {} }: typeof requests[number]) =>
  new Promise<object>((resolve) => {
    const id = `server-${method}`
    const started = Date.now()
    waiting.set(id, ({ error }) => resolve({ method, code: error?.code ?? null, millis: Date.now() - started }))
    setTimeout(() => resolve({ method, code: "no answer", millis: Date.now() - started }), 3000)
    send({ id, method, params })
  })

serveTools(
  "asks-client",
  {
    ask: async () => text(JSON.stringify(await Promise.all(requests.map(ask)))),
    capabilities: () => text(JSON.stringify(capabilities))
  },
  { answered: (message) => message.id === undefined ? undefined : waiting.get(message.id)?.(message) }
)

let capabilities: unknown = null
process.stdin.on("data", (bytes) => {
  const found = /"capabilities":(\{[^}]*\})/.exec(String(bytes))
  if (found?.[1] !== undefined) capabilities ??= JSON.parse(found[1])
})
