import { App, Signals } from "@boocode/chat-server"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { browser } from "./support/Browser.ts"

const MARKUP = `<img src=x onerror="document.title='owned'"><b>bold</b>`
const everything = fileURLToPath(new URL("./node_modules/.bin/mcp-server-everything", import.meta.url))

const entries = {
  files: { command: "mcp-server-filesystem", args: ["workspace"] },
  everything: { command: everything },
  broken: { command: "/bin/sh", args: ["-c", "echo cannot start >&2; exit 3"] },
  off: { command: "true", enabled: false },
  spare: { command: "mcp-server-filesystem", args: ["workspace"], enabled: false },
  later: { command: "mcp-server-filesystem", args: ["workspace"], enabled: false }
}

/** A data folder of its own, the whole server on a free port, and a browser. */
const stage = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const dataDir = yield* fs.makeTempDirectoryScoped({ prefix: "boocode-page-" })
  yield* fs.makeDirectory(path.join(dataDir, "workspace"))
  yield* fs.writeFileString(path.join(dataDir, "workspace", "notes.txt"), "hello")
  yield* fs.writeFileString(path.join(dataDir, "workspace", "page.html"), MARKUP)
  yield* fs.writeFileString(path.join(dataDir, "mcp.json"), JSON.stringify({ mcpServers: entries }))
  const variables = { PATH: process.env["PATH"], BOOCODE_STATE_DIR: path.join(dataDir, "state") }
  const app = yield* Layer.build(
    App.layer({ host: "127.0.0.1", port: 0, dataDir, configFile: null, model: null, logLevel: null, variables }).pipe(
      Layer.provideMerge(Signals.layerNone),
      // What the server prints for people is no part of this test.
      Layer.provide(Layer.succeed(Console.Console, { ...console, log: () => {} }))
    )
  )
  const url = HttpServer.formatAddress(Context.get(app, HttpServer.HttpServer).address)
  return { url, dataDir, browser: yield* browser }
})

class Stage extends Context.Service<Stage, Effect.Success<typeof stage>>()("test/Stage") {
  static readonly layer = Layer.effect(Stage, stage).pipe(Layer.provideMerge(NodeServices.layer))
}

/** Opens the page and keeps what a browser would complain about. */
const open = Effect.fnUntraced(function*(path = "/", options: { readonly colorScheme?: "light" | "dark" } = {}) {
  const { browser, url } = yield* Stage
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })),
    (context) => Effect.promise(() => context.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  const complaints: Array<string> = []
  page.on("console", (message) => message.type() === "log" || complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => request.url().startsWith(`${url}/`) || complaints.push(`asked ${request.url()}`))
  yield* Effect.promise(() => page.goto(url + path))
  page.setDefaultTimeout(15_000)
  return { page, complaints }
})

const on = <A>(act: () => Promise<A>) => Effect.promise(act)

const say = (page: Page, text: string) =>
  on(async () => {
    await page.getByRole("textbox", { name: "Message" }).fill(text)
    await page.keyboard.press("Enter")
  })

const server = (page: Page, name: string, state: string) =>
  page.getByRole("complementary", { name: "MCP servers" }).getByRole("listitem", { name: `${name}, ${state}` })

describe("the page", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: 60_000 })((it) => {
    it.effect("shows which servers are up, failed with why, or disabled, and what was rejected", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* on(() => server(page, "broken", "failed").waitFor())
        yield* on(() => server(page, "off", "disabled").waitFor())
        assert.include(yield* on(() => server(page, "files", "ready").innerText()), "10 tools")
        yield* on(() => server(page, "files", "ready").getByText("4 tools rejected").click())
        assert.include(yield* on(() => server(page, "files", "ready").innerText()), "write_file declares itself")
        const broken = server(page, "broken", "failed")
        assert.include(yield* on(() => broken.innerText()), "code 3")
        yield* on(() => broken.getByText("Standard error", { exact: true }).click())
        assert.include(yield* on(() => broken.locator("pre").last().innerText()), "cannot start")
        yield* on(() => page.getByRole("button", { name: "Command mode" }).click())
        assert.include(yield* on(() => page.getByRole("dialog", { name: "Model" }).innerText()), "BOOCODE_MODEL")
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("drives one chat turn: the call, its arguments and its result, in order", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* Stage
        const { complaints, page } = yield* open()
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* on(() => server(page, "broken", "failed").waitFor())
        assert.strictEqual(yield* on(() => page.getByRole("combobox", { name: "Agent" }).inputValue()), "Assistant")
        yield* say(page, "/files_list_directory {\"path\":\".\"}")
        const log = page.getByRole("log", { name: "Conversation" })
        const call = log.getByRole("region", { name: "Tool call files_list_directory" })
        yield* on(() => call.getByText(/^done/).waitFor())
        yield* on(() => log.locator("article[aria-busy=false]").waitFor())
        assert.include(yield* on(() => call.innerText()), "{\"path\":\".\"}")
        assert.include(yield* on(() => call.innerText()), "[FILE] notes.txt … 2 lines")
        yield* on(() => call.getByText("Arguments and result").click())
        assert.include(yield* on(() => call.innerText()), "[FILE] notes.txt\n[FILE] page.html")
        assert.deepStrictEqual(
          yield* on(() => log.locator(".parts > *").evaluateAll((parts) => parts.map((part) => part.className))),
          ["warning", "tool"]
        )
        assert.include(yield* on(() => log.locator(".warning").innerText()), "broken")
        assert.strictEqual(yield* on(() => page.getByRole("textbox", { name: "Message" }).inputValue()), "")
        const picture = yield* on(() => page.screenshot({ path: `${dataDir}/page.png` }))
        assert.isAbove(picture.length, 10_000)
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("shows what a tool returns as text, never as markup", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* say(page, "/files_read_text_file {\"path\":\"page.html\"}")
        const call = page.getByRole("region", { name: "Tool call files_read_text_file" })
        yield* on(() => call.getByText(/^done/).waitFor())
        assert.include(yield* on(() => call.innerText()), MARKUP)
        assert.strictEqual(yield* on(() => page.locator("#log img, #log b").count()), 0)
        assert.strictEqual(yield* on(() => page.title()), "BooCode")
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("shows a running turn again after a reload, and Escape stops it (R97)", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { colorScheme: "dark" })
        yield* on(() => server(page, "everything", "ready").waitFor())
        yield* say(page, "/everything_trigger-long-running-operation {\"duration\":50,\"steps\":100}")
        const call = page.getByRole("region", { name: /^Tool call everything_trigger/ })
        yield* on(() => call.getByText(/of 100/).waitFor())
        yield* on(() => page.reload())
        yield* on(() => call.getByText(/of 100/).waitFor())
        yield* on(() => page.getByRole("button", { name: "Stop", exact: true }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => call.getByText(/^failed/).waitFor())
        yield* on(() => page.getByText("Stopped.", { exact: true }).waitFor())
        yield* on(() => page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" }))
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("stops and starts a server, and its tools come back", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* on(() => page.getByRole("button", { name: "stop files", exact: true }).click())
        yield* on(() => server(page, "files", "stopped").waitFor())
        yield* on(() => page.getByRole("button", { name: "start files", exact: true }).click())
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* say(page, "/files_list_directory {\"path\":\".\"}")
        const call = page.getByRole("region", { name: "Tool call files_list_directory" })
        yield* on(() => call.getByText(/^done/).waitFor())
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("starts a disabled server for this run, and its tools are there", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => server(page, "spare", "disabled").waitFor())
        yield* on(() => page.getByRole("button", { name: "start spare", exact: true }).click())
        yield* on(() => server(page, "spare", "ready").waitFor())
        yield* say(page, "/spare_list_directory {\"path\":\".\"}")
        yield* on(() =>
          page.getByRole("region", { name: "Tool call spare_list_directory" }).getByText(/^done/).waitFor()
        )
        assert.deepStrictEqual(complaints, [])
      }))

    it.effect("enables and disables a server in its file, and says so when the file cannot be written", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* Stage
        const fs = yield* FileSystem.FileSystem
        const { complaints, page } = yield* open()
        const file = `${dataDir}/mcp.json`
        const isEnabled = Effect.map(
          fs.readFileString(file),
          (text) => JSON.parse(text).mcpServers.later.enabled
        )
        const press = (verb: string) =>
          on(() => page.getByRole("button", { name: `${verb} later`, exact: true }).click())
        yield* press("enable")
        yield* on(() => server(page, "later", "ready").waitFor())
        assert.isTrue(yield* isEnabled)
        yield* press("disable")
        yield* on(() => server(page, "later", "disabled").waitFor())
        assert.isFalse(yield* isEnabled)
        const text = yield* fs.readFileString(file)
        yield* fs.writeFileString(file, "oops")
        yield* press("enable")
        yield* on(() => server(page, "later", "disabled").getByRole("alert").getByText(/mcp\.json:1:1/).waitFor())
        yield* fs.writeFileString(file, text)
        assert.isTrue(complaints.every((text) => text.includes("409")), complaints.join("\n"))
      }))

    it.effect("offers to start what is stopped, failed or disabled, and not what needs approval", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const { page } = yield* open()
        const body = JSON.parse(yield* on(async () => (await fetch(`${url}/api/mcp/servers`)).text()))
        const states = ["connecting", "disabled", "failed", "needs-approval", "needs-auth", "ready", "stopped"]
        const events = states.map((state) =>
          `data: ${JSON.stringify({ type: "server", ...body.servers[0], name: `s-${state}`, state })}\n\n`
        )
        yield* on(() =>
          page.route(
            "**/api/events",
            (route) => route.fulfill({ contentType: "text/event-stream", body: events.join("") })
          )
        )
        yield* on(() => page.reload())
        const offered = Effect.fnUntraced(function*(state: string) {
          const shown = server(page, `s-${state}`, state)
          yield* on(() => shown.waitFor())
          return yield* on(() => shown.getByRole("button").allInnerTexts())
        })
        assert.deepStrictEqual(yield* Effect.forEach(states, offered), [
          ["restart", "stop", "disable"],
          ["start", "enable"],
          ["start", "disable"],
          [],
          ["start", "disable"],
          ["restart", "stop", "disable"],
          ["start", "disable"]
        ])
      }))

    it.effect("keeps chats in a list, and forgets one on demand", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        page.on("dialog", (dialog) => void dialog.accept())
        const chats = page.getByRole("navigation", { name: "Chats" })
        yield* on(() => server(page, "files", "ready").waitFor())
        yield* on(() => chats.getByRole("button", { name: "New chat", exact: true }).click())
        yield* say(page, "/list_dir {}")
        yield* on(() => chats.getByRole("button", { name: "/list_dir {}", exact: true }).waitFor())
        yield* on(() => page.locator("article[aria-busy=false]").waitFor())
        yield* on(() => chats.getByRole("button", { name: "Delete /list_dir {}" }).click())
        yield* on(() => chats.getByRole("button", { name: "/list_dir {}", exact: true }).waitFor({ state: "hidden" }))
        assert.strictEqual(yield* on(() => page.locator("article").count()), 0)
        assert.deepStrictEqual(complaints, [])
      }))
  })
})
