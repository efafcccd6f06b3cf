/** Starting a server to see whether its entry works. Nothing is written, and nothing of it is left afterwards. */
import { FIRST } from "@boocode/chat/CurrentUser"
import { ServerLog } from "@boocode/mcp-client/Host"
import type { ConfiguredServer } from "@boocode/mcp-config"
import {
  keptFor,
  type LogLine,
  McpServer,
  type McpTool,
  PersonalValues,
  ServerRequests,
  type ServerStatus,
  ToolPins
} from "@boocode/mcp-registry"
import * as ToolDifference from "@boocode/mcp-registry/ToolDifference"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as DataFolder from "../settings/DataFolder.ts"

export interface Trial {
  readonly server: ServerStatus
  readonly tools: ReadonlyArray<McpTool>
  readonly log: ReadonlyArray<LogLine>
  /** How long it took until it was ready, or failed. */
  readonly millis: number
}

/** Which tools of one version of a server differ from those of another. */
export const toolsBetween = (before: Trial, after: Trial) => ToolDifference.between(listed(before), listed(after))

const listed = ({ server: { serverInfo }, tools }: Trial): ToolDifference.Listed => ({
  version: serverInfo === null ? null : `${serverInfo.name} ${serverInfo.version}`.trim(),
  tools
})

/** The longest that a trial takes, without the 6 s at most in which its server ends. */
const LONGEST = "30 seconds"

/** So many trials run at once; others wait. */
const MOST = 4

export class EntryTrial extends Context.Service<EntryTrial, {
  /**
   * Starts the server of an entry, also of a disabled one, in a scope of its own: waits until it is ready or failed, 30 s
   * at most unless told otherwise or it may be downloading its program, and ends it. It may ask nobody anything, pins nothing and remembers nothing. Interruption ends it, too.
   * A personal entry gets the values, the folder and the tokens of `person`, of the first admin by default.
   */
  readonly run: (server: ConfiguredServer, longest?: Duration.Input, person?: string) => Effect.Effect<Trial>
}>()("chat-server/EntryTrial") {
  static readonly layer = (searchAfterPath: ReadonlyArray<string>) => Layer.effect(EntryTrial, make(searchAfterPath))
}

const ofPerson = Effect.fnUntraced(function*(server: ConfiguredServer, person: string) {
  const { personal } = server
  if (personal === undefined) return server
  const values = yield* PersonalValues
  return { ...server, config: personal.resolve(yield* values.of(person), yield* values.workspace(person)) }
})

type Needs = ReturnType<typeof McpServer.layer> extends Layer.Layer<infer _A, infer _E, infer R> ? R : never

const make = Effect.fnUntraced(function*(searchAfterPath: ReadonlyArray<string>) {
  const needs = yield* Effect.context<Needs>()
  const turns = yield* Semaphore.make(MOST)
  const silent = { ...ServerRequests.defaultValue(), roots: yield* DataFolder.roots }
  const run = Effect.fnUntraced(function*(server: ConfiguredServer, longest: Duration.Input) {
    const log = ServerLog.make()
    const start = yield* Clock.currentTimeMillis
    const entry = { ...server, enabled: true, needsApproval: false }
    const built = yield* Layer.build(McpServer.layer(entry, { searchAfterPath, log }))
    const one = Context.get(built, McpServer)
    yield* Effect.timeoutOption(Effect.exit(one.settled), longest)
    const { downloadMillis } = yield* one.status
    // Ended now, it would leave half a download behind, which fails from then on.
    if (downloadMillis !== undefined) yield* Effect.timeoutOption(Effect.exit(one.settled), downloadMillis)
    const millis = (yield* Clock.currentTimeMillis) - start
    return { server: one.statusNow(), tools: one.listed().tools, log: yield* log.after(0), millis } satisfies Trial
  }, Effect.scoped)
  return EntryTrial.of({
    run: (server, longest = LONGEST, person = FIRST.id) =>
      turns.withPermit(Effect.flatMap(ofPerson(server, person), (entry) => run(entry, longest))).pipe(
        keptFor(person, () => server.personal !== undefined),
        Effect.provideService(ServerRequests, silent),
        Effect.provideService(ToolPins, ToolPins.defaultValue()),
        Effect.provideContext(needs)
      )
  })
})
