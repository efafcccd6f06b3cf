import { ToolGlob } from "@boocode/tool-glob"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Expansion from "../../../src/entry/Expansion.ts"
import { ConfigShape } from "../../../src/Exchange.ts"
import * as EntryMeaning from "../../../src/exchange/EntryMeaning.ts"
import type { ServerEntry } from "../../../src/model/ServerEntry.ts"
import published from "../../fixtures/published-configs.json" with { type: "json" }
import { Servers } from "../../support/Entries.ts"
import { entriesOf, roundTrip } from "../../support/Shaped.ts"

const SET = { A: "1", B_2: "2", C: "3", D: "4", E: "5", F: "6", TOKEN: "7", TOKEN_2: "8", X_Key: "9", x: "10" }
const ENVIRONMENTS = [SET, { ...SET, C: "", D: "", E: "" }]

/** What a text comes to, whichever way it is written. */
const value = (text: string): Schema.Json =>
  ENVIRONMENTS.map((variables) => {
    const result = Expansion.expand(text, { Authorization: "11", constructor_: "12", ...variables })
    return Result.isSuccess(result) ? result.success : ["unreadable", text]
  })

const PROBES = ["a", "b_c", "d-", "d-x", "probe"]

const decisions = (patterns: Schema.Json): Schema.Json => {
  if (!Array.isArray(patterns)) return patterns
  const glob = ToolGlob.compile(patterns.map(String))
  return PROBES.map((name) => glob.allows(name))
}

const comparable = (key: string, said: Schema.Json | undefined): unknown => {
  if (key === "tools") return decisions(said ?? ["*"])
  if (key === "ask") return decisions(said ?? [])
  if (typeof said === "string") return value(said)
  return Array.isArray(said) ? said.map((one) => typeof one === "string" ? value(one) : one) : said
}

/** Keys under which an entry came back other than it went, and of which nothing was said. */
const silentlyLost = (before: ServerEntry, after: ServerEntry | undefined, losses: ReadonlyArray<string>) => {
  const [one, other] = [EntryMeaning.of(before), after === undefined ? null : EntryMeaning.of(after)]
  if (one === null || other === null) return ["everything"]
  const isSame = (key: string) => Equal.equals(comparable(key, one.get(key)), comparable(key, other.get(key)))
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => !losses.includes(key) && !isSame(key))
}

const check = Effect.fnUntraced(function*(servers: unknown, shape: ConfigShape.ShapeName) {
  const entries = entriesOf(servers)
  const trip = yield* roundTrip(entries, shape)
  for (const { losses, name, value: written } of trip.encoded) {
    const before = entries.find((entry) => entry.name === name)
    if (before === undefined) return assert.fail(`${name} was never there`)
    const after = trip.entries.find((entry) => entry.name === name)
    if (written === null) {
      assert.isAbove(losses.length, 0, `${name} is left out and nothing says why`)
      assert.isUndefined(after)
    } else {
      const lost = silentlyLost(before, after, losses.flatMap(({ keys }) => keys))
      assert.deepStrictEqual(lost, [], `${shape} lost them:\n${trip.text}\n${JSON.stringify(servers)}`)
    }
  }
  return trip
})

describe("a round trip from native entries to a shape and back", () => {
  for (const shape of ConfigShape.names) {
    it.effect.prop(
      `loses nothing that ${ConfigShape.named(shape).title} can say, and says what it cannot`,
      [Servers],
      ([servers]) => check(servers, shape),
      { arbitrary: { runs: 75 } }
    )
  }

  it.effect("loses no space at the ends of a text, nor its lines", () =>
    Effect.gen(function*() {
      for (const shape of ConfigShape.names) {
        for (const text of [" \n", "\n", " a\nb", "a\n \n", "\ta\r\nb "]) {
          yield* check({ s: { command: "x", args: [text] } }, shape)
        }
      }
    }))

  it.effect("loses nothing of the 70 configurations that servers' authors publish, in any shape (R67)", () =>
    Effect.gen(function*() {
      for (const shape of ConfigShape.names) {
        for (const { config, server } of published) {
          const trip = yield* check(config.mcpServers, shape)
          const kept = trip.encoded.filter(({ value: written }) => written !== null)
          const named = shape === "codex"
            ? kept.length + trip.encoded.filter(({ name }) => !/^[\w-]+$/.test(name)).length
            : kept.length
          assert.strictEqual(named, Object.keys(config.mcpServers).length, `${shape} ${server}`)
          assert.deepStrictEqual(kept.flatMap(({ losses }) => losses), [], `${shape} ${server}`)
        }
      }
    }))
})
