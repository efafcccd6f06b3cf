/** The messages of earlier turns, as a turn repairs and reports them. */
import * as Effect from "effect/Effect"
import * as History from "../../src/history/History.ts"
import * as HistoryRepair from "../../src/history/HistoryRepair.ts"
import type { ChatTurn } from "../../src/model/Chat.ts"

export const fromTurns = (turns: ReadonlyArray<ChatTurn>) =>
  Effect.flatMap(
    History.earlier(turns),
    (earlier) => HistoryRepair.reported(HistoryRepair.prompt(earlier.flat(), { isRequest: false }))
  )
