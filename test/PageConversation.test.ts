import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import {
  busyMillis,
  field,
  log,
  nothing,
  on,
  open,
  say,
  settled,
  soon,
  StageModel,
  withModel
} from "./support/PageStage.ts"
import * as Png from "./support/Png.ts"

const ANSWER = `## Findings

Three **files**, see [the docs](https://example.com/a) or [this](javascript:alert(1)).

| file | lines |
| --- | ---: |
| a.ts | 12 |
| b.ts | 7 |

So $e^{i\\pi} = -1$[^1], and $\\href{javascript:alert(1)}{x}$.

[^1]: Euler found it.

\`\`\`ts
const answer = 42
\`\`\`

<img src=x onerror="document.title='owned'">

![elsewhere](https://example.com/pixel.png)
`

const PIECES = 150
const PIECE_MILLIS = 10

/** What the model says to each message; the last line of it decides. */
const script: ModelServer.Script = ({ text }) => {
  if (text.includes("markdown")) return [ModelServer.reasoning("They want Markdown."), ModelServer.text(ANSWER)]
  if (text.includes("slowly")) {
    return [ModelServer.text("Beginning."), ModelServer.wait(20_000), ModelServer.text("End.")]
  }
  if (text.includes("much")) {
    return Array.from({ length: PIECES }, (_, at) => [ModelServer.text(`word${at} `), ModelServer.wait(PIECE_MILLIS)])
      .flat()
  }
  if (text.includes("refuse")) return ModelServer.fail(400, "invalid_request_error", "this model does not exist")
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script, "openai/m", { servers: {}, files: { "notes.txt": "hello" } })

const turn = (page: Page, at: number) => log(page).getByRole("article").nth(at)

describe("the conversation on the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("shows Markdown as it streams, with its code coloured, and runs nothing of it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "some markdown please")
        yield* settled(page)
        const text = log(page).locator(".markdown")
        assert.strictEqual(yield* on(() => text.getByRole("heading", { name: "Findings" }).count()), 1)
        const cells = () => text.getByRole("cell").allInnerTexts()
        assert.deepStrictEqual(yield* on(cells), ["a.ts", "12", "b.ts", "7"])
        yield* on(() => text.getByRole("button", { name: "lines" }).click())
        yield* soon(cells, (shown) => assert.deepStrictEqual(shown, ["b.ts", "7", "a.ts", "12"]))
        yield* on(() => text.locator(".katex").nth(1).waitFor())
        yield* soon(
          () => page.evaluate<boolean>("document.fonts.check('16px KaTeX_Math')"),
          (isLoaded) => assert.isTrue(isLoaded)
        )
        yield* on(() => text.getByRole("link", { name: "To footnote 1" }).click())
        yield* on(() => text.locator("[data-note]:focus").waitFor())
        assert.deepStrictEqual(
          yield* on(() =>
            text.locator("a:not(.note-reference)").evaluateAll((links) =>
              links.map((link) => link.getAttribute("href"))
            )
          ),
          ["https://example.com/a", "https://example.com/pixel.png"]
        )
        assert.strictEqual(yield* on(() => text.getByRole("link").first().getAttribute("rel")), "noopener noreferrer")
        yield* on(() => text.locator(".hljs-keyword", { hasText: "const" }).waitFor())
        yield* on(() => text.getByText("<img src=x onerror").waitFor())
        assert.strictEqual(yield* on(() => text.locator("img").count()), 0)
        assert.notInclude(yield* on(() => page.title()), "owned")
        yield* on(() => log(page).getByText(/ in · .* out/).first().waitFor())
        nothing(complaints)
      }))

    it.effect("queues what is sent while a turn runs, drops it on demand, and stops the turn", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "answer slowly")
        yield* on(() => log(page).getByText("Beginning.").waitFor())
        yield* say(page, "first in the queue")
        yield* say(page, "second in the queue")
        const waiting = page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem")
        yield* on(() => waiting.nth(1).waitFor())
        yield* on(() => waiting.first().getByRole("button", { name: "Remove this message" }).click())
        yield* on(() => page.getByText("first in the queue").waitFor({ state: "detached" }))
        yield* soon(() => waiting.count(), (count) => assert.strictEqual(count, 1))
        yield* on(() => page.getByRole("button", { name: "Stop", exact: true }).click())
        yield* on(() => page.getByText("Stopped.", { exact: true }).first().waitFor())
        nothing(complaints)
      }))

    it.effect("sends an edited message in place of the old one, whose answer is one click away", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "apples")
        yield* settled(page)
        yield* say(page, "and then")
        yield* settled(page, 2)
        yield* on(() => turn(page, 0).hover())
        yield* on(() => turn(page, 0).getByRole("button", { name: "Edit the message" }).click())
        yield* on(() => page.getByRole("textbox", { name: "Edit the message" }).fill("pears"))
        yield* on(() => page.keyboard.press("Enter"))
        yield* on(() => log(page).getByText("You said: pears").waitFor())
        yield* on(() => log(page).getByText("You said: apples").waitFor({ state: "detached" }))
        yield* soon(() => log(page).getByRole("article").count(), (count) => assert.strictEqual(count, 1))
        yield* settled(page)
        yield* on(() => page.getByRole("button", { name: "Earlier version" }).click())
        yield* on(() => log(page).getByText("You said: apples").waitFor())
        yield* soon(() => log(page).getByRole("article").count(), (count) => assert.strictEqual(count, 2))
        yield* on(() => page.getByRole("button", { name: "Back to the latest" }).click())
        yield* on(() => turn(page, 0).getByRole("button", { name: "Try again" }).click())
        yield* on(() => log(page).getByText("3 of 3").waitFor())
        nothing(complaints)
      }))

    it.effect("makes a large picture smaller before it sends it, and shows it with the message", () =>
      Effect.gen(function*() {
        const { requests } = yield* StageModel
        const { complaints, page } = yield* open()
        yield* on(() => field(page).waitFor())
        const picture = { name: "wide.png", mimeType: "image/png", buffer: Png.gradient(4000, 1000) }
        yield* on(() => page.locator(".composer input[type=file]").setInputFiles(picture))
        yield* on(() => page.getByRole("list", { name: "Attached" }).getByRole("img", { name: "wide.png" }).waitFor())
        yield* say(page, "what is this?")
        yield* settled(page)
        const shown = log(page).getByRole("img", { name: "wide.png" })
        yield* on(() => shown.waitFor())
        assert.strictEqual(
          yield* on(() =>
            shown.evaluate((image) => `${Reflect.get(image, "naturalWidth")}x${Reflect.get(image, "naturalHeight")}`)
          ),
          "2048x512"
        )
        const seen = requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes("what is this?"))
        assert.match(seen[0] ?? "", /data:image\/png;base64,/)
        nothing(complaints)
      }))

    it.effect("says what went wrong at the provider, and what to do about it", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "refuse this")
        const alert = log(page).getByRole("alert")
        yield* on(() => alert.waitFor())
        assert.include(yield* on(() => alert.innerText()), "this model does not exist")
        yield* settled(page)
        nothing(complaints)
      }))

    it.effect("goes on with a running turn in a tab that was closed and opened again", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* say(page, "much of it")
        yield* on(() => log(page).getByText(/word20 /).waitFor())
        const address = page.url()
        const context = page.context()
        yield* on(() => page.close())
        const again = yield* on(() => context.newPage())
        yield* on(() => again.goto(address))
        yield* on(() => log(again).getByText(new RegExp(`word0 word1 .*word${PIECES - 1}`)).waitFor())
        yield* settled(again)
        nothing(complaints)
      }))

    it.effect("stays smooth while a hundred pieces come in a second: it works less than they take to come", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => field(page).waitFor())
        const busy = yield* busyMillis(page)
        yield* say(page, "much of it")
        yield* on(() => log(page).getByText(new RegExp(`word${PIECES - 1}`)).waitFor())
        yield* settled(page)
        assert.isBelow(yield* busy, PIECES * PIECE_MILLIS)
        nothing(complaints)
      }))

    it.effect("completes commands and agents while they are typed", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* on(() => field(page).waitFor())
        yield* on(() => field(page).pressSequentially("/hel"))
        yield* on(() => page.getByRole("option", { name: /^\/help/ }).waitFor())
        yield* on(() => page.keyboard.press("Enter"))
        const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" })
        yield* on(() => shortcuts.waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => shortcuts.waitFor({ state: "detached" }))
        yield* on(() => field(page).pressSequentially("@Ass"))
        yield* on(() => page.getByRole("option", { name: /^@Assistant/ }).waitFor())
        yield* on(() => page.keyboard.press("Tab"))
        yield* soon(() => field(page).inputValue(), (text) => assert.strictEqual(text, "@Assistant "))
        yield* on(() => page.keyboard.type("hello"))
        yield* soon(() => field(page).inputValue(), (text) => assert.strictEqual(text, "@Assistant hello"))
        nothing(complaints)
      }))
  })
})
