import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { accessibility, field, log, nothing, on, open, ready, settled, withModel } from "./support/PageStage.ts"
import * as Zoo from "./support/Zoo.ts"

/** Runs the text of a message that has lines, and then says so. */
const script: ModelServer.Script = ({ results, text }) =>
  results.length > 0 || !text.includes("\n")
    ? [ModelServer.text(`You said: ${text}`)]
    : [ModelServer.call("execute", { code: text })]

const stage = withModel(script, "openai/m", {
  servers: {
    ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] },
    slow: Zoo.entry("Slow")
  },
  files: { "notes.txt": "hello" },
  settings: { titles: "message", codeMode: "on" }
})

const CODE = `// Counts the words of all notes, the longest first.
interface Note { path: string; words: number }

const { content } = await files.list_directory({ path: "notes" })
const paths = content.split("\\n").filter((line) => line.startsWith("[FILE]"))
const notes: Note[] = []
for (const path of paths) {
  const text = await files.read_text_file({ path: \`notes/\${path}\` })
  console.log(path, text.content.length)
  notes.push({ path, words: text.content.split(/\\s+/).length })
}
return notes.toSorted((one, other) => other.words - one.words)
`

const PHONE = {
  colorScheme: "dark",
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  bypassCSP: true,
  reducedMotion: "reduce"
} as const

const call = (id: string, name: string, line: number, args: object) => ({
  ...{ type: "tool-call", id, name: `files_${name}`, server: "files", args, program: "p", line }
})

const result = (id: string, text: string, isError = false) => ({
  ...{ type: "tool-result", id, isError, text, content: [], truncated: null, origin: null, millis: 18 }
})

const program = { type: "tool-call", id: "p", name: "execute", server: null, args: { code: CODE } }

const DONE = [
  program,
  call("p_1", "list_directory", 4, { path: "notes" }),
  result("p_1", "[FILE] a.md"),
  ...Array.from({ length: 8 }, (_, at) => [
    call(`p_${at + 2}`, "read_text_file", 8, { path: `notes/${at}.md` }),
    result(`p_${at + 2}`, at === 3 ? "no such file" : "some words", at === 3)
  ]).flat(),
  result(
    "p",
    "Value:\n[{\"path\":\"a.md\",\"words\":2}]\n\nConsole:\na.md 10\nb.md 12\n\nCalls:\n1 files_list_directory (line 4): done"
  )
]

const FAILED = [
  program,
  call("p_1", "list_directory", 4, { path: "notes" }),
  result("p_1", "no such folder", true),
  result(
    "p",
    "The program ended with an error at line 4 in a call of files_list_directory: no such folder\n  4 | const\n\nCalls:\n1 files_list_directory (line 4): failed",
    true
  )
]

/** The open chat with these parts before its answer, as a chat of its own. */
const withParts = (parts: ReadonlyArray<object>) =>
  `(async () => {
  const id = location.hash.split("/").at(-1)
  const chat = await (await fetch("/api/chats/" + id + "/export?format=json")).json()
  const turns = chat.turns ?? chat.chat.turns
  turns[0].parts = [...${JSON.stringify(parts)}.map((part) => ({ ...part, turn: 1 })), ...turns[0].parts]
  turns[0].parts.forEach((part, at) => part.seq = at + 1)
  const answer = await fetch("/api/chats/import", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(chat)
  })
  location.hash = "#/chat/" + (await answer.json()).id
})()`

const WAITS = `// Looks, then writes.
const before = await ledger.look({ text: "before" })
const done = await ledger.write({ text: "asked" })
return { before, done }`

const MANY = `const texts = [0, 1, 2, 3].map((at) => "line " + at)
const done = await Promise.all(texts.map((text) => ledger.write({ text })))
return done.length`

const RUNS = `console.log("begins")
return await slow.slow({ millis: 600000 })`

const running = (page: Page, program: string) =>
  on(async () => {
    await field(page).fill(program)
    await page.getByRole("button", { name: "Send", exact: true }).click()
  })

const showing = Effect.fnUntraced(function*(parts: ReadonlyArray<object>, options?: BrowserContextOptions) {
  const opened = yield* open("/", { bypassCSP: true, ...options })
  yield* on(async () => {
    await field(opened.page).fill("count")
    await opened.page.getByRole("button", { name: "Send", exact: true }).click()
  })
  yield* settled(opened.page)
  yield* on(() => opened.page.evaluate(withParts(parts)))
  yield* on(() => card(opened.page).waitFor())
  return opened
})

const card = (page: Page) => log(page).getByRole("group", { name: "Program of the model" })

const head = (page: Page) => card(page).getByRole("button", { expanded: false }).first()

const code = (page: Page) => card(page).getByRole("group", { name: "The program" })

describe("a program of the model on the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("is one line with its failures, and unfolds to code, calls, console and value", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* showing(DONE)
        yield* on(() => card(page).getByText("9 calls · 1 failed · 18 ms").waitFor())
        yield* on(() => card(page).getByText("Counts the words of all notes, the longest first.").waitFor())
        // What failed stays listed.
        yield* on(() => card(page).getByText("no such file").waitFor())
        yield* on(() => head(page).click())
        yield* on(() => code(page).locator(".hljs-keyword").first().waitFor())
        yield* on(() => card(page).getByRole("button", { name: "Used 9 tools" }).waitFor())
        yield* on(() => card(page).getByRole("group", { name: "Console" }).getByText("b.md 12").waitFor())
        yield* on(() => card(page).getByRole("group", { name: "Value" }).getByText("\"words\": 2").waitFor())
        nothing(yield* accessibility(page))
        nothing(complaints)
      }))

    it.effect("marks the line at which it failed", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* showing(FAILED)
        yield* on(() => head(page).click())
        yield* on(() => card(page).getByText(/no such folder/).first().waitFor())
        assert.strictEqual(yield* on(() => code(page).locator("[data-line]").textContent()), "4")
        nothing(complaints)
      }))

    it.effect("marks the line that waits, has its question in the card, and goes on after the yes", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 2)
        yield* running(page, WAITS)
        yield* on(() => code(page).locator("[data-line=waiting]").waitFor())
        assert.strictEqual(yield* on(() => code(page).locator("[data-line]").textContent()), "3")
        const question = card(page).getByRole("group", { name: "May write of the server ledger be called?" })
        yield* on(() => question.waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => question.getByRole("button", { name: "Allow once" }).click())
        yield* settled(page)
        yield* on(() => card(page).getByRole("group", { name: "Value" }).getByText("write is done").waitFor())
        yield* on(() => card(page).getByText("2 calls").waitFor())
        nothing(complaints)
      }))

    it.effect("asks once about calls that wait at the same moment, each with its arguments", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 2)
        yield* running(page, MANY)
        const question = card(page).getByRole("group", { name: "May these 4 calls of the program be made?" })
        yield* on(() => question.waitFor())
        yield* on(() => question.getByText("line 3").first().click())
        yield* on(() => question.getByRole("group", { name: "Arguments of ledger_write" }).waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => question.getByRole("button", { name: "One by one" }).click())
        yield* on(() => card(page).getByRole("group", { name: /^May write of/ }).nth(3).waitFor())
        yield* on(() => card(page).getByRole("button", { name: "Allow once" }).first().click())
        yield* on(() => card(page).getByRole("group", { name: /^May write of/ }).nth(3).waitFor({ state: "detached" }))
        yield* on(() => page.reload())
        yield* on(() => card(page).getByRole("button", { name: "Allow all 3 once" }).click())
        yield* settled(page)
        yield* on(() => card(page).getByRole("group", { name: "Value" }).getByText("4", { exact: true }).waitFor())
        nothing(complaints)
      }))

    it.effect("shows the line that runs and the last line of the console, until a person stops it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 2)
        yield* running(page, RUNS)
        yield* on(() => code(page).locator("[data-line=running]").waitFor())
        assert.strictEqual(yield* on(() => code(page).locator("[data-line]").textContent()), "2")
        yield* on(() => card(page).getByText("begins").nth(1).waitFor())
        yield* on(() => card(page).getByRole("button", { name: "Stop" }).click())
        yield* settled(page)
        yield* on(() => card(page).getByText("stopped · 1 call").waitFor())
        nothing(complaints)
      }))

    it.effect("is as good on a phone in the dark", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* showing(DONE, PHONE)
        yield* on(() => head(page).click())
        yield* on(() => code(page).locator(".hljs-keyword").first().waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => code(page).scrollIntoViewIfNeeded())
        assert.isAtMost(yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth")), 390)
        nothing(complaints)
      }))
  })
})
