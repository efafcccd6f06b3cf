/**
 * What this project promises, R1 to R108, with the tests that prove each and a one-line break of the source that turns
 * the first of them red. `test/Requirements.test.ts` holds the table to the files; `node test/breaks/Breaks.ts` tries the
 * breaks, `--table` prints it.
 */
import { catalogue } from "./requirements/Catalogue.ts"
import { configuration } from "./requirements/Configuration.ts"
import { conversation } from "./requirements/Conversation.ts"
import { lifetimes } from "./requirements/Lifetimes.ts"
import type { Requirement } from "./requirements/Requirement.ts"
import { transports } from "./requirements/Transports.ts"

const numberOf = ({ id }: Requirement) => Number(id.slice(1))

/** Sorted by number. */
export const requirements: ReadonlyArray<Requirement> = [
  ...catalogue,
  ...configuration,
  ...conversation,
  ...lifetimes,
  ...transports
].sort((one, other) => numberOf(one) - numberOf(other))
