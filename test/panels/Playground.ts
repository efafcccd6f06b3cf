/** What the playground of tools does, on the stage that its panels share: `test/Panels.test.ts` runs it. */
import { assert, describe, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as ChatServer from "../support/ChatServer.ts"
import * as Deadline from "../support/Deadline.ts"
import { busyMillis, nothing, on, soon } from "../support/PageStage.ts"
import { MARKUP, open, PanelsStage } from "../support/PanelsStage.ts"

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name })

export const tests = (it: Vitest.MethodsNonLive<PanelsStage>) =>
  describe("The playground of tools", Deadline.TEST, () => {
    it.effect("finds a tool by what it does, runs it from its form, and shows the result rendered and raw", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/tools")
        yield* on(() => page.getByRole("status").getByText(/^\d\d tools/).waitFor())
        yield* on(() => page.getByRole("searchbox", { name: "Search tools" }).fill("add two numbers"))
        const found = page.getByRole("list", { name: "Tools found" })
        yield* on(() => found.getByRole("link").filter({ hasText: "get-sum" }).click())
        const tool = page.getByRole("article", { name: "everything_get-sum" })
        yield* on(() => tool.getByRole("button", { name: "Run" }).click())
        yield* on(() => tool.getByRole("alert").getByText("This is required.").first().waitFor())
        yield* on(() => page.locator(":focus[aria-invalid=true]").waitFor())
        yield* on(() => tool.getByRole("textbox", { name: "a *" }).fill("2"))
        yield* on(() => tool.getByRole("textbox", { name: "b *" }).fill("40"))
        yield* on(() => page.keyboard.press("Control+Enter"))
        const result = tool.getByRole("region", { name: "Result", exact: true })
        yield* on(() => result.getByText("done").waitFor())
        assert.match(yield* on(() => result.innerText()), /sum of 2 and 40 is 42/)
        yield* on(() => result.getByRole("button", { name: "Raw" }).click())
        yield* on(() =>
          result.getByRole("group", { name: "The result as it came" }).getByText("structuredContent").waitFor()
        )
        assert.strictEqual(
          yield* on(() => tool.locator(".command-line").innerText()),
          "npx -y pnpm@12 boocode mcp call everything_get-sum --args '{\"a\":2,\"b\":40}'"
        )
        nothing(complaints)
      }))

    it.effect("says beside the field what the server makes of a value, and keeps it between form and JSON", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/#/tools/files_read_text_file")
        const tool = page.getByRole("article", { name: "files_read_text_file" })
        yield* on(() => tool.getByRole("textbox", { name: "path *" }).fill("notes.txt"))
        yield* on(() => tool.getByRole("textbox", { name: "head", exact: true }).fill("many"))
        yield* on(() => tool.getByRole("button", { name: "Run" }).click())
        yield* on(() => tool.getByRole("alert").getByText("This is not a number.").waitFor())
        yield* on(() => tool.getByRole("button", { name: "JSON" }).click())
        const json = tool.getByRole("textbox", { name: "Arguments as JSON" })
        assert.deepStrictEqual(JSON.parse(yield* on(() => json.inputValue())), { path: "notes.txt", head: "many" })
        yield* on(() => json.fill("{"))
        yield* on(() => tool.getByRole("button", { name: "Form" }).click())
        yield* on(() => tool.getByRole("alert").getByText(/^This is not JSON/).waitFor())
        assert.strictEqual(yield* on(() => json.inputValue()), "{")
        yield* on(() => json.fill("{\"path\":\"notes.txt\",\"head\":\"many\"}"))
        yield* on(() => tool.getByRole("button", { name: "Form" }).click())
        yield* on(() => tool.getByRole("button", { name: "Run" }).click())
        yield* on(() => tool.locator(".wrong").getByText("Should be a number, got \"many\".").waitFor())
        yield* on(() =>
          tool.getByRole("region", { name: "Result", exact: true }).getByText("could not be called").waitFor()
        )
        yield* on(() => tool.getByRole("button", { name: "Use the form for head" }).click())
        yield* on(() => tool.getByRole("textbox", { name: "head", exact: true }).fill("1"))
        yield* on(() => tool.getByRole("button", { name: "Run" }).click())
        yield* on(() => tool.getByRole("region", { name: "Result", exact: true }).getByText("hello").first().waitFor())
        const history = tool.getByRole("region", { name: "Last runs" })
        yield* soon(() => history.getByRole("listitem").count(), (count) => assert.strictEqual(count, 2))
        yield* on(() => history.getByRole("button", { name: /could not be called/ }).click())
        yield* on(() => tool.getByRole("region", { name: "Result", exact: true }).getByText(/bad arguments/).waitFor())
      }))

    it.effect("shows what a tool returns as text, never as markup, pictures as pictures, and the tool's own error as one", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/tools/files_read_text_file")
        const run = on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        const result = page.getByRole("region", { name: "Result", exact: true })
        const path = page.getByRole("textbox", { name: "path *" })
        yield* on(() => path.fill("page.html"))
        yield* run
        yield* on(() => result.getByText(MARKUP).first().waitFor())
        assert.strictEqual(yield* on(() => page.locator(".run img, .run b").count()), 0)
        assert.strictEqual(yield* on(() => page.title()), "BooCode")
        yield* on(() => path.fill("no-such-file"))
        yield* run
        yield* on(() => result.getByText("The tool was called, and answered with an error:").waitFor())
        yield* on(() => page.evaluate("location.hash = '#/tools/everything_get-tiny-image'"))
        yield* on(() =>
          page.getByRole("article", { name: "everything_get-tiny-image" }).getByText("It takes no arguments.").waitFor()
        )
        yield* run
        yield* on(() => result.getByRole("img", { name: "Image from the tool" }).waitFor())
        nothing(complaints)
      }))

    it.effect("shows the beginning of a long result, more when asked, and saves all of it", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const text = Array.from({ length: 60_000 }, (_, index) => `line ${index} of a long file`).join("\n")
        writeFileSync(join(data, "workspace", "long.txt"), text)
        const { complaints, page } = yield* open("/#/tools/files_read_text_file")
        yield* on(() => page.getByRole("textbox", { name: "path *" }).fill("long.txt"))
        yield* on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        const shown = page.getByRole("group", { name: "Text of the result" }).locator("code")
        yield* on(() => page.getByText(/^The first 30\.0 kB of 1\.\d MB are shown\.$/).first().waitFor())
        assert.strictEqual((yield* on(() => shown.innerText())).length, 30_000)
        yield* on(() => page.getByRole("button", { name: "Show more of Text of the result" }).click())
        yield* soon(
          () => shown.evaluate((code) => code.textContent?.length),
          (length) => assert.strictEqual(length, 230_000)
        )
        const saved = yield* on(async () => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Save all of Text of the result" }).click()
          ])
          assert.strictEqual(download.suggestedFilename(), "result.txt")
          return readFileSync(await download.path(), "utf8")
        })
        assert.strictEqual(saved, text)
        nothing(complaints)
      }))

    it.effect("asks before it runs a tool of which the configuration wants that", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/tools/asking_bing_search")
        yield* on(() => page.getByRole("article").getByText("asks first").waitFor())
        yield* on(() => page.getByRole("textbox", { name: "query *" }).fill("ghosts"))
        yield* on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        const question = dialog(page, "Run bing_search?")
        yield* on(() => question.getByText("ghosts").waitFor())
        yield* on(() => page.keyboard.press("Escape"))
        assert.strictEqual(yield* on(() => page.getByRole("region", { name: "Result", exact: true }).count()), 0)
        yield* on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        yield* on(() => question.getByRole("button", { name: "Run it" }).click())
        yield* on(() =>
          page.getByRole("region", { name: "Result", exact: true }).getByText(/bing_search \{"query":"ghosts"\}/)
            .waitFor()
        )
        nothing(complaints)
      }))

    it.effect("cancels a call on its server, and gives one up that takes longer than it may", () =>
      Effect.gen(function*() {
        const { data } = yield* PanelsStage
        const { complaints, page } = yield* open("/#/tools/patient_wait")
        const file = join(data, "patient.txt")
        const noted = Effect.sync(() => existsSync(file) ? readFileSync(file, "utf8") : "")
        const result = page.getByRole("region", { name: "Result", exact: true })
        yield* on(() => page.getByRole("textbox", { name: "text *" }).fill("one"))
        yield* on(() => page.getByRole("textbox", { name: "millis *" }).fill("60000"))
        yield* on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        yield* on(() => page.locator(".elapsed").getByText(/[1-9]\d*\.\d s/).waitFor())
        assert.strictEqual(yield* ChatServer.until(noted, (text) => text !== ""), "begins one\n")
        yield* on(() => page.getByRole("button", { name: "Cancel", exact: true }).click())
        yield* on(() => result.getByText("cancelled", { exact: true }).waitFor())
        assert.include(yield* ChatServer.until(noted, (text) => text.includes("cancelled")), "cancelled one")
        yield* on(() => page.getByRole("textbox", { name: "Time limit" }).fill("0.5"))
        yield* on(() => page.getByRole("button", { name: "Run", exact: true }).click())
        yield* on(() => result.getByText(/said nothing for/).waitFor())
        assert.isTrue(complaints.every((complaint) => complaint.includes("504")), complaints.join("\n"))
      }))

    it.effect("shows ten thousand tools without holding up the page", () =>
      Effect.gen(function*() {
        const { server } = yield* PanelsStage
        const { page } = yield* open("/#/agents")
        const { tools } = (yield* server.get("/api/tools")).body
        const [one] = Array.isArray(tools) ? tools : []
        const many = Array.from(
          { length: 10_000 },
          (_, index) => ({ ...one, name: `many_tool_${index}`, tool: `tool ${index}` })
        )
        yield* on(() =>
          page.route(/\/api\/tools(\?|$)/, (route) => route.fulfill({ json: { tools: many, warnings: [] } }))
        )
        yield* on(() => page.goto(`${server.url}/?many#/tools`))
        yield* on(() => page.getByText("10,000 tools").waitFor())
        const busy = yield* busyMillis(page)
        const list = page.getByRole("list", { name: "Tools found" })
        assert.isAtMost(yield* on(() => list.getByRole("listitem").count()), 200)
        yield* on(() => page.locator(".tool-scroll").evaluate((box) => box.scrollTo(0, box.scrollHeight)))
        yield* on(() => list.getByText("tool 100", { exact: true }).waitFor())
        yield* on(() => page.getByRole("searchbox", { name: "Search tools" }).pressSequentially("tool 9999"))
        yield* on(() => list.getByText("tool 9999", { exact: true }).waitFor())
        // Each key searches all of them; this is the page's own work for all the keys.
        assert.isBelow(yield* busy, 2000)
      }))
  })
