/** Finding a published server and adding it, on the stage that the panels share: `test/Panels.test.ts` runs it. */
import { assert, describe, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Deadline from "../support/Deadline.ts"
import { nothing, on, soon } from "../support/PageStage.ts"
import { open, PanelsStage } from "../support/PanelsStage.ts"

const TOKEN = "s3cret-of-this-test"

const tool = (name: string) => ({ name, description: `Tells the ${name}.`, inputSchema: { type: "object" } })

const results = (version: string): Readonly<Record<string, unknown>> => ({
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "forecast", version }
  },
  "tools/list": { tools: version === "1" ? [tool("today")] : [tool("today"), tool("tomorrow")] },
  "tools/call": { content: [{ type: "text", text: "It stays dry." }] }
})

/** A server of MCP over HTTP for those who have the token; `/1/eu` and `/2/eu` are its versions. Gives its port. */
const remote = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<ReturnType<typeof createServer>>((ready) => {
        const server = createServer(async (request, response) => {
          if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(403).end()
          const message = Object(JSON.parse((await request.toArray()).join("") || "{}"))
          if (message.id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end()
          const result = results(request.url?.split("/")[1] ?? "")[message.method]
          const answer = result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result }
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }))
        }).listen(0, "127.0.0.1", () => ready(server))
      })
    ),
    (server) =>
      Effect.promise(() =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      )
  ),
  (server) => (server.address() as AddressInfo).port
)

const published = (port: number, version: string) => ({
  name: "com.example.weather/forecast",
  title: "Forecast",
  description: "Tells whether it rains",
  version: `${version}.0.0`,
  remotes: [{
    type: "streamable-http",
    url: `http://127.0.0.1:${port}/${version}/{region}`,
    variables: { region: { description: "Where you are", isRequired: true, choices: ["eu", "us"] } },
    headers: [{
      name: "Authorization",
      value: "Bearer {token}",
      variables: { token: { description: "Of your account", isRequired: true, isSecret: true } }
    }]
  }]
})

/** One that takes several secrets. */
const KEYED = {
  name: "com.example.weather/keyed",
  description: "Has keys",
  version: "1.0.0",
  packages: [{
    registryType: "npm",
    identifier: "keyed-mcp",
    version: "1.0.0",
    transport: { type: "stdio" },
    packageArguments: [{ type: "named", name: "--key", isRequired: true, isRepeated: true, isSecret: true }]
  }]
}

/** Shows one with a choice and a secret, as far as what will run. */
export const filled = async (page: Page) => {
  await page.getByRole("combobox", { name: "size" }).selectOption("small")
  await page.getByLabel("KEY").fill(TOKEN)
  await page.getByRole("button", { name: "Show what will run" }).click()
  await page.getByRole("region", { name: "What will run" }).getByText("npx -y notes@2.0.0 size small").waitFor()
}

export const tests = (it: Vitest.MethodsNonLive<PanelsStage>) =>
  describe("The gallery of published servers", Deadline.TEST, () => {
    it.effect("finds a server, asks for what it needs, shows what will run, tries it, adds it, and upgrades it", () =>
      Effect.gen(function*() {
        const { data, server } = yield* PanelsStage
        const port = yield* remote
        mkdirSync(join(data, "registry"), { recursive: true })
        writeFileSync(join(data, "registry", "forecast.json"), JSON.stringify(published(port, "1")))
        writeFileSync(join(data, "registry", "keyed.json"), JSON.stringify(KEYED))
        const { complaints, page } = yield* open("/#/servers/+add")
        const press = (name: string) => on(() => page.getByRole("button", { name, exact: true }).click())
        const read = (name: string) => readFileSync(join(data, name), "utf8")
        yield* press("Find a server")
        const sought = page.getByRole("searchbox", { name: "Words of its name" })
        yield* on(() => sought.fill("nothing like that"))
        yield* on(() => sought.press("Enter"))
        yield* on(() => page.getByText("No server of the registry matches").waitFor())
        yield* on(() => sought.fill("forecast"))
        yield* on(() => sought.press("Enter"))
        const row = page.getByRole("listitem", { name: "Forecast" })
        yield* on(() => row.getByText("by com.example.weather · 1.0.0 · remote").waitFor())
        yield* on(() => row.getByRole("link").press("Enter"))
        const region = page.getByRole("combobox", { name: "region" })
        yield* on(() => region.waitFor())
        assert.strictEqual(yield* on(() => region.inputValue()), "")
        const address = page.getByRole("region", { name: "Where it will connect to" })
        yield* on(() => address.getByText(`http://127.0.0.1:${port}/1/{region}`).waitFor())
        yield* on(() => region.selectOption("eu"))
        yield* on(() => page.getByLabel("token").fill(TOKEN))
        assert.strictEqual(yield* on(() => page.getByLabel("token").getAttribute("type")), "password")
        yield* press("Show what will run")
        yield* on(() => address.getByText(`http://127.0.0.1:${port}/1/eu`).waitFor())
        yield* on(() => address.getByText(/Secrets go into \.env: FORECAST_TOKEN\./).waitFor())
        yield* press("Try it")
        yield* on(() => page.getByText(/^It works: 1 tool, up in/).waitFor())
        assert.notInclude(read("mcp.json"), "forecast")
        yield* press("Add")
        yield* on(() => page.getByRole("heading", { name: "forecast", level: 1 }).waitFor())
        yield* on(() => page.locator(".server-state").getByText("ready").waitFor())
        assert.deepInclude(JSON.parse(read("mcp.json")).mcpServers.forecast, {
          url: `http://127.0.0.1:${port}/1/eu`,
          headers: { Authorization: "Bearer ${FORECAST_TOKEN}" },
          from: "com.example.weather/forecast@1.0.0"
        })
        assert.include(read(".env"), `FORECAST_TOKEN=${TOKEN}`)
        const called = yield* server.post("/api/tools/forecast_today/call", { args: {} })
        assert.include(JSON.stringify(called.body), "It stays dry.")

        writeFileSync(join(data, "registry", "forecast.json"), JSON.stringify(published(port, "2")))
        yield* on(() => page.goto(`${server.url}/#/servers`))
        yield* press("More for the servers")
        yield* on(() => page.getByRole("menuitem", { name: "Look for newer versions" }).click())
        yield* on(() => page.getByRole("button", { name: "Upgrade forecast …" }).waitFor())
        yield* on(() => page.reload())
        yield* press("Upgrade forecast …")
        const upgrade = page.getByRole("dialog", { name: "Upgrade forecast" })
        yield* on(() => upgrade.getByText("From 1.0.0 to 2.0.0.").waitFor())
        yield* on(() => upgrade.getByRole("combobox", { name: "region" }).selectOption("eu"))
        yield* on(() => upgrade.getByRole("button", { name: "Show the differences" }).click())
        yield* on(() => upgrade.getByRole("region", { name: "Its tools" }).getByText("Added tomorrow").waitFor())
        const entry = upgrade.getByRole("group", { name: "Its entry" })
        yield* on(() => entry.getByText(`http://127.0.0.1:${port}/2/eu`).waitFor())
        assert.notInclude(read("mcp.json"), "/2/eu")
        yield* on(() => upgrade.getByRole("button", { name: "Upgrade", exact: true }).click())
        yield* on(() => upgrade.waitFor({ state: "detached" }))
        const newer = page.getByRole("listitem", { name: "forecast, ready" })
        yield* on(() => newer.getByText(/^2 tools/).waitFor())
        yield* soon(
          () => newer.getByText(/changed since you accepted/).count(),
          (questions) => assert.strictEqual(questions, 0)
        )
        const again = yield* server.post("/api/tools/forecast_tomorrow/call", { args: {} })
        assert.include(JSON.stringify(again.body), "It stays dry.")
        assert.include(read("mcp.json"), "com.example.weather/forecast@2.0.0")
        yield* on(() => page.goto(`${server.url}/#/servers/+find/${encodeURIComponent(KEYED.name)}`))
        yield* on(() => page.getByLabel("key", { exact: true }).fill(TOKEN))
        const second = page.getByLabel("key, number 2")
        yield* on(() => second.fill(TOKEN))
        assert.strictEqual(yield* on(() => second.getAttribute("type")), "password")
        nothing(complaints)
      }))
  })
