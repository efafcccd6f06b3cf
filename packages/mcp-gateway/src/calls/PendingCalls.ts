/** Calls of one client that wait for a person elsewhere: answered in time, and taken up again when the client asks for them. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Refusal } from "../model/Sdk.ts"
import type { AskMethod, ClientChannel } from "./ClientChannel.ts"
import * as SentResult from "./SentResult.ts"

/** The tool that asks what became of such a call. */
export const STATUS = "approval_status"

export interface PendingCalls {
  /**
   * Runs what waits for a person and then calls. The client is answered with the result, or, when its patience is over, with the
   * address at which the person decides; while that is null nobody is waited for, and the client goes on waiting. Interruption
   * before the answer ends the call.
   */
  readonly begin: (
    channel: ClientChannel,
    url: () => string | null,
    patienceSeconds: number,
    run: (channel: ClientChannel) => Effect.Effect<SentResult.SentResult, Refusal>
  ) => Effect.Effect<SentResult.SentResult, Refusal>
  /** Waits again for a call; gives its result once, or that it still waits. */
  readonly status: (
    channel: ClientChannel,
    id: string,
    patienceSeconds: number
  ) => Effect.Effect<SentResult.SentResult, Refusal>
}

const MOST_PENDING = 50

/** The calls of one client, which end with its scope. */
export const make = (scope: Scope.Scope): PendingCalls => {
  const pending = new Map<string, Pending>()

  const waited = Effect.fnUntraced(function*(id: string, { fiber, url }: Pending, patienceSeconds: number) {
    while (true) {
      const exit = yield* Effect.timeoutOption(Fiber.await(fiber), patienceSeconds * 1000)
      if (Option.isSome(exit)) {
        pending.delete(id)
        return yield* exit.value
      }
      const place = url()
      if (place !== null) return waiting(id, place)
    }
  })
  return {
    begin: Effect.fnUntraced(function*(channel, url, patienceSeconds, run) {
      if (pending.size >= MOST_PENDING) {
        return SentResult.text(`more than ${MOST_PENDING} calls wait for a person; ask ${STATUS} for those`, true)
      }
      const id = SecureRandom.uuidV4Unsafe()
      const latest = new LatestChannel(channel)
      const fiber = yield* Effect.forkIn(run(latest), scope)
      const call = { channel: latest, url, fiber }
      pending.set(id, call)
      return yield* Effect.onInterrupt(waited(id, call, patienceSeconds), () => {
        pending.delete(id)
        return Fiber.interrupt(fiber)
      })
    }),
    status: (channel, id, patienceSeconds) => {
      const call = pending.get(id)
      if (call === undefined) {
        return Effect.succeed(
          SentResult.text(`no call waits under ${id}: it was answered already, or its client ended`, true)
        )
      }
      call.channel.current = channel
      return waited(id, call, patienceSeconds)
    }
  }
}

interface Pending {
  readonly channel: LatestChannel
  readonly url: () => string | null
  readonly fiber: Fiber.Fiber<SentResult.SentResult, Refusal>
}

const waiting = (id: string, url: string): SentResult.SentResult =>
  SentResult.text(
    `This is not done yet: it waits for a person, who decides at ${url} . ` +
      `Tell them, then call ${STATUS} with {"id":"${id}"}, which gives the result.`
  )

/** The request that came last is the one whose stream is open. */
class LatestChannel implements ClientChannel {
  current: ClientChannel
  constructor(channel: ClientChannel) {
    this.current = channel
  }
  get can() {
    return this.current.can
  }
  get logLevel() {
    return this.current.logLevel
  }
  get hasVisitIds() {
    return this.current.hasVisitIds
  }
  ask(method: AskMethod, params: Schema.JsonObject, key?: string) {
    return this.current.ask(method, params, key)
  }
  notify(method: string, params: Schema.JsonObject) {
    return this.current.notify(method, params)
  }
}
