import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import * as AppServer from "./support/AppServer.ts"
import { browser } from "./support/Browser.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { accessibility, field, log, nothing, on, openAt, say } from "./support/PageStage.ts"

/** What each of many requests in a row is answered while `act` goes on; 0 for one without an answer, -1 when it hangs. */
const answersWhile = <A, E, R>(url: string, act: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const statuses: Array<number> = []
    const asking = Effect.promise(async () => {
      const signal = AbortSignal.timeout(Deadline.WAIT_MILLIS)
      statuses.push(await fetch(url, { signal }).then(({ status }) => status, () => signal.aborted ? -1 : 0))
    })
    yield* Effect.raceFirst(act, Effect.forever(Effect.andThen(asking, Effect.sleep("5 millis"))))
    yield* asking
    return statuses
  })

describe("the page of a server that is started again", Deadline.TEST, () => {
  it.live(
    "answers every request from the moment it has its port, so that nobody waits for ever",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({ "data/mcp.json": "{\"mcpServers\":{}}", "data/workspace/a.txt": "a\n" })
        const first = yield* ChatServer.start(`${folder}/data`)
        yield* first.end("SIGKILL", "group")
        const again = ChatServer.start(`${folder}/data`, {}, ["--port", new URL(first.url).port])
        const statuses = yield* answersWhile(`${first.url}/api/agents`, again)
        // Refused before it has its port, told to wait while it starts, then answered.
        assert.deepStrictEqual(statuses.filter((status) => ![0, 200, 503].includes(status)), [])
        assert.strictEqual(statuses.at(-1), 200)
      })
  )

  it.live("is there again after an answer that never came", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({ "data/mcp.json": "{\"mcpServers\":{}}", "data/workspace/a.txt": "a\n" })
      const server = yield* AppServer.start(`${folder}/data`)
      const { page } = yield* openAt({ url: server.url, browser: yield* browser })
      yield* on(() => field(page).waitFor())
      // The stream breaks, and what asks why is never answered: as of a proxy that lost its server.
      let asked = 0
      yield* on(() =>
        page.route("**/api/events", (route) => {
          asked += 1
          return asked === 1 ? route.abort() : undefined
        }, { times: 2 })
      )
      yield* on(() => page.reload())
      const away = page.getByText(/The server does not answer; trying again/)
      yield* on(() => away.waitFor())
      yield* on(() => away.waitFor({ state: "hidden" }))
      assert.strictEqual(asked, 2)
    }))

  it.live(
    "says that the server is away, and goes on by itself when it is back, with the question it had asked",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({
          "data/mcp.json": JSON.stringify({
            mcpServers: { ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] } }
          }),
          "data/workspace/a.txt": "a\n"
        })
        const first = yield* AppServer.start(`${folder}/data`)
        const { page } = yield* openAt({ url: first.url, browser: yield* browser })
        yield* on(() => page.getByRole("link", { name: /^Servers 1 ready/ }).waitFor())
        yield* say(page, "/ledger_write {\"text\":\"one\"}")
        const call = log(page).getByRole("group", { name: "Tool call ledger_write" })
        yield* on(() => call.getByRole("button", { name: "Allow once" }).waitFor())
        yield* first.end("SIGTERM", "process")
        const away = page.getByText(/The server does not answer; trying again/)
        yield* on(() => away.waitFor())
        const second = yield* AppServer.start(`${folder}/data`, {}, { port: Number(new URL(first.url).port) })
        assert.strictEqual(second.url, first.url)
        yield* on(() => away.waitFor({ state: "hidden" }))
        yield* on(() => call.getByRole("button", { name: "Allow once" }).click())
        yield* on(() => call.getByText(/^done/).waitFor())
        yield* on(() => field(page).waitFor())
      })
  )

  it.live(
    "asks for the token where one is needed, refuses a wrong one with words, and is there after the right one",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({ "data/mcp.json": "{\"mcpServers\":{}}", "data/workspace/a.txt": "a\n" })
        const token = "a-token-of-this-test-alone-0123456789"
        yield* Effect.sync(() => writeFileSync(`${folder}/data/settings.json`, JSON.stringify({ token })))
        const server = yield* AppServer.start(`${folder}/data`, {}, { host: "0.0.0.0" })
        const url = `http://127.0.0.1:${new URL(server.url).port}`
        const { page } = yield* openAt({ url, browser: yield* browser }, "/", { bypassCSP: true })
        const given = page.getByLabel("Token")
        yield* on(() => given.waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => given.fill("wrong"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("alert").waitFor())
        yield* on(() => given.fill(token))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => field(page).waitFor())
        yield* say(page, "/list_dir {}")
        yield* on(() => log(page).getByRole("group", { name: "Tool call list_dir" }).getByText(/^done/).waitFor())
      })
  )
})
