/** News about the configuration, in the log and beside the address: at the start and as it changes. */
import { type ConfigSource, type Configuration, type ConfiguredServer, McpConfig } from "@boocode/mcp-config"
import type { Applied } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { DataFolder } from "../settings/DataFolder.ts"

/** Logs why each enabled entry that is broken cannot be used. A server that is tried and fails has its own line. */
export const brokenEntries = Layer.effectDiscard(
  followed(() => Effect.succeed(({ servers }: Configuration) => servers.flatMap(brokenEntry)))
)

/** Logs what is wrong with whole files. The server starts and goes on all the same. */
export const files = Layer.effectDiscard(followed((config) =>
  Effect.gen(function*() {
    const { isNamed } = yield* DataFolder
    const atFirst = yield* config.current
    const broken = new Set<string>()
    const there = new Set(atFirst.sources.filter(({ state }) => state !== "absent").map(({ file }) => file))
    return ({ sources, warnings }: Configuration) => {
      for (const { file, state } of sources) if (state !== "absent") there.add(file)
      const mended = sources.filter(({ file, state }) => state === "read" && broken.has(file))
      broken.clear()
      for (const { error, file } of sources) if (error !== null) broken.add(file)
      return [
        ...sources.flatMap((source) => aboutFile(source, isNamed && source.scope === "data", there.has(source.file))),
        ...mended.map(({ file }) => remark("info", `${file} can be read again`)),
        ...warnings.map(warning)
      ]
    }
  })
))

/** One line about what a new configuration changed; null without a change. */
export const line = ({ added, changed, removed }: Applied): string | null => {
  const words = [["added", added], ["changed", changed], ["removed", removed]] as const
  const parts = words.filter(([, names]) => names.length > 0).map(([word, names]) => `${word} ${names.join(", ")}`)
  return parts.length === 0 ? null : `The configuration changed: ${parts.join("; ")}.`
}

interface Remark {
  readonly level: "error" | "warning" | "info"
  readonly text: string
  /** Its subject: the same remark about another line is not logged again. */
  readonly of: string
}

const LOGGED = { error: Effect.logError, warning: Effect.logWarning, info: Effect.logInfo }

/** Tells each remark when it is first true, and again when it has become true again. */
function followed<R>(
  remarksOf: (
    config: typeof McpConfig.Service
  ) => Effect.Effect<(configuration: Configuration) => ReadonlyArray<Remark>, never, R>
) {
  return Effect.gen(function*() {
    const config = yield* McpConfig
    const remarks = yield* remarksOf(config)
    let told: ReadonlySet<string> = new Set()
    const tell = Effect.fnUntraced(function*(configuration: Configuration) {
      const now = remarks(configuration)
      const news = now.filter(({ of }) => !told.has(of))
      told = new Set(now.map(({ of }) => of))
      for (const { level, text } of news) yield* LOGGED[level](text)
    })
    yield* Effect.flatMap(config.current, tell)
    yield* Effect.forkScoped(Stream.runForEach(config.changes, tell))
  })
}

const remark = (level: Remark["level"], text: string, of = text): Remark => ({ level, text, of })
const warning = (text: string): Remark => remark("warning", text)

const brokenEntry = (
  { config, enabled, name, needsApproval, personal }: ConfiguredServer
): ReadonlyArray<Remark> => {
  if (!enabled || needsApproval || personal !== undefined || Result.isSuccess(config)) return []
  const { file, hint, key, message } = config.failure
  const what = config.failure._tag === "InvalidEntry" ? config.failure.detail : config.failure.variable
  return [remark("warning", `${name}: ${message} (${hint})`, [name, file, key, what].join("\n"))]
}

const aboutFile = (
  { error, file, scope, state }: ConfigSource,
  isNamed: boolean,
  wasThere: boolean
): ReadonlyArray<Remark> => {
  if (error !== null) {
    const without = scope === "data" ? "there are no servers" : "its servers are left out"
    const result = state === "kept" ? "its servers stay as they are" : without
    return [remark("error", `${error.message}; ${result} (${error.hint})`)]
  }
  if (state !== "absent") return []
  if (wasThere) return [warning(`${file} is not there any more, so its servers are stopped`)]
  return isNamed ? [warning(`${file} is not there, so there are no servers`)] : []
}
