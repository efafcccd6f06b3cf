/** The tools that a person allowed for good, each as it was then: one that is defined in another way asks again. */
import * as StateFile from "@boocode/mcp-client/StateFile"
import { McpRegistry, ToolPrint } from "@boocode/mcp-registry"
import type { AgentTool } from "@boocode/toolkit"
import * as Digest from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { GrantNotKept } from "../model/ApprovalError.ts"

/** One tool that is allowed for good. */
export const Grant = Schema.Struct({
  /** Null for a built-in tool. */
  server: Schema.NullOr(Schema.String),
  /** The raw name. */
  tool: Schema.String,
  /** Its name for models when it was allowed. */
  name: Schema.String,
  since: Schema.String
})
export type Grant = typeof Grant.Type

const Kept = Schema.Struct({
  ...Grant.fields,
  /**
   * The file that declares the server: another project may have another server of its name. Null for a built-in tool.
   */
  file: Schema.NullOr(Schema.String),
  /** SHA-256 of its definition. */
  print: Schema.String
})
type Kept = typeof Kept.Type

const File = Schema.Struct({ version: Schema.Literal(1), allowed: Schema.Array(Kept) })

export interface AllowedTools {
  /** A hash of the server, the file that declares it, the raw name and the definition of a tool. */
  readonly printOf: (tool: AgentTool) => Effect.Effect<string>
  /** Whether this very tool is. Never fails: a file that cannot be used allows nothing, and says so in the log. */
  readonly has: (tool: AgentTool) => Effect.Effect<boolean>
  /** Allows this very tool from now on, and the tool of this name as it was before no more. */
  readonly add: (tool: AgentTool) => Effect.Effect<void, GrantNotKept>
  /** All of them, sorted by name. */
  readonly list: Effect.Effect<ReadonlyArray<Grant>>
  /** Takes back what was allowed under this name; false when nothing was. */
  readonly remove: (name: string) => Effect.Effect<boolean, GrantNotKept>
}

/** Keeps them in this file, readable by its owner alone. It must lie in a folder that no project can write. */
export const make = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<AllowedTools, never, Digest.Digest | FileSystem.FileSystem | McpRegistry | Path.Path> {
  const digest = yield* Effect.context<Digest.Digest>()
  const registry = yield* McpRegistry
  const file = yield* StateFile.make(path, File)

  /** The identity of a tool: a grant holds while all of it stays the same. */
  const identityOf = Effect.fnUntraced(function*({ description, inputSchema, listed, name, server }: AgentTool) {
    const definition = listed ??
      { tool: name, title: null, description, inputSchema, outputSchema: null, annotations: {} }
    const print = yield* ToolPrint.ofTool(definition)
    const declared = server === null
      ? null
      : yield* Effect.match(registry.trustDetails(server), { onFailure: () => server, onSuccess: ({ file }) => file })
    return { server, tool: definition.tool, file: declared, print }
  }, Effect.provideContext(digest))

  const allowed = Effect.flatMap(file.read, (content) =>
    Result.isSuccess(content)
      ? Effect.succeed(content.success?.allowed ?? [])
      : Effect.as(Effect.logWarning(`nothing is always allowed: ${content.failure.message}`), []))

  const changed = (next: (before: ReadonlyArray<Kept>) => ReadonlyArray<Kept>) =>
    file.change((content) => ({
      version: 1,
      allowed: next(Result.getOrElse(content, () => null)?.allowed ?? [])
    })).pipe(Effect.mapError(({ message }) => new GrantNotKept({ why: message })))

  return {
    printOf: (tool) =>
      Effect.flatMap(identityOf(tool), (identity) => Effect.provideContext(hashed(JSON.stringify(identity)), digest)),
    has: Effect.fnUntraced(function*(tool) {
      const some = yield* allowed
      if (some.length === 0) return false
      const identity = yield* identityOf(tool)
      return some.some((one) => isSame(one, identity) && one.print === identity.print)
    }),
    add: Effect.fnUntraced(function*(tool) {
      const identity = yield* identityOf(tool)
      const since = DateTime.formatIso(yield* DateTime.now)
      yield* changed((before) => [
        ...before.filter((one) => !isSame(one, identity)),
        { ...identity, name: tool.name, since }
      ])
    }),
    list: Effect.map(allowed, (all) =>
      all.map(({ name, server, since, tool }) => ({ server, tool, name, since }))
        .toSorted((one, other) => one.name < other.name ? -1 : 1)),
    remove: Effect.fnUntraced(function*(name) {
      if (!(yield* allowed).some((one) => one.name === name)) return false
      yield* changed((before) => before.filter((one) => one.name !== name))
      return true
    })
  }
})

const encoder = new TextEncoder()

const hashed = (text: string) => Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, encoder.encode(text)))

const isSame = (one: Omit<Kept, "print" | "name" | "since">, other: Omit<Kept, "print" | "name" | "since">): boolean =>
  one.server === other.server && one.tool === other.tool && one.file === other.file
