/** Every word of an index, with the documents it stands in. */
import { Nearest } from "@boocode/mcp-config"
import * as Words from "./Words.ts"

/** One word. Documents that were removed keep their places until the index is compacted. */
export interface Term {
  readonly word: string
  /** Which letters it has, as bits. */
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

const lettersOf = (word: string): number => {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % 32)
  return bits
}

const bitCount = (bits: number): number => bits === 0 ? 0 : 1 + bitCount(bits & (bits - 1))

export class Vocabulary {
  private readonly terms = new Map<string, Term>()
  private readonly beginnings = new Map<string, Array<Term>>()
  /** Texts repeat their words, so that most pieces have been met before. */
  private readonly met = new Map<string, ReadonlyArray<Term>>()

  /** Runs `use` for each word of a text, made when it is new, as often as it comes. */
  eachOf(text: string, use: (term: Term) => void): void {
    for (const piece of Words.pieces(text)) {
      const terms = this.met.get(piece) ?? this.meet(piece)
      for (const term of terms) use(term)
    }
  }

  /** The word itself; undefined when no document has it. */
  find(word: string): Term | undefined {
    const term = this.terms.get(word)
    return term === undefined || term.live === 0 ? undefined : term
  }

  continuations(word: string): ReadonlyArray<Term> {
    const candidates = this.beginnings.get(word.slice(0, 1)) ?? []
    return candidates.filter((term) => term.word.length > word.length && term.live > 0 && term.word.startsWith(word))
  }

  /** Words that are at most so many slips away, each with how many. */
  neighbours(word: string, limit: number): ReadonlyArray<{ readonly term: Term; readonly slips: number }> {
    const letters = lettersOf(word)
    return [...this.terms.values()]
      .filter((term) => term.live > 0 && Math.abs(term.word.length - word.length) <= limit)
      // Words that many slips apart lack at most as many of each other's letters.
      .filter((term) => bitCount(letters & ~term.letters) <= limit && bitCount(term.letters & ~letters) <= limit)
      .map((term) => ({ term, slips: Nearest.slips(word, term.word, limit) }))
      .filter(({ slips }) => slips <= limit)
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

  private meet(piece: string): ReadonlyArray<Term> {
    const terms = Words.ofPiece(piece).map((word) => this.terms.get(word) ?? this.make(word))
    if (piece.length <= MAX_REMEMBERED) this.met.set(piece, terms)
    return terms
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
