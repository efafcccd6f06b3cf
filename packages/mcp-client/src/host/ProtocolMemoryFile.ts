/** Verdicts in a file. */
import type { ServerConfig } from "@boocode/mcp-config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { short } from "../base/Hash.ts"

export const Verdict = Schema.Struct({
  /** `sse` is the old one, over the transport of revision 2024-11-05 although the entry does not say so. */
  era: Schema.Literals(["legacy", "modern", "sse"]),
  /** Why it was judged so, for a person who wonders. */
  reason: Schema.String,
  at: Schema.DateTimeUtcFromString,
  /** The answer to `server/discover`; null for the old era. */
  discover: Schema.NullOr(Schema.JsonObject)
})

export type Verdict = typeof Verdict.Type

/** Those of a file, by a hash of their servers. */
const VerdictFile = Schema.fromJsonString(Schema.Record(Schema.String, Verdict))

type Verdicts = typeof VerdictFile.Type

/** Keeps verdicts in this file, as `ProtocolMemory.layerFile` says. */
export const make = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const turn = yield* Semaphore.make(1)
  const read = fs.readFileString(file).pipe(
    Effect.flatMap(Schema.decodeEffect(VerdictFile)),
    Effect.orElseSucceed((): Verdicts => ({}))
  )
  const write = Effect.fnUntraced(function*(verdicts: Verdicts) {
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(`${file}.new`, yield* Schema.encodeEffect(VerdictFile)(verdicts), { mode: 0o600 })
    yield* fs.rename(`${file}.new`, file)
  })
  const change = (next: (verdicts: Verdicts) => Verdicts) =>
    turn.withPermit(Effect.flatMap(read, (verdicts) => write(next(verdicts)))).pipe(
      Effect.catch((error) => Effect.logDebug(`${file} could not be written: ${error.message}`))
    )
  return {
    recall: Effect.fnUntraced(function*(config: ServerConfig) {
      const verdict = (yield* read)[keyOf(config)]
      if (verdict === undefined) return null
      const age = DateTime.distance(verdict.at, yield* DateTime.now)
      return Duration.isLessThan(age, KEPT) ? verdict : null
    }),
    remember: Effect.fnUntraced(function*(config: ServerConfig, verdict: Omit<Verdict, "at">) {
      const at = yield* DateTime.now
      yield* change((verdicts) => ({ ...verdicts, [keyOf(config)]: { ...verdict, at } }))
    }),
    forget: Effect.fnUntraced(function*(config: ServerConfig) {
      if (keyOf(config) in (yield* read)) yield* change((verdicts) => Record.remove(verdicts, keyOf(config)))
    })
  }
})

/** A server whose transport changed is another one. Its values may be secrets, so only a hash of them is written. */
const keyOf = ({ name, transport }: ServerConfig): string => {
  const written = transport._tag === "stdio"
    ? [transport.command, ...transport.args.map(Redacted.value), transport.cwd]
    : [transport._tag, Redacted.value(transport.url)]
  return `${name} ${short(written.join("\u0000"))}`
}

/**
 * How long a verdict holds. One for the old era is never contradicted by the server: an upgraded one still answers
 * `initialize`.
 */
const KEPT = Duration.days(7)
