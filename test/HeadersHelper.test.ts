import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_HELPER_TEST"

interface Message {
  readonly id?: number
  readonly method?: string
}

const result = ({ method }: Message) => {
  if (method === "initialize") {
    return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "guarded", version: "1" } }
  }
  return method === "tools/list"
    ? { tools: [{ name: "find", inputSchema: { type: "object" } }] }
    : { content: [{ type: "text", text: "found" }] }
}

const bodyOf = async (request: IncomingMessage): Promise<Message> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text === "" ? {} : JSON.parse(text)
}

/** A server that takes only the token of the moment. */
const guarded = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = { token: "token-1", refused: 0, url: "" }
    const server = createServer((request, response) => {
      const message = bodyOf(request)
      if (request.headers.authorization !== `Bearer ${state.token}`) {
        state.refused += 1
        return response.writeHead(401).end(`not ${request.headers.authorization}`)
      }
      if (request.method !== "POST") return response.writeHead(405).end()
      return void message.then((body) =>
        body.id === undefined
          ? response.writeHead(202).end()
          : response.writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ jsonrpc: "2.0", id: body.id, result: result(body) }))
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    state.url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}/mcp` : ""
    return { state, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

/** Counts its runs, says who it is asked for, and leaves a program behind that holds its output and ignores signals. */
const HELPER = `
echo x >> runs
echo "$BOOCODE_MCP_SERVER_NAME $CLAUDE_CODE_MCP_SERVER_URL \${SECRET_OF_THE_HOST-none}" > asked
${MARK}=$(cat mark) sh -c 'trap "" TERM; sleep 60' &
printf 'Authorization: Bearer token-%s\\n' "$(wc -l < runs | tr -d ' ')"
`

describe("headersHelper", () => {
  it.live(
    "gives a running server its headers, new ones when they are refused, and leaves no process behind",
    () =>
      Effect.gen(function*() {
        const { state } = yield* guarded
        const mark = `helper-${process.pid}-${Date.now()}`
        const entry = { url: state.url, headersHelper: "sh ./helper.sh" }
        const folder = yield* Command.folder({
          "data/mcp.json": JSON.stringify({ mcpServers: { web: entry } }),
          "data/helper.sh": HELPER,
          "data/mark": mark
        })
        const data = join(folder, "data")
        const server = yield* AppServer.start(data, { SECRET_OF_THE_HOST: "yes" })
        const ready = ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
        const runs = () => existsSync(join(data, "runs")) ? readFileSync(join(data, "runs"), "utf8").length / 2 : 0
        yield* ready
        assert.strictEqual(runs(), 1)
        assert.strictEqual(readFileSync(join(data, "asked"), "utf8"), `web ${state.url} none\n`)
        state.token = "token-2"
        const called = yield* server.post("/api/tools/web_find/call", { args: {} })
        assert.deepStrictEqual([called.status, called.body["isError"]], [200, false])
        assert.strictEqual(runs(), 2)
        assert.isAbove(state.refused, 0)
        const { body } = yield* server.get("/api/mcp/servers")
        const logs = yield* server.get("/api/mcp/servers/web/logs")
        const seen = [JSON.stringify([body, logs.body]), server.stdout(), server.stderr()].join("\n")
        assert.notMatch(seen, /token-\d/)
        assert.isEmpty(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS))
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      }),
    120_000
  )
})
