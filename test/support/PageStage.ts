/** The whole server on a free port with a data folder of its own, and a browser that looks at its page. */
import { App, Signals } from "@boocode/chat-server"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schedule from "effect/Schedule"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { BrowserContextOptions, Locator, Page } from "playwright-core"
import * as ModelServer from "../servers/ModelServer.ts"
import { browser } from "./Browser.ts"
import * as BrowserPages from "./BrowserPages.ts"
import * as Deadline from "./Deadline.ts"
import * as FreshState from "./FreshState.ts"
import { IS_LONG } from "./Size.ts"

export interface StageOptions {
  readonly servers: Readonly<Record<string, unknown>>
  /** By their paths in the workspace. */
  readonly files: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly model?: string
  /** What is in settings.json. */
  readonly settings?: Readonly<Record<string, unknown>>
}

const make = Effect.fnUntraced(function*({ files, model, servers, settings = {}, variables = {} }: StageOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const dataDir = yield* fs.makeTempDirectoryScoped({ prefix: "boocode-page-" })
  yield* fs.makeDirectory(path.join(dataDir, "workspace"))
  yield* Effect.forEach(
    Object.entries(files),
    ([name, text]) => fs.writeFileString(path.join(dataDir, "workspace", name), text)
  )
  yield* fs.writeFileString(path.join(dataDir, "mcp.json"), JSON.stringify({ mcpServers: servers }))
  yield* fs.writeFileString(path.join(dataDir, "settings.json"), JSON.stringify(settings))
  const app = yield* Layer.build(
    App.layer({
      host: "127.0.0.1",
      port: 0,
      dataDir,
      configFile: null,
      model: model ?? null,
      logLevel: null,
      variables: { PATH: process.env["PATH"], BOOCODE_STATE_DIR: path.join(dataDir, "state"), ...variables }
    }).pipe(
      Layer.provideMerge(Signals.layerNone),
      // What the server prints for people is no part of this test.
      Layer.provide(Layer.succeed(Console.Console, { ...console, log: () => {} }))
    )
  )
  const url = HttpServer.formatAddress(Context.get(app, HttpServer.HttpServer).address)
  yield* FreshState.connected(url)
  return { url, dataDir, browser: yield* browser }
})

export class PageStage extends Context.Service<PageStage, Effect.Success<ReturnType<typeof make>>>()("test/PageStage") {
  static readonly layer = (options: StageOptions) =>
    Layer.effect(PageStage, make(options)).pipe(Layer.provideMerge(NodeServices.layer))
}

/** The model that answers on a stage of its own. */
export class StageModel extends Context.Service<StageModel, ModelServer.ModelServer>()("test/StageModel") {}

/** A stage whose agents are answered by this script. */
export const withModel = (script: ModelServer.Script, model: string, options: Omit<StageOptions, "model">) =>
  Layer.unwrap(
    Effect.map(
      StageModel,
      ({ url }) =>
        PageStage.layer({ ...options, model, variables: { ...options.variables, OPENAI_BASE_URL: `${url}/v1` } })
    )
  ).pipe(Layer.provideMerge(Layer.effect(StageModel, ModelServer.make(script))))

export const on = <A>(act: () => Promise<A>) => Effect.promise(act)

/** Reads again until the assertion holds; gives up with what it says of the last reading. */
export const soon = <A>(read: () => Promise<A>, holds: (value: A) => void) =>
  on(read).pipe(
    Effect.map(holds),
    // An assertion that does not hold yet is a defect.
    Effect.sandbox,
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: `${Deadline.WAIT_MILLIS} millis` }))),
    Effect.catch(Effect.failCause)
  )

/** Playwright says so of a page that wants a worker. */
const BLOCKED = "Service Worker registration blocked by Playwright"

/** A page without data of anybody, and what a browser would complain about: errors, refused markup, foreign requests. */
export const openAt = Effect.fnUntraced(function*(
  { browser, url }: Pick<typeof PageStage.Service, "browser" | "url">,
  path = "/",
  options: BrowserContextOptions = {}
) {
  // A worker in each context would read the whole page once more; the test of the worker lets it in.
  const all = { viewport: { width: 1280, height: 860 }, serviceWorkers: "block", ...options } as const
  const page = yield* BrowserPages.opened(browser, all)
  const complaints: Array<string> = []
  page.on(
    "console",
    (message) =>
      message.type() === "log" || message.text().includes(BLOCKED) ||
      complaints.push(`${message.text()} ${message.location().url}`.trim())
  )
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on(
    "request",
    (request) =>
      request.url().startsWith(`${url}/`) || request.url().startsWith("data:") ||
      complaints.push(`asked ${request.url()}`)
  )
  page.setDefaultTimeout(Deadline.WAIT_MILLIS)
  yield* on(() => page.goto(url + path))
  return { page, complaints }
})

/** A page of a server on which nothing has happened yet: what a test begins with. */
export const open = (path?: string, options?: BrowserContextOptions) =>
  Effect.flatMap(
    PageStage,
    (stage) => Effect.andThen(FreshState.conversations(stage.url), openAt(stage, path, options))
  )

/** A further page, which sees what the test did so far. */
export const openBeside = (path?: string, options?: BrowserContextOptions) =>
  Effect.flatMap(PageStage, (stage) => openAt(stage, path, options))

/** The main thread's processor time so far in milliseconds, which other programs of the machine do not add to. */
export const busyMillis = Effect.fnUntraced(function*(page: Page) {
  const session = yield* on(() => page.context().newCDPSession(page))
  yield* on(() => session.send("Performance.enable", { timeDomain: "threadTicks" }))
  return on(async () => {
    const { metrics } = await session.send("Performance.getMetrics")
    const busy = metrics.find(({ name }) => name === "TaskDuration") ?? assert.fail("no TaskDuration")
    return busy.value * 1000
  })
})

export const log = (page: Page) => page.getByRole("log", { name: "Conversation" })

export const field = (page: Page) => page.getByRole("textbox", { name: "Message" })

export const say = (page: Page, text: string) =>
  on(async () => {
    await field(page).fill(text)
    await page.keyboard.press("Enter")
  })

/** Opens or closes what is behind the line of a call. */
export const unfold = (call: Locator) => on(() => call.locator(".call-row").click())

/** The turn is over, and nothing more will change. */
export const settled = (page: Page, turns = 1) =>
  on(() => log(page).locator("article[aria-busy=false]:not(.pending)").nth(turns - 1).waitFor())

/** The server is ready, as the links below the chats count them. */
export const ready = (page: Page, count: number) =>
  on(() => page.getByRole("link", { name: new RegExp(`^Servers ${count} ready`) }).waitFor())

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Only what is wrong, made into words where it is found: all that axe knows of a page is megabytes. */
const AUDIT = `axe.run({ resultTypes: ["violations"], selectors: false, preload: false }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" ")))`

const AT_REST = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.playState === 'running' && one.effect.getTiming().iterations !== Infinity).map((one) => one.finished)).then(() => null)`

/**
 * What axe finds wrong with the page as it is now; the context must have been made with `bypassCSP`. On a busy machine what
 * fades in may begin to after the page was at rest: what is found is looked at again, and counts where it stays.
 */
export const accessibility = (page: Page) =>
  on(async () => {
    if (await page.evaluate("typeof axe") === "undefined") await page.evaluate(axe)
    // Colours are measured once they have come to rest. A cancelled animation is at rest, too.
    await page.evaluate(AT_REST)
    return page.evaluate<ReadonlyArray<string>>(AUDIT)
  }).pipe(Effect.repeat({ until: ({ length }) => length === 0, schedule: Schedule.spaced("300 millis"), times: 3 }))

/** Does it in both themes: in the dark one at the width of a phone. */
export const inBothThemes = (page: Page, look: (theme: string, width: number) => Effect.Effect<void>) =>
  Effect.forEach([["light", 1280], ["dark", 390]] as const, ([colorScheme, width]) =>
    on(async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height: 844 })
      // What the new theme sets in motion begins with the next frame.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")
    }).pipe(Effect.andThen(look(colorScheme, width))), { discard: true })

/** To audit a page takes a third of a second: `pnpm test` audits every other one in the dark, `pnpm test:long` each in both. */
export const isAudited = (index: number, theme: string): boolean =>
  IS_LONG || theme === (index % 2 === 0 ? "light" : "dark")

export const nothing = (list: ReadonlyArray<string>) => assert.deepStrictEqual([...list], [])
