/** Leaves out as much of a conversation as is needed for a request to fit into a model's context window. */
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as TokenCount from "../history/TokenCount.ts"
import {
  type Conversation,
  cut,
  type Handles,
  lineLeftOut,
  type OmittedMessages,
  render,
  resultsOf,
  shortResult
} from "./OmittedMessages.ts"

/** How much a request may take, in tokens as `TokenCount` counts them. */
export interface Room {
  readonly tokens: number
  /** The tokens of a request besides its messages: the definitions of tools. */
  readonly besides: number
}

export interface Fitted {
  /** As providers accept them. */
  readonly messages: ReadonlyArray<Prompt.Message>
  /** The very one that was given, when nothing more had to go. */
  readonly left: OmittedMessages
  readonly tokens: number
  /** False when it is still too long with all left out that may be. */
  readonly fits: boolean
}

/**
 * Fits a conversation into the room, leaving out at least what is left out already.
 *
 * **Details**
 *
 * When it is too long, results of tools go first, the largest first: those of earlier turns, then those of the turn
 * that runs, never those that the model has not read yet. They go until a fifth of the room is free, so that the next
 * request need not leave out more. Then whole turns go, the oldest first. The system's and the person's message and the
 * running step stay; if they are too long, the largest results of that step are cut. A request that fits stays as it
 * is. Other fibers get their turn between two attempts: a long conversation takes a while.
 */
export const fit = Effect.fnUntraced(function*(
  conversation: Conversation,
  before: OmittedMessages,
  room: Room,
  handles: Handles
): Effect.fn.Return<Fitted> {
  const tried = (left: OmittedMessages): Fitted => {
    const messages = render(conversation, left, handles)
    const tokens = room.besides + TokenCount.ofMessages(messages)
    return { messages, left, tokens, fits: tokens <= room.tokens }
  }
  const first = tried(before)
  if (first.fits) return first
  const work: Work = {
    ...conversation,
    handles,
    wanted: Math.floor(room.tokens * (1 - FREE)),
    attempt: (left) => Effect.map(Effect.yieldNow, () => tried(left))
  }
  const withoutResults = yield* leaveResults(work, first)
  if (withoutResults.fits) return withoutResults
  const withoutTurns = yield* leaveTurns(work, withoutResults)
  return withoutTurns.fits ? withoutTurns : yield* cutNewest(work, withoutTurns)
})

/** How many results and whole turns are left out. Results of turns that are left out do not count by themselves. */
export const counted = (
  { earlier, steps }: Conversation,
  { cut, results, turns }: OmittedMessages
): { readonly results: number; readonly turns: number } => ({
  results:
    resultsOf([...earlier.slice(turns), ...steps].flat()).filter(({ id }) => results.has(id) || cut.has(id)).length,
  turns
})

const FREE = 0.2

interface Work extends Conversation {
  readonly handles: Handles
  /** How many tokens the request may have once something had to go. */
  readonly wanted: number
  readonly attempt: (left: OmittedMessages) => Effect.Effect<Fitted>
}

const leaveResults = (work: Work, before: Fitted): Effect.Effect<Fitted> => {
  const savings = (messages: ReadonlyArray<ReadonlyArray<Prompt.Message>>) =>
    resultsOf(messages.flat())
      .filter(({ id }) => !before.left.results.has(id))
      .map((part) => ({
        id: part.id,
        tokens: sizeOf(work, part, before.left) - TokenCount.ofPart(lineLeftOut(part, work.handles))
      }))
      .filter(({ tokens }) => tokens > 0)
      // The older one of two of one size stays in front.
      .toSorted((one, other) => other.tokens - one.tokens)
  const waiting = [...savings(work.earlier.slice(before.left.turns)), ...savings(work.steps.slice(0, -1))]
  return takeAway(work, waiting, before, (left, taken) => ({
    ...left,
    results: new Set([...left.results, ...taken.map(({ id }) => id)])
  }))
}

const leaveTurns = (work: Work, before: Fitted): Effect.Effect<Fitted> => {
  const saved = (sum: number, part: Prompt.ToolResultPart) =>
    sum + TokenCount.ofPart(part) - sizeOf(work, part, before.left)
  const waiting = work.earlier.slice(before.left.turns).map((messages) => ({
    tokens: TokenCount.ofMessages(messages) - resultsOf(messages).reduce(saved, 0)
  }))
  return takeAway(work, waiting, before, (left, taken) => ({ ...left, turns: left.turns + taken.length }))
}

const sizeOf = ({ handles }: Work, part: Prompt.ToolResultPart, left: OmittedMessages): number =>
  TokenCount.ofPart(shortResult(part, left, handles))

/** Takes things away, the first first, until enough is gone. The savings are guesses, so it counts again. */
const takeAway = Effect.fnUntraced(function*<Thing extends { readonly tokens: number }>(
  { attempt, wanted }: Work,
  waiting: ReadonlyArray<Thing>,
  before: Fitted,
  without: (left: OmittedMessages, taken: ReadonlyArray<Thing>) => OmittedMessages
): Effect.fn.Return<Fitted> {
  let fitted = before
  for (let at = 0; at < waiting.length && fitted.tokens > wanted;) {
    const from = at
    for (let over = fitted.tokens - wanted; over > 0 && at < waiting.length; at++) over -= waiting[at]?.tokens ?? 0
    fitted = yield* attempt(without(fitted.left, waiting.slice(from, at)))
  }
  return fitted
})

/** So much of a result is left in any case, in tokens: a notice and some words. */
const LEAST = 200

const cutNewest = Effect.fnUntraced(function*(work: Work, before: Fitted): Effect.fn.Return<Fitted> {
  const { attempt, handles, steps } = work
  const results = resultsOf(steps.at(-1) ?? []).filter(({ id }) => !before.left.results.has(id))
  let fitted = before
  let most = Math.max(0, ...results.map((part) => sizeOf(work, part, before.left)))
  while (!fitted.fits && most > LEAST) {
    most = Math.max(LEAST, Math.floor(most * 0.75))
    const bytes = TokenCount.bytesOf(most)
    const { left } = fitted
    const cuts = results.filter((part) => sizeOf(work, part, left) > TokenCount.ofPart(cut(part, bytes, handles)))
    fitted = yield* attempt({ ...left, cut: new Map([...left.cut, ...cuts.map(({ id }) => [id, bytes] as const)]) })
  }
  return fitted
})
