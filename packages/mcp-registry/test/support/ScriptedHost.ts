/**
 * A host without processes: a scripted spawner and process tree, and everything that happened to them, in order.
 */
import { type Configuration, Environment, McpConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import type * as Schema from "effect/Schema"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import * as JsonRpc from "../../../mcp-client/src/base/JsonRpc.ts"
import type * as Connect from "../../../mcp-client/src/connect/Connect.ts"
import {
  type McpError,
  McpFetch,
  type McpRegistries,
  McpRegistry,
  ProcessTree,
  type Program,
  Programs,
  type RegistryOptions,
  toStatusError
} from "../../src/index.ts"
import * as ScriptedProgram from "./ScriptedProgram.ts"

type Json = Schema.JsonObject

/** What one scripted program does. Without anything it is a well-behaved server of revision 2025-11-25. */
export interface Script {
  readonly tools?: ReadonlyArray<Json>
  /** Answers a message; `undefined` means the usual answer, null means silence. */
  readonly answer?: (message: Json, server: Running) => Json | null | undefined
  /** Whether it ends when its input ends. */
  readonly obeysEndOfInput?: boolean
  readonly obeysTerm?: boolean
  /** Exits by itself as soon as it is started. */
  readonly exitsAtOnce?: { readonly code: number; readonly stderr: string }
  /** How many processes stay behind when the program itself has ended, until they are signalled. */
  readonly leaves?: number
  /** Those are found only when they were noted while the program ran. */
  readonly hides?: boolean
}

/** A program that runs. */
export interface Running {
  readonly pid: number
  readonly command: string
  readonly received: Array<Json>
  readonly say: (message: Json) => void
  readonly write: (text: string) => void
  /** Writes to standard error. */
  readonly complain: (text: string) => void
  /** Closes its standard input and lives on. */
  readonly closeInput: () => void
  readonly exit: (code: number | null) => void
}

export interface Host {
  /** What happened, as `<millis> <command> <event>`. */
  readonly events: Array<string>
  readonly running: ReadonlyArray<Running>
  /** What a server needs of the host. */
  readonly platform: Layer.Layer<Connect.Requirements>
  /** How many scripted processes live. */
  readonly alive: () => number
  readonly layer: (
    entries: Readonly<Record<string, unknown>>,
    options?: RegistryOptions
  ) => Layer.Layer<McpRegistry | McpRegistries>
  /** The registry of a configuration that the test changes; `change` may change how it is asked for, too. */
  readonly layerOf: (
    configuration: SubscriptionRef.SubscriptionRef<Configuration>,
    change?: (config: McpConfig["Service"]) => McpConfig["Service"]
  ) => Layer.Layer<McpRegistry | McpRegistries>
  /** What the variables of the host are; the test may change them. */
  readonly variables: Record<string, string>
}

/** A host on which each command does what its script says. */
export const make = (scripts: Readonly<Record<string, Script>>): Effect.Effect<Host> =>
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const started = clock.currentTimeMillisUnsafe()
    const events: Array<string> = []
    const processes: Array<Scripted> = []
    const log = (command: string, event: string) => {
      events.push(`${clock.currentTimeMillisUnsafe() - started} ${command} ${event}`)
    }
    const variables: Record<string, string> = { PATH: "/bin" }
    const programs = Programs.of({
      start: ({ file, isLine }) => {
        const script = isLine ? undefined : scripts[file]
        if (script === undefined) return Effect.fail(notFound(file))
        return Effect.acquireRelease(
          Effect.sync(() => {
            const scripted = start(processes.length + 1, file, script, (event) => log(file, event))
            processes.push(scripted)
            return scripted.program
          }),
          () => Effect.sync(() => log(file, "released"))
        )
      }
    })
    const of = (pid: number) => processes.filter((scripted) => scripted.running.pid === pid)
    const tree = ProcessTree.of({
      mark: Effect.sync(() => `mark-${processes.length}`),
      watch: () => Effect.void,
      note: ({ pid }) => Effect.sync(() => of(pid).forEach((scripted) => scripted.note())),
      alive: ({ pid }) => Effect.sync(() => of(pid).reduce((sum, scripted) => sum + scripted.found(), 0)),
      signal: ({ pid }, signal) => Effect.sync(() => of(pid).forEach((scripted) => scripted.signal(signal)))
    })
    const platform = Layer.mergeAll(
      Layer.succeed(Programs, programs),
      Layer.succeed(ProcessTree, tree),
      McpFetch.layer(() => Promise.reject(new Error("no network here"))),
      Layer.succeed(Environment, { variables, files: [], refresh: Effect.void }),
      FileSystem.layerNoop({ exists: () => Effect.succeed(true) }),
      Path.layer
    )
    return {
      events,
      platform,
      get running() {
        return processes.map(({ running }) => running)
      },
      alive: () => processes.reduce((sum, scripted) => sum + scripted.alive(), 0),
      layer: (entries, options) =>
        McpRegistry.layer(options).pipe(Layer.provide(McpConfig.layerEntries(entries)), Layer.provide(platform)),
      layerOf: (configuration, change = (config) => config) =>
        McpRegistry.layer().pipe(
          Layer.provide(
            Layer.effect(McpConfig, Effect.map(McpConfig, change)).pipe(
              Layer.provide(McpConfig.layerRef(configuration))
            )
          ),
          Layer.provide(platform)
        ),
      variables
    }
  })

/** Lets everything run that is due now, promises of the SDK included. */
export const drain: Effect.Effect<void> = Effect.repeat(
  Effect.andThen(TestClock.adjust(0), Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))),
  { times: 10 }
).pipe(Effect.asVoid)

/**
 * Lets what is due run until `condition` holds, without letting time pass: for what waits for something real, such as a
 * module that is loaded late. The limit of the test is its limit.
 */
export const until = <E>(condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.andThen(drain, condition).pipe(
    Effect.repeat({ until: (holds) => holds }),
    Effect.asVoid
  )

/** Lets this many seconds pass, and everything happen that happens in them. */
export const advance = (seconds: number): Effect.Effect<void> =>
  Effect.andThen(drain, TestClock.adjust("1 second")).pipe(
    Effect.repeat({ times: seconds - 1 }),
    Effect.andThen(drain)
  )

interface Scripted {
  readonly running: Running
  readonly program: Program
  readonly alive: () => number
  /** How many of them can be found. */
  readonly found: () => number
  readonly note: () => void
  readonly signal: (signal: "SIGTERM" | "SIGKILL") => void
}

const start = (pid: number, command: string, script: Script, log: (event: string) => void): Scripted => {
  let hasExited = false
  let left = script.leaves ?? 0
  let isHidden = script.hides === true
  const scripted = ScriptedProgram.make(pid, {
    received: (text) => receive(text),
    ended: () => {
      if (!hasExited) log("end of input")
      if (script.obeysEndOfInput !== false) exit(0)
    }
  })

  const exit = (code: number | null) => {
    if (hasExited) return
    hasExited = true
    log("exits")
    scripted.closeOutputs()
    scripted.exit({ exitCode: code, signal: code === null ? "SIGKILL" : null })
  }
  const write = (text: string) => scripted.write("output", text)
  const running: Running = {
    pid,
    command,
    received: [],
    say: (message) => write(`${JSON.stringify(message)}\n`),
    write,
    complain: (text) => scripted.write("errors", text),
    closeInput: scripted.closeInput,
    exit
  }
  const receive = (text: string) => {
    for (const line of text.split("\n").filter((line) => line !== "")) {
      const message = JsonRpc.parse(line)
      if (message === null) continue
      running.received.push(message)
      const answer = script.answer?.(message, running)
      const reply = answer === undefined ? usual(message, script) : answer
      if (reply !== null) running.say(reply)
    }
  }
  log("starts")
  if (script.exitsAtOnce !== undefined) {
    running.complain(script.exitsAtOnce.stderr)
    exit(script.exitsAtOnce.code)
  }
  return {
    running,
    program: scripted.program,
    alive: () => (hasExited ? 0 : 1) + left,
    found: () => (hasExited ? 0 : 1) + (isHidden ? 0 : left),
    note: () => {
      if (!hasExited) isHidden = false
    },
    signal: (signal) => {
      if (hasExited && (left === 0 || isHidden)) return
      log(signal)
      if (signal === "SIGTERM" && script.obeysTerm === false) return
      left = 0
      exit(null)
    }
  }
}

/** What a well-behaved server answers. */
const usual = (message: Json, script: Script): Json | null => {
  const { id, method, params } = message
  if (id === undefined) return null
  const result = (value: Json): Json => ({ jsonrpc: "2.0", id, result: value })
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "scripted", version: "1.0.0" }
      })
    case "tools/list":
      return result({ tools: script.tools ?? [tool("echo")] })
    case "tools/call":
      return result({ content: [{ type: "text", text: JSON.stringify(params) }] })
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }
  }
}

/** A failure as statuses tell it. */
export const errorOf = (failure: McpError | undefined) => failure === undefined ? null : toStatusError(failure.reason)

/** A tool with the least that a tool needs. */
export const tool = (name: string, more: Json = {}): Json => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: {} },
  ...more
})

const notFound = (command: string) =>
  PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn", pathOrDescriptor: command })
