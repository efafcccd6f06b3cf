/** Streams of events whose clients do not read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as PartListener from "./support/PartListener.ts"
import * as RawRequest from "./support/RawRequest.ts"

/** More than the buffers of any system hold for a connection. */
const MESSAGES = 12
const CHARACTERS = 1_000_000

/** Asks for a stream and reads nothing of it until told to. */
const unread = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<Unread>((resume) => {
      const { hostname, pathname, port } = new URL(url)
      const socket = connect(Number(port), hostname, () => {
        socket.pause()
        socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
        resume(Effect.succeed({ rest: rest(socket), close: () => socket.destroy() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

interface Unread {
  /** Reads what there is, until the connection ends. */
  readonly rest: Effect.Effect<string>
  readonly close: () => void
}

const rest = (socket: ReturnType<typeof connect>): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
    }).on("error", () => {}).on("close", () => resume(Effect.succeed(text))).resume()
  })

const open = (server: ChatServer.ChatServer) =>
  Effect.map(
    RawRequest.ask(`${server.url}/metrics`),
    ({ text }) => Number(/^boocode_event_streams (\d+)$/m.exec(text)?.[1] ?? -1)
  )

describe("a client that does not read its events", () => {
  it.live(
    "is disconnected, and misses nothing when it comes back with the last id it saw",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({ "data/mcp.json": "{}" })
        const server = yield* ChatServer.start(join(folder, "data"))
        const said = { role: "assistant", content: "x".repeat(CHARACTERS) }
        const messages = Array.from({ length: MESSAGES }, () => [{ role: "user", content: "say it" }, said]).flat()
        const { body } = yield* server.post("/api/chats/import", { messages })
        const all = 2 * MESSAGES
        const path = `${server.url}/api/chats/${String(body["id"])}/events`
        const client = yield* unread(path)
        assert.strictEqual(yield* ChatServer.until(open(server), (count) => count === 1), 1)
        assert.strictEqual(yield* ChatServer.until(open(server), (count) => count === 0, 60_000), 0)
        const first = yield* client.rest
        const seen = [...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
        // The last event may be cut off: its end is a blank line.
        const last = first.endsWith("\n\n\r\n") ? seen.at(-1) ?? 0 : seen.at(-2) ?? 0
        assert.isBelow(last, all)
        const again = yield* PartListener.open(path, { headers: { "last-event-id": String(last) } })
        const later = yield* again.until((parts) => parts.length >= all - last)
        assert.deepStrictEqual(
          later.map(({ seq }) => seq),
          Array.from({ length: all - last }, (_, at) => last + 1 + at)
        )
      }),
    // The two looks at the client are five seconds apart.
    120_000
  )
})
