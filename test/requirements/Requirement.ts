/** What a row of the table of requirements says. */

/** A test that proves a requirement, or a part of it. */
export interface Proof {
  /** From the root of the checkout. */
  readonly file: string
  /** The name of the test, or a part of it that no other test of the file has; no placeholder of `each`. */
  readonly test: string
}

/** One line of a source, and what breaks the promise when it stands in its place. */
export interface Break {
  /** From the root of the checkout. */
  readonly file: string
  /** The text of one line, or a part of it, that occurs once in the file. */
  readonly find: string
  readonly replace: string
}

/** A promise of REQUIREMENTS.md, and how it is known to be kept. */
export interface Requirement {
  readonly id: `R${number}`
  /** In our own words, in one line. */
  readonly promise: string
  /** The first one is tried against the break, so it is the fastest that the break turns red. */
  readonly proofs: ReadonlyArray<Proof>
  /** Turns the first proof red. */
  readonly break?: Break
  /** What of it no test proves, and why. A row without proof has this. */
  readonly open?: string
}

/** The proofs of one file, by the names of its tests. */
export const proofs = (file: string, ...tests: ReadonlyArray<string>): ReadonlyArray<Proof> =>
  tests.map((test) => ({ file, test }))
