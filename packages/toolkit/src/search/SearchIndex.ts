/**
 * Documents of weighted words, ranked by BM25 over what a query's words may stand for. One that is removed leaves no
 * trace in the scores of the others.
 */
import { fromText, type QueryWord } from "./QueryWords.ts"
import { countWords, type Term, Vocabulary } from "./Vocabulary.ts"

/** One text of a document. Weights are whole numbers, so that sums do not depend on their order. */
export interface Field {
  readonly text: string
  readonly weight: number
}

/** A document that a query found. */
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
