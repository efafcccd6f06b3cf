import { Environment, McpConfig } from "@boocode/mcp-config"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { infoOf } from "../../support/Files.ts"

const report = Effect.gen(function*() {
  const config = yield* McpConfig
  const { servers } = yield* config.current
  return servers.map((server) =>
    Result.match(server.config, {
      onSuccess: ({ name, transport }) => `${name}: ${transport._tag}`,
      onFailure: (error) => `${error.message}\n  ${error.hint}`
    })
  )
})

const ConfigLayer = McpConfig.layerFile("data/mcp.json").pipe(
  Layer.provide(Environment.layer({ API_KEY: "…" }))
)

const program = report.pipe(Effect.provide(ConfigLayer))

it.effect("does what the example of the README says", () =>
  Effect.gen(function*() {
    const text = "{ \"mcpServers\": { \"a\": { \"command\": \"x\" }, \"b\": { \"url\": \"${NOPE}\" } } }"
    const files = FileSystem.layerNoop({
      stat: () => Effect.succeed(infoOf("File", text.length)),
      readFileString: () => Effect.succeed(text)
    })
    const lines = yield* Effect.provide(program, Layer.merge(files, Path.layer))
    assert.strictEqual(lines[0], "a: stdio")
    assert.match(lines[1] ?? "", /^data\/mcp\.json:1:58: mcpServers\.b\.url needs the variable NOPE.*\n {2}set NOPE/)
  }))
