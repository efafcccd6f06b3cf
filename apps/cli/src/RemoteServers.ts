/** The servers of a running server. */
import type { ToolQuery } from "@boocode/chat-server/ToolsApi"
import { MOST_FOUND } from "@boocode/chat/ResourcesList"
import { Nearest } from "@boocode/mcp-config"
import { McpErrors, type ServerStatus, ToolName } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Explained from "./Explained.ts"
import { Failed, failed } from "./Failure.ts"
import { Output } from "./Output.ts"
import { Remote } from "./Remote.ts"
import * as RemoteAgents from "./RemoteAgents.ts"
import * as RemoteCall from "./RemoteCall.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import * as RemoteQuestions from "./RemoteQuestions.ts"
import { type Call, Servers } from "./Servers.ts"
import { isAwaited, telling } from "./Waiting.ts"

const LOOK = "200 millis"
/** A server is connecting for its `startupTimeout` at most; this is for one that is never done. */
const PATIENCE = "15 minutes"

export const layer = Layer.effect(
  Servers,
  Effect.gen(function*() {
    const remote = yield* Remote
    const { alive, api, lasting, quick, url } = remote
    const output = yield* Output
    const beside = yield* RemoteQuestions.make
    const of = (server: string) => beside((name) => name === server)

    const listed = Effect.mapError(quick(api.servers.list()), RemoteFailure.plainly)
    const all = Effect.gen(function*() {
      const { problems, servers } = yield* listed
      const [problem] = problems
      // As it would be without a running server: a file that cannot be read is not the same as no servers.
      if (problem === undefined || servers.length > 0) return servers
      return yield* new Failed({ tag: "InvalidFile", message: problem.message, hint: problem.hint })
    })
    const tools = (agent: string | null) =>
      quick(api.tools.list({ query: agent === null ? {} : { agent } })).pipe(
        Effect.catch(RemoteAgents.explained(agent)),
        Effect.provideService(Remote, remote)
      )
    const search = (agent: string | null, { limit, query }: ToolQuery) =>
      quick(api.tools.search({ query: { q: query, limit, ...agent === null ? {} : { agent } } })).pipe(
        Effect.catch(RemoteAgents.explained(agent)),
        Effect.provideService(Remote, remote)
      )
    const call = ({ args, onProgress, timeout, tool }: Call) => {
      const timeoutMillis = timeout === null ? {} : { timeoutMillis: Math.ceil(Duration.toMillis(timeout)) }
      const request = { params: { name: tool }, payload: { args, ...timeoutMillis } }
      const answered = onProgress === null
        ? lasting(api.tools.call(request))
        : RemoteCall.result(remote, Stream.unwrap(lasting(api.tools.stream(request))), onProgress)
      return Effect.catch(
        beside((name) => ToolName.owner(tool, [name]) !== null)(answered),
        Effect.fnUntraced(function*(error) {
          if (error._tag === "Failed") return yield* RemoteFailure.isLost(error) ? outcomeUnknown(tool, error) : error
          if (error.tag === "NotReady") return yield* notReady(tool, error)
          const hint = error.limit === "timeout" ? Explained.timeoutHint(error.hint, timeout !== null) : error.hint
          return yield* new Failed({ tag: error.tag, message: error.message, hint })
        })
      )
    }
    /** The hint of the server that is not ready is better than that of the call. */
    const notReady = Effect.fnUntraced(function*(tool: string, error: RemoteFailure.Problem) {
      const servers = yield* all
      const owner = ToolName.owner(tool, servers.map(({ name }) => name))
      const hint = Explained.serverHint(servers.find(({ name }) => name === owner))
      return yield* new Failed({ tag: error.tag, message: error.message, hint })
    })

    return Servers.of({
      all,
      problems: Effect.map(listed, ({ problems }) => problems),
      one: (name) => Effect.flatMap(all, (servers) => find(name, servers)),
      agent: (name) => Effect.asVoid(tools(name)),
      // Whoever runs the servers checks as well.
      preload: Effect.void,
      settled: (names) =>
        Effect.repeat(all, {
          until: (servers) => !servers.some((server) => isAwaited(server, names)),
          schedule: Schedule.spaced(LOOK)
        }).pipe(
          Effect.timeoutOption(PATIENCE),
          (wait) => telling(wait, all, names),
          Effect.asVoid,
          Effect.provideService(Output, output)
        ),
      tools,
      search,
      prompts: (server) => plainly(lasting(api.commands.prompts({ query: only(server) }))),
      prompt: ({ args, prompt, server }) =>
        of(server)(plainly(lasting(api.commands.prompt({ params: { name: server, prompt }, payload: { args } })))),
      resources: (server) =>
        Effect.map(
          plainly(lasting(api.commands.resources({ query: { ...only(server), limit: MOST_FOUND } }))),
          ({ total: _, ...list }) => list
        ),
      read: (server, uri) =>
        Effect.map(
          of(server)(plainly(lasting(api.commands.read({ params: { name: server }, payload: { uri } })))),
          ({ contents }) => contents
        ),
      watch: (server, uri) =>
        alive(Stream.unwrap(lasting(api.commands.watch({ params: { name: server }, query: { uri } })))).pipe(
          Stream.mapEffect((event) =>
            "problem" in event ? Effect.fail(RemoteFailure.fromDocument(event.problem)) : Effect.succeed(event)
          ),
          Stream.mapError(RemoteFailure.plainly),
          Stream.concat(Stream.fail(RemoteFailure.cutOff(url)))
        ),
      call
    })
  })
)

const only = (server: string | null) => server === null ? {} : { server }

const plainly = <A, R>(asked: Effect.Effect<A, Failed | RemoteFailure.Problem, R>) =>
  Effect.mapError(asked, RemoteFailure.plainly)

const find = (name: string, servers: ReadonlyArray<ServerStatus>): Effect.Effect<ServerStatus, Failed> => {
  const found = servers.find((server) => server.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const nearest = Nearest.nearest(name, servers.map((server) => server.name))
  return Effect.fail(failed(new McpErrors.UnknownServer({ name, nearest })))
}

const outcomeUnknown = (tool: string, error: Failed): Failed =>
  failed(new McpErrors.OutcomeUnknown({ tool, why: error.message }))
