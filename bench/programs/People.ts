/**
 * Many people on one server over one PostgreSQL: how long a turn with tools takes until its first word and for each word that is
 * stored, by the number of turns at once, and what a person takes who only looks at the page.
 * `node programs/People.ts [--people N]`, with the command to measure in `BOOCODE_TEST_COMMAND`.
 */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as ChatServer from "../../test/support/ChatServer.ts"
import * as Command from "../../test/support/Command.ts"
import * as FixtureServer from "../../test/support/FixtureServer.ts"
import * as PartListener from "../../test/support/PartListener.ts"
import * as Postgres from "../../test/support/Postgres.ts"
import * as RawRequest from "../../test/support/RawRequest.ts"
import * as StampedModel from "../../test/support/StampedModel.ts"
import { inspected } from "../support/Inspected.ts"
import { say } from "../support/Program.ts"
import { percentile } from "../support/Samples.ts"
import { LEVELS, PACE } from "../support/Turns.ts"

const { values } = parseArgs({ options: { people: { type: "string", default: "200" } } })
const people = Number(values.people)
/** So many are there before the memory of the others is counted. */
const FEW = Math.ceil(people / 10)
/** So many turns of one person alone. */
const ALONE = Math.min(people, 40)

interface Person {
  readonly chat: string
  readonly headers: Readonly<Record<string, string>>
}

const program = Effect.gen(function*() {
  const postgres = yield* Postgres.start
  const model = yield* StampedModel.make(PACE)
  const folder = yield* Command.folder({
    "data/settings.json": JSON.stringify({ titles: "message" }),
    "data/mcp.json": JSON.stringify({ mcpServers: { patient: FixtureServer.entry("Patient") } })
  })
  const server = yield* ChatServer.start(join(folder, "data"), {
    DATABASE_URL: yield* postgres.database,
    OPENAI_BASE_URL: `${model.url}/v1`,
    BOOCODE_MODEL: "openai/stamped",
    NODE_OPTIONS: "--inspect=127.0.0.1:0"
  })
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  const memory = yield* Effect.promise(() => inspected(/ws:\/\/\S+/.exec(server.stderr())?.[0] ?? ""))
  const post = (path: string, headers: Person["headers"], body: object) =>
    RawRequest.ask(`${server.url}${path}`, { headers, body: JSON.stringify(body) })

  /** Comes in by an invitation, makes a chat, and has the page open. */
  const come = Effect.fnUntraced(function*(number: number, admin: Person["headers"]) {
    const invited = yield* post("/api/users", admin, { name: `person ${number}` })
    const token = /#\/invitation\/([\w-]+)/.exec(String(invited.body["link"]))?.[1]
    const accepted = yield* post(`/api/invitations/${token}`, {}, { password: null })
    const headers = { cookie: String([accepted.headers["set-cookie"]].flat()[0]).split(";")[0] ?? "" }
    const made = yield* post("/api/chats", headers, {})
    yield* PartListener.open(`${server.url}/api/events`, { headers })
    return { chat: String(made.body["id"]), headers }
  })
  const first = yield* come(0, {})
  const rest = (from: number, to: number) =>
    Effect.forEach(Array.from({ length: to - from }, (_, at) => from + at), (number) => come(number, first.headers))
  const few = [first, ...yield* rest(1, FEW)]
  const before = yield* Effect.promise(memory)
  const all: ReadonlyArray<Person> = [...few, ...yield* rest(FEW, people)]
  const after = yield* Effect.promise(memory)
  const each = (of: "heap" | "rss") => (after[of] - before[of]) / (people - FEW) / 1000

  const turn = Effect.fnUntraced(function*({ chat, headers }: Person, text: string) {
    const began = performance.now()
    const sent = yield* PartListener.open(`${server.url}/api/chats/${chat}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ text })
    })
    const parts = yield* sent.end
    if (parts.at(-1)?.type !== "finish") throw new Error(`the turn ended with ${JSON.stringify(parts.at(-1))}`)
    const at = parts.findIndex(({ type }) => type === "text-delta")
    const words = parts.flatMap((part, at) =>
      part.type === "text-delta" ? StampedModel.stamps(part.text).map((said) => (sent.times[at] ?? 0) - said) : []
    )
    return { first: (sent.times[at] ?? Number.NaN) - began, words }
  }, Effect.scoped)
  /** Turns of different people, so many at once. */
  const level = (atOnce: number) =>
    Effect.map(
      Effect.forEach(
        all.slice(0, atOnce === 1 ? ALONE : people),
        (person, number) => turn(person, `${atOnce} at once, person ${number}`),
        { concurrency: atOnce }
      ),
      (turns): ReadonlyArray<readonly [string, number]> => [
        [`first ${atOnce}`, percentile(turns.map((one) => one.first), 0.95)],
        [`part ${atOnce}`, percentile(turns.flatMap((one) => one.words), 0.95)]
      ]
    )
  // What is compiled in the first turns is not what is measured.
  yield* Effect.forEach(all.slice(0, 20), (person, number) => turn(person, `warm ${number}`), { concurrency: 5 })
  const figures = yield* Effect.forEach(LEVELS.filter((atOnce) => atOnce <= people), level)
  return { heap: each("heap"), rss: each("rss"), ...Object.fromEntries(figures.flat()) }
})

say(await Effect.runPromise(Effect.scoped(program)))
