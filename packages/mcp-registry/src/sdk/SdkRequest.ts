/**
 * One request through the SDK's client, whose result is taken as the server wrote it.
 */
import type { Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ConnectionLost, type McpErrorReason } from "../McpError.ts"
import type { CallProgress } from "../McpTool.ts"
import type { AskingCall } from "../requests/AskingCalls.ts"
import type { Notice, RawAnswers } from "./RawAnswers.ts"
import * as SdkErrors from "./SdkErrors.ts"
import type * as SdkOffers from "./SdkOffers.ts"
import * as TraceContext from "./TraceContext.ts"

/** The longest a timer can be, about 24 days. @category constants */
export const NEVER = 2 ** 31 - 1

/** What the server is told of a cancelled call; never the caller's own words (R30). */
const CANCELLED = "the client cancelled the call"

/** @category models */
export type Method =
  | "tools/call"
  | "tools/list"
  | "ping"
  | "server/discover"
  | "logging/setLevel"
  | "resources/subscribe"
  | "resources/unsubscribe"
  | "subscriptions/listen"
  | SdkOffers.Method

/** One request. @category models */
export interface Request {
  readonly method: Method
  readonly params: Schema.JsonObject
  /** Over HTTP: further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Is told each progress notification, in order. */
  readonly onProgress?: (progress: CallProgress) => void
  /** Is told what else the server says about this request. */
  readonly onNotice?: (notice: Notice) => void
  /** What the server asks about it, it asks about this call. */
  readonly call?: AskingCall
  /** Whether the result may be one that asks for something instead (2026-07-28). */
  readonly mayAsk?: boolean
}

/** Sends a request; interruption cancels it. Has no time limit of its own. @category models */
export type Send = (request: Request) => Effect.Effect<Schema.JsonObject, McpErrorReason>

/** @category models */
export interface Options {
  readonly answers: RawAnswers
  readonly isAuthorized: boolean
  readonly scrub: (text: string) => string
  /** What every request's `_meta` carries besides. */
  readonly meta: () => Schema.JsonObject
}

/** Sends through this client. @category constructors */
export const make = (client: Client, options: Options): Send => (request) =>
  Effect.flatMap(TraceContext.meta, (trace) => sent(client, options, request, trace))

const sent = (
  client: Client,
  options: Options,
  { call, headers, mayAsk, method, onNotice, onProgress, params }: Request,
  trace: Schema.JsonObject
): ReturnType<Send> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ticket = options.answers.ticket({
      settle: (result) => resume(Effect.succeed(result)),
      progress: (params) => onProgress?.(progressOf(params)),
      notice: (notice) => onNotice?.(notice),
      call: call ?? null,
      mayAsk: mayAsk === true
    })
    const _meta = { ...options.meta(), ...trace, ...ticket.meta }
    const sent = client.request({ method, params: { ...params, _meta } }, ANYTHING, {
      signal: controller.signal,
      timeout: NEVER,
      ...(headers === undefined ? {} : { headers }),
      // Makes the SDK send a progress token; what comes is taken before the SDK sees it.
      ...(onProgress === undefined ? {} : { onprogress: () => {} })
    })
    // The raw result has resumed before this; only failures are news.
    sent.then(
      () => {
        ticket.drop()
        resume(Effect.fail(new ConnectionLost({ detail: "the answer was none that the protocol knows" })))
      },
      (error: unknown) => {
        ticket.drop()
        resume(Effect.fail(SdkErrors.toReason(error, { ...options, method })))
      }
    )
    return Effect.sync(() => controller.abort(CANCELLED))
  })

const progressOf = ({ message, progress, total }: Schema.JsonObject): CallProgress => ({
  progress: typeof progress === "number" ? progress : 0,
  total: typeof total === "number" ? total : null,
  message: typeof message === "string" ? message : null
})

/** The SDK sees only a stand-in for the result, so there is nothing to validate. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "boocode", validate: (value: unknown) => ({ value }) }
} as const
