import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import {
  accessibility,
  busyMillis,
  field,
  inBothThemes,
  log,
  nothing,
  on,
  open,
  PageStage,
  ready,
  say,
  settled,
  soon
} from "./support/PageStage.ts"

const MARKUP = `<img src=x onerror="document.title='owned'"><b>bold</b>`
const everything = fileURLToPath(new URL("./node_modules/.bin/mcp-server-everything", import.meta.url))
const dist = fileURLToPath(new URL("../apps/web/dist", import.meta.url))

const stage = PageStage.layer({
  servers: {
    files: { command: "mcp-server-filesystem", args: ["workspace"] },
    everything: { command: everything },
    ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] },
    broken: { command: "/bin/sh", args: ["-c", "echo cannot start >&2; exit 3"] }
  },
  files: { "notes.txt": "hello", "page.html": MARKUP }
})

/** What a request for this path carries over the wire, and how it may be kept. */
const asked = (url: string, path: string, encoding: string) =>
  on(async () => {
    const response = await fetch(url + path, { headers: { "accept-encoding": encoding } })
    await response.arrayBuffer()
    return {
      status: response.status,
      encoding: response.headers.get("content-encoding"),
      cache: response.headers.get("cache-control"),
      etag: response.headers.get("etag") ?? ""
    }
  })

describe("the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("drives one chat turn: the call, its arguments and its result, in order", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* PageStage
        const { complaints, page } = yield* open()
        yield* ready(page, 3)
        yield* on(() => page.getByRole("button", { name: "Agent: Assistant" }).waitFor())
        yield* say(page, "/files_list_directory {\"path\":\".\"}")
        const call = log(page).getByRole("group", { name: "Tool call files_list_directory" })
        yield* on(() => call.getByText(/^done/).waitFor())
        yield* settled(page)
        assert.match(yield* on(() => call.locator(".call-row").innerText()), /List Directory\s+\./)
        assert.match(yield* on(() => call.getByRole("group", { name: "Arguments" }).innerText()), /Path\s+\./)
        yield* on(() => call.getByRole("button", { name: "JSON" }).click())
        yield* on(() => call.getByRole("group", { name: "Arguments, JSON" }).getByText("\"path\": \".\"").waitFor())
        assert.include(
          yield* on(() => call.getByRole("group", { name: "Result" }).innerText()),
          "[FILE] notes.txt\n[FILE] page.html"
        )
        assert.deepStrictEqual(
          yield* on(() =>
            log(page).locator(".parts > *").evaluateAll((parts) => parts.map((part) => part.className.trim()))
          ),
          ["away", "calls"]
        )
        assert.include(yield* on(() => log(page).locator(".away").innerText()), "broken is not available.")
        assert.strictEqual(yield* on(() => field(page).inputValue()), "")
        const picture = yield* on(() => page.screenshot({ path: `${dataDir}/page.png` }))
        assert.isAbove(picture.length, 10_000)
        nothing(complaints)
      }))

    it.effect("shows what a tool returns as text, never as markup", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 3)
        yield* say(page, "/files_read_text_file {\"path\":\"page.html\"}")
        const call = page.getByRole("group", { name: "Tool call files_read_text_file" })
        yield* on(() => call.getByText(/^done/).waitFor())
        assert.include(yield* on(() => call.getByRole("group", { name: "Result" }).innerText()), MARKUP)
        assert.strictEqual(yield* on(() => log(page).locator("img, b").count()), 0)
        assert.notInclude(yield* on(() => page.title()), "owned")
        nothing(complaints)
      }))

    it.effect("shows a picture that a tool returns", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 3)
        yield* say(page, "/everything_get-tiny-image")
        const picture = log(page).getByRole("img", { name: "from everything_get-tiny-image" })
        yield* on(() => picture.waitFor())
        assert.isAbove(yield* on(() => picture.evaluate((image) => Number(Reflect.get(image, "naturalWidth")))), 1)
        nothing(complaints)
      }))

    it.effect("shows a running turn again after a reload, and Escape stops it (R97)", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { colorScheme: "dark" })
        yield* ready(page, 3)
        yield* say(page, "/everything_trigger-long-running-operation {\"duration\":50,\"steps\":100}")
        const call = page.getByRole("group", { name: /^Tool call everything_trigger/ })
        yield* on(() => call.getByText(/of 100/).waitFor())
        yield* on(() => page.reload())
        yield* on(() => call.getByText(/of 100/).waitFor())
        yield* on(() => page.getByRole("progressbar").waitFor())
        yield* on(() => page.getByRole("button", { name: "Stop", exact: true }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => call.getByText("stopped", { exact: true }).waitFor())
        yield* on(() => page.getByText("Stopped.", { exact: true }).waitFor())
        yield* on(() => page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" }))
        nothing(complaints)
      }))

    it.effect("keeps chats in a list, and forgets one on demand", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        const chats = page.getByRole("navigation", { name: "Chats" })
        yield* ready(page, 3)
        yield* on(() => page.getByRole("button", { name: "New chat", exact: true }).click())
        yield* say(page, "/list_dir {}")
        const line = chats.getByRole("link", { name: "/list_dir {}", exact: true })
        yield* on(() => line.waitFor())
        yield* settled(page)
        yield* on(() => chats.getByRole("button", { name: "More for /list_dir {}" }).click())
        yield* on(() => page.getByRole("menuitem", { name: "Delete" }).click())
        yield* on(() => page.getByRole("dialog").getByRole("button", { name: "Delete" }).click())
        yield* on(() => line.waitFor({ state: "hidden" }))
        yield* on(() => page.locator("article").first().waitFor({ state: "detached" }))
        nothing(complaints)
      }))

    it.effect("renames a chat by the keyboard alone, and finds it by its words", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 3)
        yield* say(page, "/list_dir {\"path\":\"aubergine\"}")
        yield* settled(page)
        yield* on(() => page.getByRole("button", { name: "More for this chat" }).focus())
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("menuitem", { name: "Rename" }).waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("textbox", { name: "Title" }).waitFor())
        yield* on(() => page.keyboard.type("Vegetables"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("heading", { name: "Vegetables", level: 1 }).waitFor())
        yield* on(() => page.keyboard.press("Control+k"))
        yield* on(() => page.keyboard.type("aubergine"))
        const found = page.getByRole("dialog", { name: "Search" }).getByRole("group", { name: "Chats" })
        yield* on(() => found.getByRole("option", { name: /^Vegetables.*aubergine/ }).waitFor())
        yield* soon(() => found.getByRole("option").count(), (count) => assert.strictEqual(count, 1))
        yield* on(() => page.evaluate("location.hash = '#/agents'"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("heading", { name: "Vegetables", level: 1 }).waitFor())
        nothing(complaints)
      }))

    it.effect("asks before a call that needs a yes, with its arguments; a no tells the model why", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 3)
        yield* say(page, "/ledger_write {\"text\":\"one\"}")
        const call = log(page).getByRole("group", { name: "Tool call ledger_write" })
        const question = call.getByRole("group", { name: /May write of the server ledger be called/ })
        yield* on(() => question.waitFor())
        assert.match(yield* on(() => question.innerText()), /Text\s+one/)
        yield* on(() => page.getByRole("link", { name: /waits for you/ }).waitFor())
        yield* on(() => page.reload())
        yield* on(() => question.getByRole("button", { name: "Allow once" }).click())
        yield* on(() => call.getByText(/^done/).waitFor())
        yield* on(() => call.getByText("Allowed once.").waitFor())
        yield* say(page, "/ledger_write {\"text\":\"two\"}")
        const second = log(page).getByRole("group", { name: "Tool call ledger_write" }).nth(1)
        yield* on(() => second.getByRole("button", { name: /^No/ }).click())
        yield* on(() => page.keyboard.type("use another folder"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => second.getByText("Denied: use another folder").waitFor())
        assert.strictEqual(yield* on(() => log(page).locator(".call.failed").count()), 0)
        nothing(complaints)
      }))

    it.effect("has nothing that axe finds, in both themes and at the width of a phone", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 3)
        yield* say(page, "/everything_get-tiny-image")
        yield* settled(page)
        const looks = inBothThemes(page, (_, width) =>
          Effect.gen(function*() {
            nothing(yield* accessibility(page))
            const wide = yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth"))
            assert.isAtMost(wide, width)
          }))
        yield* looks
        yield* on(() => field(page).fill("/"))
        yield* on(() => page.getByRole("listbox", { name: "Suggestions" }).waitFor())
        yield* looks
        yield* on(() => field(page).fill(""))
        yield* on(() => page.getByRole("button", { name: /^Model:/ }).click())
        yield* looks
      }))

    it.effect("keeps the theme that was chosen, and the list of chats in a drawer on a phone", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { colorScheme: "light", viewport: { width: 390, height: 844 } })
        const sidebar = page.getByRole("complementary", { name: "Chats and panels" })
        yield* on(() => field(page).waitFor())
        assert.isFalse(yield* on(() => sidebar.isVisible()))
        yield* on(() => page.getByRole("button", { name: "Chats and panels" }).click())
        yield* on(() => sidebar.getByRole("button", { name: "More for BooCode" }).click())
        yield* on(() => sidebar.getByRole("menuitem", { name: "Dark theme" }).click())
        const paper = on(() => page.evaluate<string>("getComputedStyle(document.body).backgroundColor"))
        yield* soon(() => page.locator("html").getAttribute("data-theme"), (theme) => assert.strictEqual(theme, "dark"))
        const dark = yield* paper
        yield* on(() => page.reload())
        yield* on(() => field(page).waitFor())
        assert.strictEqual(yield* paper, dark)
        assert.notStrictEqual(dark, "rgb(255, 255, 255)")
        nothing(complaints)
      }))

    it.effect("paints within a second of work, from less than 500 KB, diagrams and PDFs aside, that a browser may keep", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const { complaints, page } = yield* open()
        const busy = yield* busyMillis(page)
        yield* on(() => page.reload())
        yield* on(() => field(page).waitFor())
        assert.isBelow(yield* busy, 1000)
        const files = readdirSync(`${dist}/assets`).filter((name) => name.endsWith(".gz"))
        // A browser keeps one language.
        const languages = files.filter((name) => /^(?:de|es|ja|zh)-/.test(name))
        assert.lengthOf(languages, 4)
        const size = (names: ReadonlyArray<string>) =>
          names.reduce((sum, name) => sum + statSync(`${dist}/assets/${name}`).size, 0)
        // Diagrams and PDFs are drawn by libraries that come with the first of them.
        const diagrams = files.filter((name) => name.startsWith("mermaid."))
        const pdfs = files.filter((name) => /^(?:PdfView-|pdf\.)/.test(name))
        assert.isBelow(size(diagrams), 800_000)
        assert.isBelow(size(pdfs), 600_000)
        const apart = new Set([...diagrams, ...pdfs, ...languages.slice(1)])
        assert.isBelow(size(files.filter((name) => !apart.has(name))), 500_000)
        const script = `/assets/${files.find((name) => /^index-.*\.js\.gz$/.test(name))?.replace(/\.gz$/, "")}`
        const kept = yield* asked(url, script, "gzip")
        assert.strictEqual(kept.encoding, "gzip")
        assert.include(kept.cache, "immutable")
        assert.strictEqual((yield* asked(url, script, "br, gzip")).encoding, "br")
        assert.isNull((yield* asked(url, script, "identity")).encoding)
        assert.strictEqual((yield* asked(url, "/", "gzip")).cache, "no-cache")
        const again = yield* on(() => fetch(url + script, { headers: { "if-none-match": kept.etag } }))
        assert.strictEqual(again.status, 304)
        nothing(complaints)
      }))

    it("loads at most 90 KB before somebody can type", () => {
      const page = readFileSync(`${dist}/index.html`, "utf8")
      const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path)
      const sizes = [...files, "/index.html"].map((path) => statSync(`${dist}${path}.gz`).size)
      assert.isAbove(files.length, 2)
      assert.isBelow(sizes.reduce((sum, size) => sum + size, 0), 90_000)
    })
  })
})
