/**
 * Whether an entry is on. A server that was meant to be off must not start because its switch is mistyped.
 */
import { GENERAL } from "../model/EntryKeys.ts"
import { slips } from "../model/Nearest.ts"
import { mismatch } from "../text/Field.ts"
import type { Member } from "../text/JsonNode.ts"
import type { EntryReader } from "./EntryReader.ts"

/** The keys that switch a server on and off. */
export const SWITCH_KEYS: ReadonlyArray<string> = ["enabled", "disabled"]

/** True for a member that only a slip of the pen can have made of a switch. */
export const isLike = (member: Member): boolean => !SWITCH_KEYS.includes(member.key) && slipOf(member) !== null

/** Reads the switches. Either is honoured, and off wins; what is wrong with one keeps the entry from being used. */
export const isOn = (reader: EntryReader): boolean => {
  const enabled = reader.read("enabled", GENERAL.enabled, undefined)
  const disabled = reader.read("disabled", GENERAL.disabled, undefined)
  if (enabled !== undefined && enabled === disabled) {
    reader.remark("disabled", "contradicts \"enabled\"; the server is disabled")
  }
  refuseOdd(reader)
  return !says(reader, "enabled", false) && !says(reader, "disabled", true)
}

const says = (reader: EntryReader, wanted: string, flag: boolean): boolean =>
  reader.node.members.some(({ key, value }) => key === wanted && value.type === "boolean" && value.value === flag)

/** Mistyped switches, unless they say on, and those of several of one name that are neither true nor false. */
const refuseOdd = (reader: EntryReader): void => {
  for (const member of reader.node.members) {
    const { at, key, value } = member
    const path = member.path ?? `${reader.path}.${key}`
    const slip = slipOf(member)
    if (SWITCH_KEYS.includes(key)) {
      const isHidden = reader.keys.get(key) !== member && value.type !== "boolean"
      if (isHidden) reader.troubles.push(mismatch(value, path, { wanted: "true or false", hint: "write the key once" }))
    } else if (slip !== null && !slip.isOn) {
      const detail = `unknown key; did you mean ${slip.meant}? The server does not start until that is clear`
      reader.troubles.push({ at, key: path, detail, hint: `write "${slip.meant}", or leave the key out` })
    }
  }
}

/** Which switch a member was meant to be, and whether it says on, whichever was meant. */
const slipOf = ({ key, value }: Member): { readonly meant: string; readonly isOn: boolean } | null => {
  const [inner] = value.type === "object" && value.members.length === 1 ? value.members : []
  // In TOML a stray dot makes two keys of one.
  const words = [...meantBy(key), ...(inner === undefined ? [] : meantBy(`${key}${inner.key}`))]
  const [meant] = words
  if (meant === undefined) return null
  return { meant, isOn: words.every((word) => value.type === "boolean" && value.value === (word === "enabled")) }
}

/** The switches that a key may have been meant to be, the nearest first; one alone when only its capitals are odd. */
const meantBy = (key: string): ReadonlyArray<string> => {
  if (key.length > MAX_LENGTH) return []
  const letters = key.toLowerCase()
  const near = SWITCH_KEYS.filter((word) => missing(letters, word) <= MAX_SLIPS)
    .map((word) => ({ word, count: slips(letters, word) }))
    .toSorted((a, b) => a.count - b.count)
  const limit = near[0]?.count === 0 ? 0 : MAX_SLIPS
  return near.filter(({ count }) => count <= limit).map(({ word }) => word)
}

/** How many letters of a word a key has nowhere: no fewer slips make it of the key, and counting those takes long. */
const missing = (key: string, word: string): number => [...word].filter((letter) => !key.includes(letter)).length

const MAX_SLIPS = 3
const MAX_LENGTH = 11
