import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConfigImport, ConfigShape } from "../../src/Exchange.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"
import published from "../fixtures/published-configs.json" with { type: "json" }
import { contextOf, entriesOf, foundIn } from "../support/Shaped.ts"

const KEEPING: ConfigImport.Options = { isReplacing: false, start: "same" }

const found = (shape: ConfigShape.ShapeName, file: unknown): ConfigShape.Found => {
  const result = ConfigShape.find(JsonNode.fromValue(file), shape, contextOf("any.json"))
  return Result.isSuccess(result) ? result.success : assert.fail(JSON.stringify(result.failure))
}

const native = (servers: unknown) => found("native", { mcpServers: servers })

const outcomes = (plan: ConfigImport.Plan) =>
  Object.fromEntries(plan.servers.map(({ isWritten, name, outcome }) => [name, `${outcome}${isWritten ? "!" : ""}`]))

const entryOf = (plan: ConfigImport.Plan, name = "a") => plan.servers.find((one) => one.name === name)?.entry

describe("ConfigImport", () => {
  const THERE = entriesOf({ same: { command: "x", env: { A: "b" } }, other: { command: "x" }, odd: { command: 1 } })
  const COMING = {
    new: { url: "https://x" },
    // The same in other words.
    same: { type: "stdio", command: "x", args: [], env: { A: "b" }, timeout: "60 seconds", enabled: true },
    other: { command: "x", args: ["--more"], env: { TOKEN: "secret" } },
    odd: { command: "y" },
    broken: { command: ["x"] }
  }

  it("tells added, changed, unchanged and skipped apart, and writes only what is new", () => {
    const plan = ConfigImport.plan(native(COMING), THERE, KEEPING)
    assert.deepStrictEqual(outcomes(plan), {
      new: "added!",
      same: "unchanged",
      other: "changed",
      odd: "changed",
      broken: "skipped"
    })
  })

  it("writes over what is there only when that was asked for", () => {
    const plan = ConfigImport.plan(native(COMING), THERE, { isReplacing: true, start: "same" })
    assert.deepStrictEqual(outcomes(plan)["other"], "changed!")
    assert.deepStrictEqual(outcomes(plan)["same"], "unchanged")
    assert.deepStrictEqual(outcomes(plan)["broken"], "skipped")
  })

  it("names the keys that differ, and never a value", () => {
    const plan = ConfigImport.plan(native(COMING), THERE, KEEPING)
    const other = plan.servers.find(({ name }) => name === "other")
    assert.deepStrictEqual(other?.differences, ["args", "env.TOKEN"])
    assert.notInclude(JSON.stringify({ ...other, entry: null }), "secret")
  })

  it("holds what a stranger may have written: it is written switched off, and a switch alone is no difference (R70)", () => {
    const holding: ConfigImport.Options = { isReplacing: true, start: "same", isHolding: true }
    const coming = native({ a: { command: "x" }, off: { command: "x", enabled: false }, there: { command: "y" } })
    const held = ConfigImport.plan(coming, entriesOf({ there: { command: "x" } }), holding)
    assert.deepStrictEqual(held.servers.map(({ enabled, entry, isHeld }) => [enabled, isHeld, entry?.["enabled"]]), [
      [false, true, false],
      [false, false, false],
      [false, true, false]
    ])
    const before = entriesOf({ a: { command: "x", enabled: false }, there: { command: "y" } })
    assert.deepStrictEqual(outcomes(ConfigImport.plan(coming, before, holding)), {
      a: "unchanged",
      off: "added!",
      there: "unchanged"
    })
  })

  it("says why a server is skipped, with its place", () => {
    const plan = ConfigImport.plan(native({ broken: { command: ["x"] } }), [], KEEPING)
    assert.deepStrictEqual(plan.servers[0]?.notes.map(({ at, detail, key }) => [at.line, key, detail]), [
      [
        1,
        "mcpServers.broken.command",
        "expected a text that is not empty, found a list: put the value in double quotes"
      ]
    ])
    const goose = ConfigImport.plan(found("goose", { extensions: { developer: { type: "builtin" } } }), [], KEEPING)
    assert.deepStrictEqual(outcomes(goose), { developer: "skipped" })
    assert.include(goose.servers[0]?.notes[0]?.detail, "is a part of goose")
  })

  it("notes every key that has no place here, down to labels", () => {
    const entry = { command: "x", autoApprove: ["a"], description: "d", zzz: 1, disabled: true }
    const plan = ConfigImport.plan(native({ a: entry }), [], KEEPING)
    assert.deepStrictEqual(plan.servers[0]?.notes.map(({ key }) => key), [
      "mcpServers.a.autoApprove",
      "mcpServers.a.description",
      "mcpServers.a.zzz"
    ])
    assert.deepStrictEqual(entryOf(plan), { command: "x", enabled: false })
  })

  it("never brings a server in as enabled that is off where it comes from", () => {
    const text = "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"disabled\": true, \"disabled\": false}}}"
    const root = JsonNode.parse(text)
    const twice = Result.flatMap(root, (node) => ConfigShape.find(node, "cline", contextOf("a.json")))
    const plans = [
      ConfigImport.plan(native({ a: { command: "x", enabled: true, disabled: true } }), [], KEEPING),
      ConfigImport.plan(Result.isSuccess(twice) ? twice.success : assert.fail(), [], KEEPING),
      ConfigImport.plan(
        found("gemini", { mcp: { allowed: ["b"] }, mcpServers: { a: { command: "x" } } }),
        [],
        KEEPING
      )
    ]
    for (const plan of plans) assert.deepStrictEqual(entryOf(plan), { command: "x", enabled: false })
    const typo = ConfigImport.plan(native({ a: { command: "x", disbled: true } }), [], KEEPING)
    assert.deepStrictEqual(outcomes(typo), { a: "skipped" })
  })

  it("keeps what an entry names relative to its own folder", () => {
    const options = { isReplacing: false, start: { folder: "/home/me/project" } }
    const plan = (entry: unknown) => entryOf(ConfigImport.plan(native({ a: entry }), [], options))
    assert.deepStrictEqual(plan({ command: "npx", args: ["-y", "x"] }), { command: "npx", args: ["-y", "x"] })
    assert.deepStrictEqual(plan({ command: "node", args: ["./srv.js"] }), {
      command: "node",
      args: ["./srv.js"],
      cwd: "/home/me/project"
    })
    assert.deepStrictEqual(plan({ command: "x", cwd: "./tools", envFile: ".env" }), {
      command: "x",
      cwd: "/home/me/project/tools",
      envFile: "/home/me/project/.env"
    })
    assert.deepStrictEqual(plan({ command: "x", roots: ["src", "~/x", "/abs"] }), {
      command: "x",
      roots: ["/home/me/project/src", "~/x", "/abs"]
    })
    for (const cwd of ["/abs", "~/x", "${ROOT}/x", "C:\\x"]) {
      assert.deepStrictEqual(plan({ command: "x", cwd }), { command: "x", cwd })
    }
    assert.deepStrictEqual(plan({ url: "https://x" }), { url: "https://x" })
  })

  it("says so where nobody can tell what a path is relative to", () => {
    const notes = (entry: unknown) =>
      ConfigImport.plan(native({ a: entry }), [], { isReplacing: false, start: "unknown" }).servers[0]?.notes.map((
        { key }
      ) => key)
    assert.deepStrictEqual(notes({ command: "./x", args: ["../y"], envFile: ".env" }), [
      "mcpServers.a.envFile",
      "mcpServers.a.command",
      "mcpServers.a.args"
    ])
    assert.deepStrictEqual(notes({ command: "./x", cwd: "tools" }), ["mcpServers.a.cwd"])
    assert.deepStrictEqual(notes({ url: "https://x", headersHelper: "./token.sh -q" }), ["mcpServers.a.headersHelper"])
    assert.deepStrictEqual(notes({ command: "npx", args: ["-y", "x"], cwd: "/abs" }), [])
  })

  it.effect("imports all 70 configurations that servers' authors publish, and finds them unchanged afterwards (R67)", () =>
    Effect.gen(function*() {
      for (const { config, server } of published) {
        const incoming = yield* foundIn(JSON.stringify(config), "native")
        const first = ConfigImport.plan(incoming, [], KEEPING)
        assert.isTrue(first.servers.length > 0 && first.servers.every(({ outcome }) => outcome === "added"), server)
        const written = entriesOf(Object.fromEntries(first.servers.map(({ entry, name }) => [name, entry])))
        const second = ConfigImport.plan(incoming, written, KEEPING)
        assert.isTrue(second.servers.every(({ outcome }) => outcome === "unchanged"), server)
      }
    }))

  it("reads each note a few times, however many servers there are", () => {
    const counted = (count: number): number => {
      let reads = 0
      const servers = Array.from({ length: count }, (_, index) => `s${index}`)
      const notes = servers.map((name) => ({
        get server() {
          reads++
          return name
        },
        ...{ at: JsonNode.START, key: name, detail: "x", matters: true }
      }))
      const members = servers.map((key) => ({
        key,
        at: JsonNode.START,
        value: JsonNode.fromValue({ command: "x" })
      }))
      const { servers: planned } = ConfigImport.plan({ servers: members, notes, skipped: [] }, [], {
        isReplacing: false,
        start: "same"
      })
      assert.isTrue(planned.every((one) => one.notes.length === 1))
      return reads
    }
    assert.isAtMost(counted(2000), 3 * 2000)
  })
})
