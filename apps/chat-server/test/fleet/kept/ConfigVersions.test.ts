import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Author, ConfigHistory } from "../../../src/database/ConfigHistory.ts"
import { FleetSettings } from "../../../src/fleet/FleetSettings.ts"
import * as ConfigVersions from "../../../src/fleet/kept/ConfigVersions.ts"
import * as MemoryRows from "../../support/MemoryRows.ts"

const secret = Redacted.make("secret")
const settings = Layer.succeed(FleetSettings, {
  host: "10.0.0.7",
  port: 4267,
  secret,
  database: secret,
  seal: secret,
  folder: "/d"
})

/** The history at a node, of one file with these versions. */
const stage = Effect.fnUntraced(function*(...texts: ReadonlyArray<string | null>) {
  const rows = yield* MemoryRows.make
  rows.versions.set("mcp.json", texts)
  const kept = Layer.provide(ConfigVersions.layer, Layer.merge(rows.layer, settings))
  const history = yield* Effect.provide(Effect.flatMap(ConfigHistory, Effect.fromNullishOr), kept)
  return { ...rows, history }
})

const entry = (token: string) => JSON.stringify({ mcpServers: { mail: { command: "mail", env: { TOKEN: token } } } })

describe("The history of a fleet's configuration at a node", () => {
  it.effect("compares a version with the newest one, and shows no secret of either", () =>
    Effect.gen(function*() {
      const { history } = yield* stage(entry("canary-old"), null, entry("canary-new"))
      const compared = yield* history.compared("mcp.json", 1)
      assert.notInclude(JSON.stringify(compared), "canary")
      assert.include(compared.after ?? "", "\"command\":\"mail\"")
      assert.deepStrictEqual([compared.newest, compared.same, compared.before], [3, false, compared.after])
      assert.isNull((yield* history.compared("mcp.json", 2)).after)
    }))

  it.effect("restores what was compared, for the person who asks", () =>
    Effect.gen(function*() {
      const { authors, history, versions } = yield* stage("one", "two")
      yield* Effect.provideService(history.restore("mcp.json", 1, 2), Author, "ann")
      assert.deepStrictEqual(versions.get("mcp.json"), ["one", "two", "one"])
      assert.deepStrictEqual(authors, ["ann at 10.0.0.7:4267"])
      const changed = yield* Effect.flip(history.restore("mcp.json", 2, 2))
      assert.strictEqual(changed.kind, "changed")
      assert.lengthOf(versions.get("mcp.json") ?? [], 3)
    }))

  it.effect("says so when there is no such version, and when the database is away", () =>
    Effect.gen(function*() {
      const { history, state } = yield* stage("one")
      assert.strictEqual((yield* Effect.flip(history.compared("mcp.json", 9))).kind, "unknown")
      state.isAway = true
      assert.strictEqual((yield* Effect.flip(history.versions)).kind, "database")
    }))
})
