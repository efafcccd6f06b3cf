/** The versions of the configuration: what differs between them, and how an older one becomes the newest once more. */
import { HiddenValues } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConfigHistory, ConfigHistoryTrouble } from "../../database/ConfigHistory.ts"
import { FleetSettings } from "../FleetSettings.ts"
import { ConfigRows, type ConfigRowsFailed } from "./ConfigRows.ts"
import * as FleetFiles from "./FleetFiles.ts"

/** A version that is kept, and the newest one of its file. */
const found = Effect.fnUntraced(function*(name: string, version: number) {
  const kept = yield* (yield* ConfigRows).history(name)
  const [newest] = kept
  const wanted = kept.find((one) => one.version === version)
  if (newest !== undefined && wanted !== undefined) return { newest, wanted }
  return yield* new ConfigHistoryTrouble({
    kind: "unknown",
    message: newest === undefined ? `the fleet has no file ${name}` : `no version ${version} of ${name} is kept`,
    hint: newest === undefined
      ? "boocode fleet history lists the files with their versions"
      : `there are ${kept.at(-1)?.version} to ${newest.version}: boocode fleet history ${name}`
  })
})

/** Makes a version of a file the newest one. Gives its number, the newest one where it is the same. */
export const restored = Effect.fnUntraced(function*(name: string, version: number, by: string, seen: number | null) {
  const { read, write } = yield* ConfigRows
  const { newest, wanted } = yield* found(name, version)
  const text = yield* read(name, version)
  if (version === newest.version || (text ?? null) === (yield* read(name, newest.version))) return newest.version
  const isPruned = text === null && !wanted.removed
  const isOther = seen !== null && seen !== newest.version
  const written = isPruned || isOther ? null : yield* write(name, text, newest.version, by)
  return written ?? (yield* new ConfigHistoryTrouble({
    kind: "changed",
    message: `a node changed ${name} at the same time`,
    hint: `see boocode fleet history ${name}, and restore again`
  }))
})

const compared = Effect.fnUntraced(function*(name: string, version: number) {
  const { read } = yield* ConfigRows
  const { newest } = yield* found(name, version)
  const [before, after] = [yield* read(name, newest.version), yield* read(name, version)]
  return { newest: newest.version, before: shown(name, before), after: shown(name, after), same: before === after }
})

const shown = (name: string, text: string | null): string | null =>
  text !== null && /\.jsonc?$/.test(name) ? HiddenValues.hideFile(text) : text

/** For people at the page of a node. */
export const layer = Layer.effect(
  ConfigHistory,
  Effect.gen(function*() {
    const rows = yield* ConfigRows
    const { host, port } = yield* FleetSettings
    const told = <A>(effect: Effect.Effect<A, ConfigHistoryTrouble | ConfigRowsFailed, ConfigRows>) =>
      Effect.mapError(
        Effect.provideService(effect, ConfigRows, rows),
        (error) =>
          error._tag === "ConfigRowsFailed"
            ? new ConfigHistoryTrouble({ kind: "database", message: error.message, hint: error.hint })
            : error
      )
    return {
      versions: told(rows.history(null)),
      compared: (name, version) => told(compared(name, version)),
      restore: (name, version, newest) =>
        Effect.flatMap(
          FleetFiles.authorAt(`${host}:${port}`),
          (by) => told(restored(name, version, by, newest))
        )
    }
  })
)
