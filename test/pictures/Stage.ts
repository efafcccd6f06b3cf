/** The servers that the pictures are taken of. Their chats are real turns, at times that stand still. */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { on, PageStage, soon, withModel } from "../support/PageStage.ts"
import { PASSWORD } from "../support/People.ts"
import type { Scene } from "./Camera.ts"
import { CHATS, script, STAGE } from "./Data.ts"
import * as FrozenClock from "./FrozenClock.ts"

interface Shown extends Scene {
  /** The chats by their first messages. */
  readonly chats: ReadonlyMap<string, string>
}

export class Stage extends Context.Service<Stage, Shown>()("test/pictures/Stage") {}

const post = async (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response
}

const read = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Object(await (await fetch(url, { headers })).json())

/** Sends the message, and reads on until the turn is over or waits for a person. */
const talk = (url: string, id: string, message: string, end: "settled" | "waiting") =>
  Effect.gen(function*() {
    const sent = yield* on(() => post(`${url}/api/chats/${id}/messages`, { text: message }))
    if (end === "settled") return yield* on(() => sent.text())
    yield* on(() => sent.body?.cancel() ?? Promise.resolve())
    return yield* soon(
      async () => JSON.stringify([await read(`${url}/api/questions`), await read(`${url}/api/approvals`)]),
      (waiting) => assert.include(waiting, id)
    )
  })

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"

/** Its tool ends it. */
const breakOne = Effect.fnUntraced(function*(url: string, headers: Readonly<Record<string, string>> = {}) {
  yield* on(() => post(`${url}/api/tools/broken_crash/call`, { args: {} }, headers).then(() => {}, () => {}))
  yield* soon(
    async () => {
      const { servers } = await read(`${url}/api/mcp/servers`, headers)
      return Array.isArray(servers) ? servers.find((one) => one.name === "broken")?.state : undefined
    },
    (state) => assert.strictEqual(state, "failed")
  )
})

/** A model that answers, three servers that are ready, and five chats. */
const team = Effect.gen(function*() {
  const scene = yield* PageStage
  const { url } = scene
  const chats = new Map<string, string>()
  yield* breakOne(url)
  for (const [message, minutes, end] of CHATS) {
    yield* FrozenClock.happenedBefore(minutes)
    const { id } = Object(yield* on(async () => (await post(`${url}/api/chats`, {})).json()))
    chats.set(message, String(id))
    yield* talk(url, String(id), message, end)
  }
  yield* FrozenClock.happenedBefore(0)
  return { ...scene, chats }
})

/** Ann, who is an admin and looks; Bob, and somebody with a long name. */
const people = Effect.gen(function*() {
  const scene = yield* PageStage
  const { url } = scene
  yield* FrozenClock.happenedBefore(0)
  const cookie = yield* on(async () => {
    const { link } = Object(await (await post(`${url}/api/users`, { name: "Ann" })).json())
    const token = String(link).split("/").at(-1)
    const accepted = await post(`${url}/api/invitations/${token}`, { password: PASSWORD }, { "user-agent": BROWSER })
    const [name = "", value = ""] = (accepted.headers.getSetCookie()[0] ?? "").split(";")[0]?.split("=") ?? []
    const headers = { cookie: `${name}=${value}` }
    await post(`${url}/api/users`, { name: "Bob", groups: ["sales", "lisbon"] }, headers)
    await post(`${url}/api/users`, { name: "Maria-Fernanda Vasconcelos de Albuquerque e Castro" }, headers)
    await post(`${url}/api/me/tokens`, { name: "laptop", scopes: ["chat"] }, headers)
    await post(`${url}/api/tools/files_read_text_file/call`, { args: { path: "notes.md" } }, headers)
    return { name, value }
  })
  yield* breakOne(url, { cookie: `${cookie.name}=${cookie.value}` })
  return { ...scene, cookie, chats: new Map<string, string>() }
})

const fresh = Effect.gen(function*() {
  const scene = yield* PageStage
  yield* FrozenClock.happenedBefore(0)
  return { ...scene, chats: new Map<string, string>() }
})

/** The time runs again before the server ends, which waits for its programs. */
const stage = <E, R>(make: Effect.Effect<Shown, E, R>) =>
  Layer.effect(Stage, Effect.acquireRelease(make, () => FrozenClock.runs))

const withServers = withModel(script, "openai/gpt-5-mini", STAGE)

export const layers = {
  team: stage(team).pipe(Layer.provide(withServers), Layer.provide(FrozenClock.layer)),
  people: stage(people).pipe(Layer.provide(withServers), Layer.provide(FrozenClock.layer)),
  fresh: stage(fresh).pipe(
    Layer.provide(PageStage.layer({ servers: {}, files: {} })),
    Layer.provide(FrozenClock.layer)
  )
}
