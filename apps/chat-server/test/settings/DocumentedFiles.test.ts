/** The documents show configuration as `jsonc`, which works as it stands, and everything else as `json`. */
import { Environment, JsonObjectText, McpConfig } from "@boocode/mcp-config"
import { PermissionText } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as ProfileText from "../../src/clients/ProfileText.ts"
import * as ProviderSettings from "../../src/settings/ProviderSettings.ts"
import * as Settings from "../../src/settings/Settings.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Every block of such a language, with the page and the line where it stands. */
const blocks = (language: string) =>
  globSync(["*.md", "docs/*.md", "docs/recipes/*.md", "packages/*/README.md"], { cwd: root }).flatMap((page) => {
    const text = readFileSync(`${root}${page}`, "utf8")
    return [...text.matchAll(new RegExp(`^\`\`\`${language}(?: .*)?\\n([^]*?)^\`\`\`$`, "gm"))].map((block) => ({
      place: `${page}:${text.slice(0, block.index).split("\n").length}`,
      text: block[1] ?? ""
    }))
  })

/** What is wrong with these entries of mcp.json; every variable that they name is set, those of each person as well. */
const entryProblems = (entries: Schema.JsonObject) =>
  Effect.gen(function*() {
    const { servers } = yield* McpConfig.use(({ current }) => current)
    return servers.flatMap(({ config, personal, warnings }) => {
      const given = Object.fromEntries(personal?.names.map((name) => [name, Redacted.make("x")]) ?? [])
      const usable = personal?.resolve(given, "/x") ?? config
      return Result.isFailure(usable) ? [usable.failure.message, ...warnings] : warnings
    })
  }).pipe(
    Effect.provide(McpConfig.layerEntries(entries)),
    Effect.provide([FileSystem.layerNoop({}), Path.layer, Environment.layer(variablesIn(JSON.stringify(entries)))])
  )

const variablesIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => [name, "x"]))

const PERMISSIONS = ["write", "rules", "examples", "hooks"]

/** A block is mcp.json, settings.json, gateway.jsonc, permissions.jsonc, or else a part of an entry. */
const problemsOf = (text: string): Effect.Effect<ReadonlyArray<string>> => {
  const read = JsonObjectText.read(text)
  if (Result.isFailure(read)) return Effect.succeed([read.failure.detail])
  const { mcpServers, ...others } = read.success
  const keys = Object.keys(others)
  if (mcpServers !== undefined) {
    return JsonObjectText.isObject(mcpServers) ? entryProblems(mcpServers) : Effect.succeed(["mcpServers is no object"])
  }
  if (keys.includes("profiles")) return Effect.succeed(ProfileText.read(text, "gateway.jsonc").problems.map(String))
  if (keys.every(Settings.isKnown)) {
    const { problems } = Settings.taken(others)
    return Effect.succeed([...problems, ...ProviderSettings.read(others[ProviderSettings.KEY]).problems])
  }
  if (keys.some((key) => PERMISSIONS.includes(key))) {
    return Effect.succeed(PermissionText.read(text, "permissions.jsonc", "user").problems.map(String))
  }
  const whole = "url" in others ? others : { command: "x", ...others }
  return entryProblems({ part: whole })
}

describe("the configuration in the documents", () => {
  it.effect("is read without a problem", () =>
    Effect.gen(function*() {
      const all = blocks("jsonc")
      assert.isAbove(all.length, 10)
      const wrong = yield* Effect.forEach(all, ({ place, text }) =>
        Effect.map(problemsOf(text), (problems) => problems.map((problem) => `${place}: ${problem}`)))
      assert.deepStrictEqual(wrong.flat(), [])
    }))

  it("stands beside answers that are JSON", () => {
    const wrong = blocks("json").filter(({ text }) => Result.isFailure(Result.try(() => JSON.parse(text))))
    assert.deepStrictEqual(wrong, [])
  })
})
