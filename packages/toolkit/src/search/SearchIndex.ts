/**
 * Documents of weighted words, ranked by BM25 over what a query's words may stand for. One that is removed leaves no
 * trace in the scores of the others.
 */
import { countWords, type Term, Vocabulary } from "./Vocabulary.ts"
import * as Words from "./Words.ts"

/** One text of a document. Weights are whole numbers, so that sums do not depend on their order. */
export interface Field {
  readonly text: string
  readonly weight: number
}

export interface Hit {
  readonly name: string
  /** Above 0; comparable within one search only. */
  readonly score: number
}

/** Saturation and length, as in the usual BM25 of short texts. */
const K1 = 0.9
const B = 0.4

interface Entry {
  readonly name: string
  readonly length: number
}

/** An index in memory. Not for more than one writer at a time. */
export class SearchIndex {
  private readonly vocabulary = new Vocabulary()
  private entries: Array<Entry | null> = []
  private readonly ids = new Map<string, number>()
  private length = 0

  get size(): number {
    return this.ids.size
  }

  add(name: string, fields: ReadonlyArray<Field>): void {
    const id = this.entries.length
    let length = 0
    this.visit(fields, (term, weight) => {
      countWords(term, id, weight)
      length += weight
    })
    this.entries.push({ name, length })
    this.ids.set(name, id)
    this.length += length
  }

  /** Takes a document out, with the very texts it was put in with; a name that is not there changes nothing. */
  remove(name: string, fields: ReadonlyArray<Field>): void {
    const id = this.ids.get(name)
    if (id === undefined) return
    const terms = new Set<Term>()
    this.visit(fields, (term) => terms.add(term))
    for (const term of terms) term.live -= 1
    this.ids.delete(name)
    this.length -= this.entries[id]?.length ?? 0
    this.entries[id] = null
    if (this.entries.length > 2 * this.ids.size + SLACK) this.compact()
  }

  /** The best documents that `allows` lets through, the best first; of equals, by name. At most `limit`. */
  search(query: string, limit: number, allows: (name: string) => boolean): ReadonlyArray<Hit> {
    const scores = new Float64Array(this.entries.length)
    const met: Array<number> = []
    for (const word of fromText(query, this.vocabulary)) this.score(word, scores, met)
    const hits: Array<Hit> = []
    for (const id of met) {
      const score = scores[id] ?? 0
      const worst = hits[limit - 1]
      const name = this.entries[id]?.name
      if (name === undefined || (worst !== undefined && worst.score > score)) continue
      if (allows(name)) insert(hits, { name, score }, limit)
    }
    return hits
  }

  private visit(fields: ReadonlyArray<Field>, use: (term: Term, weight: number) => void): void {
    for (const { text, weight } of fields) this.vocabulary.eachOf(text, (term) => use(term, weight))
  }
  /** Adds what one word of the query is worth; all it may stand for counts as one word. */
  private score({ meanings, weight }: QueryWord, scores: Float64Array, met: Array<number>): void {
    const frequencies = new Float64Array(this.entries.length)
    const own: Array<number> = []
    let spread = 0
    for (const { likeness, term } of meanings) {
      spread = Math.max(spread, term.live)
      for (let at = 0; at < term.places.length; at += 2) {
        const id = term.places[at] ?? 0
        if (this.entries[id] === null) continue
        if (frequencies[id] === 0) own.push(id)
        frequencies[id] = (frequencies[id] ?? 0) + likeness * (term.places[at + 1] ?? 0)
      }
    }
    const rarity = weight * Math.log(1 + (this.ids.size - spread + 0.5) / (spread + 0.5))
    const mean = this.length / this.ids.size
    for (const id of own) {
      const frequency = (frequencies[id] ?? 0) / UNIT
      const norm = K1 * (1 - B + B * (this.entries[id]?.length ?? 0) / mean)
      if (scores[id] === 0) met.push(id)
      scores[id] = (scores[id] ?? 0) + rarity * frequency * (K1 + 1) / (frequency + norm)
    }
  }

  /** Drops the places of removed documents. It runs after as many removals. */
  private compact(): void {
    const places = new Int32Array(this.entries.length).fill(-1)
    const kept: Array<Entry> = []
    for (const [id, entry] of this.entries.entries()) {
      if (entry === null) continue
      places[id] = kept.length
      this.ids.set(entry.name, kept.length)
      kept.push(entry)
    }
    this.vocabulary.move(places)
    this.entries = kept
  }
}

/** The weight that counts as one occurrence. */
const UNIT = 10

const SLACK = 256

const insert = (hits: Array<Hit>, hit: Hit, limit: number): void => {
  let at = hits.length
  while (at > 0 && isBetter(hit, hits[at - 1])) at--
  hits.splice(at, 0, hit)
  if (hits.length > limit) hits.pop()
}

const isBetter = (one: Hit, other: Hit | undefined): boolean =>
  other === undefined || one.score > other.score || (one.score === other.score && one.name < other.name)

/** A word of the index that a word of the query may stand for. */
interface Meaning {
  readonly term: Term
  /** 1 for the word itself, less for what is only like it. */
  readonly likeness: number
}

interface QueryWord {
  readonly meanings: ReadonlyArray<Meaning>
  /** How much it counts: words that every question has count little. */
  readonly weight: number
}

const MAX_WORDS = 32
const MAX_CHARACTERS = 1000

/** The words of a query that the vocabulary knows, or knows something like; at most 32. */
const fromText = (query: string, vocabulary: Vocabulary): ReadonlyArray<QueryWord> => {
  const short = query.slice(0, MAX_CHARACTERS)
  const said = Words.distinct(short.replaceAll(EXAMPLE, " "))
  const weigh = weightOf(new Set(said))
  const words = [...new Set([...said, ...Words.distinct(short)])].slice(0, MAX_WORDS)
  return [
    ...words.map((word) => ({ meanings: meanings(word, vocabulary), weight: weigh(word) })),
    ...compounds(words, vocabulary)
  ].filter((word) => word.meanings.length > 0)
}

/** Addresses, paths and what stands in quotes: they are what a tool is to work on, and say little of what it does. */
const EXAMPLE =
  /[a-z][a-z0-9+.-]*:\/\/\S+|(?<![^\s(])(?:~|\.{1,2})?(?:\/[^\s/]+)+\/?|"[^"]*"|`[^`]*`|“[^”]*”|«[^»]*»/giu

const EXAMPLE_WEIGHT = 0.25

/** The words outside of examples count in full. Where there are none, those inside do. */
const weightOf = (said: ReadonlySet<string>) => (word: string): number => {
  if (COMMON.has(word)) return COMMON_WEIGHT
  return said.size === 0 || said.has(word) ? 1 : EXAMPLE_WEIGHT
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
