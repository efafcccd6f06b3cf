/** Many chats at once: what the server adds to what model and tools take, what it needs, and that nothing is lost. */
import type { Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as PartListener from "./support/PartListener.ts"
import * as Processes from "./support/Processes.ts"
import * as StampedModel from "./support/StampedModel.ts"

const MARK = "BOOCODE_LOAD_TEST"
const CHATS = 200
const IN_FLIGHT = 20
const TURNS = 2
const PACE = { words: 10, everyMillis: 15, tool: "patient_wait", calls: 2 }

const quantile = (values: ReadonlyArray<number>, at: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * at))] ?? 0

const figures = (values: ReadonlyArray<number>): string =>
  [0.5, 0.95, 0.99].map((at) => `p${at * 100} ${quantile(values, at).toFixed(1)} ms`).join(", ")

/** In megabytes; null where the system does not tell it this way. */
const memory = (pid: number, what: "VmRSS" | "VmHWM"): number | null => {
  if (process.platform !== "linux") return null
  const [, kilobytes] = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
}

/** Processor time of a process since its start, in milliseconds; null on systems without /proc. */
const work = (pid: number): number | null => {
  if (process.platform !== "linux") return null
  const [user = 0, system = 0] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? []
  return (user + system) * 10
}

describe("A server under load", Deadline.TEST, () => {
  it.live(`answers ${CHATS} chats with ${IN_FLIGHT} turns in flight, and loses nothing`, () =>
    Effect.gen(function*() {
      const mark = randomUUID()
      const model = yield* StampedModel.make(PACE)
      const patient = { ...FixtureServer.entry("Patient"), env: { [MARK]: mark } }
      const folder = yield* Command.folder({
        "data/settings.json": JSON.stringify({ titles: "message" }),
        "data/mcp.json": JSON.stringify({ mcpServers: { patient } })
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* ChatServer.start(join(folder, "data"), {
          OPENAI_BASE_URL: `${model.url}/v1`,
          BOOCODE_MODEL: "openai/stamped",
          [MARK]: mark
        })
        yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
        const before = memory(server.pid, "VmRSS")
        const workBefore = work(server.pid)
        const list = yield* PartListener.open<Record<string, unknown>>(`${server.url}/api/events`)
        const began = performance.now()
        const delays: Array<number> = []
        const firstDelays: Array<number> = []
        const chat = Effect.fnUntraced(function*(number: number) {
          const { body } = yield* server.post("/api/chats", null)
          const id = String(body["id"])
          const heard: Array<Part> = []
          for (let turn = 1; turn <= TURNS; turn++) {
            const sender = yield* PartListener.send(server.url, id, { text: `chat ${number} turn ${turn}` })
            heard.push(...yield* sender.end)
            sender.heard.forEach((part, at) => {
              if (part.type !== "text-delta") return
              const waits = StampedModel.stamps(part.text).map((said) => (sender.times[at] ?? 0) - said)
              delays.push(...waits)
              if (at === 0) firstDelays.push(...waits)
            })
          }
          return { id, number, heard }
        }, Effect.scoped)
        const all = yield* Effect.forEach(Array.from({ length: CHATS }, (_, at) => at), chat, {
          concurrency: IN_FLIGHT
        })
        const seconds = (performance.now() - began) / 1000
        const worked = (work(server.pid) ?? 0) - (workBefore ?? 0)
        const peak = memory(server.pid, "VmHWM")
        for (const { heard, id, number } of all) {
          const { body } = yield* server.get(`/api/chats/${id}`)
          // The shape is the contract's, which other tests check.
          const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>
          const parts = turns.flatMap((turn) => turn.parts)
          assert.deepStrictEqual(parts, heard, `what was seen of chat ${number} is what is kept`)
          assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, at) => at + 1))
          const said = parts.flatMap((part) => part.type === "text-delta" ? StampedModel.stamps(part.text) : [])
          assert.strictEqual(said.length, TURNS * 2 * PACE.words)
          assert.strictEqual(parts.filter(({ type }) => type === "tool-result").length, TURNS * PACE.calls)
          assert.strictEqual(parts.filter(({ type }) => type === "finish").length, TURNS)
        }
        const ended = yield* list.until((changes) =>
          all.every(({ id }) => {
            const last = changes.findLast((change) => JSON.stringify(change["chat"] ?? "").includes(id))
            return last !== undefined && JSON.stringify(last).includes("\"running\":null")
          })
        )
        const after = memory(server.pid, "VmRSS")
        console.log([
          `${CHATS} chats, ${CHATS * TURNS} turns, ${IN_FLIGHT} in flight, ${seconds.toFixed(1)} s`,
          `a word of the model reaches the client after: ${figures(delays)}`,
          `the first word of a turn: ${figures(firstDelays)}`,
          `two tool calls side by side, from the model's answer to the next request: ${figures(model.toolMillis)}`,
          `processor time of the server: ${(worked / CHATS / TURNS).toFixed(1)} ms a turn of ${
            2 * PACE.words
          } words and ${PACE.calls} calls`,
          `memory of the server: ${before} MB at the start, ${peak} MB at most, ${after} MB afterwards`,
          `changes of the list told to one listener: ${ended.length}`
        ].join("\n"))
        // A quiet machine is many times faster; this is what no machine should need.
        const most = Deadline.late(2000)
        for (const taken of [delays, firstDelays, model.toolMillis]) assert.isBelow(quantile(taken, 0.5), most)
        if (peak !== null) assert.isBelow(peak, 700)
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      }))
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
    }))
})
