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

describe("scratch", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("x", () =>
      Effect.gen(function*() {
        writeFileSync(calls, "")
        const { page, complaints } = yield* open()
        yield* ready(page, 1)
        page.setDefaultTimeout(6000)
        const log = (x: unknown) => console.log(typeof x === "string" ? x : JSON.stringify(x))
        yield* say(page, "weather in Bern")
        yield* on(() => page.getByText("weather wants to show an app").waitFor())
        yield* on(() => page.screenshot({ path: "/tmp/team/apps-ask.png" }))
        yield* show(page)
        yield* on(() => page.waitForTimeout(3000))
        yield* on(() => page.screenshot({ path: "/tmp/team/apps-open.png" }))
        for (const f of page.frames()) log(f.url() + " " + (yield* on(() => f.evaluate("document.body.innerText").catch(String))).slice(0,200))
        log(complaints)
        for (const id of ["refresh", "save", "tell", "context", "link", "full", "submit"]) {
          log(id + " " + (yield* on(() => app(page).locator("#" + id).click({ timeout: 3000 }).then(() => page.waitForTimeout(1200)).then(() => app(page).locator("#said").innerText()).catch(String))))
          yield* on(() => page.screenshot({ path: "/tmp/team/apps-" + id + ".png" }))
          if (id !== "full") yield* on(() => page.keyboard.press("Escape"))
        }
        log(called())
        log(complaints)
      }))
  })
})
