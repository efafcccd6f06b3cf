/**
 * A model that answers from a script, on loopback, speaking three wire formats as their owners publish them:
 *
 *     POST /v1/chat/completions   OpenAI's chat completions   (OPENAI_BASE_URL=<url>/v1)
 *     POST /v1/responses          OpenAI's responses
 *     POST /v1/messages           Anthropic's messages        (ANTHROPIC_BASE_URL=<url>/v1)
 *     GET /v1/models              the models of the options; not among the requests
 *
 *     const server = yield* ModelServer.make((request) =>
 *       request.results.length === 0
 *         ? [ModelServer.reasoning("Two files."), ModelServer.call("files_list", {}), ModelServer.call("files_read", { path: "a" })]
 *         : [ModelServer.text("Done: "), ModelServer.wait(50), ModelServer.text(request.results[0].text)])
 *     server.url; server.requests; server.answer(otherScript)
 *
 * A script sees requests that keep the rules; others are answered 400 (401 without the key's header) in the provider's
 * shape, and stand in `requests` with their `problem`. `ModelServer.fail(429, "rate_limit_error", "…", { "retry-after":
 * "2" })` is an error, `ModelServer.drop` breaks the connection, `ModelServer.echo` is the script used by hand:
 *
 *     node test/servers/ModelServer.ts --port 4400
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from "node:http"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as ChatCompletions from "./model/ChatCompletions.ts"
import { isObject, type Json } from "./model/Json.ts"
import * as Messages from "./model/Messages.ts"
import * as Responses from "./model/Responses.ts"
import { type Dialect, echo, fail, type Failure, type Reply, type Script } from "./model/Script.ts"

export {
  call,
  drop,
  echo,
  fail,
  heldCall,
  type ModelRequest,
  reasoning,
  type Reply,
  type Script,
  text,
  wait
} from "./model/Script.ts"

export interface Recorded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
  /** The status answered. */
  readonly status: number
  /** The rule that the request broke; null when it kept them all. */
  readonly problem: string | null
  /** Settles when the answer is over: `finished` as scripted, `dropped` by the script, `closed` by the client before. */
  readonly ended: Promise<"finished" | "dropped" | "closed">
}

export interface ModelServer {
  /** For instance `http://127.0.0.1:4400`. */
  readonly url: string
  /** Every request so far, refused ones too. */
  readonly requests: ReadonlyArray<Recorded>
  /** Answers from this script from now on. */
  readonly answer: (script: Script) => void
}

export interface Options {
  /** 0, the default, takes a free port. */
  readonly port?: number
  /** Asked for as `Authorization: Bearer`; without it the OpenAI formats need no key, as local servers need none. */
  readonly openAiKey?: string
  /** What `GET /v1/models` lists. */
  readonly models?: ReadonlyArray<Json>
  /** How many of the last requests are kept; all, unless an hour of them would fill the memory. */
  readonly kept?: number
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "/v1/chat/completions": ChatCompletions.dialect,
  "/v1/responses": Responses.dialect,
  "/v1/messages": Messages.dialect
}

/** Serves until the scope closes; connections that are open then are broken. */
export const make = (script: Script, options: Options = {}): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const state = { script, requests: new Array<Recorded>(), count: 0 }
    const server = yield* Effect.acquireRelease(
      Effect.promise(() =>
        listen(createServer((request, response) => void serve(request, response, state, options)), options)
      ),
      (server) =>
        Effect.promise(() => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          return closed
        })
    )
    const address = server.address()
    const port = isObject(address) ? address["port"] : options.port
    return {
      url: `http://127.0.0.1:${port}`,
      requests: state.requests,
      answer: (script) => {
        state.script = script
      }
    }
  })

const listen = (server: Server, { port = 0 }: Options): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })

interface State {
  script: Script
  readonly requests: Array<Recorded>
  count: number
}

const serve = async (request: IncomingMessage, response: ServerResponse, state: State, options: Options) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname
  if (request.method === "GET" && path === "/v1/models") {
    const refusal = refused(request.headers, options)
    if (refusal !== null) return sendError(response, ChatCompletions.dialect, refusal.failure)
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ object: "list", data: options.models ?? [] }))
  }
  const dialect = DIALECTS[path]
  const body = await readBody(request)
  const { failure, problem } = dialect === undefined || request.method !== "POST"
    ? refuse(404, "not_found_error", `Invalid URL (${request.method} ${path})`)
    : check(dialect, request.headers, body, options)
  const reply: Reply = failure ?? (dialect === undefined ? [] : state.script(dialect.read(body ?? {})))
  const ended = Promise.withResolvers<"finished" | "dropped" | "closed">()
  const status = "status" in reply ? reply.status : 200
  state.requests.push({ path, headers: request.headers, body: body ?? {}, status, problem, ended: ended.promise })
  if (state.requests.length > (options.kept ?? Infinity)) state.requests.shift()
  const id = String(++state.count).padStart(4, "0")
  response.once("close", () => ended.resolve("closed"))
  response.once("finish", () => ended.resolve("finished"))
  if ("status" in reply) return sendError(response, dialect ?? ChatCompletions.dialect, reply)
  if (dialect === undefined) return
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  for (const piece of dialect.stream(dialect.read(body ?? {}), reply, id)) {
    if (response.destroyed) return
    if (typeof piece === "string") response.write(piece)
    else if (piece.type === "wait") await setTimeout(piece.millis)
    else if (piece.type === "hold") await piece.until
    else {
      ended.resolve("dropped")
      // Lets what was written reach the client before the connection breaks.
      await setTimeout(20)
      return response.destroy()
    }
  }
  response.end()
}

const refuse = (
  status: number,
  type: string,
  problem: string
): { readonly failure: Failure; readonly problem: string } => ({
  failure: fail(status, type, problem),
  problem
})

const refused = ({ authorization }: IncomingHttpHeaders, { openAiKey }: Options) =>
  openAiKey === undefined || authorization === `Bearer ${openAiKey}`
    ? null
    : refuse(401, "invalid_api_key", "Incorrect API key provided.")

const check = (
  { api, problems }: Dialect,
  headers: IncomingHttpHeaders,
  body: Json | null,
  options: Options
): { readonly failure: Failure | null; readonly problem: string | null } => {
  // The AI SDK sends the one, Anthropic's own client the other.
  if (api === "messages" && !headers["x-api-key"] && !headers.authorization?.startsWith("Bearer ")) {
    return refuse(401, "authentication_error", "x-api-key header is required")
  }
  if (api === "messages" && !headers["anthropic-version"]) {
    return refuse(400, "invalid_request_error", "anthropic-version: header is required")
  }
  const refusal = api === "messages" ? null : refused(headers, options)
  if (refusal !== null) return refusal
  if (!headers["content-type"]?.startsWith("application/json") || body === null) {
    return refuse(400, "invalid_request_error", "We could not parse the JSON body of your request.")
  }
  const [problem] = problems(body)
  return problem === undefined ? { failure: null, problem: null } : refuse(400, "invalid_request_error", problem)
}

const readBody = async (request: IncomingMessage): Promise<Json | null> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of request) pieces.push(piece)
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"))
    return isObject(body) ? body : null
  } catch {
    return null
  }
}

const sendError = (response: ServerResponse, dialect: Dialect, failure: Failure) => {
  response.writeHead(failure.status, { "content-type": "application/json", ...failure.headers })
  response.end(JSON.stringify(dialect.error(failure)))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4400" } } })
  const main = Effect.gen(function*() {
    const server = yield* make(echo, { port: Number(values.port) })
    console.log(`OPENAI_BASE_URL=${server.url}/v1\nANTHROPIC_BASE_URL=${server.url}/v1`)
    return yield* Effect.never
  })
  void Effect.runPromise(Effect.scoped(main))
}
