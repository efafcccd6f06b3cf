/** Tells about files that cannot be used. */
import * as Effect from "effect/Effect"
import type { ConfigSource, Configuration } from "../model/Configuration.ts"

/**
 * The reason why a file cannot be used, with its place; null for none. Only a data file or one of the command line is
 * missed where it is not there.
 */
export const trouble = ({ error, file, scope, state }: ConfigSource): string | null => {
  if (error !== null) return error.message
  const isMissed = state === "absent" && (scope === "data" || scope === "command-line")
  return isMissed ? `${file} is not there` : null
}

/** Makes what logs the trouble of a file when it is first true, and again when it has become true again. */
export const teller = (wholePath: (file: string) => string): (configuration: Configuration) => Effect.Effect<void> => {
  let told: ReadonlySet<string> = new Set()
  return Effect.fnUntraced(function*({ sources }: Configuration) {
    const now = sources.flatMap((source) => line(source, wholePath(source.file)))
    const news = now.filter((text) => !told.has(text))
    told = new Set(now)
    for (const text of news) yield* Effect.logWarning(text)
  })
}

const line = (source: ConfigSource, path: string): ReadonlyArray<string> => {
  const found = trouble(source)
  if (found === null) return []
  const result = source.state === "kept" ? "its servers stay as they were" : "it configures no servers"
  const place = source.file === path ? [] : [`the whole path is ${path}`]
  return [[found, result, ...place, ...(source.error === null ? [] : [source.error.hint])].join("; ")]
}
