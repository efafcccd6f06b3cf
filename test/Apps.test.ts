/** Apps of servers (MCP Apps), whole: an app of the official SDK in a server of the official SDK, and one that attacks. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { field, nothing, on, open, PageStage, ready, say, settled, soon, withModel } from "./support/PageStage.ts"

const folder = mkdtempSync(join(tmpdir(), "boocode-apps-"))
const calls = join(folder, "calls.txt")

/** A server that an app must not reach. Notes who came. */
const visits: Array<string> = []
const outside: Server = createServer((request, response) => {
  visits.push(request.url ?? "")
  response.setHeader("access-control-allow-origin", "*")
  response.end("1")
})

const script: ModelServer.Script = ({ results, text }) => {
  const line = text.split("\n").at(-1) ?? ""
  if (results.length > 0) return [ModelServer.text("Done.")]
  const [, port] = /attack (\d+)/.exec(line) ?? []
  if (port !== undefined) return [ModelServer.call("weather_hostile", { port: Number(port) })]
  const [, city] = /weather in (\w+)/.exec(line) ?? []
  return city === undefined ? [ModelServer.text(`You said: ${text}`)] : [ModelServer.call("weather_forecast", { city })]
}

const stage = Layer.unwrap(Effect.map(
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      outside.listen({ host: "127.0.0.1", port: 0 }, () => {
        const address = outside.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => outside.close())
  ),
  (port) =>
    withModel(script, "openai/gpt-5-mini", {
      servers: {
        weather: { ...FixtureServer.program("Apps", calls, `http://127.0.0.1:${port}`), ask: ["save"] }
      },
      files: {}
    })
))

/** The document of the app that stands last. */
const app = (page: Page) => page.locator(".app-box iframe").last().contentFrame().locator("iframe").contentFrame()

const show = (page: Page) => on(() => page.getByRole("button", { name: "Show it" }).click())

const called = () => readFileSync(calls, "utf8").trim().split("\n")

const opened = Effect.fnUntraced(function*() {
  writeFileSync(calls, "")
  const { page } = yield* open()
  yield* ready(page, 1)
  return page
})

describe("An app of a server", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("is shown after a yes that names what it reaches, gets its input and result, calls its server, and stays", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        yield* say(page, "weather in Bern")
        yield* on(() => page.getByText("weather wants to show an app").waitFor())
        assert.include(yield* on(() => page.locator(".app-card").innerText()), "api.weather.example")
        yield* show(page)
        yield* on(() => app(page).getByText("21 degrees, station of Bern").waitFor())
        assert.strictEqual(yield* on(() => app(page).locator("#city").innerText()), "Bern")
        yield* on(() => app(page).locator("#refresh").click())
        yield* on(() => app(page).getByText("refresh is done").waitFor())
        yield* on(() => app(page).locator("#submit").click())
        yield* on(() => app(page).getByText("submitted").waitFor())
        assert.deepStrictEqual(called(), ["refresh"])

        // It asks: the entry says so.
        yield* on(() => app(page).locator("#save").click())
        yield* on(() => page.getByRole("button", { name: "Deny" }).or(page.getByRole("button", { name: "No" })).first().waitFor())
        assert.deepStrictEqual(called(), ["refresh"])

        yield* on(() => page.reload())
        yield* on(() => app(page).getByText("21 degrees, station of Bern").waitFor())
        assert.strictEqual(yield* on(() => page.getByRole("button", { name: "Show it" }).count()), 0)
      }))
  })
})
