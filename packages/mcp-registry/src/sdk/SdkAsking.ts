/**
 * What a server may ask on a connection, in either era: in requests of its own, or in place of an answer.
 */
import type { Client, Transport } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Inquirer } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as Answers from "../requests/Answers.ts"
import * as AskingCalls from "../requests/AskingCalls.ts"
import type { ServerHost } from "../requests/ServerHost.ts"
import * as InboundRequests from "./InboundRequests.ts"
import type { RawAnswers } from "./RawAnswers.ts"
import * as Rounds from "./Rounds.ts"
import type { Request, Send } from "./SdkRequest.ts"
import * as Visits from "./Visits.ts"

/** @category models */
export interface Options {
  readonly client: Client
  readonly transport: Transport
  readonly answers: RawAnswers
  readonly isModern: boolean
  readonly host: ServerHost
  readonly send: Send
  readonly scrub: (text: string) => string
}

/** @category models */
export interface SdkAsking {
  /** Sends a request about which the server may ask whoever stands behind it. What it asked ends with the request. */
  readonly send: (request: Request, inquirer: Inquirer) => Effect.Effect<Schema.JsonObject, McpErrorReason>
  /** Tells the server when its folders become others, for as long as it is connected. To be run after the handshake. */
  readonly tellRoots: Effect.Effect<void>
  readonly diagnostics: () => ReadonlyArray<string>
}

/** Answers until the scope closes. @category constructors */
export const open = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<SdkAsking, never, Scope.Scope> {
  const { client, host, isModern, send, transport } = options
  const answers = yield* Answers.make(host, options.scrub)
  const calls = AskingCalls.make(host.asker, yield* Clock.Clock)
  if (!isModern) options.answers.serve(yield* InboundRequests.make({ answers, calls, transport }))
  return {
    send: (request, inquirer) =>
      calls.during(inquirer, (call) => {
        const asking = { send, answers, addressee: calls.addressee(call) }
        return isModern
          ? Rounds.run({ ...request, call }, asking)
          : Visits.first({ ...request, call }, asking)
      }),
    tellRoots: isModern || host.roots === null ?
      Effect.void :
      Stream.runForEach(
        host.roots.changes,
        () =>
          Effect.ignore(Effect.tryPromise(() => client.notification({ method: "notifications/roots/list_changed" })))
      ),
    diagnostics: answers.diagnostics
  }
})
