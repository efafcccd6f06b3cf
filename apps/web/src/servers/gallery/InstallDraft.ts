/** The values for a published server, as they are sent. Pure. */
import type { PublishedCandidate, PublishedInput, WantedServer } from "../../api/Types.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"

/** Texts by the keys of inputs; a repeated one has a value in each line. */
export type Typed = Readonly<Record<string, string>>

const valueOf = ({ isRepeated }: PublishedInput, text: string): string | ReadonlyArray<string> =>
  isRepeated ? text.split("\n").map((line) => line.trim()).filter((line) => line !== "") : text

/** Without those that are empty: their defaults hold. */
export const inputsOf = (inputs: ReadonlyArray<PublishedInput>, typed: Typed): WantedServer["inputs"] =>
  Object.fromEntries(inputs.flatMap((input) => {
    const text = typed[input.key] ?? ""
    return text.trim() === "" ? [] : [[input.key, valueOf(input, text)]]
  }))

/** The secrets of a repeated input, each for a field of its own, and an empty one for the next. */
export const secretLines = (text: string): ReadonlyArray<string> => text === "" ? [""] : [...text.split("\n"), ""]

/** The text with another secret in this place. Those that are empty keep theirs while somebody types. */
export const withSecret = (text: string, at: number, secret: string): string =>
  secretLines(text).with(at, secret).join("\n").replace(/\n+$/, "")

/** The first that can be installed; null where none can. */
export const best = (candidates: ReadonlyArray<PublishedCandidate>): PublishedCandidate | null =>
  candidates.find(({ refused }) => refused === null) ?? null

export const labelOf = ({ isRequired, key }: PublishedInput): string => isRequired ? key : words.optional(key)

/** The publisher's words about it, and the value that holds where it is left empty. */
export const aboutOf = ({ default: standard, description, isRepeated, isSecret }: PublishedInput): string =>
  [
    ...(description === null ? [] : [/[.!?…]$/.test(description) ? description : `${description}.`]),
    ...(standard === null ? [] : [words.otherwise(standard)]),
    ...(isRepeated ? [isSecret ? words.onePerField : words.onePerLine] : [])
  ].join(" ")
