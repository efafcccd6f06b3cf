import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import {
  accessibility,
  field,
  log,
  nothing,
  on,
  open,
  openBeside,
  ready,
  say,
  settled,
  soon,
  withModel
} from "./support/PageStage.ts"

const LONG = "and more words\n\n".repeat(120)

/** What the model says to each message. */
const script: ModelServer.Script = ({ text }) => {
  if (text.includes("slowly")) {
    return [ModelServer.text("Beginning."), ModelServer.wait(20_000), ModelServer.text("End.")]
  }
  if (text.includes("fruit")) return [ModelServer.text(`${LONG}A **quince** is yellow.\n\n${LONG}`)]
  return [ModelServer.text(`You said something of ${text.length} characters`)]
}

const stage = withModel(script, "openai/gpt-5-mini", {
  servers: { files: { command: "mcp-server-filesystem", args: ["workspace"] } },
  files: { "notes.txt": "hello" }
})

const dialog = (page: Page) => page.getByRole("dialog", { name: "Search" })
const found = (page: Page) => dialog(page).getByRole("group", { name: "Chats" }).getByRole("option")
const command = (page: Page, name: string) => dialog(page).getByRole("option", { name })

const begin = (page: Page) =>
  on(async () => {
    await page.getByRole("button", { name: "New chat", exact: true }).click()
    await page.getByRole("region", { name: "Welcome" }).waitFor()
  })

const search = (page: Page, words: string) =>
  on(async () => {
    await page.keyboard.press("Control+k")
    await dialog(page).waitFor()
    await page.keyboard.type(words)
  })

/** Moves the mark to an option by the arrow key, and takes it. */
const take = (page: Page, name: string | RegExp) =>
  Effect.gen(function*() {
    const option = dialog(page).getByRole("option", { name }).first()
    yield* on(() => option.waitFor())
    while ((yield* on(() => option.getAttribute("aria-selected"))) !== "true") {
      yield* on(() => page.keyboard.press("ArrowDown"))
    }
    yield* on(() => page.keyboard.press("Enter"))
  })

/** The words that the conversation marks, and how far below the top of its view the first of them stands. */
const MARKED = `(() => {
  const ranges = [...(CSS.highlights.get("found") ?? [])]
  const view = document.querySelector(".scroll")?.getBoundingClientRect()
  const top = ranges[0]?.getBoundingClientRect().top
  return { words: ranges.map(String), isInView: view !== undefined && top > view.top && top < view.bottom }
})()`

const marked = (page: Page, words: ReadonlyArray<string>) =>
  soon(
    () => page.evaluate<unknown>(MARKED),
    (shown) => assert.deepStrictEqual(shown, { words, isInView: true })
  )

describe("the page's palette", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("marks what it found in messages and answers, goes there by arrows and Enter, and marks it in the turn", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, `an aubergine, no aubergines\n${"and more\n".repeat(120)}`)
        yield* settled(page)
        yield* say(page, "which fruit?")
        yield* settled(page, 2)
        yield* begin(page)
        yield* search(page, "auberg")
        yield* soon(
          () => found(page).locator("mark").allInnerTexts(),
          (texts) => assert.includeMembers(texts, ["aubergine", "aubergines"])
        )
        yield* take(page, /no aubergines/)
        yield* marked(page, ["aubergine", "aubergines"])
        yield* begin(page)
        yield* search(page, "quince")
        yield* take(page, /quince\*\* is yellow/)
        yield* marked(page, ["quince"])
        // In the chat that is open already.
        yield* search(page, "aubergines")
        yield* take(page, /no aubergines/)
        yield* marked(page, ["aubergines"])
        nothing(complaints)
      }))

    it.effect("goes to a message that was replaced, in its earlier version", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "about rhubarb")
        yield* settled(page)
        yield* on(() => field(page).fill(""))
        yield* on(() => field(page).press("ArrowUp"))
        yield* on(() => page.getByRole("textbox", { name: "Edit the message" }).fill("about celery"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => log(page).getByText("2 of 2").waitFor())
        yield* settled(page)
        yield* search(page, "rhubarb")
        yield* take(page, /about rhubarb/)
        yield* on(() => log(page).getByText("1 of 2").waitFor())
        yield* marked(page, ["rhubarb"])
        nothing(complaints)
      }))

    it.effect("changes the model and the agent, stops the turn and forks the chat, each listed with its keys", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        yield* say(page, "hello")
        yield* settled(page)
        yield* search(page, "")
        for (const [name, keys] of [["New chat", "N"], ["Change the model", "M"], ["Servers", "S"], ["Tools", "T"]]) {
          assert.strictEqual(yield* on(() => command(page, name ?? "").locator("kbd").innerText()), keys)
        }
        assert.strictEqual(yield* on(() => command(page, "Stop the turn").count()), 0)
        yield* on(() => page.keyboard.type("change the model"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("combobox", { name: "Model" }).and(page.locator(":focus")).waitFor())
        yield* on(() => page.keyboard.type("openai/gpt-5-nano"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("button", { name: "Model: gpt-5-nano" }).waitFor())
        // By its key alone, outside of every field.
        yield* on(() => page.evaluate("document.activeElement.blur()"))
        yield* on(() => page.keyboard.press("m"))
        yield* on(() => page.getByRole("combobox", { name: "Model" }).and(page.locator(":focus")).waitFor())
        yield* on(() => page.keyboard.type("default"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("button", { name: "Model: gpt-5-mini" }).waitFor())
        yield* search(page, "change the agent")
        yield* on(() => page.keyboard.press("Enter"))
        const agents = page.getByRole("dialog", { name: "Change the agent of the chat" })
        yield* on(() => agents.getByRole("option", { name: /^Assistant/, selected: true }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => agents.waitFor({ state: "detached" }))
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        yield* search(page, "stop")
        yield* take(page, "Stop the turn")
        yield* on(() => log(page).getByText("Stopped.").waitFor())
        const before = page.url()
        yield* search(page, "fork")
        yield* take(page, /^Fork/)
        yield* soon(() => Promise.resolve(page.url()), (url) => assert.notStrictEqual(url, before))
        yield* on(() => log(page).getByText("Stopped.").waitFor())
        nothing(complaints)
      }))

    it.effect("changes the theme, opens panels, and has nothing that axe finds", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* openBeside("/", { bypassCSP: true })
        yield* ready(page, 1)
        yield* search(page, "dark")
        yield* take(page, "Dark theme")
        yield* soon(() => page.locator("html").getAttribute("data-theme"), (theme) => assert.strictEqual(theme, "dark"))
        yield* search(page, "hello")
        yield* on(() => found(page).first().waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => page.keyboard.press("Escape"))
        yield* search(page, "settings")
        yield* take(page, "Settings")
        yield* on(() => page.getByRole("heading", { name: "Settings", level: 1 }).waitFor())
        yield* search(page, "permissions")
        yield* take(page, "Permissions")
        yield* on(() => page.getByRole("heading", { name: "Permissions", level: 1 }).waitFor())
        yield* search(page, "add server")
        yield* take(page, "Add server")
        yield* on(() => page.getByRole("dialog", { name: "Add servers" }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        // There is no conversation here whose model could be changed.
        yield* search(page, "model")
        yield* soon(() => command(page, "Change the model").count(), (count) => assert.strictEqual(count, 0))
        nothing(complaints)
      }))
  })
})
