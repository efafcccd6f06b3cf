import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
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
  PageStage,
  ready,
  say,
  settled,
  soon,
  StageModel,
  unfold,
  withModel
} from "./support/PageStage.ts"

const everything = fileURLToPath(new URL("./node_modules/.bin/mcp-server-everything", import.meta.url))

/** What the model says to each message; the last line of it decides. */
const script: ModelServer.Script = ({ results, text }) => {
  if (results.length > 0) return [ModelServer.text("That is all.")]
  if (text.includes("write")) return [ModelServer.call("ledger_write", { text: "Dear Ann,\n\nhello" })]
  return [ModelServer.text("It rains.")]
}

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: {
    everything: { command: everything },
    ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] }
  },
  files: {}
})

const option = (page: Page, name: string) =>
  page.getByRole("listbox", { name: "Suggestions" }).getByRole("option", { name })
const focused = (element: Locator, page: Page) => on(() => element.and(page.locator(":focus")).waitFor())
const question = (page: Page) => log(page).getByRole("group", { name: /^May write of the server ledger be called/ })

describe("forms of tools in a chat", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("completes the name of a tool in a chat with a model, asks in a form, and runs it without the model", () =>
      Effect.gen(function*() {
        const { requests } = yield* StageModel
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 2)
        const asked = requests.length
        yield* on(() => field(page).pressSequentially("/get-sum"))
        yield* on(() => option(page, "/everything_get-sum").waitFor())
        yield* on(() => page.keyboard.press("Tab"))
        const form = page.getByRole("dialog")
        const first = form.getByRole("textbox", { name: "a *" })
        yield* focused(first, page)
        nothing(yield* accessibility(page))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => form.getByRole("alert").getByText("This is required.").first().waitFor())
        yield* focused(first, page)
        yield* on(() => page.keyboard.type("2"))
        yield* on(() => form.getByRole("textbox", { name: "b *" }).fill("40"))
        yield* on(() => form.getByRole("button", { name: "JSON" }).click())
        yield* soon(
          () => form.getByRole("textbox", { name: "Arguments as JSON" }).inputValue().then(JSON.parse),
          (args) => assert.deepStrictEqual(args, { a: 2, b: 40 })
        )
        yield* on(() => form.getByRole("button", { name: "Run" }).click())
        yield* settled(page)
        yield* on(() => log(page).getByText("/everything_get-sum {\"a\":2,\"b\":40}").waitFor())
        yield* on(() => log(page).getByText(/sum of 2 and 40 is 42/).first().waitFor())
        assert.strictEqual(yield* on(() => field(page).inputValue()), "")
        assert.strictEqual(requests.length, asked)
        nothing(complaints)
      }))

    it.effect("runs what is typed out whole by Enter, and opens the form where arguments are missing", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* on(() => field(page).pressSequentially("/ledger_look"))
        yield* on(() => option(page, "/ledger_look").waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* on(() => log(page).getByText("look is done").first().waitFor())
        yield* say(page, "/everything_get-sum {\"a\": 1, \"b\": 2}")
        yield* settled(page, 2)
        yield* on(() => log(page).getByText(/sum of 1 and 2 is 3/).first().waitFor())
        yield* on(() => field(page).pressSequentially("/everything_get-sum"))
        yield* on(() => option(page, "/everything_get-sum").waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        const form = page.getByRole("dialog")
        yield* focused(form.getByRole("textbox", { name: "a *" }), page)
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => form.waitFor({ state: "detached" }))
        yield* focused(field(page), page)
        assert.match(yield* on(() => field(page).inputValue()), /^\/everything_get-sum *$/)
        nothing(complaints)
      }))

    it.effect("lets a person change the arguments of a call that waits in a form, with the JSON one click away", () =>
      Effect.gen(function*() {
        const { dataDir } = yield* PageStage
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 2)
        yield* say(page, "write it")
        yield* on(() => question(page).getByRole("button", { name: "Edit" }).click())
        const text = question(page).getByRole("textbox", { name: "text", exact: true })
        yield* focused(text, page)
        assert.strictEqual(yield* on(() => text.inputValue()), "Dear Ann,\n\nhello")
        nothing(yield* accessibility(page))
        yield* on(() => question(page).getByRole("button", { name: "JSON" }).click())
        const json = question(page).getByRole("textbox", { name: "Arguments as JSON" })
        yield* soon(
          () => json.inputValue().then(JSON.parse),
          (args) => assert.deepStrictEqual(args, { text: "Dear Ann,\n\nhello" })
        )
        yield* on(() => question(page).getByRole("button", { name: "Form", exact: true }).click())
        yield* on(() => text.fill("Dear Bob,\n\nhello"))
        yield* on(() => question(page).getByRole("button", { name: "Allow once" }).click())
        yield* settled(page)
        yield* unfold(log(page).getByRole("group", { name: "Tool call ledger_write" }))
        yield* on(() => log(page).getByText("Allowed once, with other arguments.").waitFor())
        assert.include(readFileSync(`${dataDir}/ledger.txt`, "utf8"), "write Dear Bob,\n\nhello\n")
        nothing(complaints)
      }))

    it.effect("sends the arguments as they were where nothing was changed, or Escape left the form", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "write it")
        yield* on(() => question(page).getByRole("button", { name: "Edit" }).click())
        const text = question(page).getByRole("textbox", { name: "text", exact: true })
        yield* on(() => text.fill("something else"))
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => text.waitFor({ state: "detached" }))
        yield* on(() => question(page).getByRole("button", { name: "Edit" }).click())
        yield* soon(() => text.inputValue(), (value) => assert.strictEqual(value, "Dear Ann,\n\nhello"))
        yield* on(() => question(page).getByRole("button", { name: "Allow once" }).click())
        yield* settled(page)
        yield* unfold(log(page).getByRole("group", { name: "Tool call ledger_write" }))
        yield* on(() => log(page).getByText("Allowed once.", { exact: true }).waitFor())
        nothing(complaints)
      }))
  })
})
