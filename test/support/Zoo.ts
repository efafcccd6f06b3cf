/** Registries of the servers with bad habits, each checked from outside: nothing that it started is left. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Deadline from "./Deadline.ts"
import * as FixtureServer from "./FixtureServer.ts"
import * as Processes from "./Processes.ts"

export const MARK = "BOOCODE_ZOO_TEST"

export type Registry = McpRegistry["Service"]
export type Entry = Readonly<Record<string, unknown>>
export type Entries = Readonly<Record<string, Entry>>

export interface Zoo {
  readonly registry: Registry
  /** The value of the marker variable that every process of this registry carries. */
  readonly mark: string
  /** Every line that was logged at warning or above. */
  readonly logged: ReadonlyArray<string>
}

/** The `command` and `args` of an entry for a server of the zoo. */
export const entry = FixtureServer.program

/** The same behind a shell that waits for it, as wrappers do: signals and the end of input reach the shell alone. */
export const wrapped = (name: string, ...args: ReadonlyArray<string>) => {
  const { args: all, command } = entry(name, ...args)
  return { command: "sh", args: ["-c", `exec 3<&0; "$0" "$@" <&3 & wait`, command, ...all] }
}

/** A registry of these entries, alive as long as the scope. */
export const registryLayer = (entries: Entries, mark: string, logged: Array<string> = []) =>
  McpRegistry.layer().pipe(
    Layer.provide(McpConfig.layerEntries(marked(entries, mark))),
    Layer.provide(NodeMcp.layer),
    Layer.provide(Environment.layer(process.env)),
    Layer.provideMerge(Logger.layer([
      Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn" || logLevel === "Error" || logLevel === "Fatal") logged.push(String(message))
      })
    ]))
  )

const marked = (entries: Entries, mark: string): Entries =>
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [
      name,
      "command" in entry ? { ...entry, env: { ...Object(entry["env"]), [MARK]: mark } } : entry
    ])
  )

/** Runs with a registry, and checks that nothing of it is left once it closed. */
export const withRegistry = <A, E>(entries: Entries, body: (zoo: Zoo) => Effect.Effect<A, E>) =>
  Effect.map(timed(entries, body), ({ result }) => result)

/** The same, and how long closing took. */
export const timed = <A, E>(entries: Entries, body: (zoo: Zoo) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    const logged: Array<string> = []
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) =>
      Effect.andThen(Scope.close(scope, Exit.void), Processes.killAll(MARK, mark)))
    const context = yield* Layer.buildWithScope(registryLayer(entries, mark, logged), scope)
    const exit = yield* McpRegistry.use((registry) =>
      Effect.exit(body({ registry, mark, logged }))
    ).pipe(
      Effect.provideContext(context)
    )
    const started = Date.now()
    yield* Scope.close(scope, Exit.void)
    const closeMillis = Date.now() - started
    const left = yield* Processes.leftAfter(MARK, mark, Deadline.LEFT_MILLIS)
    const result = yield* exit
    assert.deepStrictEqual(left, [])
    return { result, closeMillis }
  }).pipe(Effect.scoped)

/** Runs with a registry of one server, called `it`, once it is ready or failed. */
export const withServer = <A, E>(it: Entry, body: (zoo: Zoo) => Effect.Effect<A, E>) =>
  withRegistry({ it }, (zoo) => Effect.andThen(zoo.registry.settled, body(zoo)))

/** The text of a call's result. */
export const textOf = (registry: Registry, tool: string, args: object = {}) =>
  Effect.map(registry.call(tool, args), ({ content }) => content.map(({ text }) => String(text)).join())

/** What the server of a tool `counters` counted. */
export const countersOf = (registry: Registry, server = "it") =>
  Effect.map(textOf(registry, `${server}_counters`), (text): Readonly<Record<string, number>> => JSON.parse(text))

/** The same, once it has counted so much under this name. */
export const untilCounted = (registry: Registry, name: string, count: number) =>
  Effect.repeat(countersOf(registry), {
    until: (counters) => (counters[name] ?? 0) >= count,
    schedule: Schedule.spaced("20 millis")
  }).pipe(Effect.timeout(Deadline.WAIT_MILLIS))

/** Waits for what is seen from outside the registry. */
export const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

/** Waits until the server is in this state, and fails with how it stands when that takes too long. */
export const untilState = (registry: Registry, state: string, withinMillis = Deadline.WAIT_MILLIS, name = "it") =>
  registry.server(name).pipe(
    Effect.filterOrFail(
      (status) => status.state === state,
      (status) => `${name} is ${status.state}, not ${state}`
    ),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: `${withinMillis} millis` })))
  )

export const isReady = (registry: Registry, name = "it") =>
  Effect.tap(
    registry.server(name),
    ({ error, state }) => Effect.sync(() => assert.strictEqual(state, "ready", error?.message))
  )

/** The bare SDK on the same fixture, connected and closed: how many processes it leaves a second later. */
export const leftByBareSdk = (entry: { readonly command: string; readonly args: ReadonlyArray<string> }) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    yield* Effect.addFinalizer(() => Processes.killAll(MARK, mark))
    yield* Effect.promise(async () => {
      const { Client } = await import("@modelcontextprotocol/client")
      const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
      const client = new Client({ name: "control", version: "0" })
      await client.connect(new StdioClientTransport({ ...entry, args: [...entry.args], env: { [MARK]: mark } }))
      await client.listTools()
      await client.close()
    })
    yield* Effect.sleep("1 second")
    return Processes.alive(MARK, mark).length
  }).pipe(Effect.scoped)

/** How a call ended, how many characters of text it brought, how long it took, and what the host computed meanwhile. */
export interface HostCall {
  readonly outcome: string
  readonly length: number
  readonly millis: number
  readonly cpuMillis: number
}

/** What `ZooHost.ts` prints at its end. */
export interface HostReport {
  /** The state of each server after all calls. */
  readonly states: Readonly<Record<string, string>>
  /** Of each call, in order. */
  readonly calls: ReadonlyArray<HostCall>
  /** In MB: the most until all servers were settled, then, and the most that was seen from then on. */
  readonly rssPeakAtStart: number
  readonly rssBefore: number
  readonly rssPeak: number
  /** The longest that the event loop was held up, in milliseconds. */
  readonly stalledMillis: number
  /** How much of one core the host used from then on. */
  readonly cpuPercent: number
}

/** Runs a registry in a process of its own, so that what would break the process, or fill it, is seen from outside. */
export const inHost = (entries: Entries, calls: ReadonlyArray<readonly [string, object]>) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    const file = fileURLToPath(new URL("ZooHost.ts", import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [file, mark, JSON.stringify(entries), JSON.stringify(calls)], {
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (child) => Effect.andThen(Effect.sync(() => child.kill("SIGKILL")), Processes.killAll(MARK, mark))
    )
    const seen = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => seen.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => seen.stderr += text)
    const [code] = yield* Effect.promise(() => once(child, "close"))
    assert.deepStrictEqual({ code, stderr: seen.stderr }, { code: 0, stderr: "" })
    assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.LEFT_MILLIS), [])
    const report: HostReport = JSON.parse(seen.stdout)
    return report
  }).pipe(Effect.scoped)
