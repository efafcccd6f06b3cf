/**
 * What a provider with a prompt cache reads anew of the requests of a chat: counted from the requests, piece by piece in the
 * order in which the provider reads them, with a tokenizer of today (o200k).
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { createHash } from "node:crypto"

/** A part of a request that a provider keeps whole or not at all: a tool, a message, a block of one. */
export interface Piece {
  /** What the model reads of it. Equal texts are the same piece. */
  readonly text: string
  /** Whether the request asks to keep what stands up to here, where a provider wants that said. */
  readonly isMarked: boolean
}

/** One request, as its provider reads it. */
export interface Prompt {
  readonly pieces: ReadonlyArray<Piece>
  /** Definitions that come with it, and that the model reads where a piece refers to them. */
  readonly deferred: ReadonlyArray<string>
}

export interface Cost {
  readonly requests: number
  /** Tokens of all requests, without what is deferred. */
  readonly sent: number
  /** Tokens that were not the beginning of an earlier request. */
  readonly anew: number
  /** Tokens that no request before had, wherever they stand: those of a chat whose discoveries keep the beginning. */
  readonly ideal: number
  /** Tokens of the first request. */
  readonly first: number
  /** Most tokens of deferred definitions in a request. */
  readonly deferred: number
}

/** `byMarks` for a provider that keeps only what stands before a mark, and looks for that a while before each mark. */
export const of = (prompts: ReadonlyArray<Prompt>, byMarks: boolean): Cost => {
  const kept = new Set<string>()
  let known = new Set<string>()
  const cost = { requests: prompts.length, sent: 0, anew: 0, ideal: 0, first: 0, deferred: 0 }
  for (const { deferred, pieces } of prompts) {
    const sizes = pieces.map(({ text }) => tokens(text))
    const prefixes = prefixesOf(pieces)
    const read = byMarks
      ? keptByMarks(pieces, prefixes, kept)
      : prefixes.findLastIndex((prefix) => kept.has(prefix)) + 1
    const all = sum(sizes)
    cost.first = cost.first === 0 ? all : cost.first
    cost.sent += all
    cost.anew += sum(sizes.slice(read))
    cost.ideal += sum(sizes.filter((_, at) => !known.has(pieces[at]?.text ?? "")))
    cost.deferred = Math.max(cost.deferred, sum(deferred.map(tokens)))
    known = new Set(pieces.map(({ text }) => text))
    for (const [at, prefix] of prefixes.entries()) if (!byMarks || pieces[at]?.isMarked === true) kept.add(prefix)
  }
  return cost
}

/** How many pieces before a mark Anthropic looks for what it kept, the marked one included. */
const LOOKED_BACK = 20

const keptByMarks = (
  pieces: ReadonlyArray<Piece>,
  prefixes: ReadonlyArray<string>,
  kept: ReadonlySet<string>
): number =>
  pieces.reduce((most, { isMarked }, mark) => {
    if (!isMarked) return most
    const from = Math.max(0, mark + 1 - LOOKED_BACK)
    const found = prefixes.slice(from, mark + 1).findLastIndex((prefix) => kept.has(prefix))
    return found < 0 ? most : Math.max(most, from + found + 1)
  }, 0)

/** For each piece, a text that is the same in two requests when all up to that piece is. */
const prefixesOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<string> => {
  const hash = createHash("sha256")
  return pieces.map(({ text }) => {
    hash.update(JSON.stringify(text))
    return hash.copy().digest("base64")
  })
}

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, one) => total + one, 0)

const counted = new Map<string, number>()

/** Requests of a chat have most of their pieces in common. */
export const tokens = (text: string): number => {
  const before = counted.get(text)
  if (before !== undefined) return before
  const count = encode(text).length
  counted.set(text, count)
  return count
}
