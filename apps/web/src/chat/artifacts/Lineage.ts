/** The artifacts of a chat, and which of them are versions of the same thing. Pure. */
import type { Block } from "../open/TurnModel.ts"
import { type Kind, kindOf, languageOf, type Name, nameOf } from "./Artifact.ts"
import { fencesOf } from "./Fences.ts"

export interface Artifact {
  /** Stays the same while it grows. */
  readonly key: string
  readonly kind: Kind
  readonly language: string
  readonly name: Name | null
  readonly text: string
  readonly isOpen: boolean
}

interface Found extends Omit<Artifact, "key"> {
  /** Its lines, but for those that stand in everything. */
  readonly lines: ReadonlySet<string>
}

const LEAST_LINE = 5

const foundIn = (text: string): ReadonlyArray<Found> =>
  fencesOf(text).flatMap(({ info, isOpen, text }) => {
    const language = languageOf(info)
    const kind = kindOf(language, text)
    if (kind === null) return []
    const lines = new Set(text.split("\n").map((line) => line.trim()).filter(({ length }) => length >= LEAST_LINE))
    return [{ kind, language, name: nameOf(kind, info, text), text, isOpen, lines }]
  })

/** A block of text that did not grow is the same object, and is not read again. */
const known = new WeakMap<Block, ReadonlyArray<Found>>()

const ofBlock = (block: Block): ReadonlyArray<Found> => {
  if (block.kind !== "text") return []
  const before = known.get(block)
  if (before !== undefined) return before
  const found = foundIn(block.text)
  known.set(block, found)
  return found
}

interface AnsweredTurn {
  readonly number: number
  readonly blocks: ReadonlyArray<Block>
  readonly isOver: boolean
}

/** So much of the longer one has to stand in the other, too. */
const ALIKE = 0.5

const isVersion = (before: Found, after: Found): boolean => {
  if (before.kind !== after.kind || (after.kind === "code" && before.language !== after.language)) return false
  if (before.name !== null && before.name.text === after.name?.text) return true
  if (before.name?.isFile === true && after.name?.isFile === true) return false
  const common = [...after.lines].filter((line) => before.lines.has(line)).length
  // While it grows only its beginning is there.
  const all = after.isOpen ? after.lines.size : Math.max(before.lines.size, after.lines.size)
  return common > 0 && common >= all * ALIKE
}

/** Each thing with its versions, the first one first. */
export const lineagesOf = (turns: ReadonlyArray<AnsweredTurn>): ReadonlyArray<ReadonlyArray<Artifact>> => {
  const things: Array<Array<Found & Artifact>> = []
  for (const { blocks, isOver, number } of turns) {
    for (const [at, one] of blocks.flatMap(ofBlock).entries()) {
      const artifact = { ...one, isOpen: one.isOpen && !isOver, key: `${number}.${at}` }
      const thing = things.findLast((versions) => versions.slice(-1).some((last) => isVersion(last, artifact)))
      if (thing === undefined) things.push([artifact])
      else thing.push(artifact)
    }
  }
  return things
}
