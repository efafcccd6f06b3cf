/**
 * Holds what a fetch brings under a cap while it streams by: a whole body, or the beginning of an error page.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Pace from "../base/Pace.ts"
import { MessageTooLarge } from "../errors/McpError.ts"
import type { Pause } from "../host/McpFetch.ts"
import * as HttpReply from "./HttpReply.ts"

/** An error page is read up to here. @category constants */
export const MAX_ERROR_BYTES = 8 * 1024
/** The words of an error page are worth waiting for so long. */
const ERROR_LIMIT = "2 seconds"

/**
 * Gives a response whose body fails with `MessageTooLarge` as soon as it is above the cap, and lets go of the connection
 * then. Fails at once when the length is announced.
 *
 * @category combinators
 */
export const whole = (response: Response, maxBytes: number): Effect.Effect<Response, MessageTooLarge> => {
  const { body, headers } = response
  if (body === null) return Effect.succeed(response)
  const announced = Number(headers.get("content-length") ?? Number.NaN)
  if (announced > maxBytes) {
    const tooLarge = Effect.fail(new MessageTooLarge({ bytes: announced, limitBytes: maxBytes }))
    // What a server still has to say about an answer that is not wanted is nobody's concern.
    return Effect.andThen(Effect.ignore(Effect.tryPromise(() => body.cancel())), tooLarge)
  }
  // HTTP itself holds a body to its announced length, but for one that grows while it is unpacked.
  if (announced <= maxBytes && !headers.has("content-encoding")) return Effect.succeed(response)
  let bytes = 0
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > maxBytes) controller.error(new MessageTooLarge({ bytes, limitBytes: maxBytes }))
      else controller.enqueue(chunk)
    }
  })
  return Effect.succeed(withBody(response, body.pipeThrough(cap)))
}

/**
 * The beginning of the words of a refusal, 8 KB and 2 s at most; empty where they break off.
 *
 * @category getters
 */
export const words = (response: Response): Effect.Effect<string> =>
  Effect.map(Effect.timeoutOption(beginning(response), ERROR_LIMIT), Option.getOrElse(() => ""))

const beginning = ({ body }: Response): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const pieces: Array<Uint8Array> = []
    let left = MAX_ERROR_BYTES
    const told = () => resume(Effect.succeed(JsonRpc.textOfBytes(pieces)))
    const stop = HttpReply.readFetched(body, {
      onData: (chunk) => {
        pieces.push(chunk.subarray(0, left))
        left -= Math.min(left, chunk.length)
        if (left > 0) return
        stop()
        told()
      },
      onEnd: told,
      // The status says more than words that break off.
      onError: () => resume(Effect.succeed(""))
    })
    return Effect.sync(stop)
  })

/** A connection is free again only when its response was read or given up. @category combinators */
export const discard = ({ body }: Response): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => body?.cancel() ?? Promise.resolve()))

const withBody = (
  { headers, status, statusText }: Response,
  body: ReadableStream<Uint8Array> | string | null
): Response => new Response(body, { headers, status, statusText })

// How fast the streams of an HTTP server are read that bring what nobody asked for: as fast as the pipes of a program.

/** @category models */
export interface HttpPace {
  /** Notes so many characters that answer no request of ours. */
  readonly weigh: (length: number) => void
  /** What to wait for before more of a stream is read; null when that is nothing. */
  readonly pause: () => Pause | null
  /** What is worth telling: one line at most. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** One allowance for all streams of a session. `run` ends what waits. @category constructors */
export const makePace = (clock: Clock.Clock, run: (wait: Effect.Effect<void>) => unknown): HttpPace => {
  const pace = new Pace.Pace()
  let unasked = 0
  return {
    weigh: (length) => {
      unasked += length + Pace.LINE_COST
    },
    pause: () => {
      if (unasked === 0) return null
      const wait = pace.note(unasked, clock.currentTimeMillisUnsafe())
      unasked = 0
      return wait === 0 ? null : (goOn) => void run(Effect.andThen(Effect.sleep(wait), Effect.sync(goOn)))
    },
    diagnostics: () => pace.diagnostics()
  }
}

/** Waits for one and then for the other. @category combinators */
export const both = (one: Pause | null, other: Pause | null): Pause | null => {
  if (one === null) return other
  return other === null ? one : (goOn) => one(() => other(goOn))
}
