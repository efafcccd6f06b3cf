/** A person's own words in the note that stands in place of older turns. */
import * as Effect from "effect/Effect"
import type { SummaryPart } from "../history/Summaries.ts"
import * as TokenCount from "../history/TokenCount.ts"
import { UnknownSummary } from "../model/ChatError.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ChatSession from "./ChatSession.ts"

/** Gives the note of this id another text, in the store first. Turns that begin from now on read it. */
export const edit = (
  session: ChatSession.ChatSession,
  summary: string,
  text: string
): Effect.Effect<SummaryPart, UnknownSummary | ChatStoreFailed> =>
  session.writing.withPermit(Effect.gen(function*() {
    const { id, store } = session
    const parts = (yield* store.get(id))?.turns.flatMap((turn) => turn.parts) ?? []
    const before = parts.find((part): part is SummaryPart => part.type === "summary" && part.id === summary)
    if (before === undefined) return yield* new UnknownSummary({ id, summary })
    const part = { ...before, text, tokens: TokenCount.ofText(text), edited: true }
    yield* store.putPart(id, part)
    ChatSession.happened(session, { type: "part-put", part })
    return part
  })).pipe(Effect.uninterruptible)
