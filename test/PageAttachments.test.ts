import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
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
  ready,
  say,
  settled,
  soon,
  StageModel,
  withModel
} from "./support/PageStage.ts"
import * as Pdf from "./support/Pdf.ts"

const script: ModelServer.Script = () => [ModelServer.text("It rains in Bergen.")]

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: { ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] } },
  files: {}
})

const attached = (page: Page) => page.getByRole("list", { name: "Attached" })

interface Given {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

const choose = (page: Page, ...files: ReadonlyArray<Given>) =>
  on(() => page.locator(".composer input[type=file]").setInputFiles([...files]))

const csv = { name: "table.csv", mimeType: "text/csv", buffer: Buffer.from("city,rain\nBergen,2250\n") }
const pdf = { name: "report.pdf", mimeType: "application/pdf", buffer: Pdf.of([Pdf.lines("Rain in Bergen")]) }
const zip = { name: "all.zip", mimeType: "application/zip", buffer: Buffer.from([80, 75, 3, 4, 0, 0, 0, 0, 255, 0]) }

/** A file or a text in the clipboard or under the pointer, as the browser hands it to the page. */
const give = (page: Page, event: "paste" | "drop", name: string | null, text: string) =>
  on(() =>
    page.evaluate(`{
      const data = new DataTransfer()
      const [name, text] = ${JSON.stringify([name, text])}
      if (name === null) data.setData("text/plain", text)
      else data.items.add(new File([text], name))
      const about = { bubbles: true, cancelable: true }
      const event = "${event}" === "paste"
        ? new ClipboardEvent("paste", { ...about, clipboardData: data })
        : new DragEvent("drop", { ...about, dataTransfer: data })
      document.getElementById("message").dispatchEvent(event)
    }`)
  )

/** What the browser itself reports of a refusal is no complaint. */
const refusals = (complaints: ReadonlyArray<string>, status: number) =>
  nothing(complaints.filter((complaint) => !complaint.includes(`status of ${status}`)))

describe("the page's attachments and unknown commands", () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("attaches text, PDF and code by button, drop and paste, each with its kind and size", () =>
      Effect.gen(function*() {
        const { requests } = yield* StageModel
        const { complaints, page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 1)
        yield* choose(page, csv, pdf)
        yield* give(page, "drop", "Rain.ts", "export const rain = 2250\n")
        yield* give(page, "paste", "notes.md", "# Notes of the rain\n")
        yield* on(() => attached(page).getByText("notes.md").waitFor())
        yield* soon(() => attached(page).getByRole("listitem").allInnerTexts(), (texts) => {
          assert.match(texts.join(" "), /table\.csv\s+CSV · 22 B/)
          assert.match(texts.join(" "), /report\.pdf\s+PDF · \d+ B/)
          assert.match(texts.join(" "), /Rain\.ts\s+TS · 25 B/)
          assert.match(texts.join(" "), /notes\.md\s+MD · 20 B/)
        })
        nothing(yield* accessibility(page))
        yield* on(() => attached(page).getByRole("button", { name: "Remove Rain.ts" }).click())
        yield* say(page, "what rains?")
        yield* settled(page)
        yield* on(() => log(page).getByRole("link", { name: /^table\.csv/ }).waitFor())
        const sent = requests.map(({ body }) => JSON.stringify(body)).find((body) => body.includes("what rains?")) ?? ""
        assert.include(sent, "Bergen,2250")
        assert.include(sent, "Notes of the rain")
        assert.notInclude(sent, "export const rain")
        nothing(complaints)
      }))

    it.effect("keeps an attachment with a long name, and the button that removes it, within a phone's screen", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { viewport: { width: 390, height: 844 } })
        yield* choose(page, { ...csv, name: `${"a long name ".repeat(9)}.csv` })
        const remove = attached(page).getByRole("button", { name: /^Remove a long name/ })
        const { width = 0, x = 0 } = (yield* on(() => remove.boundingBox())) ?? {}
        assert.isAtMost(x + width, 390)
        yield* on(() => remove.click())
        yield* on(() => attached(page).waitFor({ state: "detached" }))
      }))

    it.effect("shows what the server refuses at that attachment, and keeps the message", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* choose(page, csv, zip)
        yield* on(() => attached(page).getByText("all.zip").waitFor())
        yield* say(page, "look at both")
        const refused = attached(page).getByRole("alert")
        yield* on(() => refused.getByText(/all\.zip/).first().waitFor())
        assert.strictEqual(yield* on(() => attached(page).getByRole("alert").count()), 1)
        assert.strictEqual(yield* on(() => field(page).inputValue()), "look at both")
        assert.strictEqual(yield* on(() => page.locator(".toast").count()), 0)
        yield* on(() => attached(page).getByRole("button", { name: "Remove all.zip" }).click())
        yield* on(() => field(page).press("Enter"))
        yield* settled(page)
        yield* on(() => log(page).getByText("look at both", { exact: true }).waitFor())
        refusals(complaints, 415)
      }))

    it.effect("shows what a proxy refuses as too large at the largest attachment, and keeps the message", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        const refusal = { status: 413, contentType: "text/html", body: "<h1>413 Request Entity Too Large</h1>" }
        yield* on(() => page.route("**/messages", (route) => route.fulfill(refusal), { times: 1 }))
        yield* choose(page, csv, pdf)
        yield* on(() => attached(page).getByText("report.pdf").waitFor())
        yield* say(page, "look at both")
        const refused = attached(page).getByRole("alert")
        yield* on(() => refused.getByText(/^report\.pdf was not sent: .* a proxy/).waitFor())
        assert.strictEqual(yield* on(() => refused.count()), 1)
        assert.strictEqual(yield* on(() => field(page).inputValue()), "look at both")
        yield* on(() => attached(page).getByRole("button", { name: "Remove report.pdf" }).click())
        yield* on(() => field(page).press("Enter"))
        yield* settled(page)
        refusals(complaints, 413)
      }))

    it.effect("tells limits before anything is sent", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* choose(page, ...Array.from({ length: 9 }, (_, at) => ({ ...csv, name: `table-${at}.csv` })))
        yield* on(() =>
          attached(page).getByRole("alert").getByText("table-8.csv is not attached: a message takes 8 attachments.")
            .waitFor()
        )
        yield* soon(() => attached(page).getByRole("listitem").count(), (count) => assert.strictEqual(count, 8))
        nothing(complaints)
      }))

    it.effect("makes an attachment of a long pasted text, and puts it back as text", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        const long = "It rains. ".repeat(900)
        yield* on(() => field(page).fill("before "))
        yield* give(page, "paste", null, long)
        yield* on(() => attached(page).getByText("TXT · 9.0 kB").waitFor())
        assert.strictEqual(yield* on(() => field(page).inputValue()), "before ")
        yield* on(() => attached(page).getByRole("button", { name: "Put pasted.txt back as text" }).click())
        yield* soon(() => field(page).inputValue(), (text) => assert.strictEqual(text, `before ${long}`))
        assert.strictEqual(yield* on(() => attached(page).count()), 0)
        yield* on(() => field(page).fill("/ledger_look "))
        yield* give(page, "paste", null, long)
        yield* soon(() => attached(page).count(), (count) => assert.strictEqual(count, 0))
        nothing(complaints)
      }))

    it.effect("shows an unknown command at the composer, with the nearest names as buttons", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        yield* say(page, "/ledger_lok {\"text\":\"$&\"}")
        const meant = page.getByRole("group", { name: "Did you mean" })
        yield* on(() => meant.getByRole("button", { name: "/ledger_look" }).waitFor())
        assert.strictEqual(yield* on(() => field(page).inputValue()), "/ledger_lok {\"text\":\"$&\"}")
        assert.strictEqual(yield* on(() => page.locator(".toast").count()), 0)
        yield* on(() => meant.getByRole("button", { name: "/ledger_look" }).click())
        yield* on(() => meant.waitFor({ state: "detached" }))
        assert.strictEqual(yield* on(() => field(page).inputValue()), "/ledger_look {\"text\":\"$&\"}")
        refusals(complaints, 400)
      }))
  })
})
