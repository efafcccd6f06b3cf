/** Chance that comes again: what is thrown at a step depends on the seed and the step alone, not on time. */

export interface Dice {
  /** At least 0, less than 1. */
  readonly next: () => number
  /** A whole number from 0 to less than `below`. */
  readonly below: (below: number) => number
  readonly chance: (probability: number) => boolean
  readonly oneOf: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
}

export const make = (seed: number, step: number): Dice => {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca77)) | 0
  // mulberry32: 32 bits of state are plenty for the few throws of a step.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (below: number) => Math.floor(next() * below)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    oneOf: (choices) => choices[below(choices.length)] ?? choices[0]
  }
}

/** One of those, the heavier the likelier. */
export const weighted = <A extends { readonly weight: number }>(
  dice: Dice,
  choices: readonly [A, ...ReadonlyArray<A>]
): A => {
  let left = dice.next() * choices.reduce((sum, { weight }) => sum + weight, 0)
  return choices.find(({ weight }) => (left -= weight) < 0) ?? choices[0]
}
