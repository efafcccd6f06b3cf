/** An argument that is two, such as `-y some-package`, made into two. Pure. */
import type { JsonObject } from "../../api/Types.ts"

/** The entry with `args[N]` at its spaces apart; null where the key is no such argument. */
export const withSplit = (entry: JsonObject, key: string): JsonObject | null => {
  const [, index] = /^args\[(\d+)\]$/.exec(key) ?? []
  const { args } = entry
  const words = index !== undefined && Array.isArray(args) ? args[Number(index)] : undefined
  if (typeof words !== "string" || !/\S\s+\S/.test(words) || !Array.isArray(args)) return null
  return { ...entry, args: args.toSpliced(Number(index), 1, ...words.trim().split(/\s+/)) }
}
