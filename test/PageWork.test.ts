import { ChatStore } from "@boocode/chat"
import { FIRST } from "@boocode/chat/CurrentUser"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Locator, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import {
  accessibility,
  busyMillis,
  field,
  log,
  nothing,
  on,
  open,
  PageStage,
  ready,
  say,
  settled,
  soon,
  StageModel,
  unfold,
  withModel
} from "./support/PageStage.ts"
import * as Png from "./support/Png.ts"
import { sized } from "./support/Size.ts"
import * as StoreFile from "./support/StoreFile.ts"

const everything = fileURLToPath(new URL("./node_modules/.bin/mcp-server-everything", import.meta.url))

const NESTED = `${">".repeat(3000)} deep`
const LIST = Array.from({ length: 120 }, (_, at) => `${" ".repeat(at * 2)}- x`).join("\n")
const TABLE = `| a | b |\n| --- | --- |\n${"| cell | other |\n".repeat(500)}`
const WORD = "w".repeat(3000)
const HOSTILE = [
  "<script>document.title='owned'</script>",
  "[one](javascript:alert(1)) [two](data:text/html,x) [three](/api/chats)",
  "![four](https://example.com/x.png)",
  WORD,
  TABLE
].join("\n\n")

const writes = (...texts: ReadonlyArray<string>) => texts.map((text) => ModelServer.call("ledger_write", { text }))

/** Which messages it has dropped already. */
const dropped = new Set<string>()

/** What the model says to each message; the last line of it decides. */
const script: ModelServer.Script = (request) => {
  const text = request.text.split("\n").at(-1) ?? ""
  if (request.results.length > 0) {
    return [ModelServer.text(`Said: ${request.results.map(({ text }) => text).join(" and ")}`.slice(0, 400))]
  }
  if (text.includes("write two")) return writes("one", "two")
  if (text.includes("write")) return writes("first")
  if (text.includes("look")) return [ModelServer.call("ledger_look", { text: "around" })]
  if (text.includes("hostile")) return [ModelServer.text(HOSTILE)]
  if (text.includes("nested quotes")) return [ModelServer.text(NESTED)]
  if (text.includes("nested lists")) return [ModelServer.text(LIST)]
  if (text.includes("drops")) {
    if (dropped.has(text)) return [ModelServer.text("The whole of it.")]
    dropped.add(text)
    return [ModelServer.text("Half of"), ModelServer.drop]
  }
  if (text.includes("slowly")) return [ModelServer.text("Beginning."), ModelServer.wait(20_000)]
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: {
    everything: { command: everything },
    ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] }
  },
  files: { "notes.txt": "hello" }
})

const calls = (page: Page, name: string) => log(page).getByRole("group", { name: `Tool call ${name}` })
const question = (call: Locator) => call.getByRole("group", { name: /May .* be called/ })
/** The page moves the focus once what it moves to is painted. */
const focused = (page: Page, field: Locator) => on(() => field.and(page.locator(":focus")).waitFor())

const newChat = (page: Page) =>
  on(async () => {
    await page.getByRole("button", { name: "New chat", exact: true }).click()
    await log(page).getByRole("article").first().waitFor({ state: "detached" })
  })

/** A picture in the clipboard or under the pointer, as the browser hands it to the page. */
const give = (page: Page, event: "paste" | "drop", name: string) =>
  on(() =>
    page.evaluate(`{
      const bytes = Uint8Array.from(atob("${Png.gradient(40, 20).toString("base64")}"), (c) => c.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], "${name}", { type: "image/png" }))
      const about = { bubbles: true, cancelable: true }
      const event = "${event}" === "paste"
        ? new ClipboardEvent("paste", { ...about, clipboardData: data })
        : new DragEvent("drop", { ...about, dataTransfer: data })
      document.getElementById("message").dispatchEvent(event)
    }`)
  )

const downloaded = (page: Page, name: string) =>
  on(async () => {
    await page.getByRole("button", { name: "More for this chat" }).click()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name }).click()
    ])
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") }
  })

/** How many turns a chat has, and how many chats there are beside it. */
const [TURNS, CHATS] = sized([50, 250] as const, [250, 1000] as const)

/** Empty chats, put where the server keeps them: as many requests would take it longer than all the rest. */
const crowd = (dataDir: string) =>
  Effect.gen(function*() {
    const store = yield* ChatStore
    const [one] = yield* store.list(FIRST.id)
    const record = one ?? assert.fail("there is no chat to copy")
    yield* Effect.forEach(Array.from({ length: CHATS }), () => store.put({ ...record, id: randomUUID() }))
  }).pipe(Effect.provide(StoreFile.layer(`${dataDir}/state/chats.sqlite`)))

/** Makes a chat of many turns out of one, and gives its id. */
const MANY = `(async () => {
  const ask = (method, path, body) =>
    fetch("/api/" + path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  const chat = await (await ask("POST", "chats", {})).json()
  await (await ask("POST", "chats/" + chat.id + "/messages", { text: "look at it" })).text()
  const whole = await (await fetch("/api/chats/" + chat.id + "/export?format=json")).json()
  const of = whole.chat ?? whole
  const [turn] = of.turns
  of.turns = Array.from({ length: ${TURNS} }, (_, at) => ({
    ...turn, turn: at + 1, key: null, text: "Question " + at,
    parts: turn.parts.map((part) => ({ ...part, turn: at + 1, seq: at * 100 + part.seq }))
  }))
  const made = await ask("POST", "chats/import", whole)
  if (!made.ok) throw new Error(await made.text())
  return (await made.json()).id
})()`

describe("the page at work with a model and real MCP servers", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("says who answers, also of a message that had to wait for its turn", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "hello")
        yield* settled(page)
        yield* on(() => log(page).getByRole("heading", { name: "Assistant gpt-5-mini" }).waitFor())
        nothing(complaints)
      }))

    it.effect("asks for two calls at once, sends changed arguments, and has the focus at the next question", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* PageStage
        const { page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "write two lines")
        const first = calls(page, "ledger_write").first()
        const second = calls(page, "ledger_write").nth(1)
        yield* on(() => question(second).waitFor())
        yield* on(() => first.getByRole("button", { name: "Edit" }).click())
        yield* on(() => first.getByRole("button", { name: "JSON" }).click())
        const args = first.getByRole("textbox", { name: "Arguments as JSON" })
        yield* on(() => args.fill("[1]"))
        yield* on(() => first.getByRole("button", { name: "Allow once" }).click())
        yield* on(() => first.getByRole("alert").getByText("Arguments are one JSON object").waitFor())
        yield* on(() => args.fill("{\"text\": 7}"))
        yield* on(() => first.getByRole("button", { name: "Allow once" }).click())
        yield* on(() => first.getByRole("alert").getByText(/text/).waitFor())
        yield* on(() => args.fill("{\"text\": \"changed\"}"))
        yield* on(() => first.getByRole("button", { name: "Allow once" }).focus())
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => first.getByText("Allowed once, with other arguments.").waitFor())
        yield* on(() => second.locator("button:focus", { hasText: "Allow once" }).waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* focused(page, page.locator("#message"))
        const written = readFileSync(`${dataDir}/ledger.txt`, "utf8")
        assert.include(written, "write changed\nwrite two\n")
        assert.notInclude(written, "write one")
        yield* unfold(first)
        assert.include(
          yield* on(() => first.getByRole("group", { name: "Arguments that were sent" }).innerText()),
          "changed"
        )
      }))

    it.effect("asks no more in a chat where it was allowed for the chat, and nowhere after always", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "write a line")
        yield* on(() => calls(page, "ledger_write").getByRole("button", { name: "This chat" }).click())
        yield* settled(page)
        yield* say(page, "write another line")
        yield* settled(page, 2)
        yield* on(() => calls(page, "ledger_write").nth(1).getByText(/^done/).waitFor())
        assert.strictEqual(yield* on(() => question(calls(page, "ledger_write").nth(1)).count()), 0)
        yield* newChat(page)
        yield* say(page, "write in a new chat")
        yield* on(() => calls(page, "ledger_write").getByRole("button", { name: "Always" }).click())
        yield* settled(page)
        yield* newChat(page)
        yield* say(page, "write in a third chat")
        yield* on(() => calls(page, "ledger_write").getByText(/^done/).waitFor())
        nothing(complaints)
      }))

    it.effect("fills a prompt of a server in a form, whose fields the server completes", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* on(() => field(page).pressSequentially("/everything:compl"))
        yield* on(() => page.getByRole("option", { name: /^\/everything:completable-prompt/ }).waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        const form = page.getByRole("dialog")
        yield* on(() => form.getByRole("combobox", { name: "department" }).waitFor())
        yield* focused(page, form.getByLabel("department"))
        yield* on(() => page.keyboard.type("Eng"))
        yield* on(() => form.locator("datalist option[value=Engineering]").first().waitFor({ state: "attached" }))
        yield* on(() => form.getByLabel("department").fill("Engineering"))
        yield* on(() => form.getByLabel("name").fill("Alice"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => form.waitFor({ state: "detached" }))
        const text = yield* on(() => field(page).inputValue())
        assert.include(text, "Alice")
        assert.include(text, "Engineering")
        yield* focused(page, page.locator("#message"))
        nothing(complaints)
      }))

    it.effect("attaches a resource that was chosen after an @, and pictures that are pasted and dropped", () =>
      Effect.gen(function*() {
        const { requests } = yield* StageModel
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* on(() => field(page).pressSequentially("about @archi"))
        yield* on(() => page.getByRole("option", { name: /architecture/i }).first().waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        const attached = page.getByRole("list", { name: "Attached" })
        yield* on(() => attached.getByText(/architecture/i).waitFor())
        yield* soon(() => field(page).inputValue(), (text) => assert.strictEqual(text, "about "))
        yield* give(page, "paste", "pasted.png")
        yield* give(page, "drop", "dropped.png")
        yield* on(() => attached.getByRole("img", { name: "dropped.png" }).waitFor())
        yield* on(() => attached.getByRole("button", { name: "Remove dropped.png" }).click())
        yield* on(() => field(page).pressSequentially("these things"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* on(() => log(page).getByRole("img", { name: "pasted.png" }).waitFor())
        assert.strictEqual(yield* on(() => log(page).getByRole("img", { name: "dropped.png" }).count()), 0)
        const sent = requests.map(({ body }) => JSON.stringify(body)).find((body) => body.includes("these things")) ??
          ""
        assert.match(sent, /tool_result_\w{8} server=\\"everything\\"/)
        assert.match(sent, /data:image\/png;base64,/)
        nothing(complaints)
      }))

    it.effect("says that the provider was asked again, and keeps what it had said in a fold", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "this drops once")
        yield* on(() => log(page).getByText(/Tried again after/).waitFor())
        yield* on(() => log(page).getByText("The whole of it.").waitFor())
        assert.isFalse(yield* on(() => log(page).getByText("Half of", { exact: true }).isVisible()))
        yield* on(() => log(page).getByText("What the failed attempt had said").click())
        yield* on(() => log(page).getByText("Half of", { exact: true }).waitFor())
        nothing(complaints)
      }))

    it.effect("saves a chat as JSON and as Markdown, and takes both in again", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "look at pomegranates")
        yield* settled(page)
        const json = yield* downloaded(page, "Export as JSON")
        const markdown = yield* downloaded(page, "Export as Markdown")
        assert.match(json.name, /\.json$/)
        assert.match(markdown.name, /\.md$/)
        assert.include(markdown.text, "look at pomegranates")
        for (const { name, text } of [json, markdown]) {
          const mimeType = "text/plain"
          yield* on(() =>
            page.locator("input[accept='.json,.md,.markdown,.zip']").setInputFiles({
              name,
              mimeType,
              buffer: Buffer.from(text)
            })
          )
          yield* on(() => page.getByText(/^Imported “/).waitFor())
          yield* on(() => log(page).getByText("look at pomegranates").waitFor())
          yield* on(() => log(page).getByText(/^Said: /).waitFor())
          yield* on(() => page.getByRole("button", { name: "Dismiss" }).click())
        }
        yield* on(() =>
          page.locator("input[accept='.json,.md,.markdown,.zip']").setInputFiles({
            name: "bad.json",
            mimeType: "application/json",
            buffer: Buffer.from("{\"a\":1}")
          })
        )
        yield* on(() => page.locator(".toast.bad").waitFor())
        // The browser itself reports the refusal.
        nothing(complaints.filter((complaint) => !complaint.includes("status of 400")))
      }))

    it.effect("shows in every tab what one of them queues, drops and deletes", () =>
      Effect.gen(function*() {
        const { page } = yield* open()
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        const other = yield* on(() => page.context().newPage())
        yield* on(() => other.goto(page.url()))
        yield* on(() => log(other).getByText("Beginning.").waitFor())
        yield* say(page, "queued here")
        yield* on(() => other.getByText("queued here").waitFor())
        yield* on(() => other.getByRole("button", { name: "Remove this message" }).click())
        yield* on(() => page.getByText("queued here").waitFor({ state: "detached" }))
        yield* on(() => page.getByRole("button", { name: "More for this chat" }).click())
        yield* on(() => page.getByRole("menuitem", { name: "Delete" }).click())
        yield* on(() => page.getByRole("dialog").getByRole("button", { name: "Delete" }).click())
        yield* on(() => other.getByText("There is no such chat").waitFor())
        yield* on(() => page.getByRole("region", { name: "Welcome" }).waitFor())
      }))

    it.effect("stays whole with text that is nested too deep, tables, long words, and addresses that lead elsewhere", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { viewport: { width: 320, height: 640 } })
        yield* say(page, "hostile things")
        yield* settled(page)
        yield* on(() => log(page).getByText("<script>").waitFor())
        assert.strictEqual(yield* on(() => log(page).locator(".markdown script, .markdown img").count()), 0)
        assert.deepStrictEqual(
          yield* on(() =>
            log(page).locator(".markdown a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))
          ),
          ["https://example.com/x.png"]
        )
        assert.strictEqual(yield* on(() => log(page).locator(".markdown tbody tr").count()), 500)
        yield* say(page, "nested quotes")
        yield* on(() => log(page).getByText(/>>>> deep$/).waitFor())
        yield* say(page, "nested lists")
        yield* on(() => log(page).getByText(/^- x\s+- x\s+- x[^]*- x$/).waitFor())
        yield* say(page, "and on")
        yield* on(() => log(page).getByText("You said: and on").waitFor())
        assert.isAtMost(yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth")), 320)
        assert.notInclude(yield* on(() => page.title()), "owned")
        nothing(complaints)
      }))

    it.effect("tells a screen reader of an answer once it is there, not piece by piece", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => field(page).waitFor())
        yield* on(() =>
          page.evaluate(
            "window.said = []; new MutationObserver(() => { const now = document.querySelector('main > p[role=status]')?.textContent; if (now && now !== said.at(-1)) said.push(now) }).observe(document.body, { subtree: true, childList: true, characterData: true })"
          )
        )
        yield* say(page, "something that is said in many more than eight characters")
        yield* settled(page)
        yield* on(() =>
          page.locator("main > p[role=status]", { hasText: "The answer: " }).waitFor({ state: "attached" })
        )
        const said = yield* on(() => page.evaluate<ReadonlyArray<string>>("said"))
        assert.deepStrictEqual(said.filter((text) => text.startsWith("The answer")), [
          "The answer: You said: something that is said in many more than eight characters"
        ])
        assert.isAtMost(said.length, 2)
        nothing(complaints)
      }))

    it.effect("has nothing that axe finds in a chat of several calls at twice the size, and all of it fits", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { bypassCSP: true, viewport: { width: 640, height: 430 } })
        yield* say(page, "look at it")
        yield* settled(page)
        yield* say(page, "look again")
        yield* settled(page, 2)
        yield* say(page, "write a line")
        yield* on(() => question(calls(page, "ledger_write")).waitFor())
        for (const at of [0, 1]) yield* unfold(calls(page, "ledger_look").nth(at))
        yield* on(() => log(page).getByRole("group", { name: "Result" }).nth(1).waitFor())
        nothing(yield* accessibility(page))
        assert.isAtMost(yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth")), 640)
      }))

    it.effect(
      `opens a chat of ${TURNS * 2} messages beside a list of ${CHATS} chats at once, and goes on with it`,
      () =>
        Effect.gen(function*() {
          const { dataDir } = yield* PageStage
          const { page } = yield* open()
          const id = yield* on(() => page.evaluate<string>(MANY))
          yield* crowd(dataDir)
          yield* on(() => page.goto(`${page.url().split("#")[0]}#/chat/${id}`))
          const busy = yield* busyMillis(page)
          const served = process.cpuUsage()
          yield* on(() => page.reload())
          yield* on(() => log(page).getByText(`Question ${TURNS - 1}`).waitFor())
          const { system, user } = process.cpuUsage(served)
          // The work of the page and of the server, whatever else the machine does.
          assert.isBelow((yield* busy) + (system + user) / 1000, 4000)
          // They are drawn a few at a time.
          yield* soon(() => log(page).getByRole("article").count(), (shown) => assert.strictEqual(shown, TURNS))
          yield* on(() =>
            page.getByText(new RegExp(` of ${String(CHATS).slice(0, -1)}\\d are shown`)).waitFor({ state: "attached" })
          )
          assert.isBelow(yield* on(() => page.locator(".chat-item").count()), 200)
          yield* say(page, "one more")
          yield* on(() => log(page).getByText("You said: one more").waitFor())
          yield* on(() => page.keyboard.press("Control+k"))
          yield* on(() => page.keyboard.type("Question 17"))
          // What was found for the beginning alone may still be shown.
          const hit = page.getByRole("option").filter({ has: page.locator("mark", { hasText: /^17$/ }) })
          yield* on(() => hit.filter({ hasText: /Question 17$/ }).first().click())
          yield* on(() => log(page).getByText("Question 17", { exact: true }).waitFor())
          yield* soon(
            () => page.evaluate<number>("[...CSS.highlights.get('found')][1].getBoundingClientRect().top"),
            (top) => {
              assert.isAbove(top, 60)
              assert.isBelow(top, 600)
            }
          )
        })
    )
  })
})
