/** What the page makes of answers and results: pages, pictures, diagrams, diffs, sound and sources, harmless and hostile ones. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import * as ModelServer from "./servers/ModelServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import {
  accessibility,
  inBothThemes,
  isAudited,
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
  withModel
} from "./support/PageStage.ts"

/** Tries all that a page must not be able to do, and writes down what came of it. */
const attack = (url: string, colour: string) =>
  `<!doctype html>
<title>Attack</title>
<body style="background: ${colour}"><pre id="found"></pre>
<script>
const found = { origin }
const tried = (name, run) => { try { found[name] = String(run()) } catch (error) { found[name] = "blocked " + error.name } }
const asked = (name, run) => run().then((answer) => { found[name] = "answered " + answer.status }, (error) => { found[name] = "blocked " + error.name })
tried("parent", () => parent.document.title)
tried("top", () => top.document.cookie)
tried("navigated", () => { top.location = "${url}/api/health" })
tried("cookie", () => document.cookie)
tried("storage", () => localStorage.length)
tried("popup", () => window.open("${url}/"))
parent.postMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } }, "*")
Promise.all([
  asked("api", () => fetch("${url}/api/chats")),
  asked("blind", () => fetch("${url}/api/chats", { method: "POST", mode: "no-cors", body: "{}" })),
  asked("outside", () => fetch("https://example.org/"))
]).then(() => { document.getElementById("found").textContent = JSON.stringify(found) })
</script>
</body>`

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`

const DRAWN = fenced(
  "mermaid",
  "flowchart LR\n  A[\"<img src=x onerror='top.pwned = true'>Ann\"] --> B[Bob]\n  click A \"javascript:top.pwned=true\"\n  click B call pwn()"
) + fenced(
  "svg",
  "<svg viewBox=\"0 0 40 20\" onload=\"top.pwned = true\"><script>top.pwned = true</script><title>Logo</title>" +
    "<image href=\"https://example.org/a.png\"/><foreignObject><iframe src=\"javascript:top.pwned = true\"/></foreignObject>" +
    "<a href=\"javascript:top.pwned = true\"><rect width=\"40\" height=\"20\"/></a></svg>"
) + fenced("mermaid", `flowchart LR\n${"  A --> B\n".repeat(3000)}`) + fenced("mermaid", "no diagram")

const LONG = `${"Some words of an answer. ".repeat(30)}\n\n${fenced("js", "let a = 1\n".repeat(30))}The end of it.`

const script = (url: string): ModelServer.Script => ({ results, text }) => {
  const line = text.split("\n").at(-1) ?? ""
  if (results.length > 0) {
    return [ModelServer.text(fenced("diff", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-<b>two</b>\n+2"))]
  }
  if (line.includes("attack")) {
    const page = fenced("html", attack(url, line))
    return [
      ModelServer.text(page.slice(0, 400)),
      ModelServer.wait(line.includes("pink") ? 1000 : 0),
      ModelServer.text(page.slice(400))
    ]
  }
  if (line.includes("draw")) return [ModelServer.text(DRAWN)]
  if (line.includes("media")) return [ModelServer.call("contents_media", {}), ModelServer.call("contents_coloured", {})]
  if (line.includes("bomb")) return [ModelServer.call("contents_hostilePdf", {})]
  if (line.includes("long")) {
    return [
      ModelServer.text(LONG.slice(0, -10)),
      ModelServer.wait(300),
      ModelServer.text(LONG.slice(-10)),
      ModelServer.wait(300)
    ]
  }
  return [ModelServer.text(`You said: ${text}`)]
}

const stage = withModel(script(""), "openai/gpt-5-mini", {
  servers: { contents: FixtureServer.entry("Contents") },
  files: {}
})

/** Whether each piece of a coloured text has a colour and a ground of its own, and is bold. */
const LOOKS = `[...document.querySelectorAll(".styled > span")].map((one) => getComputedStyle(one))
  .map((look) => [look.color.startsWith("oklch("), look.backgroundColor.startsWith("oklch("), look.fontWeight === "700"])`

/** The colour in the middle of the page of a PDF. */
const MIDDLE = `(() => {
  const canvas = document.querySelector("dialog canvas")
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height })
  const pen = copy.getContext("2d")
  pen.drawImage(canvas, 0, 0)
  return [...pen.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data.slice(0, 3)]
})()`

/** Smaller and larger again in each frame, and larger once more at the end. */
const QUICK_CLICKS = `(async () => {
  const click = async (label) => {
    document.querySelector(\`dialog button[aria-label="\${label}"]\`).click()
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  }
  for (let times = 0; times < 10; times++) {
    await click("Smaller")
    await click("Larger")
  }
  await click("Larger")
})()`

/** Writes down how long the page did not answer. */
const LONGEST_TASK = `{
  globalThis.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
  }).observe({ type: "longtask" })
}`

const panel = (page: Page) => page.getByRole("complementary", { name: /, beside the chat$/ })

/** The document in the sandbox: in the page around it. */
const shown = (page: Page) => panel(page).locator("iframe").contentFrame().locator("iframe").contentFrame()

const card = (page: Page) => log(page).getByRole("button", { name: /Web page/ })

const audited = (page: Page, index: number) =>
  inBothThemes(page, (theme) => isAudited(index, theme) ? Effect.map(accessibility(page), nothing) : Effect.void)

/** Nothing of an answer ran in the page. */
const unharmed = (page: Page, url: string) =>
  on(async () => {
    assert.strictEqual(await page.evaluate("globalThis.pwned"), undefined)
    assert.strictEqual(new URL(page.url()).origin, url)
    // Icons are the only vectors of the page.
    assert.strictEqual(await page.locator(".log svg:not(.icon-shape, .ghost)").count(), 0)
  })

/** Where the last words stand, at each frame in which that changed, and whether the turn runs. */
const FRAMES = `globalThis.frames = []
const look = () => {
  const turn = [...document.querySelectorAll("article.turn")].at(-1)
  const y = (where) => Math.round([...turn?.querySelectorAll(where) ?? []].at(-1)?.getBoundingClientRect().top ?? 0)
  const seen = [turn?.ariaBusy, y(".bubble"), y(".who"), y(".markdown > p")].join(" ")
  if (seen !== globalThis.frames.at(-1)) globalThis.frames.push(seen)
  requestAnimationFrame(look)
}
look()`

describe("what answers and results make in the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("a page of an answer runs beside the chat, in versions, and reaches nothing", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const { answer } = yield* StageModel
        answer(script(url))
        const { page } = yield* open()
        yield* say(page, "attack in white")
        yield* settled(page)
        assert.strictEqual(yield* on(() => panel(page).count()), 0)
        yield* on(() => card(page).click())
        const found = yield* on(async () => {
          const text = shown(page).locator("#found", { hasText: "{" })
          await text.waitFor()
          return JSON.parse(await text.innerText())
        })
        assert.deepStrictEqual(found, {
          origin: "null",
          parent: "blocked SecurityError",
          top: "blocked SecurityError",
          navigated: "blocked SecurityError",
          cookie: "blocked SecurityError",
          storage: "blocked SecurityError",
          popup: "null",
          api: "blocked TypeError",
          blind: "blocked TypeError",
          outside: "blocked TypeError"
        })
        yield* unharmed(page, url)

        yield* say(page, "attack in pink")
        yield* on(() => panel(page).getByText(/^is being written, \d+ lines$/).waitFor())
        yield* on(() => panel(page).getByRole("group", { name: "Source" }).getByText("<title>Attack").waitFor())
        yield* settled(page, 2)
        const versions = panel(page).getByRole("group", { name: "Versions" })
        yield* on(() => versions.getByText("2 of 2").waitFor())
        const isPink = () => shown(page).locator("body").getAttribute("style")
        yield* soon(isPink, (style) => assert.include(style ?? "", "pink"))
        yield* on(() => versions.getByRole("button", { name: "Earlier version" }).click())
        yield* soon(isPink, (style) => assert.include(style ?? "", "white"))
        yield* on(() => panel(page).getByRole("button", { name: "Source", exact: true }).click())
        yield* on(() => panel(page).getByRole("group", { name: "Source" }).getByText("<title>Attack").waitFor())
        const saved = page.waitForEvent("download")
        yield* on(() => panel(page).getByRole("button", { name: "Download" }).click())
        assert.strictEqual((yield* on(() => saved)).suggestedFilename(), "attack.html")

        yield* on(() => page.reload())
        yield* settled(page, 2)
        yield* on(() => card(page).last().press("Enter"))
        yield* on(() => panel(page).getByText("2 of 2").waitFor())
        yield* on(() => panel(page).press("Escape"))
        yield* on(() => panel(page).waitFor({ state: "detached" }))
        yield* on(() => card(page).last().and(page.locator(":focus")).waitFor())
      }))

    it.effect("diagrams and pictures are images in which nothing runs, and what is no diagram is its source", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const { page } = yield* open("/", { bypassCSP: true })
        yield* say(page, "draw it")
        yield* settled(page)
        const drawn = log(page).getByRole("img", { name: /^(?:Diagram|Picture): / })
        yield* soon(() => drawn.count(), (count) => assert.strictEqual(count, 2))
        const addresses = yield* on(() => drawn.evaluateAll((all) => all.map((one) => one.getAttribute("src") ?? "")))
        for (const address of addresses) assert.match(address, /^data:image\/svg\+xml;/)
        assert.match(decodeURIComponent(addresses[0] ?? ""), />\s*(?:[^<]*Ann)?[^]*Bob\s*</)
        assert.notInclude(decodeURIComponent(addresses[0] ?? ""), "javascript:")
        yield* on(() => log(page).getByText("it is too large").waitFor())
        yield* on(() => log(page).getByText(/No diagram type detected/).waitFor())
        yield* unharmed(page, url)
        yield* audited(page, 0)

        yield* on(() => log(page).getByRole("button", { name: "Open Logo beside the chat" }).click())
        yield* on(() => panel(page).getByRole("img", { name: "Picture: Logo" }).waitFor())
        yield* audited(page, 1)
        yield* unharmed(page, url)
      }))

    it.effect("sound of a result plays, a PDF is read page by page, a diff has its lines, and pages are listed with their host", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        yield* ready(page, 1)
        yield* say(page, "media please")
        yield* settled(page)
        const sound = log(page).locator("audio")
        yield* soon(
          () => sound.evaluate((audio) => Object(audio).duration),
          (duration) => assert.strictEqual(duration, 0.1)
        )
        yield* on(() => log(page).getByRole("button", { name: /^report\.pdf/ }).click())
        const dialog = page.getByRole("dialog", { name: "report.pdf" })
        yield* on(() => dialog.getByText("Page 1 of 2").waitFor())
        yield* on(() => dialog.getByText("Rain in Bergen").waitFor())
        nothing(yield* accessibility(page))
        yield* on(() => dialog.getByRole("button", { name: "Next page" }).click())
        yield* on(() => dialog.getByText("Snow in Oslo").waitFor())
        const widths = yield* on(() => dialog.locator("canvas").evaluateAll((all) => all.map((one) => one.clientWidth)))
        yield* on(() => dialog.getByRole("button", { name: "Larger" }).click())
        yield* soon(
          () => dialog.locator("canvas").evaluateAll((all) => all.map((one) => one.clientWidth)),
          ([width = 0]) => assert.approximately(width / (widths[0] ?? 1), 1.5, 0.05)
        )
        // Drawings that nobody wants any more are broken off without closing the file.
        yield* on(() => page.evaluate(QUICK_CLICKS))
        yield* soon(
          () => dialog.locator("canvas").evaluateAll((all) => all.map((one) => one.clientWidth)),
          ([width = 0]) => assert.approximately(width / (widths[0] ?? 1), 2, 0.05)
        )
        yield* on(() => dialog.locator(".pdf-room[aria-busy=false]").getByText("Snow in Oslo").waitFor())
        const saved = page.waitForEvent("download")
        yield* on(() => dialog.getByRole("link", { name: "Save" }).click())
        assert.strictEqual((yield* on(() => saved)).suggestedFilename(), "report.pdf")
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => log(page).getByRole("button", { name: /^square\.pdf/ }).click())
        const square = page.getByRole("dialog", { name: "square.pdf" })
        yield* on(() => square.locator(".pdf-room[aria-busy=false] canvas").waitFor())
        assert.deepStrictEqual(yield* on(() => page.evaluate(MIDDLE)), [200, 30, 90])
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => log(page).getByRole("button", { name: /^broken\.pdf/ }).click())
        yield* on(() => page.getByRole("dialog", { name: "broken.pdf" }).getByText("This PDF cannot be read").waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        yield* on(() => log(page).getByRole("button", { name: /coloured/i }).click())
        const styled = log(page).locator(".styled")
        assert.strictEqual(yield* on(() => styled.innerText()), "failed, passed\n")
        yield* inBothThemes(page, (theme) =>
          Effect.gen(function*() {
            nothing(yield* accessibility(page))
            const looks = yield* on(() => page.evaluate(LOOKS))
            assert.deepStrictEqual(looks, [[true, false, true], [true, true, false]], theme)
          }))
        const sources = log(page).getByRole("region", { name: "Sources" }).getByRole("link")
        assert.deepStrictEqual(yield* on(() => sources.allInnerTexts()), ["A page\nexample.org\n(opens a new tab)"])
        assert.strictEqual(yield* on(() => sources.getAttribute("href")), "https://example.org/page")
        const lines = log(page).locator(".diff-line")
        assert.deepStrictEqual(
          (yield* on(() => lines.allInnerTexts())).map((line) => line.replaceAll(/\s+/g, " ").trim()),
          ["one", "− Taken away: <b>two</b>", "+ Added: 2"]
        )
        nothing(complaints)
      }))

    it.effect("a PDF that would take all memory and time does not hold up the page", () =>
      Effect.gen(function*() {
        const { page } = yield* open()
        yield* on(() => page.evaluate(LONGEST_TASK))
        yield* say(page, "bomb")
        yield* settled(page)
        yield* on(() => log(page).getByRole("button", { name: /^hostile\.pdf/ }).click())
        const dialog = page.getByRole("dialog", { name: "hostile.pdf" })
        yield* on(() => dialog.getByText("Page 1 of 2").waitFor())
        yield* on(() => dialog.getByRole("button", { name: "Next page" }).click())
        // Drawn or given up, it is over.
        yield* on(() => dialog.locator(".pdf-room[aria-busy=false]").waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        const longest = yield* on(() => page.evaluate<number>("globalThis.longest"))
        assert.isBelow(longest, 5000)
      }), 90_000)

    it.effect("nothing moves when an answer ends", () =>
      Effect.gen(function*() {
        const { page } = yield* open()
        yield* on(() => page.evaluate(FRAMES))
        yield* say(page, "long")
        yield* settled(page)
        const frames = yield* on(() => page.evaluate<ReadonlyArray<string>>("globalThis.frames"))
        const end = frames.findIndex((frame, at) => at > 0 && frame.startsWith("false"))
        const placeOf = (frame = "") => frame.split(" ").slice(1)
        assert.isAbove(end, 0)
        assert.deepStrictEqual(placeOf(frames.at(-1)), placeOf(frames[end - 1]))
      }))
  })
})
