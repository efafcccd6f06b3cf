/** What the page shows of work that is done, and what it does without a server. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import * as Measured from "./pictures/Measured.ts"
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
  withModel
} from "./support/PageStage.ts"

const script: ModelServer.Script = ({ results }) =>
  results.length > 0
    ? [ModelServer.wait(120), ModelServer.text("Both are there.")]
    : [
      ModelServer.wait(120),
      ModelServer.text("I look."),
      ModelServer.call("slow_slow", { millis: 150 }),
      ModelServer.call("slow_slow", { millis: 300 })
    ]

const stage = withModel(script, "openai/gpt-5-mini", { servers: { slow: FixtureServer.program("Slow") }, files: {} })

const saved = (page: Page, name: string) =>
  on(async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()])
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") }
  })

const numbers = (text: string) =>
  [...text.matchAll(/([\d.]+) (ms|s)\b/g)].map(([, value, unit]) => Number(value) * (unit === "s" ? 1000 : 1))

/** What a headless browser has no microphone and no voice for: it hears two words, and remembers what it was to say. */
const VOICE = `{
  window.said = []
  window.SpeechRecognition = window.webkitSpeechRecognition = class extends EventTarget {
    start() {
      this.lang === "" || setTimeout(() => this.onresult({ resultIndex: 0, results: [Object.assign([{ transcript: "hello" }], { isFinal: false })] }))
      window.hear = (transcript) => this.onresult({ resultIndex: 0, results: [Object.assign([{ transcript }], { isFinal: true })] })
    }
    abort() { window.hear = undefined }
  }
  Object.defineProperty(window, "speechSynthesis", { value: { speak: ({ text }) => window.said.push(text), cancel: () => window.said.push("silence") } })
}`

describe("the page's views of work", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("show what an answer took, what a server did over the day, and what the chat server counts", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const { complaints, page } = yield* open("/", { bypassCSP: true, reducedMotion: "reduce" })
        yield* ready(page, 1)
        yield* say(page, "look at both")
        yield* settled(page)
        yield* on(() => log(page).getByRole("button", { name: /^Timeline/ }).click())
        const rows = page.getByRole("dialog").locator(".timeline-row")
        yield* on(() => rows.first().waitFor())
        const said = yield* on(() =>
          rows.evaluateAll((all) =>
            all.map((row) => [...row.children].slice(0, 2).map((part) => part.textContent).join(""))
          )
        )
        assert.deepStrictEqual(said.map((text) => text.split(".")[0]), [
          "Model, request 1",
          "slow_slow",
          "slow_slow",
          "Model, request 2"
        ])
        const [first = "", short = "", long = ""] = said
        const [took = 0, from = 0, until = 0, word = 0] = numbers(first)
        assert.isTrue(from === 0 && took === until && word >= 100 && word <= until, first)
        assert.include(first, "tokens in")
        assert.isAtLeast(numbers(short)[0] ?? 0, 140)
        assert.isAtLeast(numbers(long)[0] ?? 0, 290)
        // They ran at once: the second began before the first was over.
        assert.isBelow(numbers(long)[1] ?? Infinity, numbers(short)[2] ?? 0)
        nothing(yield* accessibility(page))
        const csv = yield* saved(page, "Save as CSV")
        assert.strictEqual(csv.name, "timeline-1.csv")
        assert.match(csv.text, /\r\nslow_slow,\d+,\d+,\d+,,,,,done\r\n/)
        assert.include((yield* saved(page, "Save as SVG")).text, "<title>slow_slow")
        yield* on(() => page.keyboard.press("Escape"))

        yield* on(() => page.goto(`${url}/#/servers/slow/activity`))
        const activity = page.getByRole("region", { name: "Activity" })
        // The audit writes calls a moment after they were made.
        yield* soon(async () => {
          await page.reload()
          await activity.getByText(/No call|As a table/).waitFor()
          return activity.getByText("No call").count()
        }, (none) => assert.strictEqual(none, 0))
        yield* on(() => activity.getByRole("img", { name: "2 calls, 0 of them failed" }).waitFor())
        yield* on(() => activity.getByText("became ready").waitFor())
        nothing(yield* accessibility(page))

        yield* on(() => page.goto(`${url}/#/settings/health`))
        const servers = page.getByRole("region", { name: "Servers" }).getByRole("table")
        yield* on(() => servers.waitFor())
        assert.match(yield* on(() => servers.innerText()), /slow\s+3\s+2\s+0\s/)
        nothing(complaints)
      }))

    it.effect("restore an older version of a fleet's configuration once it was seen what that changes", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        const sent: Array<unknown> = []
        yield* on(() => Measured.history(page))
        yield* on(() =>
          page.route("**/api/fleet/configuration/restore", (route) => {
            sent.push(route.request().postDataJSON())
            return route.fulfill({ json: { name: "mcp.json", version: 8 } })
          })
        )
        yield* on(() => page.evaluate("location.hash = '#/settings/history'"))
        const files = page.getByRole("region", { name: "mcp.json" })
        yield* on(() => files.getByText("Ann at 10.0.0.7:4267").waitFor())
        assert.strictEqual(yield* on(() => files.getByRole("button", { name: /^Compare/ }).count()), 4)
        yield* on(() => files.getByRole("button", { name: "Show 2 older" }).click())
        yield* on(() => files.getByRole("button", { name: "Compare version 6" }).click())
        const dialog = page.getByRole("dialog", { name: "Restore version 6 of mcp.json" })
        yield* on(() => dialog.getByText("\"calendar\": {").waitFor())
        nothing(yield* accessibility(page))
        assert.deepStrictEqual(sent, [])
        yield* on(() => dialog.getByRole("button", { name: "Restore it" }).click())
        yield* on(() => page.getByText("mcp.json is restored, as version 8").waitFor())
        assert.deepStrictEqual(sent, [{ name: "mcp.json", version: 6, newest: 7 }])
        yield* on(() => dialog.waitFor({ state: "hidden" }))
        nothing(complaints)
      }))

    it.effect("take what a person says into the draft once they know who hears it, and read answers aloud", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { bypassCSP: true })
        yield* on(() => page.addInitScript(VOICE))
        yield* Effect.addFinalizer(() => on(() => page.close()))
        yield* on(() => page.reload())
        yield* on(() => field(page).fill("Well,"))
        yield* on(() => page.getByRole("button", { name: "Speak" }).click())
        const dialog = page.getByRole("dialog", { name: "Speak a message?" })
        yield* on(() => dialog.getByText("send the sound to a service of their maker").waitFor())
        yield* on(() => dialog.getByRole("button", { name: "Listen" }).click())
        const text = (holds: string) =>
          soon(() => field(page).inputValue(), (value) => assert.strictEqual(value, holds))
        yield* text("Well, hello")
        yield* on(() => page.evaluate("hear('hello there')"))
        yield* text("Well, hello there")
        // What is heard after the person wrote on is left out.
        yield* on(() => field(page).fill("look at both"))
        yield* on(() => page.evaluate("hear('nobody wants this')"))
        yield* on(() => page.getByRole("button", { name: "Speak" }).waitFor())
        yield* text("look at both")
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* on(() => log(page).getByRole("button", { name: "Read aloud" }).click())
        yield* on(() => log(page).getByRole("button", { name: "Stop reading" }).waitFor())
        const said = () => page.evaluate<ReadonlyArray<string>>("said")
        assert.deepStrictEqual(yield* on(said), ["silence", "I look.", "Both are there."])
        yield* on(() => page.getByRole("button", { name: "New chat", exact: true }).click())
        yield* soon(said, (all) => assert.strictEqual(all.at(-1), "silence"))
      }))

    it.effect("have more room without the sidebar, which stays folded in this browser until somebody wants it back", () =>
      Effect.gen(function*() {
        const { page } = yield* open()
        const side = page.getByRole("complementary", { name: "Chats and panels" })
        yield* on(() => side.getByRole("button", { name: "Fold the sidebar" }).click())
        yield* on(() => side.waitFor({ state: "hidden" }))
        const back = page.getByRole("button", { name: "Chats and panels" })
        yield* on(() => back.and(page.locator(":focus")).waitFor())
        yield* on(() => page.reload())
        yield* on(() => back.waitFor())
        yield* on(() => page.keyboard.press("Control+b"))
        yield* on(() => side.getByRole("button", { name: "Fold the sidebar" }).and(page.locator(":focus")).waitFor())
        // On a narrow page it is a drawer, whatever was chosen on a wide one.
        yield* on(() => page.keyboard.press("Control+b"))
        yield* on(() => page.setViewportSize({ width: 390, height: 844 }))
        yield* on(() => back.click())
        yield* on(() => side.getByRole("button", { name: "New chat" }).waitFor())
      }))

    it.effect("open without a server, with the draft of this person, and keep nothing of what the API said", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { serviceWorkers: "allow" })
        yield* ready(page, 1)
        yield* say(page, "look at both")
        yield* settled(page)
        yield* on(() => field(page).fill("a draft that stays"))
        const kept = () =>
          page.evaluate<ReadonlyArray<string>>(
            `caches.open("boocode-page").then((cache) => cache.keys()).then((all) => all.map(({ url }) => new URL(url).pathname))`
          )
        yield* soon(kept, (paths) => assert.isTrue(paths.some((path) => path.includes("/TurnList-")), paths.join()))
        yield* soon(
          () => page.evaluate("localStorage.getItem('boocode.drafts')"),
          (text) => assert.include(text, "stays")
        )
        for (const path of yield* on(kept)) {
          assert.match(path, /^\/(assets\/[^/]+|[a-z0-9-]+\.(js|svg|png|webmanifest))?$/)
        }
        yield* on(() => page.context().setOffline(true))
        yield* on(() => page.reload())
        yield* on(() => page.getByText("What you write is kept in this browser").waitFor())
        yield* soon(() => field(page).inputValue(), (text) => assert.strictEqual(text, "a draft that stays"))
        yield* on(() => page.context().setOffline(false))
        yield* on(() => log(page).getByText("Both are there.").waitFor())
        assert.strictEqual(yield* on(() => field(page).inputValue()), "a draft that stays")
        // Somebody else was signed in here before.
        yield* on(() =>
          page.evaluate(`{
            const kept = JSON.parse(localStorage.getItem("boocode.drafts"))
            addEventListener("pagehide", () => localStorage.setItem("boocode.drafts", JSON.stringify({ ...kept, owner: "ann" })))
          }`)
        )
        yield* on(() => page.reload())
        yield* on(() => log(page).getByText("Both are there.").waitFor())
        yield* soon(() => page.evaluate("localStorage.getItem('boocode.drafts')"), (text) => assert.isNull(text))
        assert.strictEqual(yield* on(() => field(page).inputValue()), "")
      }))
  })
})
