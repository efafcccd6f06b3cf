/**
 * Documents of weighted words, ranked by BM25 over what a query's words may stand for. One that is removed leaves no trace
 * in the scores of the others.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Words from "./Words.ts"

/** One text of a document. Weights are whole numbers, so that sums do not depend on their order. @category models */
export interface Field {
  readonly text: string
  readonly weight: number
}

/** What a query found. @category models */
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

/** An index in memory. Not for more than one writer at a time. @category models */
export class SearchIndex {
  private readonly vocabulary = new Vocabulary()
  private entries: Array<Entry | null> = []
  private readonly ids = new Map<string, number>()
  private length = 0

  /** How many documents it holds. */
  get size(): number {
    return this.ids.size
  }

  /** Puts a document in, under a name that is free. */
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

  /** Drops the places of removed documents. What it costs was paid for by as many removals. */
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

/** The weight that counts as one occurrence. @category constants */
export const UNIT = 10

const SLACK = 256

const insert = (hits: Array<Hit>, hit: Hit, limit: number): void => {
  let at = hits.length
  while (at > 0 && isBetter(hit, hits[at - 1])) at--
  hits.splice(at, 0, hit)
  if (hits.length > limit) hits.pop()
}

const isBetter = (one: Hit, other: Hit | undefined): boolean =>
  other === undefined || one.score > other.score || (one.score === other.score && one.name < other.name)

/**
 * Which letters a word has, as bits. Two words that are `n` slips apart lack at most `n` of each other's.
 *
 * @category reading
 */
export const lettersOf = (word: string): number => {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % 32)
  return bits
}

/**
 * Whether two sets of letters allow for that few slips; says no only when it is sure.
 *
 * @category predicates
 */
export const mayBeWithin = (one: number, other: number, limit: number): boolean =>
  bitCount(one & ~other) <= limit && bitCount(other & ~one) <= limit

const bitCount = (bits: number): number => {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}

// What the words of a query may stand for in the vocabulary of an index.

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

/** The shorter the rest, the more likely it is what was meant: `convert` is more like `converts` than like `convertible`. */
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

/** What questions are made of and tools are not about, in the words of `Words`. */
const COMMON: ReadonlySet<string> = new Set(
  ("an and any are at be been but by can could did do does for from give had has have he her him his how if in into is it " +
    "just like me my need of on or our please she should so some something tell than that the their them then there these they thi " +
    "those to u up us wa want we were what when where which who whose why will with would you your " +
    "das de del der die du ein eine el en et für la las le les los mit para por que und une un von zu")
    .split(" ")
)

// Every word of an index, with the documents it stands in.

/** One word. Documents that were removed keep their places until the index is compacted. */
export interface Term {
  readonly word: string
  readonly letters: number
  /** A document, then what the word weighs in it, and so on: one list is built faster than two. */
  readonly places: Array<number>
  /** In how many documents it stands now. */
  live: number
}

/** Counts a word for the newest document. */
export const countWords = (term: Term, document: number, weight: number): void => {
  const { places } = term
  const last = places.length - 2
  if (last >= 0 && places[last] === document) {
    places[last + 1] = (places[last + 1] ?? 0) + weight
  } else {
    places.push(document, weight)
    term.live += 1
  }
}

interface Met {
  readonly piece: string
  readonly terms: ReadonlyArray<Term>
}

/** By hand: for a word `startsWith` takes longer. */
const isAt = (text: string, start: number, end: number, piece: string): boolean => {
  if (piece.length !== end - start) return false
  for (let at = 0; at < piece.length; at++) if (text.charCodeAt(start + at) !== piece.charCodeAt(at)) return false
  return true
}

export class Vocabulary {
  private readonly terms = new Map<string, Term>()
  private readonly beginnings = new Map<string, Array<Term>>()
  /** Texts repeat their words, so that most pieces have been met before. By the number of their characters. */
  private readonly met = new Map<number, Met>()

  /** Runs `use` for each word of a text, made when it is new, as often as it comes. */
  eachOf(text: string, use: (term: Term) => void): void {
    Words.spans(text, {
      plain: (start, end, hash) => {
        const known = this.met.get(hash)
        const terms = known !== undefined && isAt(text, start, end, known.piece)
          ? known.terms
          : this.meet(text.slice(start, end), hash)
        for (let at = 0; at < terms.length; at++) {
          const term = terms[at]
          if (term !== undefined) use(term)
        }
      },
      folded: (piece) => this.ofPiece(piece).forEach(use)
    })
  }

  /** The word itself; undefined when no document has it. */
  find(word: string): Term | undefined {
    const term = this.terms.get(word)
    return term === undefined || term.live === 0 ? undefined : term
  }

  /** Longer words that begin like this one. */
  continuations(word: string): ReadonlyArray<Term> {
    const candidates = this.beginnings.get(word.slice(0, 1)) ?? []
    return candidates.filter((term) => term.word.length > word.length && term.live > 0 && term.word.startsWith(word))
  }

  /** Words that are at most so many slips away, each with how many. */
  neighbours(word: string, limit: number): ReadonlyArray<{ readonly term: Term; readonly slips: number }> {
    const letters = lettersOf(word)
    const near: Array<{ readonly term: Term; readonly slips: number }> = []
    for (const term of this.terms.values()) {
      if (term.live === 0 || Math.abs(term.word.length - word.length) > limit) continue
      if (!mayBeWithin(letters, term.letters, limit)) continue
      const slips = Nearest.slips(word, term.word, limit)
      if (slips <= limit) near.push({ term, slips })
    }
    return near
  }

  /** Gives documents their new places, -1 for those that are gone, and forgets the words of those. */
  move(places: Int32Array): void {
    this.met.clear()
    this.beginnings.clear()
    for (const term of this.terms.values()) {
      if (term.live === 0) this.terms.delete(term.word)
      else {
        relocate(term.places, places)
        this.begin(term)
      }
    }
  }

  private meet(piece: string, hash: number): ReadonlyArray<Term> {
    const terms = this.ofPiece(piece)
    // Two pieces of one number are rare: the first keeps it.
    if (piece.length <= MAX_REMEMBERED && !this.met.has(hash)) this.met.set(hash, { piece, terms })
    return terms
  }

  private ofPiece(piece: string): ReadonlyArray<Term> {
    return Words.ofPiece(piece).map((word) => this.terms.get(word) ?? this.make(word))
  }

  private make(word: string): Term {
    const term = { word, letters: lettersOf(word), places: [], live: 0 }
    this.terms.set(word, term)
    this.begin(term)
    return term
  }

  private begin(term: Term): void {
    const first = term.word.slice(0, 1)
    const alike = this.beginnings.get(first)
    if (alike === undefined) this.beginnings.set(first, [term])
    else alike.push(term)
  }
}

const MAX_REMEMBERED = 32

const relocate = (places: Array<number>, moved: Int32Array): void => {
  let kept = 0
  for (let at = 0; at < places.length; at += 2) {
    const place = moved[places[at] ?? 0] ?? -1
    if (place < 0) continue
    places[kept] = place
    places[kept + 1] = places[at + 1] ?? 0
    kept += 2
  }
  places.length = kept
}
