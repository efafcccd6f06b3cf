/** Prints where the server is when it starts, and one line per MCP server as each becomes known. */
import { Agents, CurrentUser, FIRST } from "@boocode/chat"
import { type ConfigSource, McpConfig } from "@boocode/mcp-config"
import { type Applied, McpRegistries, type McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { AccessToken } from "./access/AccessToken.ts"
import * as ConfigNews from "./services/ConfigNews.ts"
import { DataFolder } from "./settings/DataFolder.ts"

/** The port is taken. Exit code 1; `boocode` prints the message and the hint. */
export class PortBusy extends Schema.TaggedError<PortBusy>()("PortBusy", {
  host: Schema.String,
  port: Schema.Int,
  free: Schema.NullOr(Schema.Int)
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return `port ${this.port} of ${this.host} is in use`
  }
  get hint(): string {
    return this.free === null
      ? "boocode serve --port 0 takes a free one"
      : `port ${this.free} is free: boocode serve --port ${this.free}`
  }
}

/** The address cannot be bound for another reason. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  detail: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return `cannot listen on ${this.host}, port ${this.port}: ${this.detail}`
  }
  readonly hint: string = "check --host and --port; ports below 1024 need special rights"
}

/** Prints the address at once, each server when it is no longer connecting, and what becomes of it later. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const server = yield* HttpServer.HttpServer
  const { shared: registry } = yield* McpRegistries
  yield* Console.log(`BooCode is at ${HttpServer.formatAddress(server.address)}`)
  yield* tellFolder
  yield* tellAccess(HttpServer.formatAddress(server.address))
  yield* tellAgents
  yield* Effect.forkScoped(announce(registry))
})).pipe(Layer.merge(ConfigNews.files))

/** The data folder, where the person did not name it. */
const tellFolder = Effect.gen(function*() {
  const { folder, isNamed } = yield* DataFolder
  if (!isNamed) yield* Console.log(`  the data folder is ${folder}`)
})

/** Where others open the page, and what lets them in. The token itself is printed only when nobody can know it yet. */
const tellAccess = Effect.fnUntraced(function*(address: string) {
  const { isNew, source, token } = yield* AccessToken
  if (token === null) return
  for (const open of reachable(address)) yield* Console.log(`  open ${open}`)
  yield* Console.log(
    isNew
      ? `  log in with the token ${Redacted.value(token)}, which is kept in ${source}`
      : `  log in with the token of ${source}`
  )
})

/** The addresses of this machine in its networks, where it listens on all of them. */
const reachable = (address: string): ReadonlyArray<string> => {
  const bound = URL.parse(address)
  if (bound === null || !/^(0\.0\.0\.0|\[::\])$/.test(bound.hostname)) return []
  return Object.values(networkInterfaces()).flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map((own) => `http://${own.address}:${bound.port}`)
}

/** Logs what is wrong with the agents. The server starts all the same. */
const tellAgents = Effect.gen(function*() {
  const { problems } = yield* Effect.provideService(Effect.flatMap(Agents, ({ list }) => list), CurrentUser, FIRST)
  for (const { file, line, message } of problems) yield* Effect.logWarning(`${file}:${line}: ${message}`)
})

const announce = Effect.fnUntraced(function*(registry: typeof McpRegistry.Service) {
  const servers = yield* registry.servers
  const { sources } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  for (const { error } of sources) if (error !== null) yield* Console.log(`  ${error.message} (${error.hint})`)
  if (servers.length === 0) yield* Console.log(none(sources))
  let width = Math.max(0, ...servers.map(({ name }) => name.length))
  const printed = new Map<string, string>()
  // The log has said why a server failed.
  const isLogged = !LogLevel.isGreaterThan(yield* References.MinimumLogLevel, "Warn")
  const tell = (status: ServerStatus) => {
    width = Math.max(width, status.name.length)
    const text = line(status, width, isLogged)
    // A server that is tried again comes by with the same trouble many times; so does a mistake whose line moves.
    const same = isLogged && status.state === "failed"
      ? status.state
      : status.error?._tag === "InvalidEntry"
      ? text.replace(/:\d+:\d+: /, ": ")
      : text
    if (isOnItsWay(status) || printed.get(status.name) === same) return Effect.void
    // That one went to sleep is no news.
    if (status.idle && printed.has(status.name)) return Effect.void
    printed.set(status.name, same)
    return Console.log(text)
  }
  const tellChange = (applied: Applied) => {
    for (const name of [...applied.removed, ...applied.changed]) printed.delete(name)
    const text = ConfigNews.line(applied)
    return text === null ? Effect.void : Console.log(text)
  }
  // Events begin before the snapshot is taken, so a server that settles in between is not missed.
  const snapshot = Stream.unwrap(Effect.map(registry.servers, Stream.fromIterable))
  yield* Effect.all([
    Stream.runForEach(Stream.merge(registry.events, snapshot), tell),
    Stream.runForEach(registry.applied, tellChange)
  ], { concurrency: 2, discard: true })
})

/** Whether it connects, for the first time or because a call wakes it: nothing can be said of its start yet. */
export const isOnItsWay = ({ idle, protocolVersion, state }: ServerStatus): boolean =>
  state === "connecting" || (state === "ready" && !idle && protocolVersion === null)

/** Why there is no server at all. */
export const none = (sources: ReadonlyArray<ConfigSource>): string => {
  const broken = sources.filter(({ error }) => error !== null).map(({ file }) => file)
  return broken.length === 0 ? "No MCP server is configured." : `No MCP server: ${broken.join(", ")} cannot be used.`
}

/** One server in one line: name, state, tools and time, or why it failed; what to do alone where the log says why. */
export const line = (status: ServerStatus, width: number, isLogged = false): string => {
  if (status.sharing === "personal" && status.state === "disabled") {
    return `  ${status.name.padEnd(width)}  personal, starts for each person who uses it`
  }
  const state = status.error?._tag === "Rejected" ? "rejected" : status.state === "disabled" ? "off" : status.state
  const lead = `  ${status.name.padEnd(width)}  ${state}`
  if (status.state === "ready") {
    const left = status.rejected.length + status.rejectedMore
    const rejected = left === 0 ? "" : `, ${left} rejected`
    const when = status.idle ? "starts when it is called" : `${Math.round(status.connectMillis ?? 0)} ms`
    return `${lead}, ${count(status.tools, "tool")}${rejected}, ${when}`
  }
  if (status.error === null) return lead
  const isTold = isLogged && status.state === "failed"
  // The log of an entry that cannot be used ends with what to do.
  if (isTold && /^(InvalidEntry|VariableUnset)$/.test(status.error._tag)) return lead
  return isTold ? `${lead}: ${status.error.hint}` : `${lead}: ${status.error.message} (${status.error.hint})`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** Turns a failed bind into words, with the next free port where the port is the trouble. */
export const explain = Effect.fnUntraced(function*(host: string, port: number, cause: unknown) {
  const code = cause instanceof Error && "code" in cause ? cause.code : null
  if (code !== "EADDRINUSE") return yield* new CannotListen({ host, port, detail: words(cause) })
  const candidates = Array.from({ length: 20 }, (_, index) => port + 1 + index).filter((next) => next <= 65_535)
  const free = yield* Effect.findFirst(candidates, (next) => isFree(host, next))
  return yield* new PortBusy({ host, port, free: free._tag === "Some" ? free.value : null })
})

const words = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const isFree = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const probe = createServer()
    probe.once("error", () => resume(Effect.succeed(false)))
    probe.listen({ host, port }, () => probe.close(() => resume(Effect.succeed(true))))
  })
