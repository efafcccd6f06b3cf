/**
 * Sends a request until the server accepts it or refuses it for good: follows redirects where they are safe, renews
 * credentials, and waits when the server takes no more requests at the moment.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Bytes from "../base/Bytes.ts"
import { HttpStatus } from "../errors/McpError.ts"
import type { HttpReceiver, HttpRequest, HttpSend, ResponseHeaders } from "../host/McpFetch.ts"
import type { HttpAuth } from "./HttpAuth.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { HeaderRecord } from "./HttpHeaders.ts"
import * as HttpRedirects from "./HttpRedirects.ts"
import * as HttpResponse from "./HttpResponse.ts"

export interface Outgoing {
  readonly method: HttpRequest["method"]
  readonly url: URL
  /** The method of JSON-RPC, or what stands for it in an error. */
  readonly rpcMethod: string
  readonly headers: (signed: HeaderRecord) => HeaderRecord
  readonly body: string | null
  /** Hears of a success (2xx), and returns what takes its body. */
  readonly onSuccess: (status: number, headers: ResponseHeaders) => HttpResponse.Body
  /** Hears why there was no success. */
  readonly onFailure: (failure: HttpFailure) => void
}

/** Sends a request, and returns what aborts it: nobody hears of it from then on. */
export type HttpSender = (outgoing: Outgoing) => () => void

/** Makes a sender. It waits by the clock of the current fiber. */
export const make = Effect.fnUntraced(function*(auth: HttpAuth, send: HttpSend): Effect.fn.Return<HttpSender> {
  // oxlint-disable-next-line house/no-run -- sending is a plain call
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return (outgoing) => {
    let abort = () => {}
    const attempt = (trial: Trial) => {
      const used = auth.headers(trial.url)
      let taker: HttpResponse.Body | null = null
      const receiver: HttpReceiver = {
        onHeaders: (status, headers) => {
          const isSuccess = status >= 200 && status < 300
          if (!isRefusal(status)) auth.accepted(used, isSuccess && trial.refusals > 0)
          if (isSuccess) taker = outgoing.onSuccess(status, headers)
          else {
            const page = makePage()
            taker = page
            refused(trial, { status, headers, used, text: page.text, hangUp: Effect.sync(abort) })
          }
        },
        onData: (chunk) => taker?.onData(chunk),
        onEnd: () => taker?.onEnd(),
        onError: (error) => taker === null ? outgoing.onFailure({ _tag: "Thrown", error }) : taker.onError(error)
      }
      const { body, method } = outgoing
      abort = send({ method, url: trial.url, headers: outgoing.headers(used), body }, receiver)
    }
    const refused = (trial: Trial, answer: Answer) => {
      const stop = abort
      const next = Effect.match(decide(auth, outgoing, trial, answer), {
        onFailure: (failure) => outgoing.onFailure(failure),
        onSuccess: (again) => attempt(again)
      })
      let interrupt = () => {}
      // Before the fork, which may begin the next attempt at once: from then on that one is what an abort ends.
      abort = () => {
        stop()
        interrupt()
      }
      const fiber = fork(next)
      interrupt = () => fiber.interruptUnsafe()
    }
    attempt({ url: outgoing.url, redirects: 0, refusals: 0, resends: 0, waited: 0 })
    return () => abort()
  }
})

/** Takes a body that nobody wants. */
export const IGNORED: HttpResponse.Body = { onData: () => {}, onEnd: () => {}, onError: () => {} }

interface Trial {
  readonly url: URL
  readonly redirects: number
  readonly refusals: number
  readonly resends: number
  /** Milliseconds. */
  readonly waited: number
}

/** An answer that is no success. */
interface Answer {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly used: HeaderRecord
  /** The beginning of its body: 8 KB and 2 s at most. */
  readonly text: Effect.Effect<string>
  /** Gives up the rest of it: a connection is free again only when its response was read or aborted. */
  readonly hangUp: Effect.Effect<void>
}

const isRefusal = (status: number): boolean => status === 401 || status === 403

const MAX_REDIRECTS = 5
/** How many times a request is sent again after a 429. */
const MAX_RESENDS = 2
const MAX_WAIT_MILLIS = 5000
/** The question for the era has a short limit, and running into it would pass for silence. */
const MAX_PROBE_WAIT_MILLIS = 2000
const FIRST_WAIT_MILLIS = 1000
const TOO_MANY = 429

/**
 * Whether the page behind a status is read: a renewal of credentials looks at any, an error only at that of a POST. Some
 * runtimes make up a status, and have nothing to read behind it.
 */
const isTelling = (method: HttpRequest["method"], status: number): boolean =>
  isRefusal(status) || (method === "POST" && status >= 200 && status <= 599)

/** Decides on the next attempt, and leaves nothing of this one open. Fails when there is none. */
const decide = Effect.fnUntraced(function*(
  auth: HttpAuth,
  { method, rpcMethod }: Outgoing,
  trial: Trial,
  { hangUp, headers, status, text, used }: Answer
): Effect.fn.Return<Trial, HttpFailure> {
  const { url } = trial
  const target = HttpRedirects.targetOf(url, status, headers)
  const isFollowed = target !== null && trial.redirects < MAX_REDIRECTS &&
    HttpRedirects.isOpen(url, target, status, method)
  const isResent = status === TOO_MANY && method === "POST"
  const words = !isFollowed && !isResent && isTelling(method, status) ? yield* text : ""
  yield* hangUp
  if (isFollowed) return { ...trial, url: target, redirects: trial.redirects + 1 }
  if (isResent) return yield* later(rpcMethod, trial, headers)
  if (isRefusal(status)) {
    const count = trial.refusals + 1
    const isRenewed = yield* Effect.mapError(
      auth.renew({ url, method, status, headers, text: words, used, count }),
      (reason): HttpFailure => ({ _tag: "Known", reason })
    )
    if (isRenewed) return { ...trial, refusals: count }
  }
  const redirect = HttpRedirects.words(url, status, headers)
  return yield* Effect.fail<HttpFailure>({ _tag: "Refused", status, text: words, redirect })
}, Effect.catchCause((cause) => Effect.fail(failureOf(cause))))

/** A renewal may break, or be interrupted elsewhere: the request must not wait for it then. */
const failureOf = (cause: Cause.Cause<HttpFailure>): HttpFailure =>
  Option.getOrElse(Cause.findErrorOption(cause), () => ({ _tag: "Thrown", error: Cause.squash(cause) }))

/**
 * Waits as `Retry-After` asks: the server did not accept the request, so nothing happens twice. A server that wants a
 * longer pause than 5 s in all, or still refuses, fails the request with `HttpStatus`.
 */
const later = Effect.fnUntraced(function*(
  method: string,
  trial: Trial,
  headers: ResponseHeaders
): Effect.fn.Return<Trial, HttpFailure> {
  const asked = retryAfter(HttpResponse.header(headers, "retry-after"), yield* Clock.currentTimeMillis)
  const wait = asked ?? FIRST_WAIT_MILLIS * 2 ** trial.resends
  const waited = trial.waited + wait
  const most = method === "server/discover" ? MAX_PROBE_WAIT_MILLIS : MAX_WAIT_MILLIS
  if (trial.resends === MAX_RESENDS || waited > most) {
    const pause = asked === null ? "" : `; it wants the next one in ${Math.ceil(asked / 1000)} s (Retry-After)`
    const reason = new HttpStatus({ method, code: TOO_MANY, detail: `too many requests${pause}` })
    return yield* Effect.fail<HttpFailure>({ _tag: "Known", reason })
  }
  yield* Effect.sleep(wait)
  return { ...trial, resends: trial.resends + 1, waited }
})

/** A number of seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; null when it is neither. */
const retryAfter = (value: string | null, now: number): number | null => {
  if (value === null) return null
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  return Option.match(DateTime.make(value), {
    onNone: () => null,
    onSome: (date) => Math.max(0, DateTime.toEpochMillis(date) - now)
  })
}

/** How much of an error page is read, in bytes. */
const MAX_ERROR_BYTES = 8 * 1024
const ERROR_LIMIT = "2 seconds"

/** Takes the beginning of an error page; its text is empty where it breaks off, for the status says more. */
const makePage = () => {
  const pieces: Array<Uint8Array> = []
  const read = Deferred.makeUnsafe<string>()
  let left = MAX_ERROR_BYTES
  const done = () => void Deferred.doneUnsafe(read, Effect.succeed(Bytes.textOf(pieces)))
  return {
    onData: (chunk: Uint8Array) => {
      if (left === 0) return
      pieces.push(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
      if (left === 0) done()
    },
    onEnd: done,
    onError: () => void Deferred.doneUnsafe(read, Effect.succeed("")),
    text: Effect.map(Effect.timeoutOption(Deferred.await(read), ERROR_LIMIT), Option.getOrElse(() => ""))
  }
}
