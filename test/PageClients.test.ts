/** The panel of MCP clients, and the question about a call of one of them. */
import { assert, describe, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { accessibility, nothing, on, open, PageStage, soon } from "./support/PageStage.ts"

const stage = PageStage.layer({
  servers: { ledger: { ...FixtureServer.entry("Ledger", "ledger.txt"), ask: ["write"] } },
  files: {}
})

const connected = Effect.fnUntraced(function*(name: string, headers: Readonly<Record<string, string>> = {}) {
  const { url } = yield* PageStage
  const client = new Client({ name, version: "1.2.3" }, { capabilities: {} })
  yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
  yield* on(() =>
    client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  )
  yield* on(() => client.listTools())
  return client
})

describe("MCP clients in the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("shows who is connected and what they called, lets a client in, and ends one", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open("/#/settings/clients")
        const part = (name: string) => page.getByRole("region", { name })
        yield* on(() => page.getByText("No client is connected.").waitFor())
        const client = yield* connected("cursor-vscode")
        yield* on(() => client.callTool({ name: "ledger_look", arguments: {} }))
        const row = part("Connected").getByRole("listitem", { name: "cursor-vscode" })
        yield* soon(
          () => row.innerText(),
          (text) => assert.match(text, /1\.2\.3 · profile default .* 1 call[^]*ledger_look/)
        )
        yield* on(() => page.getByRole("button", { name: "Let a client in" }).click())
        yield* on(() => page.getByRole("textbox", { name: "Name" }).fill("laptop"))
        yield* on(() => page.getByRole("button", { name: "Make a token" }).click())
        const dialog = page.getByRole("dialog", { name: "The token of laptop" })
        const token = yield* on(() => dialog.locator("code").first().innerText())
        nothing(yield* accessibility(page))
        yield* on(() => dialog.getByRole("button", { name: "Done" }).click())
        yield* connected("claude-ai", { authorization: `Bearer ${token}` })
        const known = part("Connected").getByRole("listitem", { name: "laptop" })
        yield* on(() => known.getByText("as claude-ai 1.2.3").waitFor())
        assert.notInclude(yield* on(() => page.content()), token)
        yield* on(() => row.getByRole("button", { name: "End cursor-vscode" }).click())
        yield* on(() => row.waitFor({ state: "detached" }))
        yield* on(() => part("With a token").getByRole("button", { name: "Remove laptop" }).click())
        yield* on(() => page.getByRole("button", { name: "Remove it" }).click())
        yield* on(() => known.waitFor({ state: "detached" }))
        yield* on(() => part("With a token").getByText("No client has a token.").waitFor())
        nothing(complaints)
      }))

    it.effect("asks about a call of a client that cannot ask, over whatever the page shows", () =>
      Effect.gen(function*() {
        const { complaints, page } = yield* open()
        const client = yield* connected("claude-ai")
        const call = client.callTool({ name: "ledger_write", arguments: { text: "Dear Ann" } })
        const dialog = page.getByRole("dialog", { name: "claude-ai asks" })
        yield* on(() => dialog.getByText("Dear Ann").waitFor())
        assert.match(yield* on(() => dialog.innerText()), /claude-ai wants to call write of ledger/)
        nothing(yield* accessibility(page))
        yield* on(() => dialog.getByRole("button", { name: "Allow once" }).click())
        assert.include(JSON.stringify(yield* on(() => call)), "write is done")
        yield* on(() => dialog.waitFor({ state: "detached" }))
        nothing(complaints)
      }))
  })
})
