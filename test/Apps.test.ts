/** Apps of servers (MCP Apps), whole: an app of the official SDK in a server of the official SDK, and one that attacks. */
import { AppHost } from "@boocode/chat-server/apps/AppHost"
import * as AppPolicy from "@boocode/chat-server/apps/AppPolicy"
import { Settings } from "@boocode/chat-server/Settings"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FrameLocator, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { nothing, on, open, PageStage, ready, say, settled, soon, withModel } from "./support/PageStage.ts"

const folder = mkdtempSync(join(tmpdir(), "boocode-apps-"))
const calls = join(folder, "calls.txt")

/** A server that an app must not reach. Notes who came. */
const visits: Array<string> = []
const outside: Server = createServer((request, response) => {
  visits.push(request.url ?? "")
  response.setHeader("access-control-allow-origin", "*")
  response.end("1")
})

/** Lets a model go on that stopped in the middle of a word. */
const goOn = Promise.withResolvers<void>()

const script: ModelServer.Script = ({ results, text }) => {
  const line = text.split("\n").at(-1) ?? ""
  if (results.length > 0) return [ModelServer.text("Done.")]
  const [, port] = /attack (\d+)/.exec(line) ?? []
  if (port !== undefined) return [ModelServer.call("weather_hostile", { port: Number(port) })]
  const [, slow] = /slowly of (\w+)/.exec(line) ?? []
  if (slow !== undefined) {
    return [ModelServer.heldCall("weather_forecast", { city: slow }, { after: 13, until: goOn.promise })]
  }
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

const frame = (page: Page) => page.locator(".app-box iframe").last().contentFrame()

/** The document of the app, in the page around it. */
const app = (page: Page) => frame(page).locator("iframe").contentFrame()

const show = (page: Page) => on(() => page.getByRole("button", { name: "Show it" }).click())

/** Whether the person said yes to it in an earlier test or not. */
const shown = (page: Page) =>
  on(async () => {
    const ask = page.getByRole("button", { name: "Show it" })
    await ask.or(page.locator(".app-box")).first().waitFor()
    if (await ask.count() > 0) await ask.click()
  })

const press = (page: Page, id: string, words: string) =>
  on(async () => {
    await app(page).locator(`#${id}`).click()
    await app(page).locator("#said", { hasText: words }).waitFor()
  })

const called = () => readFileSync(calls, "utf8").trim().split("\n")

const opened = Effect.fnUntraced(function*() {
  writeFileSync(calls, "")
  visits.length = 0
  const { page } = yield* open()
  yield* ready(page, 1)
  return page
})

/** All that the hostile app found, once it is done. */
const found = (page: Page, document: FrameLocator) =>
  on(async () => {
    const text = document.locator("#found", { hasText: "{" })
    await text.waitFor()
    const json: Readonly<Record<string, string>> = JSON.parse(await text.innerText())
    return { json, title: await page.title(), url: page.url() }
  })

const HOSTS = ["localhost", "127.0.0.1", "[::1]"]

const nothingFound = ({ json }: { readonly json: Readonly<Record<string, string>> }) => {
  const { cookie, eval: evaluated, navigated, origin, outside, parent, popup, script, storage, top } = json
  assert.strictEqual(origin, "null")
  for (const one of [parent, top, cookie, storage, navigated]) assert.match(one ?? "", /^blocked SecurityError$/)
  for (const host of HOSTS) {
    assert.match(json[`api ${host}`] ?? "", /^blocked TypeError$/)
    assert.match(json[`blind ${host}`] ?? "", /^blocked TypeError$/)
    assert.strictEqual(json[`image ${host}`], "blocked")
  }
  assert.match(outside ?? "", /^blocked TypeError$/)
  assert.deepStrictEqual([script, evaluated, popup], ["blocked", "blocked EvalError", "none"])
  for (const tool of ["secret", "other", "prefixed"]) assert.include(json[tool] ?? "", "may not use")
  assert.strictEqual(json["link"], "{\"isError\":true}")
  assert.include(json["unknown"] ?? "", "not offered")
}

const Shown = { html: "<p>", policy: AppPolicy.of({}, []), isDirect: false }

/** Where a page finds its apps, and the origins that it frames; or why the server does not start. */
const placed = (host: string, port: number | null, variable: string, page: string) =>
  AppHost.pipe(
    Effect.flatMap(({ framed, isApps, show }) =>
      Effect.map(
        show({ ...Shown, page }),
        ({ origin }) => ({ framed, origin, isDenied: origin !== null && isApps(new URL(origin)) })
      )
    ),
    Effect.provide(AppHost.layer(host, port)),
    Effect.provide([
      Environment.layer({ BOOCODE_APPS_ORIGIN: variable }),
      Settings.layerValues({ allowedHosts: ["chat.example"] })
    ]),
    Effect.scoped,
    Effect.catch(({ message }) => Effect.succeed(message))
  )

describe("The port of the apps", Deadline.TEST, () => {
  it.effect("is at an address that the browser of the page reaches, and refused to the API; else there is none", () =>
    Effect.gen(function*() {
      const local = yield* placed("127.0.0.1", null, "", "http://localhost:4266")
      if (typeof local === "string") return assert.fail(local)
      assert.match(local.origin ?? "", /^http:\/\/127\.0\.0\.1:\d+$/)
      assert.deepStrictEqual([local.framed, local.isDenied], [[local.origin], true])
      const proxied = yield* placed("127.0.0.1", null, "", "https://chat.example")
      assert.isNull(typeof proxied === "string" ? proxied : proxied.origin)
      const named = yield* placed("127.0.0.1", null, "https://apps.chat.example", "https://chat.example")
      const origin = "https://apps.chat.example"
      assert.deepStrictEqual(named, { framed: [origin], origin, isDenied: true })
      const network = yield* placed("0.0.0.0", null, "", "http://192.168.1.5:4266")
      assert.deepStrictEqual(network, { framed: [], origin: null, isDenied: false })
      const given = yield* placed("0.0.0.0", 0, "", "http://192.168.1.5:4266")
      if (typeof given === "string") return assert.fail(given)
      assert.match(given.origin ?? "", /^http:\/\/192\.168\.1\.5:\d+$/)
      assert.isTrue(given.isDenied)
      const path = yield* placed("127.0.0.1", null, "https://chat.example/apps", "https://chat.example")
      assert.strictEqual(path, "BOOCODE_APPS_ORIGIN is no origin: https://chat.example/apps")
    }))
})

describe("An app of a server", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("is shown after a yes that names what it reaches, gets its input and result, and is there after a reload", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        yield* say(page, "weather in Bern")
        yield* on(() => page.getByText("weather wants to show an app").waitFor())
        assert.include(yield* on(() => page.locator(".app-card").innerText()), "api.weather.example")
        yield* show(page)
        yield* on(() => app(page).getByText("21 degrees, station of Bern").waitFor())
        assert.strictEqual(yield* on(() => app(page).locator("#city").innerText()), "Bern")
        yield* press(page, "submit", "submitted")
        yield* press(page, "full", "fullscreen")
        yield* on(() => app(page).locator("html[data-mode=fullscreen]").waitFor())
        yield* on(() => page.getByRole("button", { name: "Leave full screen" }).click())
        yield* on(() => app(page).locator("html[data-mode=inline]").waitFor())
        yield* press(page, "float", "pip")
        yield* on(() => app(page).locator("html[data-mode=pip]").waitFor())
        const { width = 0, x = 0 } = (yield* on(() => page.locator(".app-box").boundingBox())) ?? {}
        assert.isTrue(width < 400 && x > 640, `${x} ${width}`)
        yield* on(() => page.getByRole("button", { name: "Back to its place" }).click())
        yield* on(() => app(page).locator("html[data-mode=inline]").waitFor())
        yield* on(() => page.reload())
        yield* on(() => app(page).getByText("21 degrees, station of Bern").waitFor())
        assert.strictEqual(yield* on(() => page.getByRole("button", { name: "Show it" }).count()), 0)
      }))

    it.effect("gets what the model writes of its input while it writes it, and the whole of it once", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        yield* say(page, "slowly of Bernina")
        yield* on(() => page.locator(".call-state", { hasText: "writing 13 B" }).waitFor())
        assert.strictEqual(yield* on(() => page.locator(".call-subject").innerText()), "Bern")
        yield* shown(page)
        yield* on(() => app(page).getByText("so far Bern", { exact: true }).waitFor())
        assert.strictEqual(yield* on(() => app(page).locator("#city").innerText()), "")
        goOn.resolve()
        yield* on(() => app(page).getByText("21 degrees, station of Bernina").waitFor())
        assert.strictEqual(yield* on(() => app(page).locator("#city").innerText()), "Bernina")
        assert.strictEqual(yield* on(() => app(page).locator("#said").innerText()), "so far Bern")
        yield* settled(page)
      }))

    it.effect("calls its server through the gate, and sends, opens and tells the model nothing without the person", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        yield* say(page, "weather in Basel")
        yield* settled(page)
        yield* shown(page)
        yield* press(page, "refresh", "refresh is done")
        assert.deepStrictEqual(called(), ["refresh"])
        yield* on(() => app(page).locator("#save").click())
        const asked = page.getByRole("dialog", { name: "the app of weather asks" })
        yield* on(() => asked.getByRole("button", { name: "Allow once" }).waitFor())
        assert.deepStrictEqual(called(), ["refresh"])
        yield* on(() => asked.getByRole("button", { name: "Allow once" }).click())
        yield* on(() => app(page).getByText("save is done").waitFor())
        assert.deepStrictEqual(called(), ["refresh", "save warm"])

        yield* on(() => app(page).locator("#link").click())
        yield* on(() =>
          page.getByRole("dialog", { name: /wants to open a page/ }).getByRole("button", { name: "No" }).click()
        )
        yield* on(() => app(page).locator("#said", { hasText: "isError" }).waitFor())

        yield* on(() => app(page).locator("#file").click())
        const files = page.getByRole("dialog", { name: /wants to save files/ })
        yield* on(() => files.getByText("days ahead.csv, 11 B").waitFor())
        const [download] = yield* on(() =>
          Promise.all([page.waitForEvent("download"), files.getByRole("button", { name: "Save" }).click()])
        )
        assert.strictEqual(download.suggestedFilename(), "days ahead.csv")

        yield* press(page, "context", "{}")
        yield* on(() => page.locator(".files").getByText("context of weather.md").waitFor())
        yield* on(() => app(page).locator("#tell").click())
        const message = page.getByRole("dialog", { name: /wants to send this for you/ })
        yield* on(() => message.getByText("What about tomorrow?").waitFor())
        assert.strictEqual(yield* on(() => page.getByRole("article").count()), 1)
        yield* on(() => message.getByRole("button", { name: "Send" }).click())
        yield* settled(page, 2)
        assert.include(yield* on(() => page.getByRole("article").last().innerText()), "What about tomorrow?")
      }))

    it.effect("gets nothing of the page, the API, other servers or other addresses, whatever it declares", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        const { url } = yield* PageStage
        yield* say(page, `attack ${new URL(url).port}`)
        // Nothing of what it declares can be granted.
        yield* on(() => page.locator(".app-card").getByText("It reaches nothing but its own server").waitFor())
        yield* show(page)
        const seen = yield* found(page, app(page))
        nothingFound(seen)
        assert.notInclude(seen.title, "owned")
        assert.isTrue(seen.url.startsWith(url))
        assert.strictEqual(yield* on(() => page.getByRole("dialog").count()), 0)
        yield* on(() => app(page).locator("#leave").click())
        yield* soon(
          async () => page.frames().map((one) => one.url()),
          (all) => assert.isTrue(all.some((one) => one.startsWith("chrome-error:")))
        )
        nothing(visits)
        assert.deepStrictEqual(called(), [""])
      }))

    it.effect("gets nothing either where a browser does not reach the port of the apps", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        const { url } = yield* PageStage
        yield* on(() => page.context().route((asked) => /^\/[\w-]{32}$/.test(asked.pathname), (route) => route.abort()))
        yield* say(page, `attack ${new URL(url).port}`)
        yield* shown(page)
        const seen = yield* found(page, frame(page))
        nothingFound(seen)
        // Its own window is the frame here, so what it sends to the top is its own wish.
        yield* on(() =>
          page.getByRole("dialog", { name: /wants to send this/ }).getByRole("button", { name: "No" }).click()
        )
        yield* on(() => frame(page).locator("#leave").click())
        yield* soon(
          async () => page.frames().map((one) => one.url()),
          (all) => assert.isTrue(all.some((one) => one.startsWith("chrome-error:")))
        )
        nothing(visits)
      }))

    it.effect("has no origin that the API answers", () =>
      Effect.gen(function*() {
        const page = yield* opened()
        const { url } = yield* PageStage
        yield* say(page, "weather in Chur")
        yield* shown(page)
        yield* on(() => app(page).getByText("station of Chur").waitFor())
        const source = (yield* on(() => page.locator(".app-box iframe").getAttribute("src"))) ?? ""
        const { origin } = new URL(source)
        assert.notStrictEqual(origin, url)
        for (const from of [origin, origin.replace("127.0.0.1", "localhost"), "null"]) {
          assert.strictEqual((yield* on(() => fetch(`${url}/api/about`, { headers: { origin: from } }))).status, 403)
        }
        for (const path of ["/", "/api/about", "/api/health", `${new URL(source).pathname}x`]) {
          const answer = yield* on(() => fetch(origin + path))
          assert.deepStrictEqual([answer.status, answer.headers.get("set-cookie")], [404, null])
        }
        const given = yield* on(() => fetch(source))
        // With it Chromium gives the apps a process of their own.
        assert.deepStrictEqual([given.status, given.headers.get("origin-agent-cluster")], [200, "?1"])
      }))
  })
})
