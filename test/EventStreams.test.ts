/** Streams of events whose clients do not read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { connect, type Socket } from "node:net"
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
        const slowly = (most: number) => Effect.promise(() => little(socket, most))
        resume(Effect.succeed({ slowly, rest: (isAll) => rest(socket, isAll), close: () => socket.destroy() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

interface Unread {
  /** Reads so many characters, or as many as come before the end, at 50 KB a second. */
  readonly slowly: (most: number) => Effect.Effect<string>
  /** Reads what there is, until what came last is the end of all or the connection ends. */
  readonly rest: (isAll?: (text: string) => boolean) => Effect.Effect<string>
  readonly close: () => void
}

const little = async (socket: Socket, most: number) => {
  let text = ""
  while (text.length < most && !socket.readableEnded && !socket.destroyed) {
    text += String(socket.read(Math.min(5000, socket.readableLength)) ?? "")
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return text
}

const rest = (socket: Socket, isAll = (_: string) => false): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const chunks: Array<string> = []
    const done = () => resume(Effect.sync(() => chunks.join("")))
    if (socket.destroyed) return done()
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      chunks.push(chunk)
      if (isAll(`${chunks.at(-2)?.slice(-100) ?? ""}${chunk}`)) done()
    }).on("error", () => {}).on("close", done).resume()
  })

const open = (server: ChatServer.ChatServer) =>
  Effect.map(
    RawRequest.ask(`${server.url}/metrics`),
    ({ text }) => Number(/^boocode_event_streams (\d+)$/m.exec(text)?.[1] ?? -1)
  )

/** A chat whose events are more than the buffers of any system hold for a connection. */
const withChat = Effect.fnUntraced(function*() {
  const folder = yield* Command.folder({ "data/mcp.json": "{}" })
  const server = yield* ChatServer.start(join(folder, "data"))
  const said = { role: "assistant", content: "x".repeat(CHARACTERS) }
  const messages = Array.from({ length: MESSAGES }, () => [{ role: "user", content: "say it" }, said]).flat()
  const { body } = yield* server.post("/api/chats/import", { messages })
  return { server, path: `${server.url}/api/chats/${String(body["id"])}/events` }
})

/** So many events it has. */
const ALL = 2 * MESSAGES

describe.concurrent("a client that does not read its events", () => {
  it.live("is disconnected, and misses nothing when it comes back with the last id it saw", () =>
    Effect.gen(function*() {
      const { path, server } = yield* withChat()
      const client = yield* unread(path)
      assert.strictEqual(yield* ChatServer.until(open(server), (count) => count === 1), 1)
      // It takes a minute: who asks every few milliseconds would do more work than the server.
      const gone = { until: (count: number) => count === 0, schedule: Schedule.spaced("1 second") }
      yield* Effect.timeout(Effect.repeat(open(server), gone), "200 seconds")
      const first = yield* client.rest()
      const seen = [...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
      // The last event may be cut off: its end is a blank line.
      const last = first.endsWith("\n\n\r\n") ? seen.at(-1) ?? 0 : seen.at(-2) ?? 0
      assert.isBelow(last, ALL)
      const again = yield* PartListener.open(path, { headers: { "last-event-id": String(last) } })
      const later = yield* again.until((parts) => parts.length >= ALL - last)
      assert.deepStrictEqual(
        later.map(({ seq }) => seq),
        Array.from({ length: ALL - last }, (_, at) => last + 1 + at)
      )
    }))
})

describe.concurrent("a client that reads its events slowly", () => {
  it.live("stays, although the system takes more from the server only every 15 seconds or so", () =>
    Effect.gen(function*() {
      const { path } = yield* withChat()
      const client = yield* unread(path)
      const slow = yield* client.slowly(1_500_000)
      assert.isAtLeast(slow.length, 1_500_000)
      const later = yield* client.rest((text) => text.includes(`\nid: ${ALL}\n`))
      assert.include(later, `\nid: ${ALL}\n`)
    }))
})
