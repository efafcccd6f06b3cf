/** A connection to a server that another node may run: `Connection` over the messages of `ServerEntity`. */
import type * as Connect from "@boocode/mcp-client/Connect"
import type { Call, Connection, Inquirer } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import type { ConnectionLost, Exited, McpErrorReason } from "@boocode/mcp-client/McpError"
import { ReasonJson, Requests } from "@boocode/mcp-client/Protocol"
import { Redaction } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as WebCrypto from "effect/crypto/WebCrypto"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isUntaken, type Taken } from "../model/CallRecord.ts"
import type { CallEvent, Facts, HeldEvent, ServerEntity } from "../protocol/ServerEntity.ts"
import * as CallAnswers from "./CallAnswers.ts"
import { endOf, moved, reasonOf } from "./LostConnection.ts"
import { RemoteNews } from "./RemoteNews.ts"

/** The messages to one server. */
export type Remote = ReturnType<Effect.Success<typeof ServerEntity.client>>

/** The way from this node to a server. */
export interface Way {
  readonly remote: Remote
  /** This node, as owners name themselves. */
  readonly self: string | undefined
}

const forwarded = Metric.gauge("boocode_fleet_forwarded_calls", {
  description: "Calls of this node that are under way at other nodes"
})

/**
 * Has the owner start the server, wherever that is, and holds it open until the scope closes. The connection is lost when
 * the server ends, and when it moves to another node.
 */
export const open = Effect.fnUntraced(function*(
  { remote, self }: Way,
  config: ServerConfig,
  attempt: Connect.Attempt
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const news = new RemoteNews(yield* Clock.Clock)
  const log = yield* ServerLog.Current
  const holder = (yield* WebCrypto.WebCrypto).randomUUID()
  const opened = yield* Deferred.make<Facts, McpErrorReason>()
  const closed = yield* Deferred.make<Exited | ConnectionLost>()
  const taken = yield* Deferred.make<Taken | null>()
  attempt.step = "its owner's answer"

  const told = (event: HeldEvent): Effect.Effect<void> => {
    news.heard()
    switch (event._tag) {
      case "Opened":
        // The engine asks the next owner when one is gone; what was agreed on with the first holds no more.
        return Effect.flatMap(
          Deferred.succeed(opened, event.facts),
          (isFirst) => isFirst ? Effect.void : Effect.asVoid(Deferred.succeed(closed, moved(MOVED)))
        )
      case "Closed":
        return Effect.andThen(
          Deferred.succeed(taken, event.taken),
          Effect.asVoid(Deferred.succeed(closed, endOf(ReasonJson.fromJson(event.reason))))
        )
      case "Line":
        return log.append("stderr", event.text)
      default:
        return Effect.sync(() => news.tell(event))
    }
  }
  const ended = (why: McpErrorReason) =>
    Effect.all([Deferred.fail(opened, why), Deferred.succeed(taken, null), Deferred.succeed(closed, endOf(why))], {
      discard: true
    })
  yield* Stream.runForEach(remote.Hold({ holder }), told).pipe(
    Effect.matchCauseEffect({
      onSuccess: () => ended(moved(MOVED)),
      onFailure: (cause) => ended(reasonOf(cause))
    }),
    Effect.forkScoped
  )
  const facts = yield* Deferred.await(opened)
  yield* ServerLog.event(`it runs on the node ${facts.node}`)
  return new RemoteConnection({ remote, facts, holder, news, config, closed, taken, isElsewhere: facts.node !== self })
})

const MOVED = "the server goes on elsewhere"
/** The owner says it before the next one has the server. */
const TAKEN_LIMIT = "1 second"

interface Options {
  readonly remote: Remote
  readonly facts: Facts
  readonly holder: string
  readonly news: RemoteNews
  readonly config: ServerConfig
  readonly isElsewhere: boolean
  /** The calls that came to the owner, when it gave the server away; null when nobody knows. */
  readonly taken: Deferred.Deferred<Taken | null>
  readonly closed: Deferred.Deferred<Exited | ConnectionLost>
}

class RemoteConnection implements Connection {
  readonly protocolVersion: string
  readonly serverInfo: Connection["serverInfo"]
  readonly instructions: string | null
  /** Its process may be one of another machine. */
  readonly pid = null
  readonly closed: Connection["closed"]
  readonly scrub: (text: string) => string
  readonly onToolsChanged: Connection["onToolsChanged"]
  readonly onListChanged: Connection["onListChanged"]
  readonly onResourceUpdated: Connection["onResourceUpdated"]
  readonly onLog: Connection["onLog"]
  private readonly lost: Deferred.Deferred<Exited | ConnectionLost>
  private readonly facts: Facts
  private readonly remote: Remote
  private readonly news: RemoteNews
  /** The instance that all messages are for, and who sends them. */
  private readonly who: { readonly instance: string; readonly holder: string }
  private readonly isElsewhere: boolean
  private readonly taken: Deferred.Deferred<Taken | null>
  private number = 0

  constructor({ closed, config, facts, holder, isElsewhere, news, remote, taken }: Options) {
    this.taken = taken
    this.isElsewhere = isElsewhere
    this.protocolVersion = facts.protocolVersion
    this.serverInfo = facts.serverInfo
    this.instructions = facts.instructions
    this.lost = closed
    this.closed = Deferred.await(closed)
    this.scrub = Redaction.scrubber(config)
    this.onToolsChanged = news.onToolsChanged
    this.onListChanged = news.onListChanged
    this.onResourceUpdated = news.onResourceUpdated
    this.onLog = news.onLog
    this.facts = facts
    this.remote = remote
    this.news = news
    this.who = { instance: facts.instance, holder }
  }

  readonly declares: Connection["declares"] = (capability) => this.facts.declares.includes(capability)
  readonly tellsOf: Connection["tellsOf"] = (what) => this.facts.tellsOf.includes(what)
  readonly mirrorsArguments: Connection["mirrorsArguments"] = () => this.facts.mirrorsArguments
  readonly traffic: Connection["traffic"] = () => this.news.traffic()
  readonly diagnostics: Connection["diagnostics"] = () => []
  readonly stderr: Connection["stderr"] = () => ""

  get listTools() {
    return Effect.map(this.listed("tools"), ({ items, ...rest }) => ({ tools: items, ...rest }))
  }
  readonly list: Connection["list"] = (kind) => this.listed(kind)
  get ping() {
    return this.asked(this.remote.Ping(this.who))
  }
  readonly setLogLevel: Connection["setLogLevel"] = (level) =>
    this.asked(this.remote.SetLogLevel({ ...this.who, level }))
  readonly watch: Connection["watch"] = (uris) =>
    Effect.map(
      this.asked(this.remote.Watch({ ...this.who, uris })),
      (refusals) => new Map(Object.entries(refusals).map(([uri, reason]) => [uri, ReasonJson.fromJson(reason)]))
    )
  readonly call: Connection["call"] = ({ args, onProgress, onStarted, tool, ...inquirer }) =>
    Requests.aroundEnding(
      onStarted,
      this.answered(
        (request) => this.remote.Call({ ...request, tool, args }),
        inquirer,
        onProgress
      )
    )
  readonly inquire: Connection["inquire"] = ({ method, params, ...inquirer }) =>
    this.answered((request) => this.remote.Inquire({ ...request, method, params }), inquirer, undefined)

  private listed(kind: "tools" | "prompts" | "resources" | "templates") {
    return this.asked(this.remote.List({ ...this.who, kind }))
  }
  private asked<A>(request: Effect.Effect<A, unknown>): Effect.Effect<A, McpErrorReason> {
    return Effect.suspend(() =>
      Deferred.isDoneUnsafe(this.lost)
        ? Effect.fail(moved(MOVED, { unsent: true }))
        : this.news.during(Effect.catchCause(request, (cause) => this.failed(reasonOf(cause))))
    )
  }
  /** An owner that knows nothing of the instance is another one: what is sent from now on waits for it. */
  private failed(reason: McpErrorReason): Effect.Effect<never, McpErrorReason> {
    if (reason._tag === "ConnectionLost" && reason.isMoved === true) {
      Deferred.doneUnsafe(this.lost, Effect.succeed(reason))
    }
    return Effect.fail(reason)
  }
  /** A call that the engine brought to the next owner did not come to the one that it was meant for, if that one says so. */
  private unlessUntaken(number: number, reason: McpErrorReason): Effect.Effect<never, McpErrorReason> {
    return reason._tag !== "ConnectionLost" || reason.isMoved !== true || reason.unsent === true
      ? Effect.fail(reason)
      : Effect.flatMap(
        Effect.timeoutOption(Deferred.await(this.taken), TAKEN_LIMIT),
        (known) => {
          const taken = Option.getOrNull(known)
          return Effect.fail(taken !== null && isUntaken(taken, number) ? moved(MOVED, { unsent: true }) : reason)
        }
      )
  }
  /** Sends a request once, reads what becomes of it, and answers what the server asks meanwhile. */
  private answered(
    send: (request: Sent) => Stream.Stream<CallEvent, unknown>,
    inquirer: Inquirer,
    onProgress: Call["onProgress"]
  ): Effect.Effect<Schema.JsonObject, McpErrorReason> {
    const { remote, who } = this
    const asker = inquirer.asker ?? null
    const asks = CallAnswers.asksOf(asker)
    const number = this.number += 1
    const read = Effect.gen({ self: this }, function*() {
      const answering = yield* FiberMap.make<number>()
      const answered = (question: Extract<CallEvent, { _tag: "Asked" }>) =>
        asker === null ? Effect.void : Effect.flatMap(
          CallAnswers.answer(asker, question),
          (answer) => Effect.ignore(remote.Answer({ ...who, question: question.question, answer }))
        )
      let result: Schema.JsonObject | null = null
      yield* Stream.runForEach(send({ ...who, number, asks }), (event) => {
        this.news.heard()
        switch (event._tag) {
          case "Progress":
            return Effect.sync(() => onProgress?.(event))
          case "Open":
            return Effect.sync(() => inquirer.onAsked?.(event.count))
          case "Asked":
            return Effect.asVoid(FiberMap.run(answering, event.question, answered(event)))
          case "Withdrawn":
            return FiberMap.remove(answering, event.question)
          case "Result":
            return Effect.sync(() => {
              result = event.result
            })
        }
      })
      return result ?? (yield* moved(MOVED))
    })
    const request = Effect.catch(this.asked(Effect.scoped(read)), (reason) => this.unlessUntaken(number, reason))
    return this.isElsewhere
      ? Effect.acquireUseRelease(Metric.modify(forwarded, 1), () => request, () => Metric.modify(forwarded, -1))
      : request
  }
}

interface Sent {
  readonly instance: string
  readonly holder: string
  readonly number: number
  readonly asks: ReturnType<typeof CallAnswers.asksOf>
}
