/** The servers of a running server. */
import type { CallEvent, ToolQuery } from "@boocode/chat-server/ToolsApi"
import { MOST_FOUND } from "@boocode/chat/ResourcesList"
import { McpErrors, ToolName } from "@boocode/mcp-registry"
import type { ToolResult } from "@boocode/toolkit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { type Failed, failed, withHint } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import { isAwaited, waiting } from "../terminal/Waiting.ts"
import * as Remote from "./Remote.ts"
import { type Call, Servers } from "./Servers.ts"

const LOOK = "200 millis"
/** Every server has a `startupTimeout`; this limit is for one that ignores it. */
const PATIENCE = "15 minutes"

export const layer = Layer.effect(
  Servers,
  Effect.gen(function*() {
    const remote = yield* Remote.Remote
    const { alive, api, lasting, quick, url } = remote
    const output = yield* Output
    const answering = yield* makeAnswering
    const answeringFor = (server: string) => answering((name) => name === server)

    const listed = Effect.gen(function*() {
      const list = yield* Effect.mapError(quick(api.servers.list()), Remote.plainly)
      const [problem] = list.problems
      // A file that cannot be read is not the same as no servers.
      if (problem === undefined || list.servers.length > 0) return list
      return yield* failed({ _tag: "InvalidFile", ...problem })
    })
    const all = Effect.map(listed, ({ servers }) => servers)
    const tools = (agent: string | null) =>
      quick(api.tools.list({ query: agent === null ? {} : { agent } })).pipe(
        Effect.catch(Remote.agentHint(agent)),
        Effect.provideService(Remote.Remote, remote)
      )
    const callable = Effect.map(
      Effect.mapError(quick(api.tools.list({ query: { callable: "true" } })), Remote.plainly),
      (list) => list.tools
    )
    const search = (agent: string | null, { limit, query }: ToolQuery) =>
      quick(api.tools.search({ query: { q: query, limit, ...agent === null ? {} : { agent } } })).pipe(
        Effect.catch(Remote.agentHint(agent)),
        Effect.provideService(Remote.Remote, remote)
      )
    const call = ({ args, isApproved, onProgress, timeout, tool }: Call) => {
      const timeoutMillis = timeout === null ? {} : { timeoutMillis: Math.ceil(Duration.toMillis(timeout)) }
      const request = {
        params: { name: tool },
        payload: { args, ...timeoutMillis, ...(isApproved ? { approved: true } : {}) }
      }
      const answered = onProgress === null
        ? lasting(api.tools.call(request))
        : result(remote, Stream.unwrap(lasting(api.tools.stream(request))), onProgress)
      return Effect.catch(
        answering((name) => ToolName.owner(tool, [name]) !== null)(answered),
        Effect.fnUntraced(function*(error) {
          if (error._tag === "Failed") return yield* Remote.isLost(error) ? outcomeUnknown(tool, error) : error
          if (error.tag === "NotReady") return yield* notReady(tool, error)
          const hint = error.limit === "timeout" ? ErrorHints.timeoutHint(error.hint, timeout !== null) : error.hint
          return yield* withHint(Remote.plainly(error), hint)
        })
      )
    }
    /** The server's own hint says more than that of the call. */
    const notReady = Effect.fnUntraced(function*(tool: string, error: Remote.Problem) {
      const servers = yield* all
      const owner = ToolName.owner(tool, servers.map(({ name }) => name))
      const hint = ErrorHints.serverHint(servers.find(({ name }) => name === owner))
      return yield* withHint(Remote.plainly(error), hint)
    })

    return Servers.of({
      all,
      settled: (names) =>
        Effect.repeat(listed, {
          until: ({ servers }) => !servers.some((server) => isAwaited(server, names)),
          schedule: Schedule.spaced(LOOK)
        }).pipe(
          Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => listed }),
          (wait) => waiting(wait, all, names),
          Effect.provideService(Output, output)
        ),
      tools,
      callable,
      search,
      prompts: (server) => plainly(lasting(api.commands.prompts({ query: only(server) }))),
      prompt: (server, prompt, args) =>
        answeringFor(server)(
          plainly(lasting(api.commands.prompt({ params: { name: server, prompt }, payload: { args } })))
        ),
      resources: (server) =>
        Effect.map(
          plainly(lasting(api.commands.resources({ query: { ...only(server), limit: MOST_FOUND } }))),
          ({ total: _, ...list }) => list
        ),
      read: (server, uri) =>
        Effect.map(
          answeringFor(server)(plainly(lasting(api.commands.read({ params: { name: server }, payload: { uri } })))),
          ({ contents }) => contents
        ),
      watch: (server, uri) =>
        alive(Stream.unwrap(lasting(api.commands.watch({ params: { name: server }, query: { uri } })))).pipe(
          Stream.mapEffect((event) =>
            "problem" in event ? Effect.fail(Remote.fromDocument(event.problem)) : Effect.succeed(event)
          ),
          Stream.mapError(Remote.plainly),
          Stream.concat(Stream.fail(Remote.cutOff(url)))
        ),
      call
    })
  })
)

const only = (server: string | null) => server === null ? {} : { server }

const plainly = <A, R>(asked: Effect.Effect<A, Failed | Remote.Problem, R>) => Effect.mapError(asked, Remote.plainly)

const outcomeUnknown = (tool: string, error: Failed): Failed =>
  failed(new McpErrors.OutcomeUnknown({ tool, why: error.message }))

const result = <E, R>(
  { alive, url }: Remote.Remote["Service"],
  events: Stream.Stream<CallEvent, E, R>,
  onProgress: NonNullable<Call["onProgress"]>
): Effect.Effect<ToolResult.ToolResult, Failed | Remote.Problem, R> =>
  alive(events).pipe(
    Stream.mapEffect((event) => event.type === "progress" ? Effect.as(onProgress(event), null) : ended(event)),
    Stream.filter((ending) => ending !== null),
    Stream.runHead,
    Effect.flatMap((ending) => Effect.fromOption(ending)),
    Effect.catchTag("NoSuchElementError", () => Effect.fail(Remote.cutOff(url)))
  )

const ended = (event: Exclude<CallEvent, { readonly type: "progress" }>) =>
  event.type === "result" ? Effect.succeed(event.result) : Effect.fail(Remote.fromDocument(event.problem))

/** Runs a call, and meanwhile puts the questions of these servers. Does nothing more where there is no terminal. */
type Answering = (
  isAsked: (server: string) => boolean
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const makeAnswering = Effect.gen(function*(): Effect.fn.Return<Answering, never, Remote.Remote | Output> {
  const { api, quick } = yield* Remote.Remote
  const output = yield* Output
  const keyboard = Option.getOrNull(yield* Effect.serviceOption(Keyboard))
  if (!output.inputIsTerminal || keyboard === null) return () => (call) => call

  // One question at a time.
  const asking = Semaphore.makeUnsafe(1)
  const ask = (id: string, question: TerminalQuestions.Asked) =>
    asking.withPermit(Effect.flatMap(
      TerminalQuestions.answer(question),
      (payload) => quick(api.questions.answer({ params: { id }, payload }))
    )).pipe(
      // Somebody may have answered at the page before.
      Effect.catch((error) => output.notes([output.notePaint.dim(Remote.plainly(error).message)])),
      Effect.provideService(Keyboard, keyboard),
      Effect.provideService(Output, output)
    )
  const listening = Effect.fnUntraced(function*(isAsked: (server: string) => boolean) {
    const asked = yield* FiberMap.make<string>()
    yield* Stream.runForEach(Stream.unwrap(quick(api.servers.events())), (event) => {
      if (event.type === "question-answer") return FiberMap.remove(asked, event.id)
      return event.type === "question" && isAsked(event.server)
        ? FiberMap.run(asked, event.id, ask(event.id, event))
        : Effect.void
    })
  })
  return (isAsked) => (call) =>
    Effect.scoped(Effect.andThen(Effect.forkScoped(Effect.ignore(listening(isAsked))), call))
})
