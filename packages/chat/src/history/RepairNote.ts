/** The notes of a repair: which message it changed, and how. */

/**
 * The kinds of repair.
 *
 * - `missing-result`: a call without a result got an error result that says so
 * - `stray-result`: a result without a call was left out; its call was lost, for instance by compaction
 * - `repeated-result`, `repeated-call`: the second one of an id was left out
 * - `moved-result`: a result was put directly after its call, in the order of the calls
 * - `renamed-call`: a call whose id an earlier message has got an id of its own, and so did its result
 * - `call-arguments`: arguments that are no object became one
 * - `user-added`: a user's message was added where a provider needs one
 * - `left-out`: blank text, reasoning that ends a message, or a message with nothing in it was left out
 * - `joined`: a user's message became a part of the one in front of it
 */
export type RepairKind =
  | "missing-result"
  | "stray-result"
  | "repeated-result"
  | "repeated-call"
  | "moved-result"
  | "renamed-call"
  | "call-arguments"
  | "user-added"
  | "left-out"
  | "joined"

/** One thing that was done. */
export interface Repair {
  readonly kind: RepairKind
  /** The index of the message in the history that was given; its length for what was added at the end. */
  readonly message: number
  /** The id of the call, as it was given. */
  readonly call: string | null
  /** The name of the tool. */
  readonly tool: string | null
}

const WORDS: Readonly<Record<RepairKind, string>> = {
  "missing-result": "had no result and got an error result",
  "stray-result": "has a result but is not in the history: the result was left out",
  "repeated-result": "had more than one result: the first one stays",
  "repeated-call": "was there twice: the first one stays",
  "moved-result": "had its result elsewhere: it was put directly after it",
  "renamed-call": "had the id of an earlier call and got one of its own",
  "call-arguments": "had arguments that are no object",
  "user-added": "needed a user's message, which was added",
  "left-out": "held nothing to send there, which was left out",
  joined: "was joined to the user's message in front of it"
}

/** A repair in words: `message 3: call toolu_1 of files_read had no result and got an error result`. */
export const describe = ({ call, kind, message, tool }: Repair): string => {
  const what = call === null ? "" : `call ${call}${tool === null ? "" : ` of ${tool}`} `
  return `message ${message + 1}: ${what === "" ? "it " : what}${WORDS[kind]}`
}

/** True for what a sound chat needs as well: models write blank text, and people write twice. */
export const isRoutine = ({ kind }: Repair): boolean => kind === "left-out" || kind === "joined"
