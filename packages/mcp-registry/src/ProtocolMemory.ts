/**
 * Which era of the protocol each server spoke last, so that a server that is known need not be asked again.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { hash } from "./ToolName.ts"

/** What is remembered of one server. @category schemas */
export const Verdict = Schema.Struct({
  /** `sse` is the old one, over the transport of revision 2024-11-05 although the entry does not say so. */
  era: Schema.Literals(["legacy", "modern", "sse"]),
  /** Why it was judged so, for a person who wonders. */
  reason: Schema.String,
  at: Schema.DateTimeUtcFromString,
  /** What `server/discover` answered; null for the old era. */
  discover: Schema.NullOr(Schema.JsonObject)
})

/** What is remembered of one server. @category models */
export type Verdict = typeof Verdict.Type

/**
 * How long a verdict holds. One for the old era is never contradicted by the server: an upgraded one still answers
 * `initialize`.
 *
 * @category constants
 */
export const KEPT = Duration.days(7)

/**
 * The memory of a registry. Without a layer nothing is remembered.
 *
 * @category references
 */
export class ProtocolMemory extends Context.Reference<{
  /** The verdict on a server with this very transport; null when there is none, or it is too old. Never fails. */
  readonly recall: (config: ServerConfig) => Effect.Effect<Verdict | null>
  /** Keeps a verdict with today's date. Never fails: what cannot be written is asked again next time. */
  readonly remember: (config: ServerConfig, verdict: Omit<Verdict, "at">) => Effect.Effect<void>
  /** Forgets a verdict that did not fit. */
  readonly forget: (config: ServerConfig) => Effect.Effect<void>
}>("mcp-registry/ProtocolMemory", {
  defaultValue: () => ({
    recall: () => Effect.succeed(null),
    remember: () => Effect.void,
    forget: () => Effect.void
  })
}) {
  /** Keeps verdicts in this file, as JSON. A file that cannot be read counts as empty. */
  static readonly layerFile = (
    file: string
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> => Layer.effect(ProtocolMemory, make(file))
}

const File = Schema.fromJsonString(Schema.Record(Schema.String, Verdict))

const make = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const turn = yield* Semaphore.make(1)
  const read = fs.readFileString(file).pipe(
    Effect.flatMap(Schema.decodeEffect(File)),
    Effect.orElseSucceed((): typeof File.Type => ({}))
  )
  const write = Effect.fnUntraced(function*(verdicts: typeof File.Type) {
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(`${file}.new`, yield* Schema.encodeEffect(File)(verdicts), { mode: 0o600 })
    yield* fs.rename(`${file}.new`, file)
  })
  const change = (next: (verdicts: typeof File.Type) => typeof File.Type) =>
    turn.withPermit(Effect.flatMap(read, (verdicts) => write(next(verdicts)))).pipe(
      Effect.catch((error) => Effect.logDebug(`${file} could not be written: ${error.message}`))
    )
  return ProtocolMemory.of({
    recall: Effect.fnUntraced(function*(config) {
      const verdict = (yield* read)[keyOf(config)]
      if (verdict === undefined) return null
      const age = DateTime.distance(verdict.at, yield* DateTime.now)
      return Duration.isLessThan(age, KEPT) ? verdict : null
    }),
    remember: Effect.fnUntraced(function*(config, verdict) {
      const at = yield* DateTime.now
      yield* change((verdicts) => ({ ...verdicts, [keyOf(config)]: { ...verdict, at } }))
    }),
    forget: Effect.fnUntraced(function*(config) {
      if (keyOf(config) in (yield* read)) yield* change((verdicts) => Record.remove(verdicts, keyOf(config)))
    })
  })
})

/** A server whose transport changed is another one. Its values may be secrets, so only a hash of them is written. */
const keyOf = ({ name, transport }: ServerConfig): string => {
  const written = transport._tag === "stdio"
    ? [transport.command, ...transport.args.map(Redacted.value), transport.cwd]
    : [transport._tag, Redacted.value(transport.url)]
  return `${name} ${hash(written.join("\u0000"))}`
}
