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
  ready,
  say,
  settled,
  soon,
  StageModel,
  withModel
} from "./support/PageStage.ts"
import * as Png from "./support/Png.ts"

/** What the model says to each message; a turn that works has a second step. */
const script: ModelServer.Script = ({ results, text }) => {
  if (results.length > 0) return [ModelServer.text("That is all.")]
  if (text.includes("work")) {
    return [
      ModelServer.text("Beginning."),
      ModelServer.wait(4000),
      ModelServer.call("files_list_directory", { path: "." })
    ]
  }
  if (text.includes("slowly")) {
    return [ModelServer.text("Beginning."), ModelServer.wait(20_000), ModelServer.text("End.")]
  }
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script, "openai/m", {
  servers: { files: { command: "mcp-server-filesystem", args: ["workspace"] } },
  files: { "notes.txt": "hello" }
})

const waiting = (page: Page) => page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem")

/** The open chat with a note about its first turn, as a chat of its own. */
const WITH_NOTE = `(async () => {
  const id = location.hash.split("/").at(-1)
  const chat = await (await fetch("/api/chats/" + id + "/export?format=json")).json()
  const turns = chat.turns ?? chat.chat.turns
  const note = { type: "summary", id: "summary-1", text: "They greeted.", from: 1, to: 1, tokens: 4 }
  turns[1].parts.unshift({ ...note, seq: turns[1].parts[0].seq - 0.5, turn: 2 })
  let seq = 0
  for (const turn of turns) for (const part of turn.parts) part.seq = seq += 1
  const answer = await fetch("/api/chats/import", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(chat)
  })
  const made = await answer.json()
  location.hash = "#/chat/" + made.id
  return made.id
})()`

describe("the turns of a chat on the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("has a running turn take a message now, which then stands at its place in that turn", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        yield* say(page, "do the work")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        yield* say(page, "and greet me")
        yield* on(() => waiting(page).getByRole("button", { name: "Send now" }).click())
        yield* on(() => waiting(page).getByText("is sent at the next step").waitFor())
        const joined = log(page).getByRole("region", { name: "Your message" })
        yield* on(() => joined.getByText("and greet me").waitFor())
        yield* on(() => log(page).getByText("You said: and greet me").waitFor())
        yield* settled(page)
        assert.strictEqual(yield* on(() => log(page).getByRole("article").count()), 1)
        assert.strictEqual(yield* on(() => waiting(page).count()), 0)
        // A search finds it there, though its own turn is not shown.
        yield* on(() => page.keyboard.press("Control+k"))
        yield* on(() => page.keyboard.type("and greet me"))
        // What was found for the first words alone may still be shown.
        const all = page.locator("mark", { hasText: /^me$/ })
        yield* on(() => page.getByRole("option").filter({ has: all }).first().click())
        yield* soon(
          () => page.evaluate<unknown>("[...(CSS.highlights.get('found') ?? [])].map(String)"),
          (marked) => assert.deepStrictEqual(marked, ["and", "greet", "me"])
        )
        nothing(complaints)
      }))

    it.effect("shows a message once, though its turn comes before the server's answer to the message", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        yield* say(page, "hello")
        yield* settled(page)
        const bubbles = log(page).locator(".bubble")
        const whileAsked: Array<ReadonlyArray<string>> = []
        yield* on(() =>
          page.route("**/messages", async (route) => {
            const response = await route.fetch()
            await log(page).getByText("You said: and again").waitFor()
            whileAsked.push(await bubbles.allInnerTexts())
            await route.fulfill({ response })
          })
        )
        yield* say(page, "and again")
        yield* soon(
          () => Promise.resolve(whileAsked),
          (seen) => assert.deepStrictEqual(seen, [["hello", "and again"]])
        )
        nothing(complaints)
      }))

    it.effect("takes a waiting message back into the field, and keeps the others when Escape stops the turn", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        yield* say(page, "first in the queue")
        yield* say(page, "second in the queue")
        yield* soon(() => waiting(page).count(), (count) => assert.strictEqual(count, 2))
        yield* on(() => field(page).fill("and more"))
        yield* on(() => waiting(page).first().getByRole("button", { name: /^Edit/ }).click())
        yield* soon(
          () => field(page).inputValue(),
          (text) => assert.strictEqual(text, "first in the queue\n\nand more")
        )
        assert.deepStrictEqual(yield* on(() => waiting(page).locator(".grow").allInnerTexts()), ["second in the queue"])
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => log(page).getByText("You said: second in the queue").waitFor())
        assert.strictEqual(yield* on(() => field(page).inputValue()), "first in the queue\n\nand more")
        nothing(complaints)
      }))

    it.effect("shows the note about older turns behind a line, lets a person change it, and leads to the turns", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "hello")
        yield* settled(page)
        yield* say(page, "again")
        yield* settled(page, 2)
        yield* on(() => page.evaluate(WITH_NOTE))
        yield* on(() => log(page).getByText("Turn 1, summed up").click())
        yield* on(() => log(page).getByText("They greeted.").waitFor())
        yield* on(() => log(page).getByRole("button", { name: "Edit the note" }).click())
        yield* on(() => page.getByRole("textbox", { name: "The note" }).fill("They said hello."))
        yield* on(() => log(page).getByRole("button", { name: "Save" }).click())
        yield* on(() => log(page).getByText("They said hello.").waitFor())
        yield* on(() => log(page).getByText("edited by you").waitFor())
        yield* on(() => log(page).getByRole("button", { name: "Show the turns" }).click())
        yield* on(() => page.reload())
        yield* on(() => log(page).getByText("Turn 1, summed up").click())
        yield* on(() => log(page).getByText("They said hello.").waitFor())
        nothing(complaints)
      }))

    it.effect("forks a chat at a turn, pins it, renames it in the list and puts it into a folder", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "apples")
        yield* settled(page)
        yield* say(page, "pears")
        yield* settled(page, 2)
        const before = page.url()
        const chats = page.getByRole("navigation", { name: "Chats" })
        yield* on(() => log(page).getByRole("button", { name: /^Fork/ }).first().click())
        yield* soon(() => Promise.resolve(page.url()), (url) => assert.notStrictEqual(url, before))
        yield* on(() => log(page).getByText("You said: apples").waitFor())
        yield* on(() => log(page).getByText("You said: pears").waitFor({ state: "detached" }))
        const item = chats.getByRole("listitem").filter({ has: page.locator("a[aria-current]") })
        const choose = (name: string) =>
          on(async () => {
            await item.hover()
            await item.getByRole("button", { name: /^More for/ }).click()
            await page.getByRole("menuitem", { name }).click()
          })
        yield* choose("Rename")
        yield* on(() => chats.getByRole("textbox", { name: "Title" }).fill("Only apples"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("heading", { name: "Only apples", level: 1 }).waitFor())
        yield* on(() => chats.getByRole("link", { name: "Only apples" }).and(page.locator(":focus")).waitFor())
        yield* choose("Move to a folder")
        yield* on(() => page.getByRole("combobox", { name: "Folder" }).fill("Fruit"))
        yield* on(() => page.keyboard.press("Enter"))
        const folder = chats.getByRole("region", { name: "Fruit" })
        yield* on(() => folder.getByRole("link", { name: "Only apples" }).waitFor())
        yield* choose("Pin")
        const pinned = chats.getByRole("region", { name: "Pinned" })
        yield* on(() => pinned.getByRole("link", { name: "Only apples" }).waitFor())
        yield* choose("Unpin")
        yield* on(() => folder.getByRole("link", { name: "Only apples" }).waitFor())
        yield* on(() => folder.getByText("Fruit").click())
        yield* on(() => folder.getByRole("link", { name: "Only apples" }).waitFor({ state: "hidden" }))
        nothing(complaints)
      }))

    it.effect("turns servers and tools off for one chat, before its first message too", () =>
      Effect.gen(function*() {
        const { requests } = yield* StageModel
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        const offered = (text: string) =>
          requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes(text)).map((body) =>
            ["files_list_directory", "files_read_text_file"].filter((name) => body.includes(JSON.stringify(name)))
          )
        const opener = page.getByRole("button", { name: /^Servers:/ })
        const search = page.getByRole("combobox", { name: "Servers" })
        const saved = () => page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok())
        yield* on(() => opener.click())
        yield* on(() => page.getByRole("option", { name: "files" }).click())
        yield* on(() => page.getByRole("option", { name: "files off in this chat" }).waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => opener.getByText("0 of 1 server").waitFor())
        yield* say(page, "without any")
        yield* settled(page)
        assert.deepStrictEqual(offered("without any")[0], [])
        yield* on(() => opener.click())
        yield* on(() => Promise.all([saved(), page.getByRole("option", { name: /^files/ }).click()]))
        yield* on(() => search.fill("list_directory"))
        yield* on(() =>
          Promise.all([saved(), page.getByRole("option", { name: "files_list_directory", exact: true }).click()])
        )
        yield* on(() => page.keyboard.press("Escape"))
        yield* say(page, "with the others")
        yield* settled(page, 2)
        assert.deepStrictEqual(offered("with the others")[0], ["files_read_text_file"])
        yield* on(() => page.getByRole("button", { name: "New chat", exact: true }).click())
        yield* on(() => opener.getByText("1 server", { exact: true }).waitFor())
        nothing(complaints)
      }))

    it.effect("takes a waiting message back with its picture, and sends it anew", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        const picture = { name: "small.png", mimeType: "image/png", buffer: Png.gradient(8, 8) }
        const attached = page.getByRole("list", { name: "Attached" }).getByRole("img", { name: "small.png" })
        yield* on(() => page.locator(".composer input[type=file]").setInputFiles(picture))
        yield* on(() => attached.waitFor())
        yield* say(page, "what is this?")
        yield* on(() => attached.waitFor({ state: "detached" }))
        yield* on(() => waiting(page).getByRole("button", { name: /^Edit/ }).click())
        yield* on(() => attached.waitFor())
        yield* on(() => waiting(page).waitFor({ state: "detached" }))
        yield* on(() => page.keyboard.press("Escape"))
        yield* settled(page)
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => log(page).getByText("You said: what is this?").waitFor())
        yield* on(() => log(page).getByRole("img", { name: "small.png" }).waitFor())
        nothing(complaints)
      }))

    it.effect("has nothing that axe finds in notes, folders and the queue", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/", { bypassCSP: true })
        yield* ready(page, 1)
        yield* say(page, "hello")
        yield* settled(page)
        yield* say(page, "again")
        yield* settled(page, 2)
        yield* on(() => page.evaluate(WITH_NOTE))
        yield* on(() => log(page).getByText("Turn 1, summed up").click())
        yield* on(() => page.getByRole("button", { name: "More for this chat" }).click())
        yield* on(() => page.getByRole("menuitem", { name: "Move to a folder" }).click())
        yield* on(() => page.getByRole("combobox", { name: "Folder" }).fill("Work"))
        nothing(yield* accessibility(page))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => page.getByRole("region", { name: "Work" }).waitFor())
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        yield* say(page, "later")
        yield* on(() => waiting(page).waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => log(page).getByRole("button", { name: "Edit the note" }).click())
        yield* on(() => page.getByRole("button", { name: /^Servers:/ }).click())
        nothing(yield* accessibility(page))
      }))
  })
})
