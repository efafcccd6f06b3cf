/**
 * A fetch that adds what an entry's `headersHelper` prints, and asks it again when a server does not take that any more.
 */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HeaderText from "../base/HeaderText.ts"
import * as Redaction from "../base/Redaction.ts"
import { HeadersHelperFailed } from "../errors/McpError.ts"
import * as HttpPorts from "../host/HttpPorts.ts"
import { McpFetch, type Post } from "../host/McpFetch.ts"
import * as ServerLog from "../host/ServerLog.ts"
import * as ShellCommand from "../stdio/ShellCommand.ts"
import * as HttpBody from "./HttpBody.ts"
import type { Ways } from "./HttpPost.ts"
import * as HttpReply from "./HttpReply.ts"
import * as HttpRetry from "./HttpRetry.ts"

/** How long the command may take. @category constants */
export const LIMIT = Duration.seconds(10)
/** What it may print, in bytes: more than any server takes. */
const MAX_BYTES = 64 * 1024
/** How many of the values that it printed are remembered, the last ones: a token may be good for a minute. */
const MAX_SECRETS = 500

/** What talking to a server with a helper takes. @category models */
export interface HelpedFetch extends Ways {
  /** Hides the secrets of the entry, and everything that its helper printed so far. */
  readonly scrub: (text: string) => string
}

/** What running a helper asks for. @category services */
export type Requirements = ShellCommand.Requirements | McpFetch

/**
 * The fetch of a connection. The helper runs now, and again for a request that is answered with 401: that request is sent
 * once more, for it was refused and so took no effect (Decision 8). Requests that are refused at the same time share one
 * run. Without a helper it is the plain fetch.
 *
 * @category constructors
 */
export const around = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  onStep: (step: string) => void
): Effect.fn.Return<HelpedFetch, HeadersHelperFailed, Requirements | Scope.Scope> {
  const web = yield* McpFetch
  const fetch = HttpRetry.aroundFirstAnswer(fetchFor(http, web))
  const post = postFor(http, web)
  const url = URL.parse(Redacted.value(http.url))
  // A fetch refuses such an address, and says why.
  const isOdd = url === null || url.username !== "" || url.password !== "" || HttpPorts.isBlocked(url)
  if (http.headersHelper === undefined) {
    return { fetch, post, headersNow: () => isOdd ? null : NOTHING, scrub: Redaction.scrubber(config) }
  }
  onStep("headersHelper")
  const secrets = new Set<string>()
  const scrub = (text: string) => Redaction.scrubber(config, [...secrets])(text)
  const scope = yield* Effect.scope
  const context = yield* Effect.context<Requirements>()
  const ask = Effect.provideContext(asked(config, http, secrets), context)
  let current = yield* ask
  let ready = plain(current)
  let renewal: Deferred.Deferred<HeaderText.Headers, HeadersHelperFailed> | null = null

  /** Runs in a fiber of its own: whoever asked first may not want it any more before it is done. */
  const renewed = (refused: HeaderText.Headers) =>
    Effect.suspend(() => {
      if (current !== refused) return Effect.succeed(current)
      if (renewal !== null) return Deferred.await(renewal)
      const begun = Deferred.makeUnsafe<HeaderText.Headers, HeadersHelperFailed>()
      renewal = begun
      const run = Effect.tap(ask, (headers) =>
        Effect.sync(() => {
          current = headers
          ready = plain(headers)
        })).pipe(
          Effect.ensuring(Effect.sync(() => void (renewal = null))),
          Deferred.into(begun)
        )
      return Effect.andThen(Effect.forkIn(run, scope), Deferred.await(begun))
    })
  const send = (input: Parameters<typeof fetch>[0], init: RequestInit, headers: HeaderText.Headers) =>
    // @effect-diagnostics-next-line unknownInEffectCatch:off -- whoever asked gets what fetch threw as it is
    Effect.tryPromise({ try: () => fetch(input, withHeaders(init, headers)), catch: (error) => error })
  const answer = Effect.fnUntraced(function*(input: Parameters<typeof fetch>[0], init: RequestInit) {
    const used = current
    const first = yield* send(input, init, used)
    if (first.status !== UNAUTHORIZED || !isRepeatable(init)) return first
    yield* HttpBody.discard(first)
    return yield* send(input, init, yield* renewed(used))
  })
  // oxlint-disable-next-line house/no-run -- a fetch is a promise
  const run = Effect.runPromiseWith(context)
  return {
    scrub,
    post,
    headersNow: () => isOdd ? null : ready,
    fetch: (input, init = {}) => {
      const signal = init.signal ?? null
      return run(answer(input, init), signal === null ? {} : { signal })
    }
  }
})

/** The fetch for an entry. Without a guarded one there is no way to a server that needs it. @category getters */
export const fetchFor = ({ publicOnly }: Http, { fetch, publicFetch }: McpFetch["Service"]): typeof globalThis.fetch =>
  publicOnly === true ? publicFetch ?? unguarded : fetch

/** The same for a direct way. */
const postFor = (http: Http, web: McpFetch["Service"]): Post =>
  (http.publicOnly === true ? web.publicPost : web.post) ?? HttpReply.fetchPost(fetchFor(http, web))

const NOTHING: Readonly<Record<string, string>> = {}

/** By their names in lower case. */
const plain = (headers: HeaderText.Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(new Headers(headers.map(([name, value]): [string, string] => [name, value])))

const unguarded = () => Promise.reject(new Error("this program cannot tell private addresses from public ones"))

const UNAUTHORIZED = 401

/** A body that streams is gone when it was sent. */
const isRepeatable = ({ body }: RequestInit): boolean => body === undefined || body === null || typeof body === "string"

/** What belongs to the protocol itself is not another's to set. */
const OWN = /^(accept|connection|content-length|content-type|host|last-event-id|transfer-encoding|mcp-.*)$/i

const withHeaders = (init: RequestInit, more: HeaderText.Headers): RequestInit => {
  const headers = new Headers(init.headers)
  for (const [name, value] of more) headers.set(name, value)
  return { ...init, headers }
}

/** What a command printed that may be a secret or a part of one: its lines, their words, and the parts of those. */
const repeated = (stdout: string, stderr: string): ReadonlyArray<string> => {
  const lines = stdout.split("\n").map((line) => line.trim())
  const words = stdout.split(/[\s"',;]+/)
  const said = stderr.toLowerCase()
  return [...new Set([...lines, ...words, ...words.flatMap((word) => word.split(/[:=]/))])]
    .filter((part) => part !== "" && said.includes(part.toLowerCase()))
}

/** Runs the helper and reads what it printed, which is hidden from now on, whatever else it did. */
const asked = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  secrets: Set<string>
): Effect.fn.Return<HeaderText.Headers, HeadersHelperFailed, ShellCommand.Requirements> {
  const { command = Redacted.make(""), cwd = "" } = http.headersHelper ?? {}
  const url = Redacted.value(http.url)
  const { exitCode, failure, stderr, stdout } = yield* ShellCommand.run({
    command,
    cwd,
    variables: {
      BOOCODE_MCP_SERVER_NAME: config.name,
      BOOCODE_MCP_SERVER_URL: url,
      // For helpers that were written for it.
      CLAUDE_CODE_MCP_SERVER_NAME: config.name,
      CLAUDE_CODE_MCP_SERVER_URL: url
    },
    limit: LIMIT,
    maxBytes: MAX_BYTES
  })
  const headers = HeaderText.parse(stdout)
  for (const [, value] of Result.getOrElse(headers, () => [])) {
    for (const secret of [value, ...value.split(" ").slice(1)]) secrets.add(secret)
  }
  for (const old of [...secrets].slice(0, -MAX_SECRETS)) secrets.delete(old)
  const detail = failure ?? (Result.isFailure(headers) ? headers.failure : null)
  if (detail !== null || Result.isFailure(headers)) {
    const shown = Redaction.scrubber(config, [...secrets, ...repeated(stdout, stderr)])(stderr)
    return yield* new HeadersHelperFailed({ detail: detail ?? "", exitCode, stderr: shown })
  }
  const usable = headers.success.filter(([name]) => !OWN.test(name))
  const unused = headers.success.filter(([name]) => OWN.test(name)).map(([name]) => name)
  yield* ServerLog.event(`headersHelper gave ${usable.map(([name]) => name).join(", ") || "no headers"}`)
  if (unused.length > 0) {
    yield* ServerLog.event(`${unused.join(", ")} of headersHelper belongs to the protocol, and is not sent`)
  }
  return usable
})
