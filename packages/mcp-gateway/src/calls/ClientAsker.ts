/** Passes what a server asks about a call on to the client that made the call. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import {
  type Asker,
  type Elicitation,
  type ElicitationAnswer,
  nobody,
  type Root,
  type SamplingAnswer,
  SamplingRefused,
  type SamplingRequest
} from "@boocode/mcp-registry"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ClientChannel } from "./ClientChannel.ts"

export interface Options {
  readonly channel: ClientChannel
  /** Answers what the client cannot be asked; null where nobody does. */
  readonly substitute: Asker | null
  /** The people who see the questions: those of one client. */
  readonly audience: string
  /** Is told what the client would have to be able to do; a form that nobody takes is declined instead. */
  readonly onMissing: (capability: "sampling") => void
}

/** Asks the client where it declared that it can be asked, else the substitute; a question nobody takes is declined. */
export const make = ({ audience, channel, onMissing, substitute }: Options): Asker => ({
  audience,
  ...channel.can.roots ? { roots: rootsOf(channel) } : {},
  elicit: (request) => {
    if (!channel.can[request.kind]) return substitute === null ? DECLINED : substitute.elicit(request)
    return channel.ask("elicitation/create", elicitationOf(request, channel), request.key).pipe(
      Effect.map(answerOf),
      Effect.orElseSucceed(() => CANCEL)
    )
  },
  sample: (request) => {
    if (!channel.can.sampling) {
      if (substitute === null) onMissing("sampling")
      return (substitute ?? nobody).sample(request)
    }
    return Effect.matchEffect(channel.ask("sampling/createMessage", samplingOf(request), request.key), {
      onFailure: ({ message }) => Effect.fail(new SamplingRefused({ message, isRejected: false })),
      onSuccess: sampled
    })
  }
})

/** Its folders; none where it does not answer. */
const rootsOf = (channel: ClientChannel): Effect.Effect<ReadonlyArray<Root>> =>
  channel.ask("roots/list", {}).pipe(
    Effect.map(({ roots }) =>
      (Array.isArray(roots) ? roots : []).flatMap((root) => {
        const { name, uri } = JsonRpc.isObject(root) ? root : {}
        return typeof uri === "string" ? [{ uri, name: typeof name === "string" ? name : null }] : []
      })
    ),
    Effect.orElseSucceed(() => [])
  )

const CANCEL: ElicitationAnswer = { action: "cancel" }
const DECLINED: Effect.Effect<ElicitationAnswer> = Effect.succeed({ action: "decline" })

/** The client knows one server only, so the words say which of them asks. */
const elicitationOf = (request: Elicitation, { hasVisitIds }: ClientChannel): Schema.JsonObject => {
  const message = `${request.server}: ${request.message}`
  if (request.kind === "form") return { mode: "form", message, requestedSchema: request.schema }
  const visit = hasVisitIds ? { elicitationId: SecureRandom.uuidV4Unsafe() } : {}
  return { mode: "url", message, url: request.url, ...visit }
}

const answerOf = ({ action, content }: Schema.JsonObject): ElicitationAnswer => {
  if (action === "accept") return { action, content: JsonRpc.isObject(content) ? content : null }
  return { action: action === "decline" ? "decline" : "cancel" }
}

const samplingOf = (request: SamplingRequest): Schema.JsonObject => ({
  messages: request.messages,
  maxTokens: request.maxTokens,
  ...(request.systemPrompt === null ? {} : { systemPrompt: request.systemPrompt }),
  ...(request.temperature === null ? {} : { temperature: request.temperature }),
  ...(request.stopSequences.length === 0 ? {} : { stopSequences: request.stopSequences }),
  ...(Object.keys(request.modelPreferences).length === 0 ? {} : { modelPreferences: request.modelPreferences })
})

const sampled = (
  { content, model, stopReason }: Schema.JsonObject
): Effect.Effect<SamplingAnswer, SamplingRefused> => {
  const blocks = Array.isArray(content) ? content : [content]
  const texts = blocks.flatMap((block) =>
    JsonRpc.isObject(block) && typeof block["text"] === "string" ? [block["text"]] : []
  )
  if (texts.length === 0) {
    return Effect.fail(
      new SamplingRefused({ message: "the client's model answered without a text", isRejected: false })
    )
  }
  return Effect.succeed({
    model: typeof model === "string" ? model : "unknown",
    text: texts.join(""),
    stopReason: stopReason === "stopSequence" || stopReason === "maxTokens" ? stopReason : "endTurn"
  })
}
