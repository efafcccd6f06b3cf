/** The connections of `NodeFetch`: undici's, by the proxies of an environment, without limits but one for connecting. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import { Agent as DirectAgent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici"
import * as DispatchSend from "./DispatchSend.ts"
import type { Ways } from "./LazyHttp.ts"

/** The ways over such connections, which the scope's close destroys. */
export const waysOf = (
  variables: Readonly<Record<string, string | undefined>>,
  options: EnvHttpProxyAgent.Options
): Effect.Effect<Ways, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => makeAgent(variables, options)), destroy),
    ({ dispatcher }) => DispatchSend.ways(dispatcher, dispatcher.compose(withoutLimits))
  )

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
  const [httpProxy, httpsProxy] = [variable("http_proxy"), variable("https_proxy")]
  const all = {
    ...options,
    connectTimeout: DispatchSend.CONNECT_TIMEOUT_MILLIS,
    connect: trackingConnector(connecting)
  }
  // Which proxy is not to be asked for each request where there is none.
  const dispatcher = httpProxy === "" && httpsProxy === ""
    ? new DirectAgent(all)
    : new EnvHttpProxyAgent({ ...all, httpProxy, httpsProxy, noProxy: variable("no_proxy") })
  return { dispatcher, connecting }
}

/** A connection that is being made belongs to nobody in undici: destroying the agent would leave it to its timeout. */
const trackingConnector = (connecting: Set<Socket>): buildConnector.connector => {
  const connect = buildConnector({ timeout: DispatchSend.CONNECT_TIMEOUT_MILLIS, allowH2: false })
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
