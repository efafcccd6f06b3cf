/** Which turns are shown: the conversation as it stands, or an earlier version of a message with what came after it. */

/** As far as versions need to know a turn. */
interface Versioned {
  readonly turn: number
  readonly replacedBy: number | null
}

export interface Shown {
  readonly turn: number
  /** The versions of this message by their turns, the oldest first; one when it was never edited. */
  readonly versions: ReadonlyArray<number>
  /** The newest version: `chosen` is by this. */
  readonly newest: number
  /** True for what no model sees any more. */
  readonly isEarlier: boolean
}

/**
 * A turn sent in place of K has the number N and stands for K and all that came after it then: these have
 * `replacedBy: N`. `chosen` says which version is looked at, by the newest one; the newest where it says nothing.
 */
export const arrange = (
  turns: ReadonlyArray<Versioned>,
  chosen: ReadonlyMap<number, number> = new Map()
): ReadonlyArray<Shown> => {
  const sorted = turns.toSorted((one, other) => one.turn - other.turn)
  const branch = (of: number | null) => sorted.filter(({ replacedBy }) => replacedBy === of).map(({ turn }) => turn)
  const versionsOf = (turn: number): ReadonlyArray<number> => {
    const first = branch(turn)[0]
    return first === undefined ? [turn] : [...versionsOf(first), turn]
  }
  const shown: Array<Shown> = []
  for (const turn of branch(null)) {
    const versions = versionsOf(turn)
    const choice = chosen.get(turn) ?? turn
    if (choice === turn || !versions.includes(choice)) {
      shown.push({ turn, versions, newest: turn, isEarlier: false })
      continue
    }
    // The message that replaced the chosen version also replaced all that followed it.
    const by = versions[versions.indexOf(choice) + 1] ?? null
    for (const old of branch(by)) {
      const isFirst = old === choice
      shown.push({ turn: old, versions: isFirst ? versions : [old], newest: isFirst ? turn : old, isEarlier: true })
    }
    break
  }
  return shown
}

/** The choice by which this turn is shown; the newest versions where no choice shows it. */
export const leadingTo = (turns: ReadonlyArray<Versioned>, turn: number): ReadonlyMap<number, number> => {
  const choices = arrange(turns).flatMap(({ newest, versions }) =>
    versions.map((version) => [newest, version] as const)
  )
  return choices.map((choice) => new Map([choice]))
    .find((chosen) => arrange(turns, chosen).some((each) => each.turn === turn)) ?? new Map()
}
