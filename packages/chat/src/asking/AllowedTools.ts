/** The tools that a person allowed for good, each as it was then: one that is defined in another way asks again. */
import * as StateFile from "@boocode/mcp-client/StateFile"
import { McpRegistries, ToolPrint } from "@boocode/mcp-registry"
import { type AgentTool, Conditions, PermissionRule } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { GrantNotKept } from "../model/ApprovalError.ts"
import { FIRST } from "../users/CurrentUser.ts"

/** One tool that is allowed for good, or for a while. */
export const Grant = Schema.Struct({
  /** Null for a built-in tool. */
  server: Schema.NullOr(Schema.String),
  /** The raw name. */
  tool: Schema.String,
  /** Its name for models when it was allowed. */
  name: Schema.String,
  since: Schema.String,
  /** The calls that it holds for; left out, it holds for all. */
  where: Schema.optionalKey(Conditions.Where),
  /** An ISO time at which it ends; left out, it has no end. */
  until: Schema.optionalKey(Schema.String)
})
export type Grant = typeof Grant.Type

const Kept = Schema.Struct({
  ...Grant.fields,
  /** The id of the person who allowed it; left out, it is the first person. */
  owner: Schema.optionalKey(Schema.String),
  /**
   * The file that declares the server: another project may have another server of its name. Null for a built-in tool.
   */
  file: Schema.NullOr(Schema.String),
  /** SHA-256 of its definition. */
  print: Schema.String
})
type Kept = typeof Kept.Type

const File = Schema.Struct({ version: Schema.Literal(1), allowed: Schema.Array(Kept) })

/** The terms of a yes: how long and for which calls it holds. */
export interface GrantTerms {
  /** Empty for every call. */
  readonly where: Conditions.Where
  /** Milliseconds since 1970; null for good. */
  readonly until: number | null
}

/** The parts of a tool that make its identity. */
export type Identified = Pick<AgentTool, "description" | "inputSchema" | "listed" | "name" | "server">

export interface AllowedTools {
  /** A hash of the server, the file that declares it, the raw name and the definition of a tool. */
  readonly printOf: (tool: Identified) => Effect.Effect<string>
  /** Whether a tool of a server is listed for this person now as it was when it had this hash. True for one that is not listed now. */
  readonly isStill: (owner: string, tool: Identified, print: string) => Effect.Effect<boolean>
  /**
   * The grants that a person gave this very tool, of this print. Never fails: a file that cannot be used allows
   * nothing, and says so in the log.
   */
  readonly of: (owner: string, tool: Identified, print: string) => Effect.Effect<ReadonlyArray<PermissionRule.Grant>>
  /** Allows a person these calls of this very tool from now on, and any of the tool of this name as it was before no more. */
  readonly add: (owner: string, tool: Identified, terms: GrantTerms) => Effect.Effect<void, GrantNotKept>
  /** All of a person, sorted by name. */
  readonly list: (owner: string) => Effect.Effect<ReadonlyArray<Grant>>
  /** Takes back what a person allowed under this name, null for all of theirs; false when nothing was. */
  readonly remove: (owner: string, name: string | null) => Effect.Effect<boolean, GrantNotKept>
}

/** Keeps them in this file, readable by its owner alone. It must lie in a folder that no project can write. */
export const make = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<AllowedTools, never, Digest.Digest | FileSystem.FileSystem | McpRegistries | Path.Path> {
  const digest = yield* Effect.context<Digest.Digest>()
  const registries = yield* McpRegistries
  const file = yield* StateFile.make(path, File)

  /** The identity of a tool: a grant holds while all of it stays the same. */
  const identityOf = Effect.fnUntraced(function*({ description, inputSchema, listed, name, server }: Identified) {
    const definition = listed ??
      { tool: name, title: null, description, inputSchema, outputSchema: null, annotations: {} }
    const print = yield* ToolPrint.ofTool(definition)
    const declared = server === null
      ? null
      : yield* Effect.match(registries.shared.trustDetails(server), {
        onFailure: () => server,
        onSuccess: ({ file }) => file
      })
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

  const printOf = (tool: Identified) =>
    Effect.flatMap(identityOf(tool), (identity) => Effect.provideContext(hashed(JSON.stringify(identity)), digest))

  return {
    printOf,
    isStill: Effect.fnUntraced(function*(owner, tool, print) {
      const all = tool.listed === undefined
        ? []
        : yield* Effect.scoped(Effect.flatMap(
          registries.of(owner),
          ({ tools, writers }) => Effect.zipWith(tools, writers, (some, more) => [...some, ...more])
        ))
      const listed = all.find((one) => one.server === tool.server && one.tool === tool.listed?.tool)
      return listed === undefined || (yield* printOf({ ...tool, listed })) === print
    }),
    of: Effect.fnUntraced(function*(owner, tool, print) {
      const some = (yield* allowed).filter(isOf(owner))
      if (some.length === 0) return []
      const identity = yield* identityOf(tool)
      return some.filter((one) => isSame(one, identity) && one.print === identity.print)
        .map(({ name, since, until, where = {} }) => ({ print, name, where, until: endOf(until), since }))
    }),
    add: Effect.fnUntraced(function*(owner, tool, { until, where }) {
      const identity = yield* identityOf(tool)
      const now = yield* DateTime.now
      const grant: Kept = {
        ...identity,
        ...owner === FIRST.id ? {} : { owner },
        name: tool.name,
        since: DateTime.formatIso(now),
        ...Object.keys(where).length === 0 ? {} : { where },
        ...until === null ? {} : { until: DateTime.formatIso(DateTime.makeUnsafe(until)) }
      }
      const isLeft = (one: Kept) =>
        !PermissionRule.isOver(endOf(one.until), DateTime.toEpochMillis(now)) &&
        (!isOf(owner)(one) || !isSame(one, grant) || one.print === grant.print && !Equal.equals(one.where, grant.where))
      yield* changed((before) => [...before.filter(isLeft), grant])
    }),
    list: Effect.fnUntraced(function*(owner) {
      const now = yield* Clock.currentTimeMillis
      return (yield* allowed).filter(isOf(owner)).filter(({ until }) => !PermissionRule.isOver(endOf(until), now))
        .map(({ file: _, owner: __, print: ___, ...grant }) => grant)
        .toSorted((one, other) => one.name < other.name ? -1 : 1)
    }),
    remove: Effect.fnUntraced(function*(owner, name) {
      const isMeant = (one: Kept) => isOf(owner)(one) && (name === null || one.name === name)
      if (!(yield* allowed).some(isMeant)) return false
      yield* changed((before) => before.filter((one) => !isMeant(one)))
      return true
    })
  }
})

/** Takes back in a file all that somebody allowed who is gone, for a program without servers. */
export const forget = Effect.fnUntraced(function*(path: string, owner: string) {
  const file = yield* StateFile.make(path, File)
  const content = Result.getOrElse(yield* file.read, () => null)
  if (!(content?.allowed ?? []).some(isOf(owner))) return
  yield* Effect.mapError(
    file.change((before) => ({
      version: 1,
      allowed: (Result.getOrElse(before, () => null)?.allowed ?? []).filter((one) => !isOf(owner)(one))
    })),
    ({ message }) => new GrantNotKept({ why: message })
  )
})

const isOf = (owner: string) => (one: Kept): boolean => (one.owner ?? FIRST.id) === owner

/** A time that cannot be read is over. */
const endOf = (until: string | undefined): number | null =>
  until === undefined
    ? null
    : Option.match(DateTime.make(until), { onNone: () => 0, onSome: DateTime.toEpochMillis })

const encoder = new TextEncoder()

const hashed = (text: string) => Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, encoder.encode(text)))

type Identity = Pick<Kept, "server" | "tool" | "file">

const isSame = (one: Identity, other: Identity): boolean =>
  one.server === other.server && one.tool === other.tool && one.file === other.file
