import { McpGateway, Profile } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call, connect, ERAS, names } from "../support/Clients.ts"

const reads = { annotations: { readOnlyHint: true } }
const writes = { annotations: { readOnlyHint: false } }

const Files = McpRegistry.layerTest({
  files: {
    tools: { list: () => Effect.succeed("hello.txt"), remove: () => Effect.succeed("removed") },
    definitions: { list: reads, remove: writes }
  }
})

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `tool_${index}`)

const Many = McpRegistry.layerTest({
  many: {
    tools: {
      ...Object.fromEntries(numbered(60).map((name) => [name, () => Effect.succeed(name)])),
      weather: (args) => Effect.succeed(`sunny in ${String(args["city"])}`),
      remove: () => Effect.succeed("removed")
    },
    definitions: {
      ...Object.fromEntries(numbered(60).map((name) => [name, reads])),
      weather: {
        ...reads,
        description: "Tells the weather of a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      },
      remove: { ...writes, description: "Removes everything" }
    }
  }
})

const icon = { src: "https://example.org/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const }

const App = (_meta: Schema.JsonObject) =>
  McpRegistry.layerTest({
    app: {
      tools: { chart: () => Effect.succeed("drawn") },
      definitions: {
        chart: JSON.parse(JSON.stringify({ ...reads, title: "Chart", _meta, icons: [icon, { src: 1 }, "none"] }))
      }
    }
  })

const OWN = ["approval_status", "read_result"]
const SEARCH = ["call_tool", "call_writing_tool", "describe_tool", "search_tools"]

const listedOf = (meta: Schema.JsonObject, era: (typeof ERAS)[number]) =>
  Effect.gen(function*() {
    const gateway = yield* McpGateway.make()
    const client = yield* connect(gateway, era)
    const { tools } = yield* Effect.promise(() => client.listTools())
    const chart = tools.find(({ name }) => name === "app_chart")
    assert.deepStrictEqual(chart?._meta, JSON.parse(JSON.stringify(meta)))
    assert.deepStrictEqual(chart?.["icons"], [icon])
    assert.strictEqual(chart?.title, "Chart")
  }).pipe(Effect.scoped, Effect.provide(App(meta)))

for (const era of ERAS) {
  describe(`A client of the ${era} era that nobody knows`, () => {
    it.effect.prop(
      "is given what servers tell programs about a tool, but for icons that it would refuse",
      { meta: Arbitrary.schema(Schema.JsonObject) },
      ({ meta }) => listedOf({ ui: { resourceUri: "ui://app/chart" }, meta }, era),
      // Each has a gateway of its own.
      { arbitrary: { runs: 20 } }
    )

    it.effect("is listed every tool where they are few", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        assert.sameMembers(yield* names(client), ["files_list", "files_remove", ...OWN])
        assert.deepStrictEqual(yield* call(client, "files_list"), { isError: false, text: "hello.txt" })
      }).pipe(Effect.provide(Files)))

    it.effect("is given a search where they are many, and calls what it finds", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        assert.sameMembers(yield* names(client), [...SEARCH, ...OWN])
        const { text } = yield* call(client, "search_tools", { query: "weather" })
        const [found] = JSON.parse(text).tools
        assert.deepInclude(found, { name: "many_weather", callBy: "call_tool" })
        const answer = yield* call(client, "call_tool", { name: "many_weather", arguments: "{\"city\":\"Rome\"}" })
        assert.deepStrictEqual(answer, { isError: false, text: "sunny in Rome" })
      }).pipe(Effect.provide(Many)))

    it.effect("calls a tool that may write by the other way only", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ gate: { approve: () => Effect.succeed({ _tag: "Allowed" }) } })
        const client = yield* connect(gateway, era)
        const refused = yield* call(client, "call_tool", { name: "many_remove" })
        assert.deepInclude(refused, { isError: true })
        assert.include(refused.text, "call_writing_tool")
        const answer = yield* call(client, "call_writing_tool", { name: "many_remove" })
        assert.deepStrictEqual(answer, { isError: false, text: "removed" })
      }).pipe(Effect.provide(Many)))

    it.effect("calls a tool by its name also where it is not listed", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        assert.deepStrictEqual(yield* call(client, "many_tool_7"), { isError: false, text: "tool_7" })
      }).pipe(Effect.provide(Many)))
  })
}

const forApps = { ...reads, _meta: { ui: { visibility: ["app"] } } }

const WithApps = McpRegistry.layerTest({
  app: {
    tools: { chart: () => Effect.succeed("drawn"), refresh: () => Effect.succeed("refreshed") },
    definitions: { chart: reads, refresh: forApps }
  }
})

for (const era of ERAS) {
  describe(`Tools for apps, to a client of the ${era} era`, () => {
    it.effect("are listed and called where it shows apps, and are not there where it does not", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const plain = yield* connect(gateway, era)
        assert.sameMembers(yield* names(plain), ["app_chart", ...OWN])
        yield* Effect.flip(Effect.tryPromise(() => plain.callTool({ name: "app_refresh" })))
        const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } }
        const caller = { id: "two" }
        const host = yield* connect(gateway, era, { caller, name: "host", options: { capabilities: { extensions } } })
        assert.sameMembers(yield* names(host), ["app_chart", "app_refresh", ...OWN])
        assert.deepStrictEqual(yield* call(host, "app_refresh"), { isError: false, text: "refreshed" })
      }).pipe(Effect.provide(WithApps)))

    it.effect("are found and called by no model, however many tools there are", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile: { ...Profile.standard, exposure: "search" } })
        const extensions = { "io.modelcontextprotocol/ui": {} }
        const host = yield* connect(gateway, era, { options: { capabilities: { extensions } } })
        assert.sameMembers(yield* names(host), [...SEARCH, ...OWN, "app_refresh"])
        const { text } = yield* call(host, "search_tools", { query: "refresh chart" })
        assert.notInclude(text, "app_refresh")
        const refused = yield* call(host, "call_tool", { name: "app_refresh" })
        assert.deepInclude(refused, { isError: true })
        assert.include(refused.text, "no tool is called")
      }).pipe(Effect.provide(WithApps)))
  })
}

describe("A client that has a search of its own", () => {
  it.effect("is listed every tool, however many there are", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const client = yield* connect(gateway, "legacy", { name: "claude-code" })
      assert.include(yield* names(client), "many_tool_59")
    }).pipe(Effect.provide(Many)))
})

describe("A profile", () => {
  const listed = (profile: Partial<Profile.Profile>) =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make({ profile: { ...Profile.standard, ...profile } })
      return yield* names(yield* connect(gateway, "legacy"))
    }).pipe(Effect.provide(Files), Effect.scoped)

  it.effect("names the tools that there are", () =>
    Effect.gen(function*() {
      assert.sameMembers(yield* listed({ tools: ["files_l*"] }), ["files_list", ...OWN])
    }))

  it.effect("that writes nothing has no tool that writes", () =>
    Effect.gen(function*() {
      assert.sameMembers(yield* listed({ write: "off" }), ["files_list", ...OWN])
    }))

  it.effect("may give tools the names that servers give them", () =>
    Effect.gen(function*() {
      assert.sameMembers(yield* listed({ names: "bare" }), ["list", "remove", ...OWN])
    }))

  it.effect("may ask for the search, however few tools there are", () =>
    Effect.gen(function*() {
      assert.sameMembers(yield* listed({ exposure: "search" }), [...SEARCH, ...OWN])
    }))

  it.effect("of one caller is none of another", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const narrow = { ...Profile.standard, tools: ["files_list"] }
      const one = yield* connect(gateway, "modern", { caller: { id: "one", profileName: "narrow", profile: narrow } })
      const other = yield* connect(gateway, "modern", { caller: { id: "other" } })
      assert.notInclude(yield* names(one), "files_remove")
      assert.include(yield* names(other), "files_remove")
      const refused = yield* Effect.promise(() =>
        one.callTool({ name: "files_remove" }).catch((error: unknown) => error)
      )
      assert.match(String(refused), /Unknown tool/)
    }).pipe(Effect.provide(Files)))
})
