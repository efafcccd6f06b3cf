/** Authorizes requests with what an entry's `headersHelper` prints, and runs it again when the server refuses that. */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HeaderText from "../base/HeaderText.ts"
import * as Redaction from "../base/Redaction.ts"
import { HeadersHelperFailed } from "../errors/McpError.ts"
import * as ServerLog from "../host/ServerLog.ts"
import * as ShellCommand from "../stdio/ShellCommand.ts"
import type { HttpAuth } from "./HttpAuth.ts"
import type { HeaderRecord } from "./HttpHeaders.ts"
import * as SharedRenewal from "./SharedRenewal.ts"

/** How long the command may take. */
const LIMIT = Duration.seconds(10)
/** The largest output, in bytes: more than any server takes. */
const MAX_BYTES = 64 * 1024
/** How many of the values that it printed are remembered, the last ones: a token may be good for a minute. */
const MAX_SECRETS = 500

export type Requirements = ShellCommand.Requirements

/**
 * Runs the helper now, and again for a request that is answered with 401: once for each request. Requests that are refused
 * at the same time share one run. Fails when the helper fails, or prints no headers.
 */
export const make = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http
): Effect.fn.Return<HttpAuth, HeadersHelperFailed, Requirements | Scope.Scope> {
  const secrets = new Set<string>()
  const scope = yield* Effect.scope
  const run = Effect.provideContext(asked(config, http, secrets), yield* Effect.context<Requirements>())
  const renewal = SharedRenewal.make<void, HeadersHelperFailed>((work) => Effect.forkIn(work, scope))
  let current = yield* run
  const renew = Effect.map(run, (headers) => {
    current = headers
  })
  return {
    headers: () => current,
    accepted: () => {},
    renew: ({ count, status, used }) => {
      if (status !== 401 || count > 1) return Effect.succeed(false)
      return used === current ? Effect.as(renewal.run(renew), true) : Effect.succeed(true)
    },
    scrub: (text) => Redaction.scrubber(config, [...secrets])(text),
    isAuthorized: () => true,
    login: undefined,
    renewed: Effect.succeed(false)
  }
})

/** The protocol sets these headers itself. */
const OWN = /^(accept|connection|content-length|content-type|host|last-event-id|transfer-encoding|mcp-.*)$/i

/** Parts of the output that may be secrets, and that standard error repeats: lines, words, and parts of words. */
const repeated = (stdout: string, stderr: string): ReadonlyArray<string> => {
  const lines = stdout.split("\n").map((line) => line.trim())
  const words = stdout.split(/[\s"',;]+/)
  const said = stderr.toLowerCase()
  return [...new Set([...lines, ...words, ...words.flatMap((word) => word.split(/[:=]/))])]
    .filter((part) => part !== "" && said.includes(part.toLowerCase()))
}

/** Runs the helper and reads what it printed, which is hidden from now on, whether or not the helper succeeded. */
const asked = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  secrets: Set<string>
): Effect.fn.Return<HeaderRecord, HeadersHelperFailed, ShellCommand.Requirements> {
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
  return Object.fromEntries(new globalThis.Headers(usable.map(([name, value]): [string, string] => [name, value])))
})
