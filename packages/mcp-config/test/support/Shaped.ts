/** Files of applications on their way to entries and back. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as NativeEntry from "../../src/entry/NativeEntry.ts"
import { ConfigExport, ConfigShape } from "../../src/Exchange.ts"
import type { ServerEntry } from "../../src/model/ServerEntry.ts"
import * as ConfigText from "../../src/text/ConfigText.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"

/** A file in a project at /project, read by somebody who stands in /home/me/project. */
export const contextOf = (file: string): ConfigShape.Context => ({
  workspace: "/project",
  isWindows: false,
  isBare: file.endsWith(".mcprc"),
  standing: ["/home/me/project/deep", "/home/me/project"]
})

/** The tree of a text; fails the test when it cannot be read. */
export const treeOf = (text: string, format: ConfigText.Format): Effect.Effect<JsonNode.JsonNode> =>
  Effect.map(
    ConfigText.parse(text, format),
    (root) => Result.isSuccess(root) ? root.success : assert.fail(JSON.stringify(root.failure))
  )

/** What a text holds in a shape; fails the test when it cannot be read. */
export const foundIn = Effect.fnUntraced(function*(text: string, shape: ConfigShape.ShapeName, file = "any.json") {
  const root = yield* treeOf(text, ConfigShape.named(shape).format)
  const found = ConfigShape.find(root, shape, contextOf(file))
  return Result.isSuccess(found) ? found.success : assert.fail(JSON.stringify(found.failure))
})

/** What was found, as plain native entries. */
export const plain = (found: ConfigShape.Found): Readonly<Record<string, unknown>> =>
  Object.fromEntries(found.servers.map(({ key, value }) => [key, JsonNode.toValue(value)]))

/** Notes as lines: server, place, key and words. */
export const lines = (found: ConfigShape.Found): ReadonlyArray<string> =>
  found.notes.map(({ at, detail, key }) => `${at.line}:${at.column} ${key}: ${detail}`)

/** Entries of native values. */
export const entriesOf = (servers: unknown): ReadonlyArray<ServerEntry> =>
  NativeEntry.decodeServers(JsonNode.fromValue(servers)).entries

/** Entries written as a file of a shape and read again, with what was lost on the way out. */
export const roundTrip = Effect.fnUntraced(function*(
  entries: ReadonlyArray<ServerEntry>,
  shape: ConfigShape.ShapeName
) {
  const encoded = ConfigExport.encode(entries, shape)
  const written = (yield* ConfigExport.writer(shape)).into("", encoded, { isReplacing: false })
  const { text } = Result.isSuccess(written) ? written.success : assert.fail(`${shape}: ${written.failure.detail}`)
  const found = yield* foundIn(text, shape)
  return { text, encoded, entries: ConfigShape.contentOf(found).entries }
})
