/** The place of a chat that a search leads to: the conversation scrolls there and marks the words. */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { SearchHit } from "../api/Types.ts"
import { go } from "../state/Route.ts"

interface WantedPlace {
  readonly chat: string
  readonly turn: number
  readonly isAnswer: boolean
  /** As they stand there. */
  readonly words: ReadonlyArray<string>
}

/** Null once it was shown. */
const wanted = signal<WantedPlace | null>(null)

/** Opens the chat of a hit. One in a message or an answer is then scrolled to. */
export const goTo = ({ chat, excerpt, marks, role, turn }: SearchHit) => {
  const words = [...new Set(marks.map(([from, to]) => excerpt.slice(from, to)))]
  wanted.value = turn === null ? null : { chat, turn, isAnswer: role === "assistant", words }
  go("chat", [chat])
}

const NAME = "found"

// A browser without marks of this kind still scrolls.
const canMark = typeof Highlight === "function"

/** Takes the marks away. */
export const unmark = () => {
  if (canMark) CSS.highlights.delete(NAME)
}

/** Words of letters and digits only; none is marked within a longer one. */
const anyOf = (words: ReadonlyArray<string>) => new RegExp(`(?<![a-z0-9])(?:${words.join("|")})(?![a-z0-9])`, "giu")

const rangesIn = (root: Element, words: RegExp): ReadonlyArray<Range> => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const ranges: Array<Range> = []
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(words)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      ranges.push(range)
    }
  }
  return ranges
}

/** Turns take their real height when they come into view, so the place moves for so many frames. */
const FRAMES = 4

const toMiddle = (place: Element | Range, scroller: Element, left = FRAMES) => {
  const { top } = place.getBoundingClientRect()
  scroller.scrollBy({ top: top - scroller.getBoundingClientRect().top - scroller.clientHeight / 3 })
  if (left > 0) requestAnimationFrame(() => toMiddle(place, scroller, left - 1))
}

const show = ({ isAnswer, turn, words }: WantedPlace): boolean => {
  const drawn = document.getElementById(`turn-${turn}`)
  const scroller = drawn?.closest(".scroll")
  if (drawn === null || scroller === null || scroller === undefined) return false
  const roots = [...drawn.querySelectorAll(isAnswer ? ".answer .text" : ".bubble")].slice(0, isAnswer ? undefined : 1)
  const ranges = words.length === 0 ? [] : roots.flatMap((root) => rangesIn(root, anyOf(words)))
  if (canMark) CSS.highlights.set(NAME, new Highlight(...ranges))
  // A message can be longer than the view, so that the words themselves are scrolled to.
  toMiddle(ranges[0] ?? drawn, scroller)
  return true
}

/** Shows the place that is wanted of this chat. `reveal` has an earlier version of a message drawn. */
export const useWantedPlace = (chat: string, reveal: (turn: number) => void) => {
  const place = wanted.value
  useEffect(() => {
    if (place?.chat === chat) reveal(place.turn)
  }, [place, chat])
  // Each time the turns are drawn, until the one that is wanted is there.
  useEffect(() => {
    if (place?.chat === chat && show(place)) wanted.value = null
  })
  useEffect(() => unmark, [chat])
}
