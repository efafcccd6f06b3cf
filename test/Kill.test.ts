import { ChatStore } from "@boocode/chat"
import { FIRST } from "@boocode/chat/CurrentUser"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as StoreSuite from "../packages/chat/test/support/StoreSuite.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"
import * as StoreFile from "./support/StoreFile.ts"

const MARK = "BOOCODE_KILL_TEST"

const HOST = fileURLToPath(new URL("support/MigratingHost.ts", import.meta.url))

/** How often a server is killed. */
const KILLS = sized(1, 60)

/** The longest that a turn of the script takes, about. */
const TURN_MILLIS = 1500

interface Part {
  readonly type: string
  readonly seq: number
  readonly turn: number
  readonly id: string
  readonly reason: string
}

interface Turn {
  readonly turn: number
  readonly text: string
  readonly state: string
  readonly parts: ReadonlyArray<Part>
}

/** Speaks, calls two tools at once, speaks, calls one more, and is done: each slowly enough to be cut anywhere. */
const script: ModelServer.Script = ({ results, text }) => {
  const words = Array.from({ length: 30 }, (_, index) => [ModelServer.text(`${text} ${index} `), ModelServer.wait(8)])
  if (results.length === 2) return [...words.flat(), ModelServer.call("echo_echo", { text: "third" })]
  if (results.length === 1) return words.flat()
  return [
    ...words.flat(),
    ModelServer.call("echo_sleep", { millis: 300 }),
    ModelServer.call("echo_echo", { text: "second" })
  ]
}

const place = Effect.fnUntraced(function*() {
  const mark = randomUUID()
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({
      mcpServers: { echo: { ...FixtureServer.entry("Echo"), env: { [MARK]: mark } } }
    })
  })
  const model = yield* ModelServer.make(script)
  const env = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/m" }
  return { data: join(folder, "data"), folder, env, model, left: Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS) }
})

/** Sends a message and collects what comes, until the stream breaks or ends. */
const listening = (server: ChatServer.ChatServer, chat: string, text: string) => {
  const parts: Array<Part> = []
  const over = (async () => {
    const response = await fetch(`${server.url}/api/chats/${chat}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text })
    })
    let rest = ""
    for await (const chunk of (response.body ?? assert.fail("no stream")).pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      parts.push(...lines.flatMap((line) => line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as Part] : []))
    }
  })().catch(() => undefined) // A killed server breaks the stream.
  return { parts, over }
}

/** The status, and what a problem says; a stream is waited for until it ends. */
const answered = (server: ChatServer.ChatServer, path: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return { status: response.status, text: await response.text() }
  })

const turnsOf = (server: ChatServer.ChatServer, chat: string) =>
  Effect.map(
    ChatServer.until(
      server.get(`/api/chats/${chat}`),
      // A test reads what it asks for; a wrong shape is a failed assertion.
      ({ body }) => (body["turns"] as ReadonlyArray<Turn>).every(({ state }) => state === "ended")
    ),
    ({ body }) => body["turns"] as ReadonlyArray<Turn>
  )

const partsOf = (turns: ReadonlyArray<Turn>) =>
  turns.flatMap(({ parts }) => parts).toSorted((one, other) => one.seq - other.seq)

/** What a chat keeps to, wherever its server was killed. */
const assertSound = (turns: ReadonlyArray<Turn>) => {
  const parts = partsOf(turns)
  assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, index) => index + 1), "seq without gaps")
  for (const { parts, state } of turns) {
    assert.strictEqual(state, "ended")
    assert.strictEqual(parts.at(-1)?.type, "finish")
    const calls = parts.filter(({ type }) => type === "tool-call").map(({ id }) => id)
    assert.sameMembers(parts.filter(({ type }) => type === "tool-result").map(({ id }) => id), calls)
  }
}

describe("A server that is killed in the middle of a turn", () => {
  it.live(
    "R31: keeps all that a client had seen, answers open calls, and goes on with what a model accepts",
    () =>
      Effect.gen(function*() {
        const { data, env, left, model } = yield* place()
        let server = yield* ChatServer.start(data, env)
        const chat = String((yield* server.post("/api/chats")).body["id"])
        const seen: Array<Part> = []
        const moments: Array<number> = []
        let interrupted = 0
        for (let round = 1; round <= KILLS; round++) {
          const millis = round === 1 ? 0 : randomInt(TURN_MILLIS)
          moments.push(millis)
          const { over, parts } = listening(server, chat, `round ${round}`)
          // The first time as soon as the turn is seen to run, so that one is cut for sure.
          if (round === 1) yield* untilSeen(() => parts.length > 0)
          yield* Effect.sleep(millis)
          yield* server.end("SIGKILL", "process")
          yield* Effect.promise(() => over)
          seen.push(...parts)
          // The last is killed no more.
          server = yield* (round === KILLS ? AppServer : ChatServer).start(data, env)
          const turns = yield* turnsOf(server, chat)
          const note = `killed ${millis} ms after message ${round}`
          const stored = new Map(partsOf(turns).map((part) => [part.seq, part]))
          for (const part of seen) assert.deepStrictEqual(stored.get(part.seq), part, note)
          assertSound(turns)
          const isCut = parts.length > 0 && parts.at(-1)?.type !== "finish"
          const { reason } = turns.find(({ turn }) => turn === parts[0]?.turn)?.parts.at(-1) ?? {}
          if (isCut) assert.include(["interrupted", "stop"], reason, note)
          if (reason === "interrupted") interrupted += 1
        }
        console.log(
          `killed after ${
            moments.join(", ")
          } ms: ${interrupted} of ${KILLS} turns were cut, ${seen.length} parts seen, none lost`
        )
        assert.isAbove(interrupted, 0)
        const last = yield* server.stream(`/api/chats/${chat}/messages`, { text: "at last" })
        assert.strictEqual(last.at(-1)?.["reason"], "stop")
        const asked = model.requests.filter(({ path }) => path === "/v1/chat/completions")
        assert.deepStrictEqual(asked.flatMap(({ problem }) => problem === null ? [] : [problem]), [])
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
        assert.deepStrictEqual(yield* left, [])
      }),
    60_000 + KILLS * 15_000
  )
})

describe("A program that is killed while it makes its tables", () => {
  it.live("leaves a file that the next one can use", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({})
      for (let round = 1; round <= KILLS; round++) {
        const place = join(folder, String(round))
        mkdirSync(place)
        const host = spawn(process.execPath, [HOST, place], { stdio: ["ignore", "pipe", "inherit"] })
        yield* Effect.promise(() => once(host.stdout, "data"))
        const millis = randomInt(60)
        yield* Effect.sleep(millis)
        host.kill("SIGKILL")
        yield* Effect.promise(() => once(host, "exit"))
        const files = readdirSync(place).filter((name) => name.endsWith(".sqlite"))
        for (const file of files) {
          yield* ChatStore.use((store) =>
            Effect.gen(function*() {
              yield* store.put(StoreSuite.record("a"))
              assert.deepStrictEqual(
                yield* store.list(FIRST.id),
                [StoreSuite.record("a")],
                `${file} after ${millis} ms`
              )
            })
          ).pipe(Effect.provide(StoreFile.layer(join(place, file))))
        }
      }
    }), 60_000 + KILLS * 10_000)
})

describe("A server whose disk is full", () => {
  it.live("answers 503 with words, loses nothing, and goes on when there is room", () =>
    Effect.gen(function*() {
      const { data, left } = yield* place()
      // Counted in units of 512 or 1024 bytes: no file becomes larger than 4 or 8 MB.
      const server = yield* ChatServer.start(data, {}, [], "ulimit -f 8000")
      const chat = String((yield* server.post("/api/chats")).body["id"])
      const path = `/api/chats/${chat}`
      const kept: Array<string> = []
      let refused: { readonly status: number; readonly text: string } | null = null
      for (let round = 1; round <= 80 && refused === null; round++) {
        const text = `message ${round} ${randomBytes(150_000).toString("base64")}`
        const answer = yield* answered(server, `${path}/messages`, { text })
        if (answer.status === 200) kept.push(text)
        else refused = answer
      }
      assert.strictEqual(refused?.status, 503)
      assert.match(refused?.text ?? "", /disk|full/)
      const texts = textsOf((yield* server.get(path)).body["turns"] as ReadonlyArray<Turn>)
      assert.deepStrictEqual(texts.slice(0, kept.length), kept)
      yield* server.end("SIGKILL", "process")
      const roomy = yield* AppServer.start(data)
      const said = yield* roomy.stream(`${path}/messages`, { text: "/" })
      assert.strictEqual(said.at(-1)?.["type"], "finish")
      const turns = yield* turnsOf(roomy, chat)
      assertSound(turns)
      assert.deepStrictEqual(textsOf(turns).slice(0, kept.length), kept)
      yield* roomy.end("SIGTERM", "process")
      assert.deepStrictEqual(yield* left, [])
    }), 120_000)
})

const textsOf = (turns: ReadonlyArray<Turn>) => turns.map(({ text }) => text)
