/**
 * The words of a query, and the words of an index that each may stand for.
 */
import type { Term, Vocabulary } from "./Vocabulary.ts"
import * as Words from "./Words.ts"

/** A word of the index that a word of the query may stand for. */
export interface Meaning {
  readonly term: Term
  /** 1 for the word itself, less for what is only like it. */
  readonly likeness: number
}

/** One word of a query. */
export interface QueryWord {
  readonly meanings: ReadonlyArray<Meaning>
  /** How much it counts: words that every question has count little. */
  readonly weight: number
}

const MAX_WORDS = 32
const MAX_CHARACTERS = 1000

/** The words of a query that the vocabulary knows, or knows something like; at most 32. */
export const fromText = (query: string, vocabulary: Vocabulary): ReadonlyArray<QueryWord> => {
  const words = Words.distinct(query.slice(0, MAX_CHARACTERS)).slice(0, MAX_WORDS)
  return [
    ...words.map((word) => ({ meanings: meanings(word, vocabulary), weight: COMMON.has(word) ? COMMON_WEIGHT : 1 })),
    ...compounds(words, vocabulary)
  ].filter((word) => word.meanings.length > 0)
}

const meanings = (word: string, vocabulary: Vocabulary): ReadonlyArray<Meaning> => {
  const itself = vocabulary.find(word)
  const longer = continuations(word, vocabulary, itself === undefined ? 0.7 : 0.3)
  if (itself !== undefined) return [{ term: itself, likeness: 1 }, ...longer]
  return longer.length > 0 ? longer : misspelt(word, vocabulary)
}

const MIN_PREFIX = 3
const MAX_MEANINGS = 50

/**
 * The shorter the rest, the more likely it is what was meant: `convert` is more like `converts` than like
 * `convertible`.
 */
const continuations = (word: string, vocabulary: Vocabulary, likeness: number): ReadonlyArray<Meaning> => {
  if (word.length < MIN_PREFIX && ASCII.test(word)) return []
  return vocabulary.continuations(word)
    .map((term) => ({ term, likeness: likeness * word.length / term.word.length }))
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_MEANINGS)
}

const ASCII = /^[\0-\x7f]+$/

const misspelt = (word: string, vocabulary: Vocabulary): ReadonlyArray<Meaning> => {
  const limit = word.length < 4 || !/^\p{L}+$/u.test(word) ? 0 : word.length < 8 ? 1 : 2
  if (limit === 0) return []
  return vocabulary.neighbours(word, limit)
    .map(({ slips, term }) => ({ term, likeness: slips === 1 ? 0.6 : 0.35 }))
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_MEANINGS)
}

/** `screen shot` may be written as one word, and so may the parts of a name. */
const compounds = (words: ReadonlyArray<string>, vocabulary: Vocabulary): ReadonlyArray<QueryWord> =>
  words.slice(1).flatMap((word, at) => {
    const term = vocabulary.find(`${words[at]}${word}`)
    return term === undefined || words.includes(term.word) ? [] : [{ meanings: [{ term, likeness: 1 }], weight: 1 }]
  })

const COMMON_WEIGHT = 0.1

/** Words of every question, as `Words` writes them; no tool is about them. */
const COMMON: ReadonlySet<string> = new Set(
  ("an and any are at be been but by can could did do does for from give had has have he her him his how if in into is it " +
    "just like me my need of on or our please she should so some something tell than that the their them then there these they thi " +
    "those to u up us wa want we were what when where which who whose why will with would you your " +
    "das de del der die du ein eine el en et für la las le les los mit para por que und une un von zu")
    .split(" ")
)
