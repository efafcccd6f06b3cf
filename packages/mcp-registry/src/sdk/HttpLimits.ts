/**
 * Holds what a server sends over HTTP under the cap while it streams by: each JSON body, each event, each error page.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConnectionLost, MessageTooLarge } from "../McpError.ts"
import * as SseEvents from "../transport/SseEvents.ts"

/** An error page is read up to here. @category constants */
export const MAX_ERROR_BYTES = 8 * 1024
/** The words of an error page are worth waiting for so long. */
const ERROR_LIMIT = "2 seconds"

/** Whether a response is a stream of events. @category predicates */
export const isEventStream = ({ headers }: Response): boolean =>
  /^\s*text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "")

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

/** Its call would wait for it, and reading on would cost time for ever. */
const endlessEvent = new ConnectionLost({ detail: "the server sent an event without an end" })

/**
 * Gives a stream of events without those above the cap.
 *
 * @category combinators
 */
export const events = (
  response: Response,
  options: SseEvents.Options
): { readonly response: Response; readonly events: SseEvents.SseEvents } => {
  const made = SseEvents.make(options)
  const filter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      made.push(chunk).forEach((part) => controller.enqueue(part))
      if (made.isEndless()) controller.error(endlessEvent)
    },
    flush: (controller) => made.end().forEach((part) => controller.enqueue(part))
  })
  const body = response.body === null ? null : response.body.pipeThrough(filter)
  return { response: withBody(response, body), events: made }
}

/**
 * Gives a refusal with the beginning of its words, 8 KB and 2 s at most.
 *
 * @category combinators
 */
export const refusal = (response: Response): Effect.Effect<Response> => {
  const { body } = response
  if (body === null) return Effect.succeed(response)
  let bytes = 0
  const text = Effect.tryPromise((signal) => {
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, MAX_ERROR_BYTES - bytes))
        bytes += chunk.length
        if (bytes >= MAX_ERROR_BYTES) controller.terminate()
      }
    })
    return new Response(body.pipeThrough(cut, { signal })).text()
  })
  return text.pipe(
    Effect.timeoutOption(ERROR_LIMIT),
    // The status says more than words that break off.
    Effect.catch(() => Effect.succeedNone),
    Effect.map((words) => withBody(response, Option.getOrElse(words, () => "")))
  )
}

/**
 * Gives a response that tells when its body is over, however it ends.
 *
 * @category combinators
 */
export const whenOver = (response: Response, onEnd: () => void): Response => {
  const { body } = response
  if (body === null) return response
  const reader = body.getReader()
  const end = (finish: () => void) => {
    finish()
    onEnd()
  }
  const told = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      reader.read().then(
        ({ done, value }) => done ? end(() => controller.close()) : controller.enqueue(value),
        (error: unknown) => end(() => controller.error(error))
      ),
    cancel: (reason) => reader.cancel(reason)
  })
  return withBody(response, told)
}

const withBody = (
  { headers, status, statusText }: Response,
  body: ReadableStream<Uint8Array> | string | null
): Response => new Response(body, { headers, status, statusText })
