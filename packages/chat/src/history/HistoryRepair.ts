/**
 * Histories that every provider accepts (Decision 16), in each of the four shapes that chats are kept in.
 *
 * After it each tool call has exactly one result, directly after it; a missing one is an error result that says so.
 * Results without a call, second results, second calls of one id and blank text are left out; an id that a later
 * message uses again becomes another; arguments that are no object become one; a user's message is added where a
 * history begins with the assistant, where the assistant calls right after it spoke, and where it spoke last. Messages
 * keep their ids, metadata and every field that is not mentioned. Applied twice it changes nothing more.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as BlockShape from "./BlockShape.ts"
import { mend, type Mended } from "./Mending.ts"
import * as PromptShape from "./PromptShape.ts"
import { describe, isRoutine, type Repair } from "./Repair.ts"
import * as UiShape from "./UiShape.ts"

export type { Block, BlockMessage, MadeBlock, MadeBlockMessage } from "./BlockShape.ts"
export { BEGINNING, GO_ON, type Mended } from "./Mending.ts"
export { MISSING_RESULT, NOT_APPROVED } from "./MissingResult.ts"
export { describe, isRoutine, type Repair, type RepairKind } from "./Repair.ts"
export type { MadeOpenCodeMessage, MadeUiMessage, MadeUiPart, OpenCodeMessage, UiMessage, UiPart } from "./UiShape.ts"

/** How a history is repaired. @category models */
export interface RepairOptions {
  /**
   * False for a history to which a question is still added, or whose last message a model is to continue: it may then
   * end with words of the assistant. True by default.
   */
  readonly isRequest?: boolean
}

/**
 * Repairs messages of `effect/ai`. User messages that follow each other also become one, blank system messages are left
 * out.
 *
 * @category repairing
 */
export const prompt = (
  messages: ReadonlyArray<Prompt.Message>,
  { isRequest = true }: RepairOptions = {}
): Mended<Prompt.Message> => mend(PromptShape.shape, messages, isRequest)

/**
 * Repairs messages of content blocks, as Anthropic's API takes them: `tool_use` of the assistant, `tool_result` at the
 * beginning of the user's message directly after it. What providers run themselves (`server_tool_use`) stays as it is.
 *
 * @category repairing
 */
export const blocks = <B extends BlockShape.Block, M extends BlockShape.BlockMessage>(
  messages: ReadonlyArray<M & BlockShape.BlockMessage<B>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | BlockShape.MadeBlockMessage<B, M["role"]>> => mend(BlockShape.make<B, M>(), messages, isRequest)

/**
 * Repairs messages of parts, as the AI SDK's user interfaces keep them: parts `tool-NAME` and `dynamic-tool` with
 * `toolCallId` and `state`; a `tool` part is read as OpenCode means it. A call that was not finished becomes an `output-error`, one that waits for approval an
 * `output-denied`; one approved at the very end stays, because the request that follows runs it. An added message
 * has the id of its neighbour with `-before` or `-after`.
 *
 * @category repairing
 */
export const uiMessages = <P extends UiShape.UiPart, M extends UiShape.UiMessage>(
  messages: ReadonlyArray<M & UiShape.UiMessage<P>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | UiShape.MadeUiMessage<P, M["role"]>> => mend(UiShape.make<P, M>(), messages, isRequest)

/**
 * Repairs messages of OpenCode, `{ info, parts }`, whose calls are parts `tool` with `callID` and `state.status`. A call
 * that is still `pending` or `running` becomes an `error`. An added message has the `info` of its neighbour, with `-before`
 * or `-after` behind the id.
 *
 * @category repairing
 */
export const openCodeMessages = <P extends UiShape.UiPart, M extends UiShape.OpenCodeMessage>(
  messages: ReadonlyArray<M & UiShape.OpenCodeMessage<P>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | UiShape.MadeOpenCodeMessage<P, M["info"]>> => mend(UiShape.openCode<P, M>(), messages, isRequest)

/**
 * Who is told what was done to a history; by default the log, as one line of level info, or debug when all of it is
 * routine. It is run only when something was done.
 *
 * @category services
 */
export const Reporter: Context.Reference<(repairs: ReadonlyArray<Repair>) => Effect.Effect<void>> = Context.Reference(
  "chat/HistoryRepair/Reporter",
  {
    defaultValue: () => (repairs: ReadonlyArray<Repair>) => {
      const log = repairs.every(isRoutine) ? Effect.logDebug : Effect.logInfo
      return log(`repaired a history before it was sent: ${repairs.map(describe).join("; ")}`)
    }
  }
)

/**
 * The messages of a repaired history, after the `Reporter` was told what was done:
 * `HistoryRepair.reported(HistoryRepair.blocks(messages))`.
 *
 * @category repairing
 */
export const reported = Effect.fnUntraced(function*<Message>(
  { messages, repairs }: Mended<Message>
): Effect.fn.Return<ReadonlyArray<Message>> {
  if (repairs.length > 0) yield* (yield* Reporter)(repairs)
  return messages
})
