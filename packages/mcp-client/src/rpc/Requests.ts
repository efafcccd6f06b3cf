/** The requests of one conversation that wait for their answers. Each is one entry, settled by its id. */
import type { ProgressNotificationParams } from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { About, AskingCall } from "../asks/AskingCalls.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { CallProgress } from "../contract/CallResult.ts"
import * as CallSpan from "../contract/CallSpan.ts"
import type { Channel, Sending } from "../contract/Channel.ts"
import type { Call } from "../contract/Connection.ts"
import type { ClientMethod, ClientNotificationMethod, Written } from "../contract/Wire.ts"
import {
  ConnectionLost,
  type Exited,
  HandshakeFailed,
  InvalidArguments,
  type McpErrorReason,
  MessageTooLarge,
  type RequestFailed
} from "../errors/McpError.ts"
import * as Refusal from "./Refusal.ts"

export type Answer = Effect.Effect<Schema.JsonObject, McpErrorReason>

/** One request. */
export interface Request {
  readonly method: ClientMethod
  readonly params: Schema.JsonObject
  /** Over HTTP: further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Is told each progress notification, at once and in order; without it none is asked for. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined
  /** Is told what else the server says about this request. */
  readonly onNotice?: (notice: Notice) => void
  /** Is given what ends the request with a reason, and cancels it at the server. */
  readonly onStarted?: Call["onStarted"]
  /** The call that the server's questions about it belong to. */
  readonly call?: AskingCall
  /** Goes on where the answer is none yet. */
  readonly further?: Further
}

/** Goes on with an answer that is none yet; null where it is one, or has failed. */
export interface Further {
  /** A result that asks for something first (2026-07-28). */
  readonly unfinished?: (request: Request, result: Schema.JsonObject) => Answer | null
  readonly refused?: (request: Request, refusal: RequestFailed) => Answer | null
}

export interface Notice {
  /** That it listens as asked from now on, or that it gave the request up by itself. */
  readonly kind: "acknowledged" | "cancelled"
  readonly params: Schema.JsonObject
}

/** Why a connection is over: its program ended, or the way to the server is gone. */
export type ConnectionEnd = Exited | ConnectionLost

export type Send = (request: Request) => Answer

export interface Options {
  readonly channel: Pick<Channel, "nextId" | "send" | "abandon" | "scrub">
  readonly maxMessageBytes: number
  /** The `_meta` of every message; null for none. */
  readonly meta: () => Schema.JsonObject | null
  /** Is told that a request took too long. */
  readonly onTimedOut?: () => void
  /** The attributes that spans of requests have in common. */
  readonly facts?: () => CallSpan.Facts
}

/** The server never reads the caller's own words (R30). */
const CANCELLED = "the client cancelled the call"

interface Waiting {
  readonly id: number
  readonly request: Request
  readonly settle: (answer: Answer) => void
}

/** The requests of one conversation that wait for their answers. */
export class Requests {
  private readonly options: Options
  private readonly entries = new Map<string | number | null, Waiting>()
  private listening = 0
  /** Why nothing is sent any more; null while the conversation is open. */
  private end: ConnectionEnd | null = null

  constructor(options: Options) {
    this.options = options
  }

  /** Sends a request; interruption cancels it. Has no time limit of its own. */
  send(request: Request): Answer {
    return Effect.callback((resume) => this.start(request, resume))
  }
  /** Sends a notification. */
  notify(method: ClientNotificationMethod, params: Schema.JsonObject, sending?: Sending): void {
    const _meta = this.options.meta()
    this.options.channel.send(
      { jsonrpc: "2.0", method, params: _meta === null ? params : { ...params, _meta } },
      sending
    )
  }
  /** Takes an answer. One that nobody waits for any more is dropped. */
  answered(message: JsonRpc.Message): void {
    const entry = this.taken(JsonRpc.idOf(message))
    if (entry !== undefined) entry.settle(answerOf(entry.request, message, this.options.channel.scrub))
  }
  progressed(params: Schema.JsonObject): void {
    this.entries.get(JsonRpc.idIn(params["progressToken"]))?.request.onProgress?.(progressOf(params))
  }
  /** Takes what a server says of a subscription; false where the id is of none. */
  noticed(kind: Notice["kind"], id: Schema.Json | undefined, params: Schema.JsonObject): boolean {
    const entry = this.entries.get(JsonRpc.idIn(id))
    if (entry === undefined || !isListening(entry)) return false
    entry.request.onNotice?.({ kind, params })
    return true
  }
  /** Takes that an answer was too large: the one to `id`; where that is not known, any that is waited for. */
  oversized(bytes: number, id: string | number | null): void {
    const reason = new MessageTooLarge({ bytes, limitBytes: this.options.maxMessageBytes })
    if (id !== null) return this.fail(id, reason)
    for (const entry of [...this.entries.values()]) this.fail(entry.id, reason)
  }
  /** The call that a request of the server belongs to, when it came on the response to this request of ours. */
  about(id: string | number | null): About {
    if (id === null) return "unknown"
    const entry = this.entries.get(id)
    return entry === undefined ? "a request that is over" : entry.request.call ?? "another request"
  }
  /** How many wait. A subscription, which stays open, does not count. */
  waiting(): number {
    return this.entries.size - this.listening
  }
  /** Fails all that wait with the reason, and all that are sent from now on as unsent. The first reason stays. */
  close(why: ConnectionEnd): void {
    this.end ??= why
    for (const entry of [...this.entries.values()]) this.fail(entry.id, why)
  }

  private start(request: Request, settle: Waiting["settle"]): Effect.Effect<void> | void {
    const { channel } = this.options
    const { headers, onStarted } = request
    if (this.end !== null) return settle(Effect.fail(notOpen(this.end)))
    const id = channel.nextId()
    const entry = { id, request, settle }
    this.entries.set(id, entry)
    if (isListening(entry)) this.listening++
    const onFailed = (reason: McpErrorReason) => this.fail(id, reason)
    const fiber = Fiber.getCurrent()
    const trace = fiber === undefined ? null : CallSpan.metaOf(fiber, id, this.options)
    const message = messageOf(entry, this.options.meta(), trace)
    // oxlint-disable-next-line house/no-try -- what a caller gives may be no JSON, and looking first would cost every call
    try {
      const isAlone = this.waiting() === 1
      channel.send(message, headers === undefined ? { onFailed, isAlone } : { onFailed, isAlone, headers })
    } catch (error) {
      channel.abandon(id)
      onFailed(unwritable(request, error))
    }
    onStarted?.((reason) => {
      if (this.entries.get(id) === undefined) return
      this.cancel(id)
      settle(Effect.fail(reason))
      if (reason._tag === "CallTimeout") this.options.onTimedOut?.()
    })
    return Effect.sync(() => this.cancel(id))
  }
  /** The request with this id, which nobody waits for from now on. */
  private taken(id: string | number | null): Waiting | undefined {
    const entry = this.entries.get(id)
    if (entry === undefined || !this.entries.delete(id)) return undefined
    if (isListening(entry)) this.listening--
    return entry
  }
  private fail(id: string | number, reason: McpErrorReason): void {
    this.taken(id)?.settle(Effect.fail(reason))
  }
  private cancel(id: number): void {
    const entry = this.taken(id)
    if (entry === undefined || this.options.channel.abandon(id)) return
    // Nobody may cancel the handshake (2025-11-25, Cancellation).
    if (entry.request.method === "initialize") return
    this.notify("notifications/cancelled", { requestId: id, reason: CANCELLED })
  }
}

/** Such as what is nested too deep, or contains itself. */
const unwritable = ({ method, params: { name } }: Request, error: unknown): McpErrorReason => {
  const [why] = error instanceof Error ? error.message.split("\n", 1) : []
  const detail = `they cannot be written as JSON (${why ?? "no reason given"})`
  return new InvalidArguments({ tool: typeof name === "string" ? name : method, detail })
}

const isListening = ({ request }: Waiting): boolean => request.method === "subscriptions/listen"

/** Why a request fails whose connection was closed on this side. */
export const CLOSED = new ConnectionLost({ detail: "it was closed", unsent: false })

const notOpen = (end: ConnectionEnd) =>
  new ConnectionLost({ detail: end._tag === "Exited" ? end.message : end.detail, unsent: true })

const messageOf = (
  { id, request: { method, onProgress, params } }: Waiting,
  meta: Schema.JsonObject | null,
  trace: Schema.JsonObject | null
): JsonRpc.Message => {
  if (meta === null && trace === null) {
    return onProgress === undefined
      ? { jsonrpc: "2.0", id, method, params }
      : { jsonrpc: "2.0", id, method, params: { ...params, _meta: { progressToken: id } } }
  }
  const progress = onProgress === undefined ? null : { progressToken: id }
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...meta, ...trace, ...progress } } }
}

/** A result is given as the server wrote it: nothing of it is decoded, so one unknown part does not cost the rest. */
const answerOf = (request: Request, { error, result }: JsonRpc.Message, scrub: Channel["scrub"]): Answer => {
  if (JsonRpc.isObject(result)) return ofResult(request, result)
  const words = typeof error === "string" ? { message: error } : error
  if (!JsonRpc.isObject(words)) return Effect.fail(unknown(request))
  if (request.method === "initialize") return Effect.fail(Refusal.ofHandshake(request.method, words, scrub))
  const refusal = Refusal.toReason(request.method, words, scrub)
  return request.further?.refused?.(request, refusal) ?? Effect.fail(refusal)
}

const ofResult = (request: Request, result: Schema.JsonObject): Answer => {
  const { resultType } = result
  if (resultType === undefined || resultType === "complete") return Effect.succeed(result)
  const answer = resultType === "input_required" ? request.further?.unfinished?.(request, result) : undefined
  return answer ?? Effect.fail(unknown(request))
}

const unknown = ({ method }: Request): McpErrorReason =>
  method === "initialize"
    ? new HandshakeFailed({ method, detail: "its answer is no JSON-RPC message", code: null, stderr: "" })
    : new ConnectionLost({ detail: "the answer was none that the protocol knows" })

const progressOf = ({ message, progress, total }: Written<ProgressNotificationParams>): CallProgress => ({
  progress: JsonRpc.finiteIn(progress) ?? 0,
  total: JsonRpc.finiteIn(total),
  message: typeof message === "string" ? message : null
})

/**
 * Goes on with a call in a way that takes several requests, or waits in between: what is handed out here ends all of it,
 * and takes the place of what its first request handed out. `onTimedOut` is told where the reason is a time limit.
 */
export const aroundEnding = <A>(
  onStarted: Call["onStarted"],
  rest: Effect.Effect<A, McpErrorReason>,
  onTimedOut?: () => void
): Effect.Effect<A, McpErrorReason> =>
  onStarted === undefined ? rest : Effect.suspend(() => {
    const ended = Deferred.makeUnsafe<never, McpErrorReason>()
    onStarted((reason) => {
      Deferred.doneUnsafe(ended, Effect.fail(reason))
      if (reason._tag === "CallTimeout") onTimedOut?.()
    })
    return Effect.raceFirst(rest, Deferred.await(ended))
  })
