/** A model for measuring: what it says are the times at which it said it, and it calls a tool in between. */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"

/** How much one answer says, how long it waits between two words, and which tool it calls how often at once. */
export interface Pace {
  readonly words: number
  readonly everyMillis: number
  readonly tool: string
  readonly calls: number
}

export interface StampedModel {
  readonly url: string
  /** How many words were said, by the text of the message they answer. */
  readonly said: ReadonlyMap<string, number>
  /** From the end of an answer that calls tools to the next request: what running them took, in milliseconds. */
  readonly toolMillis: ReadonlyArray<number>
}

const STAMP = /<([\d.]+)>/g

/** The times in a text. */
export const stamps = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(STAMP)].map(([, millis]) => Number(millis))

/** Serves until the scope closes. */
export const make = (pace: Pace) =>
  Effect.gen(function*() {
    const said = new Map<string, number>()
    const asked = new Map<string, number>()
    const toolMillis: Array<number> = []
    const server = createServer((request, response) =>
      void answer(request, response, {
        pace,
        said: (text) => said.set(text, (said.get(text) ?? 0) + 1),
        called: (text) => asked.set(text, performance.now()),
        returned: (text) => toolMillis.push(performance.now() - (asked.get(text) ?? 0))
      })
    )
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () =>
        Effect.promise(() => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          return closed
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { url: `http://127.0.0.1:${port}`, said, toolMillis }
  })

interface Watch {
  readonly pace: Pace
  readonly said: (text: string) => void
  readonly called: (text: string) => void
  readonly returned: (text: string) => void
}

const answer = async (request: IncomingMessage, response: ServerResponse, { called, pace, returned, said }: Watch) => {
  const body = await bodyOf(request)
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ object: "list", data: [] }))
  }
  const { messages } = JSON.parse(body)
  const last = messages.at(-1)
  const { content } = messages.findLast((message: { role: string }) => message.role === "user")
  const text = typeof content === "string" ? content : content.map((part: { text?: string }) => part.text).join("")
  const isAfterTools = last.role === "tool"
  if (isAfterTools) returned(text)
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${
      JSON.stringify({
        id: "c",
        object: "chat.completion.chunk",
        created: 0,
        model: "stamped",
        choices: [{ index: 0, delta, finish_reason }]
      })
    }\n\n`)
  send({ role: "assistant", content: "" })
  for (let word = 0; word < pace.words; word++) {
    await setTimeout(pace.everyMillis)
    said(text)
    send({ content: `<${performance.now().toFixed(2)}>` })
  }
  if (!isAfterTools) {
    send({
      tool_calls: Array.from({ length: pace.calls }, (_, index) => ({
        index,
        id: `call_${index}`,
        type: "function",
        function: { name: pace.tool, arguments: JSON.stringify({ text: `${index}`, millis: 0 }) }
      }))
    })
  }
  called(text)
  send({}, isAfterTools ? "stop" : "tool_calls")
  response.end("data: [DONE]\n\n")
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}
