/** An entry of a project file makes the checks of writing tools stricter, never weaker. */
import type { EntryOptions, Remark } from "../model/ServerEntry.ts"
import type { EntryReader } from "./EntryReader.ts"

/** Gives the settings as a project file may have them. Classes stay: discovery takes those that are stricter. */
export const tightened = (options: EntryOptions): EntryOptions => ({
  ...options,
  writes: options.writes === "ask" ? null : options.writes,
  targets: {}
})

/** Says which keys of an entry count for nothing in a project file, and where they are. */
export const remarks = (reader: EntryReader, { targets, writes }: EntryOptions): ReadonlyArray<Remark> => [
  ...(writes === "ask" ? [remark(reader, "writes", "a project file may say \"off\" only")] : []),
  ...(Object.keys(targets).length > 0 ? [remark(reader, "targets", "a project file may not have it")] : [])
]

const remark = (reader: EntryReader, key: string, why: string): Remark => ({
  at: reader.keys.get(key)?.at ?? reader.node.at,
  key: reader.pathOf(key),
  detail: `${why}, so it is not read; write the entry into a file of your own`
})
