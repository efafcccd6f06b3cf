import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Gallery from "./panels/Gallery.ts"
import * as Playground from "./panels/Playground.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import { accessibility, inBothThemes, isAudited, nothing, on, soon } from "./support/PageStage.ts"
import { open, openBeside, PanelsStage } from "./support/PanelsStage.ts"

const card = (page: Page, name: string, state: string) =>
  page.getByRole("listitem", { name: `${name}, ${state}`, exact: true })

/** Does what stands in the menu of a server. */
const choose = (page: Page, server: string, item: string) =>
  on(async () => {
    await page.getByRole("button", { name: `More for ${server}` }).click()
    await page.getByRole("menuitem", { name: item }).click()
  })

const press = (page: Page, name: string) => on(() => page.getByRole("button", { name, exact: true }).click())

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name })

/** In one step, as editors do. */
const change = (file: string, before: string, after: string) => {
  writeFileSync(`${file}.next`, readFileSync(file, "utf8").replace(before, after))
  renameSync(`${file}.next`, file)
}

layer(PanelsStage.layer, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
  Gallery.tests(it)
  Playground.tests(it)

  describe("The panels of servers, agents and settings", Deadline.TEST, () => {
    it.effect("shows which servers are up, failed with why, disabled or to approve, and what was rejected", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers")
        yield* on(() => card(page, "files", "ready").waitFor())
        yield* on(() => card(page, "broken", "failed").waitFor())
        yield* on(() => card(page, "off", "off").waitFor())
        yield* on(() => card(page, "theirs", "needs approval").waitFor())
        const files = card(page, "files", "ready")
        yield* soon(() => files.innerText(), (words) => assert.match(words, /10 tools · [\d.]+k tokens · up in/))
        yield* on(() => files.getByText("4 tools rejected").click())
        yield* soon(() => files.innerText(), (words) => assert.include(words, "write_file declares itself"))
        const broken = card(page, "broken", "failed")
        yield* soon(() => broken.innerText(), (words) => assert.include(words, "code 3"))
        yield* on(() => broken.getByText("Standard error", { exact: true }).click())
        yield* on(() =>
          broken.getByRole("group", { name: "Standard error of broken" }).getByText("cannot start").waitFor()
        )
        nothing(complaints)
      }))

    it.effect("tells of one server how it came up, what it calls itself, and which file declares it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers")
        yield* on(() => page.getByRole("link", { name: "files", exact: true }).click())
        yield* on(() => page.getByRole("heading", { name: "files", level: 1 }).waitFor())
        yield* soon(() => page.locator(".server-about").innerText(), (about) => {
          for (
            const words of ["mcp.json", "command (stdio)", "secure-filesystem-server", "10 for models", "initialize"]
          ) {
            assert.include(about, words)
          }
        })
        yield* on(() => page.getByRole("link", { name: "All servers" }).click())
        yield* on(() => card(page, "files", "ready").waitFor())
        nothing(complaints)
      }))

    it.effect("stops, starts and refreshes a server, and the focus stays with it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers")
        yield* on(() => card(page, "files", "ready").waitFor())
        yield* choose(page, "files", "Stop")
        yield* on(() => card(page, "files", "stopped").waitFor())
        const focusIs = (name: string) =>
          soon(
            () => page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? ''"),
            (focused) => assert.strictEqual(focused, name)
          )
        yield* focusIs("Start files")
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => card(page, "files", "ready").waitFor())
        yield* choose(page, "files", "Refresh")
        yield* on(() => card(page, "files", "ready").getByText(/10 tools/).waitFor())
        yield* on(() => page.locator(".spinner").first().waitFor({ state: "detached" }))
        yield* focusIs("More for files")
        nothing(complaints)
      }))

    it.effect("enables and disables a server in its file, and says so when the file cannot be written", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/servers")
        const file = join(data, "mcp.json")
        yield* on(() => card(page, "later", "off").waitFor())
        const isEnabled = () => JSON.parse(readFileSync(file, "utf8")).mcpServers.later.enabled
        yield* press(page, "Turn on later")
        yield* on(() => card(page, "later", "ready").waitFor())
        assert.isTrue(isEnabled())
        yield* choose(page, "later", "Turn off")
        yield* on(() => card(page, "later", "off").waitFor())
        assert.isFalse(isEnabled())
        const text = readFileSync(file, "utf8")
        writeFileSync(file, "oops")
        yield* on(() => page.locator(".panel .notice").getByText(/mcp\.json:1:1/).first().waitFor())
        yield* press(page, "Turn on later")
        yield* on(() => card(page, "later", "off").getByRole("alert").getByText(/mcp\.json:1:1/).waitFor())
        writeFileSync(file, text)
        yield* on(() => page.locator(".panel-inside > .notice").first().waitFor({ state: "detached" }))
        assert.isTrue(complaints.every((complaint) => complaint.includes("409")), complaints.join("\n"))
      }))

    it.effect("offers the tools of a server that write by one click, shows what each tool does, and takes it back", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/servers")
        const entry = () => JSON.parse(readFileSync(join(data, "mcp.json"), "utf8")).mcpServers.files
        const files = card(page, "files", "ready")
        yield* on(() => files.getByText("4 tools rejected").click())
        yield* on(() => files.getByRole("button", { name: /^Offer .* your yes: files$/ }).click())
        yield* soon(() => files.innerText(), (words) => assert.match(words, /14 tools/))
        yield* soon(() => files.getByText("4 tools rejected").count(), (left) => assert.strictEqual(left, 0))
        assert.strictEqual(entry().writes, "ask")
        yield* on(() => page.getByRole("link", { name: "files", exact: true }).click())
        yield* on(() => page.getByText("4 that write ask you before each call").waitFor())
        const about = page.getByRole("navigation", { name: "About files" })
        yield* on(() => about.getByRole("link", { name: /^Tools/ }).click())
        const row = (name: string) => page.locator(".tool-row").filter({ hasText: name }).first()
        yield* soon(() => row("write_file").innerText(), (words) => {
          assert.include(words, "asks first")
          assert.include(words, "may destroy")
        })
        yield* soon(() => row("create_directory").innerText(), (words) => assert.match(words, /asks first\s*writes/))
        yield* soon(() => row("read_text_file").innerText(), (words) => assert.include(words, "only reads"))
        yield* on(() => about.getByRole("link", { name: "Overview" }).click())
        yield* on(() => page.getByRole("button", { name: "Stop offering them: files" }).click())
        yield* on(() => page.getByText("4 tools rejected").waitFor())
        assert.notProperty(entry(), "writes")
        nothing(complaints)
      }))

    it.effect("has one main action for each state, the others behind a menu, and what needs the person first", () =>
      Effect.gen(function*() {
        const { server } = yield* PanelsStage
        const { page } = yield* open("/#/servers")
        const { servers } = (yield* server.get("/api/mcp/servers")).body
        const files = Array.isArray(servers) ? servers.find(({ name }) => name === "files") : null
        const states = ["connecting", "disabled", "failed", "needs-approval", "needs-auth", "ready", "stopped"]
        const words = ["connecting", "off", "failed", "needs approval", "needs login", "ready", "stopped"]
        const events = states.map((state, index) =>
          `data: ${JSON.stringify({ type: "server", ...files, name: `s${index}`, state })}\n\n`
        )
        yield* on(() =>
          page.route(
            "**/api/events",
            (route) => route.fulfill({ contentType: "text/event-stream", body: events.join("") })
          )
        )
        yield* on(() => page.reload())
        const offered = Effect.fnUntraced(function*(state: string, index: number) {
          const shown = card(page, `s${index}`, state)
          yield* on(() => shown.waitFor())
          const main = yield* on(() => shown.locator(".item-actions > .button").allInnerTexts())
          yield* on(() => shown.getByRole("button", { name: `More for s${index}` }).click())
          const more = yield* on(() => shown.getByRole("menuitem").allInnerTexts())
          yield* on(() => page.keyboard.press("Escape"))
          return [main, more]
        })
        const always = ["Edit", "Details", "Log", "Remove …"]
        assert.deepStrictEqual(yield* Effect.forEach(words, offered), [
          [[], ["Restart", "Stop", "Turn off", ...always]],
          [["Turn on"], ["Start", ...always]],
          [["Start"], ["Turn off", ...always]],
          [[], always],
          [["Log in"], ["Start", "Turn off", ...always]],
          [[], ["Restart", "Refresh", "Stop", "Turn off", ...always]],
          [["Start"], ["Turn off", ...always]]
        ])
        const groups = page.locator(".server-group").filter({ hasText: /s\d/ })
        assert.deepStrictEqual(
          yield* on(() => groups.evaluateAll((all) => all.map((group) => group.getAttribute("aria-label")))),
          ["Needs you", "Ready", "Off"]
        )
      }))

    it.effect("asks once how a project's server stands, however often its status comes, and says when it changed", () =>
      Effect.gen(function*() {
        const { server } = yield* PanelsStage
        const { page } = yield* open("/#/servers")
        const { servers } = (yield* server.get("/api/mcp/servers")).body
        const theirs = Array.isArray(servers) ? servers.find(({ name }) => name === "theirs") : null
        const asked: Array<string> = []
        const box = page.getByRole("region", { name: "Approval of theirs" })
        yield* on(() => box.getByText(/not approved$/).waitFor())
        page.on("request", (request) => request.url().endsWith("/trust") && asked.push(request.url()))
        const event = `data: ${JSON.stringify({ type: "server", ...theirs })}\n\n`
        yield* on(() =>
          page.route(
            "**/api/events",
            (route) => route.fulfill({ contentType: "text/event-stream", body: event.repeat(20) })
          )
        )
        yield* on(() => page.reload())
        yield* on(() => box.getByText(/\.mcp\.json · not approved$/).waitFor())
        yield* soon(() => box.innerText(), (words) => assert.include(words, "<redacted>"))
        assert.strictEqual(asked.length, 1)
        yield* on(() =>
          page.route(
            "**/theirs/approve",
            (route) =>
              route.fulfill({
                status: 409,
                json: { detail: "the entry changed", hint: "look again", _tag: "EntryChanged" }
              })
          )
        )
        // The page says why at once, and asks once that is painted.
        yield* Effect.all([on(() => page.waitForRequest(/\/trust$/)), press(page, "Approve once theirs")], {
          concurrency: 2
        })
        yield* on(() => box.getByRole("alert").getByText("the entry changed").waitFor())
        assert.strictEqual(asked.length, 2)
      }))

    it.effect("follows the log of a server, filters it, and stops where somebody reads", () =>
      Effect.gen(function*() {
        const { server } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/servers/broken/log")
        const lines = page.getByRole("region", { name: "Lines" })
        yield* on(() => lines.getByText("cannot start", { exact: true }).first().waitFor())
        const count = on(() => lines.locator(".log-line").count())
        const before = yield* count
        yield* server.post("/api/mcp/servers/broken/start")
        yield* ChatServer.until(count, (now) => now > before)
        yield* on(() => page.getByRole("searchbox", { name: "Filter the log" }).fill("CANNOT"))
        yield* on(() => page.getByRole("combobox", { name: "Which lines" }).selectOption("stderr"))
        yield* soon(() => lines.innerText(), (words) => {
          assert.match(words, /cannot start/)
          assert.notMatch(words, /starting/)
        })
        yield* press(page, "Pause")
        yield* on(() => page.getByText(/paused$/).waitFor())
        yield* press(page, "Follow")
        yield* on(() => page.getByText(/following$/).waitFor())
        nothing(complaints)
      }))

    it.effect("shows tools with their schemas, prompts with their arguments, and reads resources", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers/everything")
        const tabs = page.getByRole("navigation", { name: "About everything" })
        yield* on(() => tabs.getByRole("link", { name: /^Prompts/ }).click())
        const prompts = page.getByRole("list", { name: "Prompts" })
        yield* on(() => prompts.getByText("/everything:args-prompt").waitFor())
        assert.match(yield* on(() => prompts.innerText()), /city\s+required/)
        yield* on(() => tabs.getByRole("link", { name: /^Resources/ }).click())
        yield* on(() => page.getByRole("button", { name: "Read architecture.md" }).click())
        yield* on(() =>
          page.getByRole("group", { name: /^Resource .*architecture\.md$/ }).getByText("Architecture").first()
            .waitFor()
        )
        yield* on(() => tabs.getByRole("link", { name: /^Tools/ }).click())
        const tool = page.getByRole("list", { name: "Tools of everything" }).getByRole("listitem").filter({
          hasText: "get-sum"
        })
        yield* on(() => tool.getByText(/^Schema/).click())
        yield* on(() =>
          tool.getByRole("group", { name: "Input schema of get-sum" }).locator(".hljs-attr").first().waitFor()
        )
        yield* on(() => tool.getByRole("link", { name: "Try get-sum" }).click())
        yield* on(() => page.getByRole("article", { name: "everything_get-sum" }).waitFor())
        nothing(complaints)
      }))

    it.effect("runs prompts, with arguments and without, and takes what comes of one to a chat", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers/everything/prompts")
        const made = (name: string) => page.getByRole("group", { name: `What ${name} makes` })
        yield* on(() => page.getByRole("button", { name: "Try Simple Prompt" }).click())
        yield* on(() => made("simple-prompt").getByText("simple prompt without arguments").waitFor())
        yield* on(() => page.getByRole("button", { name: "Try Arguments Prompt" }).click())
        const form = dialog(page, "Arguments Prompt")
        yield* on(() => form.getByRole("combobox", { name: "city", exact: true }).fill("Bergen"))
        yield* on(() => form.getByRole("button", { name: "Show it" }).click())
        yield* on(() => made("args-prompt").getByText("What's weather in Bergen?").waitFor())
        yield* press(page, "Use Arguments Prompt in a chat")
        const message = page.getByRole("textbox", { name: "Message" })
        yield* soon(() => message.inputValue(), (text) => assert.strictEqual(text, "What's weather in Bergen?"))
        nothing(complaints)
      }))

    it.effect("adds a server by its command, shows what is refused, and removes it again", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/servers")
        yield* press(page, "Add server")
        const form = dialog(page, "Add servers")
        const what = form.getByRole("textbox", { name: "What is it?" })
        yield* on(() => what.fill("MODE=fast mcp-server-filesystem workspace"))
        const called = form.getByRole("textbox", { name: /^Name of/ })
        yield* on(() => called.fill("everything"))
        yield* on(() => form.getByRole("button", { name: "Add", exact: true }).click())
        yield* on(() => form.getByRole("alert").getByText(/everything/).waitFor())
        yield* on(() => called.fill("mine"))
        yield* on(() => form.getByRole("button", { name: "Add", exact: true }).click())
        yield* on(() => form.waitFor({ state: "detached" }))
        yield* on(() => card(page, "mine", "ready").waitFor())
        const written = () => JSON.parse(readFileSync(join(data, "mcp.json"), "utf8")).mcpServers
        assert.deepStrictEqual(written().mine, {
          command: "mcp-server-filesystem",
          args: ["workspace"],
          env: { MODE: "fast" }
        })
        yield* choose(page, "mine", "Remove …")
        yield* on(() => dialog(page, "Remove mine?").getByRole("button", { name: "Cancel" }).click())
        yield* choose(page, "mine", "Remove …")
        yield* on(() => dialog(page, "Remove mine?").getByRole("button", { name: "Remove" }).click())
        yield* on(() => card(page, "files", "ready").waitFor())
        yield* on(() => card(page, "mine", "ready").waitFor({ state: "detached" }))
        assert.notProperty(written(), "mine")
        assert.isTrue(complaints.every((complaint) => complaint.includes("409")), complaints.join("\n"))
      }))

    it.effect("adds what some documentation has to paste", () =>
      Effect.gen(function*() {
        const { server } = yield* PanelsStage
        const { page } = yield* open("/#/servers")
        yield* press(page, "Add server")
        const form = dialog(page, "Add servers")
        const what = form.getByRole("textbox", { name: "What is it?" })
        yield* on(() => what.fill("{ oops"))
        yield* on(() => form.getByRole("alert").first().waitFor())
        yield* on(() => what.fill("\"pasted\": { \"command\": \"mcp-server-filesystem\", \"args\": [\"workspace\"] }"))
        yield* on(() => form.getByRole("button", { name: "Add", exact: true }).click())
        yield* on(() => card(page, "pasted", "ready").waitFor())
        yield* on(() => page.getByRole("link", { name: "pasted", exact: true }).click())
        yield* on(() => page.locator(".server-state").getByText("ready").waitFor())
        assert.strictEqual((yield* server.get("/api/tools")).status, 200)
        yield* on(() => fetch(`${server.url}/api/mcp/servers/pasted`, { method: "DELETE" }))
        yield* on(() => page.getByRole("heading", { name: "There is no server pasted" }).waitFor())
      }))
    it.effect("shows agents with what their patterns match, and problems by file and line as soon as a file is saved", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/agents")
        const reader = page.getByRole("listitem", { name: "Reader", exact: true })
        yield* on(() => reader.getByText(/^10 tools of servers now/).waitFor())
        yield* on(() => reader.getByText("at most 5 a turn").waitFor())
        const text = yield* on(() => reader.innerText())
        assert.match(text, /AGENTS\.md:8/)
        assert.match(text, /nothing_\*/)
        yield* on(() => reader.getByText(/^10 tools/).click())
        yield* on(() => reader.getByRole("link", { name: "files_read_text_file" }).waitFor())
        const file = join(data, "AGENTS.md")
        change(file, "steps: 5", "steps: five")
        yield* on(() =>
          page.getByRole("region", { name: "1 problem in agent files" }).getByText(/AGENTS\.md:11/).waitFor()
        )
        yield* on(() => page.getByRole("link", { name: /^Agents 1 to fix/ }).waitFor())
        change(file, "steps: five", "steps: 7")
        yield* on(() => reader.getByText("at most 7 a turn").waitFor())
        // Its card may ask for its tools in the moment in which it is not there.
        nothing(complaints.filter((words) => !/404 .*[?&]agent=Reader/.test(words)))
      }))

    it.effect("asks again what an agent may use, when the server did not know it for a moment", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/#/settings")
        const away = { status: 404, json: { _tag: "NotFound", detail: "there is no agent Reader", hint: "look again" } }
        yield* on(() => page.route("**/api/tools?agent=Reader", (route) => route.fulfill(away), { times: 1 }))
        yield* on(() => page.getByRole("link", { name: /^Agents/ }).click())
        const reader = page.getByRole("listitem", { name: "Reader", exact: true })
        yield* on(() => reader.getByText(/^10 tools of servers now/).waitFor())
        assert.strictEqual(yield* on(() => page.getByText("there is no agent Reader").count()), 0)
      }))

    it.effect("changes settings in their file, offers the default again where the file says something, and shows what is refused", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { page } = yield* open("/#/settings")
        const written = () => JSON.parse(readFileSync(join(data, "settings.json"), "utf8"))
        const setting = (name: string) => page.getByRole("region", { name, exact: true })
        const reset = (name: string) => page.getByRole("button", { name: `Reset ${name}`, exact: true })
        yield* on(() => reset("Other files with servers").waitFor())
        assert.strictEqual(yield* on(() => reset("Titles of chats").count()), 0)
        yield* on(() => setting("Titles of chats").getByRole("combobox").selectOption("The first message"))
        yield* on(() => reset("Titles of chats").waitFor())
        assert.strictEqual(written().titles, "message")
        yield* on(() => setting("Calls that always ask").getByRole("textbox").fill("files_read*\n*_delete_*"))
        yield* on(() => setting("Calls that always ask").getByRole("button", { name: "Save" }).click())
        yield* on(() =>
          setting("Calls that always ask").getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
        )
        assert.deepStrictEqual(written().approvals, { ask: ["files_read*", "*_delete_*"] })
        yield* on(() => setting("Facts about models").getByRole("button", { name: "Add a model" }).click())
        yield* on(() => setting("Facts about models").getByRole("textbox", { name: "Key" }).fill("openai/mine"))
        yield* on(() => setting("Facts about models").getByRole("textbox", { name: "Context in tokens" }).fill("32768"))
        yield* on(() => setting("Facts about models").getByRole("button", { name: "Save" }).click())
        yield* on(() =>
          setting("Facts about models").getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
        )
        assert.deepStrictEqual(written().models, { "openai/mine": { contextTokens: 32768 } })
        yield* on(() => setting("Other files with servers").getByRole("textbox").fill("galaxy"))
        yield* on(() => setting("Other files with servers").getByRole("button", { name: "Save" }).click())
        yield* on(() => setting("Other files with servers").getByRole("alert").getByText(/scopes/).waitFor())
        yield* on(() => reset("Titles of chats").click())
        yield* on(() => reset("Titles of chats").waitFor({ state: "detached" }))
        assert.notProperty(written(), "titles")
      }))

    it.effect("says which version runs, and where chats and configuration are kept", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/settings")
        const region = page.getByRole("region", { name: "This server", exact: true })
        yield* on(() => region.getByText(/SQLite/).waitFor())
        const about = yield* on(() => region.innerText())
        assert.match(about, /BooCode \d+\.\d+\.\d+, on Node \d+/)
        assert.match(about, /SQLite .*state\/chats\.sqlite/)
        assert.include(about, data)
        nothing(complaints)
      }))

    it.effect("lists what was always allowed in chats, and takes it back", () =>
      Effect.gen(function*() {
        const { fresh, server } = yield* PanelsStage
        yield* fresh
        const chat = (yield* server.post("/api/chats")).body["id"]
        yield* Effect.forkChild(
          server.stream(`/api/chats/${chat}/messages`, { text: "/asking_bing_search {\"query\":\"x\"}" })
        )
        const pending = yield* ChatServer.until(
          Effect.map(server.get("/api/approvals"), ({ body }) =>
            Array.isArray(body["pending"]) ? body["pending"][0] : undefined),
          (found) =>
            found !== undefined
        )
        yield* server.post(`/api/chats/${chat}/approvals/${pending.id}`, { decision: "always" })
        const { complaints, page } = yield* openBeside("/#/settings")
        const granted = page.getByRole("region", { name: "Always allowed" })
        yield* on(() => granted.getByText("asking_bing_search").waitFor())
        yield* on(() => granted.getByRole("button", { name: "Revoke asking_bing_search" }).click())
        yield* on(() => granted.getByText("No tool is always allowed").waitFor())
        assert.deepStrictEqual((yield* server.get("/api/approvals")).body["granted"], [])
        nothing(complaints)
      }))

    it.effect(
      "has nothing that axe finds in any panel, in both themes and at the width of a phone",
      () =>
        Effect.gen(function*() {
          const shown: ReadonlyArray<readonly [path: string, act: (page: Page) => Promise<void>]> = [
            ["#/servers", (page) => card(page, "theirs", "needs approval").getByText("<redacted>").first().waitFor()],
            ["#/servers/broken", async (page) => {
              await page.getByText("Standard error", { exact: true }).click()
              await page.getByRole("group", { name: "Standard error of broken" }).waitFor()
            }],
            ["#/servers/broken/log", (page) => page.getByText(/following$/).waitFor()],
            ["#/servers/files/tools", async (page) => {
              await page.getByText(/^Schema/).first().click()
              await page.getByRole("group", { name: /^Input schema/ }).locator(".hljs-attr").first().waitFor()
            }],
            ["#/servers/everything/resources", async (page) => {
              await page.getByRole("button", { name: "Read architecture.md" }).click()
              await page.getByRole("group", { name: /^Resource .*architecture\.md$/ }).waitFor()
            }],
            ["#/tools/files_read_multiple_files", async (page) => {
              await page.getByRole("button", { name: "Run", exact: true }).click()
              await page.getByRole("alert").first().waitFor()
            }],
            ["#/agents", async (page) => {
              await page.getByText(/^10 tools of servers now/).click()
              await page.getByRole("link", { name: "files_read_text_file" }).waitFor()
            }],
            ["#/settings", (page) => page.getByRole("region", { name: "Titles of chats" }).waitFor()],
            ["#/servers/+find/com.example%2Fnotes", Gallery.filled],
            ["#/servers", async (page) => {
              await page.getByRole("button", { name: "Add server" }).click()
              await dialog(page, "Add servers").getByRole("textbox", { name: "What is it?" }).waitFor()
            }]
          ]
          const { page } = yield* open("/#/servers", { bypassCSP: true, reducedMotion: "reduce" })
          for (const [index, [path, act]] of shown.entries()) {
            yield* on(() => page.setViewportSize({ width: 1280, height: 844 }))
            yield* on(() => page.evaluate(`location.hash = "${path}"`))
            yield* on(() => act(page))
            yield* inBothThemes(page, (theme, width) =>
              Effect.gen(function*() {
                if (isAudited(index, theme)) {
                  nothing((yield* accessibility(page)).map((found) => `${path} ${theme}: ${found}`))
                }
                const wide = yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth"))
                assert.isAtMost(wide, width, path)
                assert.strictEqual(yield* on(() => page.locator("#app [style]").count()), 0, path)
              }))
          }
        }),
      Deadline.TEST
    )
  })
})
