/** Does what it is asked: echoes, adds, sleeps with progress, fails, crashes, answers at length. Speaks 2025-11-25. */
import { type Message, refuse, send, serve, text, type Tool } from "./JsonRpcLines.ts"

const schema = (properties: Readonly<Record<string, "string" | "number">>) => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
  required: Object.keys(properties)
})

const readOnly = { readOnlyHint: true }
const tools: ReadonlyArray<Tool> = [
  { name: "echo", description: "Gives the text back", inputSchema: schema({ text: "string" }), annotations: readOnly },
  { name: "add", description: "Adds two numbers", inputSchema: schema({ a: "number", b: "number" }) },
  { name: "sleep", description: "Answers after a while", inputSchema: schema({ millis: "number" }) },
  { name: "fail", description: "Answers with an error of its own", inputSchema: schema({}) },
  { name: "crash", description: "Ends the process with code 3", inputSchema: schema({}) },
  { name: "big", description: "Answers with so many bytes", inputSchema: schema({ bytes: "number" }) },
  { name: "env", description: "Names its environment variables", inputSchema: schema({}) },
  { name: "writer", description: "Would write", inputSchema: schema({}), annotations: { readOnlyHint: false } }
]

const STEPS = 4
const sleeping = new Map<number | string, () => void>()

/** Reports progress four times, and answers nothing when it is cancelled. */
const sleep = (message: Message, millis: number) =>
  new Promise<object | undefined>((resolve) => {
    const { id, params } = message
    let step = 0
    const timer = setInterval(() => {
      step += 1
      const progressToken = params?._meta?.progressToken
      if (progressToken !== undefined) {
        send({ method: "notifications/progress", params: { progressToken, progress: step, total: STEPS } })
      }
      if (step === STEPS) stop(text(`slept ${millis} ms`))
    }, millis / STEPS)
    const stop = (answer: object | undefined) => {
      clearInterval(timer)
      if (id !== undefined) sleeping.delete(id)
      resolve(answer)
    }
    if (id !== undefined) sleeping.set(id, () => stop(undefined))
  })

const crash = () => {
  process.stderr.write("crashing because crash was called\n")
  process.exit(3)
}

const call = (message: Message) => {
  const args = message.params?.arguments ?? {}
  switch (message.params?.name) {
    case "echo":
      return text(String(args["text"] ?? ""))
    case "add":
      return text(String(Number(args["a"]) + Number(args["b"])))
    case "sleep":
      return sleep(message, Number(args["millis"]))
    case "fail":
      return text("it did not work", true)
    case "crash":
      return crash()
    case "big":
      return text("x".repeat(Number(args["bytes"])))
    case "env":
      return text(Object.keys(process.env).sort().join("\n"))
    case "writer":
      return text("written")
    default:
      return refuse(-32602, `Unknown tool: ${message.params?.name}`)
  }
}

serve({
  name: "echo",
  list: () => ({ tools }),
  call,
  notified: ({ method, params }) => {
    if (method === "notifications/cancelled" && params?.requestId !== undefined) sleeping.get(params.requestId)?.()
  }
})
