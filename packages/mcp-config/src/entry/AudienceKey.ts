/** Whether an entry says who sees its server. One that was meant for some must not show to all because its key is mistyped. */
import { slips } from "../model/Nearest.ts"
import type { EntryReader } from "./EntryReader.ts"
import { isSilent, NATIVE_KEYS } from "./NativeKeys.ts"

const KEY = "for"

/** The words of other programs for it. */
const WORDS: ReadonlyArray<string> = ["audience", "audiences"]

/** True for an unknown key that can have been meant to be `for`: another case, another word for it, or one slip away. */
export const isLike = (key: string): boolean => {
  if (NATIVE_KEYS.includes(key) || isSilent(key)) return false
  const letters = key.toLowerCase()
  return WORDS.includes(letters) || slips(letters, KEY, 1) <= 1
}

/** Keeps an entry with a mistyped `for` from being used. */
export const refuseOdd = (reader: EntryReader): void => {
  for (const { at, key, path } of reader.node.members) {
    if (!isLike(key)) continue
    const detail = `unknown key; did you mean ${KEY}? The server is for nobody until that is clear`
    reader.troubles.push({
      at,
      key: path ?? `${reader.path}.${key}`,
      detail,
      hint: `write "${KEY}", or leave the key out`
    })
  }
}

/** Whether somebody wanted to say who sees the server, well or badly. */
export const isMeant = (reader: EntryReader): boolean =>
  [...reader.keys.keys()].some((key) => key === KEY || isLike(key))
