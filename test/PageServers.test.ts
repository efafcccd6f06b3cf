import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import * as Offers from "./servers/interop/Offers.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as OAuth from "./support/OAuth.ts"
import {
  accessibility,
  log,
  nothing,
  on,
  open,
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
  bypassCSP: true,
  reducedMotion: "reduce"
} as const

const FISH = { type: "array", items: { anyOf: [{ const: "f1", title: "Tuna" }, { const: "f2", title: "Salmon" }] } }

/** A form of all kinds of fields. */
const FORM = {
  message: "**Who** are you?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "All of it" },
      line: { type: "string", title: "First line", default: "It was a dark and stormy night." },
      email: { type: "string", title: "E-mail", format: "email" },
      day: { type: "string", title: "Day", format: "date", default: "2026-11-22" },
      age: { type: "integer", title: "Age", minimum: 1, maximum: 120, default: 42 },
      news: { type: "boolean", title: "News", default: true },
      pet: { type: "string", title: "Pet", enum: ["p1", "p2"], enumNames: ["Cats", "Dogs"], default: "p1" },
      fish: { ...FISH, title: "Fish", default: ["f1"] }
    },
    required: ["name"]
  }
}

const asks = (method: string, params: object) => [ModelServer.call("curious_ask", { method, params })]

/** The answers of the model. A sampling request comes without tools. */
const script: ModelServer.Script = ({ results, text }) => {
  if (text.includes("Say boo")) return [ModelServer.text("Boo!")]
  if (results.length > 0) return [ModelServer.text(`Said: ${results.map(({ text }) => text).join(" and ")}`)]
  const [, url] = /visit (\S+)/.exec(text) ?? []
  if (url !== undefined) {
    return asks("elicitation/create", { mode: "url", message: "**Please** pay.", url, elicitationId: "e1" })
  }
  return text.includes("form") ? asks("elicitation/create", FORM) : [ModelServer.call("interop_sample", {})]
}

/** The MCP server that wants a login. */
class Remote extends Context.Service<Remote, OAuth.OAuth>()("test/Remote") {}

const stage = Layer.unwrap(
  Effect.map(Remote, ({ mcp }) =>
    withModel(script, "openai/gpt-5-mini", {
      servers: {
        curious: FixtureServer.entry("Curious"),
        interop: {
          command: FixtureServer.NODE,
          args: [fileURLToPath(new URL("./servers/interop/Sdk1.ts", import.meta.url))]
        },
        remote: { type: "http", url: mcp }
      },
      files: {},
      // No test looks into the keychain of the person who runs it.
      settings: { credentials: "file" }
    }))
).pipe(Layer.provideMerge(Layer.effect(Remote, OAuth.serve)))

const asked = (page: Page, server: string, what: string) =>
  page.getByRole("group", { name: `The server ${server} asks ${what}` })

/** The field with this label has the focus, or gets it now. */
const focused = (page: Page, label: string) =>
  on(() => page.getByLabel(label, { exact: true }).and(page.locator(":focus")).waitFor())

const wide = (page: Page) => on(() => page.evaluate<number>("document.documentElement.scrollWidth"))

/** The browser says itself what the server refused. */
const expected = (complaints: ReadonlyArray<string>) => complaints.filter((words) => !/status of 40[09]/.test(words))

const playground = (page: Page, tool: string) => page.getByRole("article", { name: tool })

/** Asks the server as a program would. */
const post = Effect.fnUntraced(function*(path: string) {
  const { url } = yield* PageStage
  yield* on(() => fetch(`${url}/api/${path}`, { method: "POST" }).then((answer) => answer.text()))
})

const call = (tool: string) => post(`tools/${tool}/call`)

describe("the page where servers ask, report and want a login", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("shows a server's form under its call with its defaults, and says at each field what is refused", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "fill in a form")
        const form = asked(page, "curious", "you to fill in a form")
        yield* on(() => form.getByText("**Who** are you?").waitFor())
        yield* on(() => form.getByRole("timer", { name: /^Time left/ }).getByText(/^4:\d\d left$/).waitFor())
        yield* on(() =>
          page.getByRole("navigation", { name: "Chats" }).getByText("waits for you").waitFor({ state: "attached" })
        )
        const values = yield* on(() =>
          form.locator("input, select").evaluateAll((all) =>
            all.map((each) => Reflect.get(each, Reflect.get(each, "type") === "checkbox" ? "checked" : "value"))
          )
        )
        assert.deepStrictEqual(values, [
          "",
          FORM.requestedSchema.properties.line.default,
          "",
          "2026-11-22",
          "42",
          true,
          "0",
          true,
          false
        ])
        yield* on(() => form.getByRole("button", { name: "Send to curious" }).click())
        yield* on(() => form.getByRole("alert").getByText("This is required.").waitFor())
        yield* focused(page, "Name")
        yield* on(() => page.keyboard.type("Ada"))
        yield* on(() => form.getByLabel("Age").fill("400"))
        yield* on(() => form.getByLabel("E-mail").fill("nobody"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => form.getByRole("alert").nth(1).waitFor())
        yield* focused(page, "E-mail (optional)")
        yield* on(() => form.getByLabel("E-mail").fill("ada@example.com"))
        yield* on(() => form.getByRole("checkbox", { name: "Salmon" }).check())
        yield* on(() => form.getByLabel("Pet").selectOption("Dogs"))
        yield* on(() => form.getByLabel("Age").fill("7"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* settled(page)
        yield* on(() => log(page).getByText("You answered curious.").waitFor())
        yield* on(() => log(page).getByText("What was asked and sent").click())
        assert.deepStrictEqual(
          JSON.parse(yield* on(() => log(page).getByRole("group", { name: "What was sent" }).innerText())),
          {
            name: "Ada",
            line: "It was a dark and stormy night.",
            email: "ada@example.com",
            day: "2026-11-22",
            age: 7,
            news: true,
            pet: "p2",
            fish: ["f1", "f2"]
          }
        )
        yield* on(() => log(page).getByText(/^Said: .*"action":"accept".*"fish":\["f1","f2"\]/).waitFor())
        nothing(expected(complaints))
      }))

    it.effect("shows the whole of an address that a server wants opened, and opens it by a click alone, in a tab of its own", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const { complaints, page } = yield* open("/", PHONE)
        const wanted = `${url}/icon.svg?next=${encodeURIComponent("https://bank.example")}&${"long".repeat(40)}`
        yield* say(page, `visit ${wanted}`)
        const question = asked(page, "curious", "you to open an address")
        yield* on(() => question.getByText("**Please** pay.").waitFor())
        assert.strictEqual(yield* on(() => question.locator(".whole-url p").innerText()), wanted)
        assert.strictEqual(yield* on(() => question.locator(".whole-url strong").innerText()), new URL(url).host)
        nothing(yield* accessibility(page))
        assert.isAtMost(yield* wide(page), 390)
        const tab = yield* on(async () => {
          const opened = page.context().waitForEvent("page")
          await question.getByRole("link", { name: /^Open it in a new tab/ }).click()
          await (await opened).waitForLoadState()
          return opened
        })
        assert.strictEqual(tab.url(), wanted)
        assert.isTrue(yield* on(() => tab.evaluate<boolean>("opener === null && document.referrer === ''")))
        yield* settled(page)
        yield* on(() => log(page).getByText(`You opened ${new URL(url).host} for curious.`).waitFor())
        yield* on(() => log(page).getByText(/^Said: .*"action":"accept"/).waitFor())
        nothing(complaints)
      }))

    it.effect("shows what a server wants the model to read, and asks no more in a chat that allows it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 2)
        yield* say(page, "sample")
        const question = asked(page, "interop", "your model to answer")
        const read = question.getByRole("group", { name: "What the model reads" })
        yield* on(() => read.getByText("Say boo").waitFor())
        yield* on(() => question.getByText("openai/gpt-5-mini would answer with at most 50 tokens").waitFor())
        yield* on(() => question.getByRole("button", { name: "Decline" }).click())
        yield* settled(page)
        yield* on(() => log(page).getByText("You declined to have the model answer interop.").waitFor())
        yield* say(page, "sample, please")
        yield* on(() => question.getByRole("button", { name: "Allow for this chat" }).click())
        yield* settled(page, 2)
        yield* unfold(log(page).getByRole("group", { name: "Tool call interop_sample" }).nth(1))
        yield* on(() => log(page).getByRole("group", { name: "Result" }).getByText("Boo!").waitFor())
        yield* say(page, "sample once more")
        yield* settled(page, 3)
        yield* soon(
          () => log(page).getByText(/^The model answered interop, /).count(),
          (count) => assert.strictEqual(count, 2)
        )
        nothing(complaints)
      }))

    it.effect("asks in a dialog what belongs to no chat, on every page that is open, and in a bar when it is put off", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/tools/interop_ask", PHONE)
        yield* on(() => playground(page, "interop_ask").getByRole("button", { name: "Run" }).click())
        const dialog = page.getByRole("dialog", { name: "interop asks" })
        yield* on(() => dialog.getByLabel("Name").waitFor())
        nothing(yield* accessibility(page))
        assert.isAtMost(yield* wide(page), 390)
        // A key that was meant for something else answers nothing.
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => dialog.waitFor({ state: "detached" }))
        yield* on(() => page.getByRole("status").getByText(/interop asks something and waits/).waitFor())
        const other = yield* on(() => page.context().newPage())
        yield* on(() => other.goto(page.url()))
        yield* on(() => other.getByRole("dialog", { name: "interop asks" }).waitFor())
        yield* on(() => page.bringToFront())
        yield* on(() => page.getByRole("button", { name: "Answer interop" }).click())
        yield* on(() => dialog.getByLabel("Name").fill("Ada"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.locator(".run pre", { hasText: /"name": "Ada",\s+"age": 30/ }).waitFor())
        yield* on(() => other.getByRole("dialog").waitFor({ state: "detached" }))
        yield* on(() => other.close())
        nothing(complaints)
      }))

    it.effect("shows how far a call is while it runs", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/tools/interop_count")
        const tool = playground(page, "interop_count")
        yield* on(() => tool.getByRole("button", { name: "Run" }).waitFor())
        yield* on(() =>
          page.evaluate(
            "window.seen = []; new MutationObserver(() => seen.push(document.querySelector('.playground .gist')?.textContent)).observe(document.body, { subtree: true, childList: true })"
          )
        )
        yield* on(() => tool.getByRole("button", { name: "Run" }).click())
        yield* on(() => tool.getByRole("region", { name: "Result" }).getByText("counted").waitFor())
        const seen = yield* on(() => page.evaluate<ReadonlyArray<string>>("seen"))
        assert.isTrue(seen.some((words) => /^[123] of 3: step [123]$/.test(words)), seen.join())
        yield* on(() => tool.getByRole("progressbar").waitFor({ state: "detached" }))
        nothing(complaints)
      }))

    it.effect("says what a server offers and how it wants to be used, shows what it reports, and changes from which level", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers/interop")
        const instructions = page.getByRole("region", { name: "Instructions of interop" })
        yield* on(() => instructions.getByText(Offers.INSTRUCTIONS).waitFor())
        yield* soon(() => page.locator(".offers-row").innerText(), (offers) => {
          for (const words of ["Tools", "Prompts", "updates of resources", "log messages"]) {
            assert.include(offers, words)
          }
        })
        yield* on(() => page.getByRole("navigation", { name: /^About/ }).getByRole("link", { name: "Log" }).click())
        const lines = (tone: string) => page.locator(`.log-line.from-message.${tone}`)
        yield* call("interop_log")
        yield* on(() => lines("warn").getByText("a word").waitFor())
        assert.strictEqual(yield* on(() => lines("warn").locator(".log-kind").innerText()), "warning")
        assert.strictEqual(yield* on(() => lines("none").count()), 0)
        const level = page.getByRole("combobox", { name: "It reports from" })
        yield* soon(() => level.inputValue(), (words) => assert.strictEqual(words, "info"))
        yield* on(() => Promise.all([page.waitForResponse(/log-level$/), level.selectOption("debug")]))
        yield* soon(() => level.inputValue(), (words) => assert.strictEqual(words, "debug"))
        yield* call("interop_log")
        yield* on(() => lines("none").getByText("a whisper").waitFor())
        yield* on(() => page.getByRole("searchbox", { name: "Filter the log" }).fill("debug interop"))
        yield* on(() => lines("warn").first().waitFor({ state: "detached" }))
        yield* soon(() => page.locator(".log-line").count(), (count) => assert.strictEqual(count, 1))
        nothing(complaints)
      }))

    it.effect("watches a resource, says when it changed, and reads it again", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/servers/interop/resources")
        const notes = page.getByRole("list", { name: "Resources" }).getByRole("listitem").filter({
          hasText: Offers.NOTES
        })
        const watch = notes.getByRole("switch", { name: "Watch notes" })
        yield* on(() => notes.getByRole("button", { name: "Read notes" }).click())
        yield* on(() => notes.getByText("Buy milk, 0 times.").waitFor())
        yield* on(() => watch.click())
        yield* on(() => notes.getByText("Watching.").waitFor())
        yield* call("interop_touch")
        yield* on(() => notes.getByText(/^Changed at /).waitFor())
        yield* on(() => notes.getByText("Buy milk, 0 times.").waitFor())
        yield* on(() => notes.getByRole("button", { name: "Read again: notes" }).click())
        yield* on(() => notes.getByText("Buy milk, 1 times.").waitFor())
        yield* on(() => notes.getByText("Watching.").waitFor())
        yield* on(() => watch.click())
        yield* on(() => notes.getByRole("switch", { name: "Watch notes", checked: false }).waitFor())
        nothing(complaints)
      }))

    it.effect("logs in to a server that wants it, by the browser or by a pasted address, and logs out", () =>
      Effect.gen(function*() {
        const { issuer } = yield* Remote
        yield* post("mcp/servers/remote/logout")
        const { complaints, page } = yield* open("/#/servers/remote", PHONE)
        const box = page.getByRole("region", { name: "Login to remote" })
        const begin = on(async () => {
          await box.getByRole("button", { name: "Log in to remote" }).click()
          return await box.getByRole("link", { name: /^Open the login page/ }).getAttribute("href") ?? ""
        })
        const address = yield* begin
        assert.strictEqual(new URL(address).origin, new URL(issuer).origin)
        nothing(yield* accessibility(page))
        yield* OAuth.logIn(address)
        yield* on(() => page.getByText("Logged in to remote.").waitFor())
        yield* on(() => page.locator(".server-state").getByText("ready").waitFor())
        yield* soon(
          () => page.locator(".server-about").innerText(),
          (words) => assert.include(words, `Logged in at ${issuer}`)
        )
        yield* on(() => page.getByRole("button", { name: "Log out of remote" }).click())
        yield* on(() => page.locator(".server-state").getByText("needs login").waitFor())
        const back = yield* OAuth.consent(yield* begin)
        yield* on(() => box.getByText("on another machine").click())
        const field = box.getByRole("textbox", { name: "Address at the end of the login" })
        yield* on(() => field.fill("https://example.com/?code=x"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => box.getByRole("alert").waitFor())
        yield* focused(page, "Address at the end of the login")
        yield* on(() => field.fill(back))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.locator(".server-state").getByText("ready").waitFor())
        nothing(expected(complaints))
      }))

    it.effect("takes back a login that was begun", () =>
      Effect.gen(function*() {
        yield* post("mcp/servers/remote/logout")
        const { page } = yield* open("/#/servers")
        const card = page.getByRole("listitem", { name: "remote, needs login" })
        yield* on(() => card.getByRole("button", { name: "Log in to remote" }).click())
        yield* on(() => card.getByRole("button", { name: "Cancel the login to remote" }).click())
        yield* on(() => card.getByRole("button", { name: "Log in to remote" }).waitFor())
        yield* on(() => page.getByRole("link", { name: /^Servers 2 ready · 1 to log in/ }).waitFor())
      }))
  })
})
