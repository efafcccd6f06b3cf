import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Locator, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import {
  accessibility,
  field,
  log,
  nothing,
  on,
  open,
  openBeside,
  PageStage,
  ready,
  say,
  settled,
  soon,
  unfold,
  withModel
} from "./support/PageStage.ts"

const PHONE = {
  colorScheme: "dark",
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  bypassCSP: true,
  reducedMotion: "reduce"
} as const

const WIDE_TABLE = `| ${"heading | ".repeat(12)}\n| ${"--- | ".repeat(12)}\n| ${"a cell of words | ".repeat(12)}`

const read = (path: string) => ModelServer.call("files_read_text_file", { path })

/** What the model says to each message; the last line of it decides. */
const script: ModelServer.Script = ({ results, text }) => {
  if (results.length > 0) return [ModelServer.text("That is all.")]
  if (text.includes("read")) return ["notes.txt", "missing.txt", "notes.txt", "notes.txt", "notes.txt"].map(read)
  if (text.includes("write")) return [ModelServer.call("ledger_write", { text: "Dear Ann,\n\nhello" })]
  if (text.includes("table")) return [ModelServer.text(WIDE_TABLE)]
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: {
    files: { command: "mcp-server-filesystem", args: ["workspace"] },
    ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] },
    broken: { command: "/bin/sh", args: ["-c", "echo cannot start >&2; exit 3"] },
    nowhere: { command: "no-such-command-of-this-test" }
  },
  files: { "notes.txt": "hello" }
})

const calls = (page: Page) => log(page).getByRole("group", { name: /^Tool call / })
const isFocused = (page: Page, element: Locator) => on(() => element.and(page.locator(":focus")).waitFor())
const wide = (page: Page) => on(() => page.evaluate<number>("document.documentElement.scrollWidth"))

/** A browser that can be asked for notifications, and keeps those that it shows: the one of the tests refuses all. */
const NOTES = `
  globalThis.notes = []
  globalThis.Notification = class extends EventTarget {
    static get permission() {
      return localStorage.getItem("test.permission") ?? "default"
    }
    static async requestPermission() {
      localStorage.setItem("test.permission", "granted")
    }
    constructor(title, { body }) {
      super()
      Object.assign(this, { title, body, close() {} })
      notes.push(this)
    }
  }`

/** Nobody sees the tab. */
const UNSEEN = `Object.defineProperty(document, "hidden", { get: () => true })`

/** What is smaller than a finger, by its name and size. */
const SMALL = `[...document.querySelectorAll("button, summary, select, input:not([hidden]), [role=option], .side-row")]
  .filter((one) => one.checkVisibility() && !one.closest("[inert], .sidebar:not(.open)"))
  .map((one) => [one.getAttribute("aria-label") ?? one.textContent, one.getBoundingClientRect()])
  .filter(([, { height }]) => height < 44)
  .map(([name, { height, width }]) => name + " " + width + "x" + height)`

describe("the look of the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("speaks the language of the browser, and the one that is chosen in the settings", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/settings", { locale: "de-CH" })
        yield* on(() => page.getByRole("heading", { name: "Einstellungen", exact: true }).waitFor())
        assert.strictEqual(yield* on(() => page.locator("html").getAttribute("lang")), "de")
        yield* on(() => page.getByRole("button", { name: "Neuer Chat" }).first().waitFor())
        yield* on(() => page.getByRole("combobox", { name: "Sprache" }).selectOption("ja"))
        yield* on(() => page.getByRole("heading", { name: "設定", exact: true }).waitFor())
        yield* on(() => page.getByRole("combobox", { name: "言語" }).selectOption("en"))
        yield* on(() => page.getByRole("heading", { name: "Settings", exact: true }).waitFor())
        nothing(complaints)
      }))

    it.effect("folds calls that follow each other, lists what failed, and shows all of them on demand", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "read them")
        yield* settled(page)
        const fold = log(page).getByRole("button", { name: /^Used 5 tools/ })
        yield* on(() => fold.getByText("1 failed").waitFor())
        assert.strictEqual(yield* on(() => calls(page).count()), 1)
        assert.match(yield* on(() => calls(page).innerText()), /missing\.txt[^]*ENOENT/)
        yield* on(() => fold.click())
        yield* soon(() => calls(page).count(), (count) => assert.strictEqual(count, 5))
        const heights = yield* on(() =>
          page.locator(".call-row").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
        )
        assert.deepStrictEqual(heights, [32, 32, 32, 32, 32])
        yield* on(() => log(page).getByRole("button", { name: "Expand all" }).click())
        yield* soon(
          () => log(page).getByRole("group", { name: "Result" }).count(),
          (count) => assert.strictEqual(count, 4)
        )
        nothing(complaints)
      }))

    it.effect("says once which servers are away, without where their commands were looked for, and leads to them", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "hello")
        yield* settled(page)
        const said = yield* on(() => log(page).locator(".away, .warning").allInnerTexts())
        assert.deepStrictEqual(said, ["2 servers are not available. Servers"])
        assert.notInclude(yield* on(() => log(page).innerText()), "/bin")
        yield* on(() => log(page).getByRole("link", { name: "Servers" }).click())
        const nowhere = page.getByRole("listitem", { name: "nowhere, failed" })
        yield* on(() => nowhere.getByText("command not found: no-such-command-of-this-test", { exact: true }).waitFor())
        assert.notInclude(yield* on(() => nowhere.innerText()), "/bin")
        yield* on(() => nowhere.getByText("The whole message").click())
        yield* on(() => nowhere.getByText(/searched .*\/bin/).waitFor())
        nothing(complaints)
      }))

    it.effect("asks with the arguments as fields with their line breaks, and takes an answer by its key", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "write it")
        const question = log(page).getByRole("group", { name: /^May write of the server ledger be called/ })
        yield* on(() => question.waitFor())
        assert.include(yield* on(() => question.locator("dd").innerText()), "Dear Ann,\n\nhello")
        const answers: Array<string> = []
        page.on("request", (request) => request.url().includes("/approvals/") && answers.push(request.url()))
        // A key that was meant for the page answers nothing.
        yield* on(() => page.evaluate("document.activeElement.blur()"))
        yield* on(() => page.keyboard.press("1"))
        nothing(answers)
        yield* on(() => question.getByRole("button", { name: "Edit" }).focus())
        yield* on(() => page.keyboard.press("1"))
        yield* settled(page)
        assert.strictEqual(answers.length, 1)
        yield* unfold(calls(page))
        yield* on(() => log(page).getByText("Allowed once.").waitFor())
        nothing(complaints)
      }))

    it.effect("shows what waits in title and icon of every tab, and notifies where it was asked to and nobody looks", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        const { url } = yield* PageStage
        const context = page.context()
        yield* on(() => page.addInitScript(NOTES))
        yield* on(() => page.reload())
        yield* ready(page, 2)
        yield* on(() => page.getByRole("link", { name: "Settings" }).click())
        assert.strictEqual(yield* on(() => page.evaluate("Notification.permission")), "default")
        yield* on(() => page.getByLabel(/^Notify me when/).check())
        yield* on(() => page.goBack())
        yield* say(page, "write it")
        yield* soon(() => page.title(), (title) => assert.match(title, /^\(1\) .* · BooCode$/))
        assert.strictEqual(yield* on(() => page.locator("link[rel=icon]").getAttribute("href")), "/icon-waiting.svg")
        const allow = () => on(() => log(page).getByRole("button", { name: "Allow once" }).click())
        yield* allow()
        yield* soon(() => page.title(), (title) => assert.notMatch(title, /^\(/))

        // A tab that nobody sees, whose time and notifications are the test's.
        const hidden = yield* on(() => context.newPage())
        yield* on(() => hidden.clock.install())
        yield* on(() => hidden.addInitScript(`${NOTES};${UNSEEN}`))
        yield* on(() => hidden.goto(url))
        yield* on(() => hidden.getByRole("heading", { name: "New chat" }).waitFor())
        const notes = () =>
          hidden.evaluate<ReadonlyArray<string>>("notes.map(({ title, body }) => title + ': ' + body)")
        yield* say(page, "write it again")
        yield* soon(() => hidden.title(), (title) => assert.strictEqual(title, "(1) BooCode"))
        yield* allow()
        yield* soon(() => hidden.title(), (title) => assert.strictEqual(title, "BooCode"))
        nothing(yield* on(notes))

        const chat = new URL(page.url()).hash.split("/").at(-1) ?? ""
        yield* on(() => page.close())
        yield* on(() =>
          fetch(`${url}/api/chats/${chat}/messages`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ text: "write it once more" })
          }).then((response) => response.body?.cancel())
        )
        const later = () => hidden.clock.fastForward(15_000).then(notes)
        const told = ["write it waits for you: May ledger_write be called?"]
        yield* soon(later, (shown) => assert.deepStrictEqual(shown, told))
        assert.strictEqual(yield* on(() => hidden.title()), "(1) BooCode")
        assert.deepStrictEqual(yield* on(later), told)
        yield* on(() => hidden.evaluate("notes[0].dispatchEvent(new Event('click'))"))
        assert.strictEqual(new URL(hidden.url()).hash, `#/chat/${chat}`)
        nothing(complaints)
      }))

    it.effect("chooses agent and model in one kind of list: by words, arrows and Enter, or a name that stands in none", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        const opener = page.getByRole("button", { name: /^Model:/ })
        yield* on(() => opener.click())
        const search = page.getByRole("combobox", { name: "Model" })
        yield* isFocused(page, search)
        yield* on(() => page.keyboard.type("local/qwen"))
        yield* on(() => page.getByRole("option", { name: "Use local/qwen" }).waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("button", { name: "Model: qwen" }).waitFor())
        yield* isFocused(page, opener)
        yield* on(() => opener.click())
        yield* isFocused(page, search)
        yield* on(() => page.keyboard.press("ArrowUp"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("button", { name: "Model: gpt-5-mini" }).waitFor())
        yield* on(() => page.getByRole("button", { name: /^Agent:/ }).click())
        yield* on(() => page.getByRole("option", { name: /^Assistant/, selected: true }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => page.getByRole("dialog").waitFor({ state: "detached" }))
        nothing(complaints)
      }))

    it.effect("says at the attachments what could not be attached, and forgets it with the next", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => field(page).waitFor())
        const chooser = page.locator(".composer input[type=file]")
        yield* on(() =>
          chooser.setInputFiles({ name: "no.png", mimeType: "image/png", buffer: Buffer.from("no picture") })
        )
        const attached = page.getByRole("list", { name: "Attached" })
        yield* on(() => attached.getByText("no.png is not a picture that this browser can read").waitFor())
        assert.strictEqual(yield* on(() => page.locator(".toast").count()), 0)
        yield* on(() => attached.getByRole("button", { name: /^Remove no\.png/ }).click())
        yield* on(() => attached.waitFor({ state: "detached" }))
        nothing(complaints)
      }))

    it.effect("works with a finger: Return makes a line, nothing is too small to press, tables scroll in their own frame", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", PHONE)
        yield* on(() => field(page).fill("a table"))
        yield* on(() => field(page).press("Enter"))
        yield* on(() => page.keyboard.type("please"))
        assert.strictEqual(yield* on(() => field(page).inputValue()), "a table\nplease")
        yield* on(() => page.getByRole("button", { name: "Send" }).click())
        yield* settled(page)
        assert.isAtMost(yield* wide(page), 390)
        const frame = log(page).locator(".table")
        const [inside, shown] = yield* on(() => frame.evaluate((box) => [box.scrollWidth, box.clientWidth]))
        assert.isAbove(inside ?? 0, shown ?? 0)
        yield* on(() => field(page).fill("/"))
        yield* on(() => page.getByRole("listbox", { name: "Suggestions" }).waitFor())
        nothing(yield* on(() => page.evaluate<ReadonlyArray<string>>(SMALL)))
        nothing(yield* accessibility(page))
        yield* on(() => page.evaluate("location.hash = '#/servers'"))
        yield* on(() => page.getByRole("listitem", { name: "files, ready" }).waitFor())
        nothing(yield* on(() => page.evaluate<ReadonlyArray<string>>(SMALL)))
      }))

    it.effect("turns a server off for one chat, on a phone too", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", PHONE)
        yield* on(() => page.getByRole("button", { name: "Servers: 2" }).tap())
        yield* on(() => page.getByRole("option", { name: /^files/ }).tap())
        yield* on(() => page.getByRole("option", { name: "files off in this chat" }).waitFor())
        nothing(yield* on(() => page.evaluate<ReadonlyArray<string>>(SMALL)))
        nothing(yield* accessibility(page))
        // A press above it closes it.
        yield* on(() => page.touchscreen.tap(195, 40))
        yield* on(() => page.getByRole("button", { name: "Servers: 1/2" }).waitFor())
        yield* say(page, "hello")
        yield* on(() => page.getByRole("button", { name: "Send" }).tap())
        yield* settled(page)
        yield* on(() => page.getByRole("button", { name: "Servers: 1/2" }).waitFor())
        assert.isAtMost(yield* wide(page), 390)
      }))

    it.effect("keeps the focus in the drawer while it is open, and gives it back", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { viewport: { width: 390, height: 844 } })
        yield* say(page, "hello")
        yield* settled(page)
        const sidebar = page.getByRole("complementary", { name: "Chats and panels" })
        const opener = page.getByRole("button", { name: "Chats and panels" })
        yield* on(() => opener.click())
        yield* on(() => sidebar.locator(":focus").waitFor())
        const inside = "document.activeElement === document.body || document.activeElement.closest('.sidebar') !== null"
        for (const _ of Array.from({ length: 12 })) {
          yield* on(() => page.keyboard.press("Tab"))
          assert.isTrue(yield* on(() => page.evaluate<boolean>(inside)))
        }
        yield* on(() => page.keyboard.press("Escape"))
        yield* isFocused(page, opener)
        yield* on(() => opener.click())
        // The chat that is open already closes it too.
        yield* on(() => sidebar.locator(".chat-item > a[aria-current]").click())
        yield* on(() => sidebar.waitFor({ state: "hidden" }))
        nothing(complaints)
      }))

    it.effect("puts messages of the page above what is written, and takes one that tells of a failure away with its cause", () =>
      Effect.gen(function*() {
        const { page } = yield* openBeside()
        yield* ready(page, 2)
        yield* on(() =>
          page.route("**/api/chats", (route) => route.fulfill({ status: 500, json: { detail: "no room" } }))
        )
        yield* say(page, "hello")
        const toast = page.locator(".toast", { hasText: "no room" })
        yield* on(() => toast.waitFor())
        const [below, top] = yield* on(() =>
          page.evaluate<ReadonlyArray<number>>(
            "[document.querySelector('.toast').getBoundingClientRect().bottom, document.querySelector('.composer').getBoundingClientRect().top]"
          )
        )
        assert.isBelow(below ?? 0, top ?? 0)
        yield* on(() => page.unroute("**/api/chats"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* on(() => toast.waitFor({ state: "detached" }))
      }))
  })
})
