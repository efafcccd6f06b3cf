/**
 * Node's fetch without hidden time limits, through the proxy that the environment names.
 */
import { Environment } from "@boocode/mcp-config"
import { McpFetch } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import { buildConnector, type Dispatcher, Dispatcher1Wrapper, EnvHttpProxyAgent } from "undici"

const CONNECT_TIMEOUT_MILLIS = 30_000

/**
 * Gives `McpFetch` over Node's own `fetch`.
 *
 * Waiting for headers or for the next byte has no limit: the registry limits every wait itself. One attempt to connect
 * lasts 30 seconds at most, so that a retry gets a new one. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the
 * `Environment` are honoured, in lower case too. Speaks HTTP/1.1. When the scope closes, its connections are destroyed,
 * those still being made included; that takes a second at most.
 *
 * @category layers
 */
export const layer: Layer.Layer<McpFetch, never, Environment> = Layer.effect(
  McpFetch,
  Effect.flatMap(Environment, ({ variables }) => make(variables))
)

/**
 * Makes the service over an agent with these options. What they say about headers and bodies is overruled.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  variables: Readonly<Record<string, string | undefined>>,
  options: EnvHttpProxyAgent.Options = {}
): Effect.fn.Return<McpFetch["Service"], never, Scope.Scope> {
  const agent = yield* Effect.acquireRelease(Effect.sync(() => makeAgent(variables, options)), destroy)
  // An object without further type: Node's types describe its bundled undici, which is a major version behind.
  const extra: object = { dispatcher: new Dispatcher1Wrapper(agent.dispatcher.compose(withoutLimits)) }
  return McpFetch.of({ fetch: (input, init) => globalThis.fetch(input, { ...init, ...extra }) })
})

interface Agent {
  readonly dispatcher: Dispatcher
  readonly connecting: ReadonlySet<Socket>
}

/** An empty text stands for "none": with undefined, undici would look into `process.env` by itself. */
const makeAgent = (
  variables: Readonly<Record<string, string | undefined>>,
  options: EnvHttpProxyAgent.Options
): Agent => {
  const variable = (name: string) => variables[name] ?? variables[name.toUpperCase()] ?? ""
  const connecting = new Set<Socket>()
  const dispatcher = new EnvHttpProxyAgent({
    ...options,
    httpProxy: variable("http_proxy"),
    httpsProxy: variable("https_proxy"),
    noProxy: variable("no_proxy"),
    connectTimeout: CONNECT_TIMEOUT_MILLIS,
    connect: trackingConnector(connecting)
  })
  return { dispatcher, connecting }
}

/** A connection that is being made belongs to nobody in undici: destroying the agent would leave it to its timeout. */
const trackingConnector = (connecting: Set<Socket>): buildConnector.connector => {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MILLIS })
  return (options, callback) => {
    const socket: unknown = connect(options, callback)
    if (!(socket instanceof Socket)) return
    connecting.add(socket)
    const done = () => connecting.delete(socket)
    socket.once("connect", done).once("close", done)
  }
}

/** Set on each request, because undici's proxy agents do not pass an agent's limits on. */
const withoutLimits: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)

const destroy = (agent: Agent): Effect.Effect<void> =>
  Effect.promise(() => {
    agent.connecting.forEach((socket) => socket.destroy())
    return agent.dispatcher.destroy()
  }).pipe(Effect.timeoutOption("1 second"), Effect.asVoid)
