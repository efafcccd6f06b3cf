/** Puts what a server asks during a request to the node whose request it is. */
import { type Asker, type ElicitationAnswer, type Root, SamplingRefused } from "@boocode/mcp-client"
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Asks, CallEvent } from "../protocol/ServerEntity.ts"

type Tell = (event: CallEvent) => void

type Kind = "elicit" | "sample" | "roots"

/** The questions of one instance of a server that wait for an answer. */
export class CallQuestions {
  private readonly waiting = new Map<number, Deferred.Deferred<Schema.JsonObject>>()
  /** Askers that several calls share, by holder and key, with the calls that can reach them. */
  private readonly shared = new Map<string, SharedAsker>()
  private last = 0

  /** The asker of one request, and what is to be done when the request is over. */
  begin(holder: string, asks: Asks, tell: Tell): { readonly asker: Asker | null; readonly end: () => void } {
    if (asks === null) return { asker: null, end: () => {} }
    const own = this.asker(() => tell, false, asks.roots)
    const audience = asks.audience === null ? {} : { audience: asks.audience }
    if (asks.shared === null) return { asker: { ...own, ...audience }, end: () => {} }
    const key = `${holder} ${asks.shared}`
    const group = this.shared.get(key) ?? this.group(audience)
    this.shared.set(key, group)
    group.calls.add(tell)
    const end = () => {
      group.calls.delete(tell)
      if (group.calls.size === 0) this.shared.delete(key)
    }
    return { asker: { ...own, ...audience, shared: group.asker }, end }
  }
  /** Gives an answer to the question that waits for it. */
  answer(question: number, answer: Schema.JsonObject): Effect.Effect<void> {
    const waiting = this.waiting.get(question)
    return waiting === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiting, answer))
  }

  private group(audience: { readonly audience?: string }): SharedAsker {
    const calls = new Set<Tell>()
    return { calls, asker: { ...this.asker(() => [...calls][0], true, false), ...audience } }
  }
  private asker(tellOf: () => Tell | undefined, isShared: boolean, hasRoots: boolean): Asker {
    const ask = (kind: Kind, request: Schema.JsonObject) => this.ask(tellOf, kind, request, isShared)
    return {
      elicit: (request) => Effect.map(ask("elicit", { ...request }), elicitationOf),
      sample: (request) =>
        Effect.flatMap(ask("sample", { ...request }), (answer) => {
          const { model, stopReason, text } = answer
          const isAnswer = typeof model === "string" && typeof text === "string"
          return isAnswer
            ? Effect.succeed({ model, text, stopReason: stopOf(stopReason) })
            : Effect.fail(
              new SamplingRefused({
                message: typeof answer["message"] === "string" ? answer["message"] : GONE,
                isRejected: answer["isRejected"] === true
              })
            )
        }),
      ...(hasRoots ? { roots: Effect.map(ask("roots", {}), rootsOf) } : {})
    }
  }
  private ask(
    tellOf: () => Tell | undefined,
    kind: Kind,
    request: Schema.JsonObject,
    isShared: boolean
  ): Effect.Effect<Schema.JsonObject> {
    return Effect.suspend(() => {
      const question = this.last += 1
      const tell = tellOf()
      if (tell === undefined) return Effect.succeed({})
      const answer = Deferred.makeUnsafe<Schema.JsonObject>()
      this.waiting.set(question, answer)
      tell({ _tag: "Asked", question, kind, request, isShared })
      return Effect.onExit(Deferred.await(answer), () =>
        Effect.sync(() => {
          this.waiting.delete(question)
          tell({ _tag: "Withdrawn", question })
        }))
    })
  }
}

interface SharedAsker {
  readonly asker: Asker
  readonly calls: Set<Tell>
}

const GONE = "the one who asked is gone"

const elicitationOf = ({ action, content }: Schema.JsonObject): ElicitationAnswer => {
  if (action === "accept") return { action, content: JsonRpc.isObject(content) ? content : null }
  return { action: action === "decline" ? "decline" : "cancel" }
}

const stopOf = (reason: Schema.Json | undefined): "endTurn" | "stopSequence" | "maxTokens" =>
  reason === "stopSequence" || reason === "maxTokens" ? reason : "endTurn"

const rootsOf = ({ roots }: Schema.JsonObject): ReadonlyArray<Root> =>
  (Array.isArray(roots) ? roots : []).flatMap((root) => {
    if (!JsonRpc.isObject(root) || typeof root["uri"] !== "string") return []
    return [{ uri: root["uri"], name: typeof root["name"] === "string" ? root["name"] : null }]
  })
