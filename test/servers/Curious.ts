/** Asks its client whatever it is told to: its tool `ask` sends a request of this `method` with these `params`, and gives the answer. */
import { type Message, send, text } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

const waiting = new Map<string | number, (message: Message) => void>()
let asked = 0

const ask = ({ params }: Message) =>
  new Promise<object>((resolve) => {
    const id = `question-${asked += 1}`
    waiting.set(id, ({ error, result }) => resolve(text(JSON.stringify(error ?? result), error !== undefined)))
    send({ id, ...params?.arguments })
  })

serveTools("curious", { ask }, {
  answered: (message) => message.id === undefined ? undefined : waiting.get(message.id)?.(message)
})
