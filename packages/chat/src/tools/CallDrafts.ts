/** The calls whose arguments a model still writes, for those who watch. They are kept nowhere. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** A piece of the arguments of a call, as its model writes them. It has no number: a listener may miss it. */
export const CallDraft = Schema.Struct({
  type: Schema.Literal("tool-draft"),
  /** Which turn of the chat, from 1. */
  turn: Schema.Int,
  /** The `id` that the `tool-call` will have. */
  id: Schema.String,
  name: Schema.String,
  /** Null for a built-in tool, and for one that nobody knows. */
  server: Schema.NullOr(Schema.String),
  /** As a `tool-call` has it. */
  app: Schema.optionalKey(Schema.String),
  /** How many characters came before. */
  at: Schema.Int,
  /** The next characters of the JSON text. */
  text: Schema.String
})
export type CallDraft = typeof CallDraft.Type

/** A call that its model still writes. */
export type DraftedCall = Omit<CallDraft, "type" | "at" | "text">

interface Draft {
  readonly about: DraftedCall
  text: string
  /** Something was left out, so that nothing can follow. */
  isCut: boolean
}

/** The drafts of one chat. */
export interface CallDrafts {
  readonly open: Map<string, Draft>
  /** How many characters all of them have. */
  characters: number
  /** Done when there is more to read; then another takes its place. */
  changed: Deferred.Deferred<void>
}

/** Those who watch see no more than this of the drafts that are open at once. The calls themselves are whole. */
export const MOST_CHARACTERS = 1_000_000
const MOST_OPEN = 100

/** Pieces that come within this time are one. */
const WINDOW = "75 millis"

/** Nothing is being written. */
export const make = (): CallDrafts => ({ open: new Map(), characters: 0, changed: Deferred.makeUnsafe() })

/** A model begins to write a call. It has to be ended. */
export const begin = (drafts: CallDrafts, about: DraftedCall): void => {
  if (drafts.open.size >= MOST_OPEN) return
  drafts.open.set(about.id, { about, text: "", isCut: false })
  tell(drafts)
}

/** The model wrote so much more of it. */
export const write = (drafts: CallDrafts, id: string, text: string): void => {
  const draft = drafts.open.get(id)
  if (draft === undefined) return
  draft.isCut ||= drafts.characters + text.length > MOST_CHARACTERS
  if (draft.isCut) return
  drafts.characters += text.length
  draft.text += text
  tell(drafts)
}

/** The call is written, or never will be. */
export const end = (drafts: CallDrafts, id: string): void => {
  drafts.characters -= drafts.open.get(id)?.text.length ?? 0
  drafts.open.delete(id)
}

const tell = (drafts: CallDrafts): void => {
  const { changed } = drafts
  drafts.changed = Deferred.makeUnsafe()
  Deferred.doneUnsafe(changed, Effect.void)
}

/** The drafts as they stand, and then each piece that comes. It never ends. */
export const events = (drafts: CallDrafts): Stream.Stream<CallDraft> =>
  Stream.paginate<Seen, CallDraft>(new Map(), (seen) =>
    Effect.gen(function*() {
      if (unseen(drafts, seen).length === 0) yield* Deferred.await(drafts.changed)
      yield* Effect.sleep(WINDOW)
      const open = [...drafts.open.values()].map((draft) => [draft, draft.text.length] as const)
      return [unseen(drafts, seen), Option.some(new Map(open))] as const
    }))

/** How many characters of each a listener has: of each draft, not of each id, which a later attempt may have again. */
type Seen = ReadonlyMap<Draft, number>

const unseen = ({ open }: CallDrafts, seen: Seen): ReadonlyArray<CallDraft> =>
  [...open.values()].flatMap((draft) => {
    const { about, text } = draft
    const at = seen.get(draft)
    return at === text.length ? [] : [{ type: "tool-draft" as const, ...about, at: at ?? 0, text: text.slice(at) }]
  })
