/** What a person does in the page alone, from an empty home: a model, servers and agents. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import { browser } from "./support/Browser.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as FreshState from "./support/FreshState.ts"
import { accessibility, inBothThemes, isAudited, nothing, on, openAt, soon } from "./support/PageStage.ts"

const KEY = "sk-test-Zq8rT2vLx0Pa7Kd3"

/** What a chat server of its own begins with; without files of configuration it is a new home. */
const stage = Effect.fnUntraced(function*(files: Readonly<Record<string, string>> = {}) {
  const root = yield* Command.folder({ "data/workspace/notes.txt": "hello", ...files })
  const data = join(root, "data")
  const server = yield* ChatServer.start(data, { BOOCODE_STATE_DIR: join(root, "state"), HOME: root })
  const shared = yield* browser
  const open = (path: string, options: BrowserContextOptions = {}) =>
    openAt({ browser: shared, url: server.url }, path, { reducedMotion: "reduce", ...options })
  const read = (name: string) => readFileSync(join(data, name), "utf8")
  return { data, open, read, server }
})

const press = (page: Page, name: string | RegExp) =>
  on(() => page.getByRole("button", { name, exact: typeof name === "string" }).click())

const fill = (page: Page, label: string | RegExp, text: string) =>
  on(() => page.getByRole("textbox", { name: label, exact: true }).fill(text))

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name })

const server = (page: Page, name: string, state: string) =>
  page.getByRole("listitem", { name: `${name}, ${state}`, exact: true })

/** What browsers say of answers that refuse something. */
const refusals = (complaints: ReadonlyArray<string>) => complaints.filter((words) => !/status of 4\d\d/.test(words))

const files = { ...FixtureServer.entry("Files", "workspace"), env: Command.COMPILED }

const config = (mcpServers: Readonly<Record<string, unknown>>) => ({
  "data/mcp.json": JSON.stringify({ mcpServers }, null, 2)
})

const wrong = { command: "true", args: "-y some-package" }

/** A home with a server, one that is wrong, an agent, and two other applications. */
const FILES = {
  ...config({ files, wrong }),
  "data/AGENTS.md": "<!-- mine -->\n\n---\nname: Reader\ntools: [files_*] # all\nsteps: 5\n---\n\nRead.\n",
  ".cursor/mcp.json": JSON.stringify({ mcpServers: { files: { command: "other" }, fresh: files } }),
  ".codex/config.toml": "[mcp_servers.boocode]\ncommand = \"boocode\"\nargs = [\"mcp\", \"serve\"]\n"
}

/** The server of such a home, which several tests share. Each begins with the files as they were. */
class Home extends Context.Service<Home>()("test/PageSetupHome", {
  make: Effect.map(stage(FILES), (home) => {
    const fresh = Effect.gen(function*() {
      writeFileSync(join(home.data, "mcp.json"), FILES["data/mcp.json"])
      writeFileSync(join(home.data, "AGENTS.md"), FILES["data/AGENTS.md"])
      yield* FreshState.servers(home.server.url)
    })
    return { ...home, open: (...to: Parameters<typeof home.open>) => Effect.andThen(fresh, home.open(...to)) }
  })
}) {
  static readonly layer = Layer.effect(Home, Home.make)
}

const models = ModelServer.make(
  ({ results }) =>
    results.length === 0
      ? [ModelServer.call("mine_read_text_file", { path: "notes.txt" })]
      : [ModelServer.text(`It says: ${results[0]?.text ?? ""}`)],
  { openAiKey: KEY, models: [{ id: "qwen3", context_length: 32_768 }, { id: "llama4", context_length: 131_072 }] }
)

describe("The page, from an empty home", Deadline.TEST, () => {
  it.live(
    "leads by itself to a model, three servers of one's own and an agent that answers",
    () =>
      Effect.gen(function*() {
        const { url } = yield* models
        const { data, open, read } = yield* stage()
        const began = performance.now()
        const { complaints, page } = yield* open("/")
        yield* on(() => page.getByRole("heading", { name: "Connect a model to start" }).waitFor())
        yield* on(() => page.getByText("Local or other address").click())
        yield* fill(page, "Address", `${url}/v1`)
        yield* on(() => page.getByLabel("API key").fill("wrong-key"))
        yield* press(page, "Save and start")
        yield* on(() => page.getByRole("alert").getByText(/refuses the key/).waitFor())
        yield* on(() => page.getByLabel("API key").fill(KEY))
        yield* press(page, "Test")
        yield* on(() => page.getByText(/^It works: 2 models/).waitFor())
        yield* on(() => page.getByLabel("Model of new chats").selectOption("local/llama4"))
        yield* press(page, "Save and start")
        yield* on(() => page.getByRole("button", { name: /^Model: llama4/ }).waitFor())

        yield* on(() => page.getByRole("link", { name: /^Servers/ }).first().click())
        yield* press(page, "Add server")
        const pasted = JSON.stringify({ mcpServers: { mine: files, other: { ...files, args: [...files.args, "."] } } })
        yield* fill(page, "What is it?", pasted)
        yield* press(page, "Add 2 servers")
        yield* on(() => dialog(page, "Add servers").waitFor({ state: "detached" }))
        yield* on(() => server(page, "mine", "ready").waitFor())
        yield* on(() => server(page, "other", "ready").waitFor())
        yield* press(page, "Add server")
        const third = { ...files, args: [...files.args.slice(0, -1), "${THIRD_FOLDER}"] }
        yield* fill(page, "What is it?", `"third": ${JSON.stringify(third)}`)
        yield* press(page, "Add")
        yield* press(page, "Enter it: THIRD_FOLDER for third")
        yield* on(() => page.getByLabel("THIRD_FOLDER", { exact: true }).fill("workspace"))
        yield* press(page, "Save and start")
        yield* on(() => server(page, "third", "ready").waitFor())

        yield* on(() => page.getByRole("link", { name: /^Agents/ }).click())
        yield* press(page, "New agent")
        yield* fill(page, "Name", "Reader")
        yield* fill(page, "Prompt", "Read what is asked for.")
        yield* press(page, "Those that match")
        yield* fill(page, "Patterns", "mine_*")
        yield* on(() => page.getByRole("status").getByText(/^\d+ of \d+ tools/).waitFor())
        yield* press(page, "Create")
        yield* on(() => page.getByRole("listitem", { name: "Reader", exact: true }).waitFor())

        yield* on(() => page.getByRole("button", { name: /^New chat/ }).click())
        yield* press(page, /^Agent:/)
        yield* on(() => page.getByRole("option", { name: /^Reader/ }).click())
        yield* on(() => page.getByRole("textbox", { name: "Message" }).fill("What is in notes.txt?"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByText(/It says: .*hello/s).first().waitFor())
        const seconds = (performance.now() - began) / 1000

        assert.isBelow(seconds, 300)
        assert.deepStrictEqual(
          Object.keys(JSON.parse(read("mcp.json")).mcpServers).filter((name) => /mine|other|third/.test(name))
            .toSorted(),
          ["mine", "other", "third"]
        )
        assert.include(read(".env"), "THIRD_FOLDER=workspace")
        assert.isTrue(existsSync(join(data, "agents")))
        assert.include(read("settings.json"), "\"model\": \"local/llama4\"")
        assert.notInclude(read("settings.json") + read("mcp.json") + read(".env"), KEY)
        nothing(refusals(complaints))
      }),
    Deadline.TEST
  )

  it.live(
    "lists providers, tries them, has chats use a model of one, gives a key back and removes one, in the settings",
    () =>
      Effect.gen(function*() {
        const { url } = yield* models
        const { open, read } = yield* stage({ "data/settings.json": "{\n  // quiet\n  \"logLevel\": \"error\"\n}" })
        const { complaints, page } = yield* open("/#/settings")
        const { page: other } = yield* open("/")
        yield* on(() => page.getByRole("listitem", { name: "anthropic, not set up" }).waitFor())
        yield* press(page, "Add provider")
        const form = dialog(page, "Add a provider")
        yield* on(() => form.getByRole("textbox", { name: "Name" }).fill("near"))
        yield* on(() => form.getByRole("textbox", { name: "Address" }).fill(`${url}/v1`))
        yield* on(() => form.getByLabel("API key").fill(KEY))
        yield* on(() => form.getByRole("button", { name: "Save" }).click())
        const row = page.getByRole("listitem", { name: "near, ready" })
        yield* on(() => row.getByText(/key stored/).waitFor())
        yield* press(page, "Test near")
        yield* on(() => row.getByText(/^It works: 2 models/).waitFor())
        yield* on(() =>
          page.getByRole("region", { name: "Models with context and prices" }).getByText("near/qwen3").waitFor()
        )
        // Another tab knows of it as well.
        yield* press(other, "Model: Command mode")
        yield* on(() => other.getByRole("option", { name: /^llama4/ }).waitFor())
        yield* press(page, "Default model: None")
        yield* on(() => page.getByRole("option", { name: /^llama4/ }).click())
        yield* on(() => page.getByText("Chats that name no model use near/llama4.").waitFor())
        yield* on(() => other.getByRole("button", { name: "Model: llama4" }).waitFor())
        assert.include(read("settings.json"), "\"model\": \"near/llama4\"")
        const names = yield* on(() => page.locator(".setting h3").allInnerTexts())
        const keys = yield* on(() => page.locator(".setting-key").allInnerTexts())
        assert.deepStrictEqual(names.filter((name) => keys.includes(name)), [], "every setting has a name in words")
        yield* press(page, "Reset Default model")
        yield* on(() => other.getByRole("button", { name: "Model: Command mode" }).waitFor())
        yield* press(page, "More for near")
        yield* on(() => page.getByRole("menuitem", { name: "Edit" }).click())
        yield* on(() =>
          dialog(page, "Change near").getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1")
        )
        yield* on(() => dialog(page, "Change near").getByRole("button", { name: "Save" }).click())
        yield* on(() => dialog(page, "Change near").getByRole("alert").getByText(/belongs to the address/).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        assert.include(read("settings.json"), "// quiet")
        yield* press(page, "More for near")
        yield* on(() => page.getByRole("menuitem", { name: "Remove" }).click())
        yield* on(() => dialog(page, "Remove near?").getByRole("button", { name: "Remove" }).click())
        yield* on(() => row.waitFor({ state: "detached" }))
        assert.notInclude(read("settings.json"), "near")
        nothing(refusals(complaints))
      }),
    Deadline.TEST
  )

  it.live(
    "opens an entry at the key that is wrong, tries it, and saves it with its comments, but not over another change",
    () =>
      Effect.gen(function*() {
        const text = `{
  "mcpServers": {
    "files": {
      // the program
      "command": ${JSON.stringify(files.command)},
      "args": ${JSON.stringify(files.args)},
      "env": ${JSON.stringify({ ...files.env, TOKEN: "secret-of-mine" })},
      "timeout": "soon", // in a while
    },
  },
}`
        const reader = "---\ntools: [\"files_*\", \"!files_write*\"]\n---\n\nRead.\n"
        const permissions = "{ \"rules\": [{ \"deny\": \"files_write*\" }] }\n"
        const { data, open, read } = yield* stage({
          "data/mcp.json": text,
          "data/agents/reader.md": reader,
          "data/permissions.jsonc": permissions
        })
        const { complaints, page } = yield* open("/#/servers")
        yield* press(page, "Edit files")
        const json = page.getByRole("textbox", { name: "The entry of files as JSON" })
        yield* soon(() => json.inputValue(), (shown) => {
          assert.include(shown, "// the program")
          assert.notInclude(shown, "secret-of-mine")
        })
        const timeout = page.getByRole("textbox", { name: "timeout", exact: true })
        yield* soon(
          () => page.evaluate<string>("document.activeElement?.value ?? ''"),
          (value) => assert.strictEqual(value, "soon")
        )
        yield* on(() => timeout.fill("20000"))
        yield* soon(() => json.inputValue(), (shown) => assert.include(shown, "\"timeout\": 20000, // in a while"))
        const good = yield* on(() => json.inputValue())
        yield* on(() => json.fill(good.replace("\"args\":", "\"args\"")))
        yield* on(() => page.getByRole("alert").getByText(/^Line 4, column 10/).waitFor())
        yield* on(() => json.fill(good))
        yield* press(page, "Try it")
        yield* on(() => page.getByText(/^It works: \d+ tools/).waitFor())
        assert.strictEqual(read("mcp.json"), text)
        yield* fill(page, "Name", "renamed")
        const uses = page.getByRole("region", { name: "These use the current name:" })
        yield* on(() => uses.getByText("the patterns of the agent reader").waitFor())
        yield* on(() => uses.getByText("deny files_write*").waitFor())
        yield* press(page, "Save")
        yield* on(() => page.getByRole("heading", { name: "renamed", level: 1 }).waitFor())
        yield* on(() => page.locator(".server-state").getByText("ready").waitFor())
        assert.include(read("mcp.json"), "secret-of-mine")
        assert.include(read("mcp.json"), "\"timeout\": 20000, // in a while")
        yield* soon(() => Promise.resolve(read("agents/reader.md")), (file) => {
          assert.include(file, "renamed_*")
          assert.include(file, "!renamed_write*")
        })
        assert.strictEqual(read("permissions.jsonc"), permissions)

        yield* on(() => page.getByRole("link", { name: "Edit", exact: true }).click())
        const again = page.getByRole("textbox", { name: "The entry of renamed as JSON" })
        yield* on(() => again.waitFor())
        writeFileSync(join(data, "mcp.json"), read("mcp.json").replace("in a while", "a while"))
        yield* fill(page, "timeout", "30000")
        yield* press(page, "Save")
        yield* on(() => page.getByRole("alert").getByText(/was changed in .*mcp\.json meanwhile/).waitFor())
        yield* press(page, "Reload it")
        yield* soon(() => again.inputValue(), (shown) => assert.include(shown, "\"timeout\": 20000, // a while"))
        yield* fill(page, "timeout", "30000")
        yield* press(page, "Save")
        yield* soon(
          () => Promise.resolve(read("mcp.json")),
          (file) => assert.include(file, "\"timeout\": 30000, // a while")
        )
        nothing(refusals(complaints))
      }),
    Deadline.TEST
  )

  it.live(
    "says with which command a program is added, where others reach the server and it may not come from the page",
    () =>
      Effect.gen(function*() {
        const token = "a-token-of-this-test"
        const settings = JSON.stringify({ token, allowedHosts: ["chat.example"] })
        const { open, read } = yield* stage({ ...config({}), "data/settings.json": settings })
        const { complaints, page } = yield* open("/#/servers/+add")
        yield* on(() => page.getByLabel("Token").fill(token))
        yield* press(page, "Log in")
        const form = dialog(page, "Add servers")
        yield* on(() => form.getByRole("textbox", { name: "What is it?" }).fill("npx -y some-package --root ."))
        yield* on(() => form.getByRole("button", { name: "Add", exact: true }).click())
        const row = form.getByRole("listitem", { name: "some-package" })
        yield* on(() => row.getByText("On the machine itself, this command does it:").waitFor())
        yield* on(() =>
          row.getByText("npx -y pnpm@12 boocode mcp add some-package -- npx -y some-package --root .").waitFor()
        )
        assert.deepStrictEqual(JSON.parse(read("mcp.json")).mcpServers, {})
        nothing(refusals(complaints))
      }),
    Deadline.TEST
  )

  layer(Home.layer, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect(
      "understands what is pasted, splits an argument that is two, and refuses what can never work",
      () =>
        Effect.gen(function*() {
          const { open, read } = yield* Home
          const { complaints, page } = yield* open("/#/servers/+add")
          const form = dialog(page, "Add servers")
          const understood = form.getByRole("list", { name: "What was understood" })
          const paste = (text: string) => on(() => form.getByRole("textbox", { name: "What is it?" }).fill(text))
          yield* paste("{ \"command\": ")
          yield* on(() => form.getByRole("alert").first().waitFor())
          yield* paste("claude mcp add git -- uvx mcp-server-git")
          yield* on(() => understood.getByRole("listitem", { name: "git" }).waitFor())
          yield* paste(JSON.stringify({
            mcpServers: { files, two: { command: "npx", args: ["-y some-package"] }, never: { command: "ls | grep x" } }
          }))
          const two = understood.getByRole("listitem", { name: "two" })
          yield* on(() => two.getByRole("button", { name: "Split it" }).click())
          yield* on(() => two.getByText("As it will be written").click())
          yield* on(() => two.getByText("\"some-package\"").first().waitFor())
          yield* on(() => understood.getByRole("checkbox", { name: "Add never" }).isDisabled())
          yield* on(() => understood.getByText(/give another one/).waitFor())
          yield* on(() => understood.getByRole("checkbox", { name: "Add two" }).uncheck())
          yield* on(() => form.getByRole("textbox", { name: "Name of files" }).fill("more"))
          yield* on(() => form.getByRole("button", { name: "Add", exact: true }).click())
          yield* on(() => form.waitFor({ state: "detached" }))
          yield* on(() => server(page, "more", "ready").waitFor())
          assert.deepStrictEqual(Object.keys(JSON.parse(read("mcp.json")).mcpServers), ["files", "wrong", "more"])
          nothing(refusals(complaints))
        }),
      Deadline.TEST
    )

    it.effect(
      "adds several servers in the order in which they were pasted, however long each takes",
      () =>
        Effect.gen(function*() {
          const { open, read } = yield* Home
          const { complaints, page } = yield* open("/#/servers/+add")
          yield* on(() =>
            page.route("**/api/mcp/servers", async (route) => {
              if (route.request().postDataJSON()?.name === "late") {
                await new Promise((resolve) => setTimeout(resolve, 500))
              }
              await route.continue()
            })
          )
          yield* fill(page, "What is it?", JSON.stringify({ mcpServers: { late: files, early: files, last: files } }))
          const add = page.getByRole("button", { name: "Add 3 servers" })
          // However much was pasted, the button is in sight.
          const { height = 0, y = 0 } = (yield* on(() => add.boundingBox())) ?? {}
          assert.isAtMost(y + height, 860)
          yield* on(() => add.click())
          yield* on(() => dialog(page, "Add servers").waitFor({ state: "detached" }))
          const names = Object.keys(JSON.parse(read("mcp.json")).mcpServers)
          assert.deepStrictEqual(names.slice(2), ["late", "early", "last"])
          nothing(refusals(complaints))
        }),
      Deadline.TEST
    )

    it.effect("imports from another application, and says what became of each server", () =>
      Effect.gen(function*() {
        const { open, read } = yield* Home
        const { complaints, page } = yield* open("/#/servers/+import")
        const form = dialog(page, /^Import/)
        yield* on(() => form.getByRole("checkbox", { name: /^fresh/ }).waitFor())
        assert.isFalse(yield* on(() => form.getByRole("checkbox", { name: /^files/ }).isChecked()))
        yield* on(() => form.getByRole("button", { name: "Import 1 server" }).click())
        const report = dialog(page, "What was imported")
        yield* on(() => report.getByText("added", { exact: true }).waitFor())
        yield* on(() => report.getByRole("button", { name: "Done" }).click())
        yield* on(() => server(page, "fresh", "ready").waitFor())
        assert.deepStrictEqual(JSON.parse(read("mcp.json")).mcpServers.files, files)
        nothing(refusals(complaints))
      }), Deadline.TEST)

    it.effect(
      "shows which other applications use BooCode, with the command that connects each",
      () =>
        Effect.gen(function*() {
          const { data, open } = yield* Home
          const { complaints, page } = yield* open("/#/servers/+connect")
          const shown = dialog(page, "Use BooCode in other applications")
          const row = (name: string) => shown.getByRole("listitem").filter({ hasText: name })
          yield* on(() => row("Cursor").getByText("not connected").waitFor())
          yield* on(() => row("Cursor").getByText("2 other servers").waitFor())
          yield* on(() => row("Codex").getByText("connected", { exact: true }).waitFor())
          yield* on(() => row("Zed").getByText("not found").waitFor())
          yield* on(() =>
            row("Cursor").getByRole("button", { name: `Copy npx -y pnpm@12 boocode connect cursor --data ${data}` })
              .click()
          )
          yield* on(() => row("Codex").getByText(`npx -y pnpm@12 boocode disconnect codex --data ${data}`).waitFor())
          yield* on(() => shown.getByText("mcpServers").waitFor())
          nothing(refusals(complaints))
        }),
      Deadline.TEST
    )

    it.effect(
      "changes, duplicates and deletes agents, with their patterns tried and comments kept",
      () =>
        Effect.gen(function*() {
          const { open, read } = yield* Home
          const { complaints, page } = yield* open("/#/agents")
          yield* press(page, "Edit Reader")
          const seen = page.getByRole("region", { name: "What it sees" })
          const tool = seen.getByRole("button", { name: /^files_list_directory files/ })
          yield* soon(() => tool.getAttribute("aria-pressed"), (pressed) => assert.strictEqual(pressed, "true"))
          yield* on(() => tool.click())
          yield* soon(
            () => page.getByRole("textbox", { name: "Patterns" }).inputValue(),
            (patterns) => assert.strictEqual(patterns, "files_*\n!files_list_directory")
          )
          yield* on(() =>
            seen.getByRole("button", { name: /^files_list_directory !files_list_directory/, pressed: false }).waitFor()
          )
          yield* fill(page, "Patterns", "files_read_text_fil")
          yield* on(() => seen.getByText(/matches no tool/).waitFor())
          yield* on(() => seen.getByRole("button", { name: "Use files_read_text_file", exact: true }).click())
          yield* on(() => seen.getByRole("status").getByText(/^1 of/).waitFor())
          yield* fill(page, "Steps", "many")
          yield* press(page, "Save")
          yield* on(() => page.getByRole("alert").getByText("This is not a number.").waitFor())
          yield* fill(page, "Steps", "7")
          yield* press(page, "Save")
          const reader = page.getByRole("listitem", { name: "Reader", exact: true })
          yield* on(() => reader.getByText("at most 7 a turn").waitFor())
          assert.include(read("AGENTS.md"), "<!-- mine -->")
          yield* press(page, "More for Reader")
          yield* on(() => page.getByRole("menuitem", { name: "Duplicate" }).click())
          yield* press(page, "Create")
          yield* on(() => page.getByRole("listitem", { name: "Reader copy", exact: true }).waitFor())
          yield* press(page, "More for Reader copy")
          yield* on(() => page.getByRole("menuitem", { name: "Delete" }).click())
          const question = dialog(page, "Delete Reader copy?")
          yield* on(() => question.getByText("Read.").waitFor())
          yield* on(() => question.getByRole("button", { name: "Delete" }).click())
          yield* on(() =>
            page.getByRole("listitem", { name: "Reader copy", exact: true }).waitFor({ state: "detached" })
          )
          nothing(refusals(complaints))
        }),
      Deadline.TEST
    )

    it.effect(
      "has nothing that axe finds where things are set up, in both themes and at the width of a phone",
      () =>
        Effect.gen(function*() {
          const { open } = yield* Home
          const shown: ReadonlyArray<readonly [path: string, act: (page: Page) => Promise<void>]> = [
            ["#/chat", (page) => page.getByText("Local or other address").click()],
            ["#/servers/wrong/edit", (page) => page.getByRole("textbox", { name: "args", exact: true }).waitFor()],
            ["#/servers/+add", async (page) => {
              await page.getByRole("textbox", { name: "What is it?" }).fill(
                "{\"mcpServers\":{\"two\":{\"command\":\"npx\",\"args\":[\"-y a\"]},\"b\":{\"command\":\"a | b\"}}}"
              )
              await page.getByRole("list", { name: "What was understood" }).waitFor()
            }],
            ["#/servers/+import", (page) => page.getByRole("checkbox", { name: /^fresh/ }).waitFor()],
            ["#/settings", (page) => page.getByRole("button", { name: "Add provider" }).click()],
            ["#/agents/new", async (page) => {
              await page.getByRole("button", { name: "Those that match" }).click()
              await page.getByRole("textbox", { name: "Patterns" }).fill("nothing_*")
              await page.getByText(/matches no tool/).waitFor()
            }]
          ]
          for (const [index, [path, act]] of shown.entries()) {
            const { page } = yield* open(`/${path}`, { bypassCSP: true })
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
