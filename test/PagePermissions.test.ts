import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { accessibility, log, nothing, on, open, PageStage, say, settled, soon, withModel } from "./support/PageStage.ts"

const BEFORE = `${Array.from({ length: 12 }, (_, index) => `line ${index}`).join("\n")}\n`
const AFTER = BEFORE.replace("line 5", "the fifth line")

const write = (path: string) => ModelServer.call("write_file", { path, content: AFTER })

/** What the model calls, as the last line of a message says. */
const script: ModelServer.Script = (request) => {
  const text = request.text.split("\n").at(-1) ?? ""
  if (request.results.length > 0) return [ModelServer.text("Done with it.")]
  if (text === "ledger") return [ModelServer.call("ledger_write", { text: "one" })]
  if (text.startsWith("write ")) return [write(text.slice("write ".length))]
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: { ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] } },
  files: {}
})

/** The files that models write, as they were, and no rules. */
const fresh = Effect.map(PageStage, ({ dataDir }) => {
  for (const folder of ["notes", "drafts"]) {
    mkdirSync(join(dataDir, "workspace", folder), { recursive: true })
    writeFileSync(join(dataDir, "workspace", folder, "plan.txt"), BEFORE)
  }
  rmSync(join(dataDir, "permissions.jsonc"), { force: true })
  return {
    textOf: (path: string) => readFileSync(join(dataDir, "workspace", path), "utf8"),
    rules: () => readFileSync(join(dataDir, "permissions.jsonc"), "utf8")
  }
})

const mode = (page: Page) => page.getByRole("button", { name: /^Tools that write/ })
const choice = (page: Page) => page.getByRole("dialog", { name: "Tools that write" })
const choose = (page: Page, ...texts: ReadonlyArray<string>) =>
  on(async () => {
    await mode(page).click()
    for (const text of texts) await choice(page).getByRole("button", { name: text, exact: true }).click()
    await page.keyboard.press("Escape")
    await choice(page).waitFor({ state: "detached" })
  })
const question = (page: Page) => log(page).getByRole("group", { name: "May write_file (built in) be called?" })
const lines = (card: Locator, kind: "added" | "removed") =>
  card.locator(`.diff-line.${kind} > :last-child`).allInnerTexts()

describe("permissions in the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("switches writing on for an hour, shows what a file would become, and undoes what was written", () =>
      Effect.gen(function*() {
        const { textOf } = yield* fresh
        const { complaints, page } = yield* open()
        yield* on(() => mode(page).getByText("Writing off").waitFor())
        yield* on(() => mode(page).click())
        yield* on(() => choice(page).getByRole("button", { name: "Ask", exact: true }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* choose(page, "Ask", "For an hour")
        yield* on(() => mode(page).getByText(/^Tools that write: Writing asks until \d\d:\d\d$/).waitFor())
        yield* say(page, "write notes/plan.txt")
        yield* on(() => question(page).waitFor())
        assert.deepStrictEqual(yield* on(() => lines(question(page), "removed")), ["line 5"])
        assert.deepStrictEqual(yield* on(() => lines(question(page), "added")), ["the fifth line"])
        const scope = question(page).getByRole("combobox", { name: "Allow longer for" })
        assert.match(yield* on(() => scope.locator("option:checked").innerText()), /where path is notes\/\*$/)
        yield* on(() => question(page).getByRole("button", { name: "This chat" }).click())
        yield* settled(page)
        yield* on(() => log(page).getByText("Allowed for this chat, where path is notes/*.").waitFor())
        assert.strictEqual(textOf("notes/plan.txt"), AFTER)
        yield* on(() => log(page).getByRole("button", { name: "Undo what write_file wrote" }).click())
        yield* on(() => log(page).getByText("Undone.").waitFor())
        assert.strictEqual(textOf("notes/plan.txt"), BEFORE)
        yield* on(() => page.reload())
        yield* on(() => log(page).getByText("Undone.").waitFor())
        yield* on(() => mode(page).getByText(/^Tools that write: Writing asks until/).waitFor())
        yield* say(page, "write notes/plan.txt")
        yield* settled(page, 2)
        yield* on(() => log(page).getByText("Allowed by an earlier yes.").waitFor())
        yield* on(() => mode(page).click())
        yield* on(() => choice(page).getByRole("button", { name: "What was written" }).click())
        const journal = page.getByRole("dialog", { name: "What was written in this chat" })
        yield* soon(
          () => journal.getByRole("listitem", { name: "write_file" }).allInnerTexts(),
          (texts) => {
            assert.strictEqual(texts.length, 2)
            assert.match(texts[0] ?? "", /turn 2[^]*Undo[^]*earlier yes/)
            assert.match(texts[1] ?? "", /turn 1[^]*Undone\.[^]*your yes/)
          }
        )
        yield* on(() => journal.getByRole("button", { name: "Undo what write_file wrote" }).click())
        yield* soon(() => Promise.resolve(textOf("notes/plan.txt")), (text) => assert.strictEqual(text, BEFORE))
        nothing(complaints)
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => page.route("**/api/chats/*", (route) => route.fulfill({ status: 500, json: { detail: "no" } })))
        yield* on(() => mode(page).click())
        yield* on(() => choice(page).getByRole("button", { name: "Off", exact: true }).click())
        const toast = page.locator(".toast.bad")
        yield* on(() => toast.waitFor())
        const [ends, begins] = yield* on(async () => [await choice(page).boundingBox(), await toast.boundingBox()])
        assert.isAbove(
          begins?.y ?? 0,
          (ends?.y ?? 0) + (ends?.height ?? Infinity),
          "the message stands below the choice"
        )
      }))

    it.effect("says why a write was not undone that something else changed since", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* PageStage
        const { textOf } = yield* fresh
        const { page } = yield* open()
        yield* choose(page, "Ask")
        yield* say(page, "write notes/plan.txt")
        yield* on(() => question(page).getByRole("button", { name: "Allow once" }).click())
        yield* settled(page)
        writeFileSync(join(dataDir, "workspace/notes/plan.txt"), "by hand")
        yield* on(() => log(page).getByRole("button", { name: "Undo what write_file wrote" }).click())
        yield* on(() => log(page).getByRole("alert").getByText(/plan\.txt was changed since/).waitFor())
        assert.strictEqual(textOf("notes/plan.txt"), "by hand")
      }))

    it.effect("names the rule that asks, and a no with its reason, on a phone in the dark", () =>
      Effect.gen(function*() {
        yield* fresh
        const phone = { colorScheme: "dark", viewport: { width: 390, height: 844 }, bypassCSP: true } as const
        const { complaints, page } = yield* open("/", phone)
        yield* say(page, "ledger")
        const card = log(page).getByRole("group", { name: "May write of the server ledger be called?" })
        yield* on(() => card.getByText("This rule asks: ask ledger_write in entry ledger: ask").waitFor())
        yield* on(() => card.getByText("only reads").waitFor())
        nothing(yield* accessibility(page))
        assert.isAtMost(yield* on(() => page.evaluate<number>("document.documentElement.scrollWidth")), 390)
        yield* on(() => card.getByRole("button", { name: "No …" }).click())
        yield* on(() => card.getByRole("textbox", { name: /^Why not/ }).fill("not now"))
        yield* on(() => card.getByRole("button", { name: "Deny" }).click())
        yield* on(() => log(page).getByText("Denied: not now").waitFor())
        yield* choose(page, "Rules", "Until midnight")
        nothing(yield* accessibility(page))
        nothing(complaints)
      }))

    it.effect("takes a yes for an hour with conditions of one's own, and none that no rule could have", () =>
      Effect.gen(function*() {
        yield* fresh
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* choose(page, "Ask")
        yield* say(page, "write notes/plan.txt")
        yield* on(() => question(page).getByRole("button", { name: "Change …" }).click())
        const field = question(page).getByRole("textbox", { name: "path is" })
        yield* on(() => field.fill(""))
        yield* on(() => question(page).getByRole("button", { name: "An hour" }).click())
        yield* on(() => page.locator(":focus[aria-invalid=true]").waitFor())
        yield* on(() => field.fill("*/plan.txt"))
        nothing(yield* accessibility(page))
        yield* on(() => question(page).getByRole("button", { name: "An hour" }).click())
        yield* on(() => log(page).getByText("Allowed for an hour, where path is */plan.txt.").waitFor())
        yield* settled(page)
        yield* say(page, "write drafts/plan.txt")
        yield* settled(page, 2)
        yield* say(page, "write drafts/other.txt")
        yield* on(() => question(page).waitFor())
        yield* on(() => page.evaluate("location.hash = '#/settings/permissions'"))
        const allowed = page.getByRole("region", { name: "Always allowed" })
        yield* on(() => allowed.getByText(/^where path is \*\/plan\.txt, built in, since .*, until /).waitFor())
        yield* on(() => allowed.getByRole("button", { name: "Revoke write_file" }).click())
        yield* on(() => allowed.getByText(/^No tool is always allowed/).waitFor())
        nothing(complaints)
      }))

    it.effect("keeps the rules: refuses a file that is wrong at its place, and one whose examples fail unless told to", () =>
      Effect.gen(function*() {
        const { rules } = yield* fresh
        const { complaints, page } = yield* open("/#/settings", { bypassCSP: true })
        yield* on(() => page.getByRole("link", { name: "Permissions", exact: true }).click())
        yield* on(() => page.getByRole("listitem", { name: "Ask ledger_write" }).waitFor())
        yield* on(() => page.getByRole("button", { name: "Edit the file" }).click())
        const file = page.getByRole("textbox", { name: "permissions.jsonc as text" })
        const save = page.getByRole("button", { name: "Save", exact: true })
        yield* on(() => file.fill("{\n  // mine\n  \"rules\": [{ \"deny\": 5 }]\n}"))
        yield* on(() => save.click())
        yield* on(() => page.getByRole("alert").getByText("Line 3, column").waitFor())
        const text = (expect: string) =>
          JSON.stringify(
            {
              write: "rules",
              rules: [
                { deny: "write_file", where: { path: "secret/*" }, note: "nobody's business" },
                { allow: ["write_*", "!write_other"], where: { path: "notes/*" } },
                { ask: "ledger_nothing", class: "writes" }
              ],
              examples: [{ tool: "write_file", args: { path: "secret/a", content: "" }, expect }]
            },
            null,
            2
          )
        yield* on(() => file.fill(text("ask")))
        yield* on(() => save.click())
        yield* on(() => page.getByRole("button", { name: "Save anyway" }).waitFor())
        yield* on(() => page.getByRole("button", { name: "Save anyway" }).click())
        const list = page.getByRole("list", { name: "Rules" })
        yield* on(() =>
          list.getByRole("listitem", { name: "Deny write_file" }).getByText("nobody's business").waitFor()
        )
        yield* on(() => list.getByText("where path is secret/*").waitFor())
        const examples = page.getByRole("region", { name: "Examples" })
        yield* on(() => examples.getByRole("button", { name: "Run the examples" }).click())
        yield* on(() => examples.getByText(/is deny and not ask, because /).waitFor())
        assert.strictEqual(rules(), text("ask"))
        yield* on(() => page.getByRole("button", { name: "Edit the file" }).click())
        yield* on(() => file.fill(text("deny")))
        yield* on(() => save.click())
        yield* on(() => file.waitFor({ state: "detached" }))
        yield* on(() => examples.getByRole("button", { name: "Run the examples" }).click())
        yield* on(() => examples.getByText("1 example came out as expected.").waitFor())
        const trying = page.getByRole("region", { name: "Try a call" })
        yield* on(() => trying.getByRole("combobox", { name: "Tool" }).fill("write_file"))
        yield* on(() =>
          trying.getByRole("textbox", { name: "Arguments as JSON" }).fill("{\"path\":\"notes/a\",\"content\":\"\"}")
        )
        yield* on(() => trying.getByRole("button", { name: "Explain" }).click())
        const verdict = trying.getByRole("region", { name: "What would become of it" })
        yield* on(() => verdict.getByText("It would be called.").waitFor())
        yield* on(() => verdict.getByText("permissions.jsonc:").first().waitFor())
        nothing(yield* accessibility(page))
        // The two refusals, which a browser tells of.
        assert.strictEqual(complaints.filter((each) => !each.includes("400 (Bad Request)")).length, 0)
      }))

    it.effect("shows the rules anew when somebody changed the file, and adds a rule by a form", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* PageStage
        const { rules } = yield* fresh
        const byHand = (text: string) => writeFileSync(join(dataDir, "permissions.jsonc"), text)
        const { complaints, page } = yield* open("/#/settings/permissions", { bypassCSP: true })
        const list = page.getByRole("list", { name: "Rules" })
        yield* on(() => list.getByRole("listitem", { name: "Ask ledger_write" }).waitFor())
        byHand(`{ "rules": [{ "deny": "first" }] }`)
        yield* on(() => list.getByRole("listitem", { name: "Deny first" }).waitFor())
        yield* on(() => page.getByRole("button", { name: "Edit the file" }).click())
        const text = "{\n  \"write\": \"ask\", // mine\n  \"rules\": [\n    { \"deny\": \"second\" }\n  ]\n}\n"
        byHand(text)
        yield* on(() => page.getByRole("button", { name: "Reload it" }).click())
        const file = page.getByRole("textbox", { name: "permissions.jsonc as text" })
        yield* soon(() => file.inputValue(), (shown) => assert.strictEqual(shown, text))
        const form = page.getByRole("form", { name: "Add a rule" })
        const add = form.getByRole("button", { name: "Add to the text" })
        yield* on(() => add.click())
        yield* on(() => form.getByRole("alert").getByText("Name a tool").waitFor())
        yield* on(() => form.getByRole("combobox", { name: "Tools" }).fill("ledger_*, !ledger_read"))
        yield* on(() => form.getByRole("combobox", { name: "Outcome" }).selectOption("Allow"))
        yield* on(() => form.getByRole("combobox", { name: "Class" }).selectOption("writes"))
        yield* on(() => form.getByRole("combobox", { name: "Server" }).selectOption("ledger"))
        yield* on(() => add.click())
        nothing(yield* accessibility(page))
        yield* on(() => page.getByRole("button", { name: "Save", exact: true }).click())
        const added = list.getByRole("listitem", { name: "Allow ledger_*, !ledger_read" })
        yield* on(() => added.getByText("class writes · server ledger").waitFor())
        const rule = `{ "allow": ["ledger_*", "!ledger_read"], "class": "writes", "server": "ledger" }`
        assert.deepStrictEqual(JSON.parse(rules().replace(" // mine", "")).rules, [
          { deny: "second" },
          JSON.parse(rule)
        ])
        assert.include(rules(), "// mine")
        nothing(complaints)
      }))
  })
})
