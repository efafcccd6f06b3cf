/** The agent and the model that answer a message. */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agent.ts"
import { Agents } from "../agents/Agents.ts"
import * as Mention from "../agents/Mention.ts"
import type { ChatRecord } from "../model/Chat.ts"
import type { UnknownAgent } from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"

/** The agent and the model that a chat or a message names. Null and an empty name leave it to the next in line. */
export type Named = Pick<ChatRecord, "agent" | "model">

export interface TurnPartner {
  readonly agent: Agent
  /** The id of the model. */
  readonly id: string
  readonly model: LanguageModel.LanguageModel
  /** The message without the mention of its agent. */
  readonly text: string
}

/** A mention or the message names the agent, else the chat; `program` names the model when nobody else does. */
export const choose = Effect.fnUntraced(function*(
  chat: Named,
  message: Named & { readonly text: string },
  program: string | null
): Effect.fn.Return<TurnPartner, UnknownAgent | ModelUnavailable, Agents | LanguageModels> {
  const agents = yield* Agents
  const mention = Mention.isPossible(message.text) ? Mention.of(message.text, (yield* agents.list).agents) : null
  const agent = yield* agents.agent(mention?.agent ?? ModelChoice.given(message.agent) ?? chat.agent)
  const id = ModelChoice.choose({ message: message.model, chat: chat.model, agent: agent.model, program })
  return { agent, id, model: yield* ModelChoice.model(id), text: mention?.text ?? message.text }
})
