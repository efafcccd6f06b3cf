/**
 * Servers that a test says in a few lines, and all that a registry needs to talk to them: no process, no socket, no file.
 */
import type * as Connect from "@boocode/mcp-client/Connect"
import { McpFetch, ProcessTree, type Program, type ProgramListener, Programs } from "@boocode/mcp-client/Host"
import { JsonRpc } from "@boocode/mcp-client/Text"
import { Environment, McpConfig } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

type Json = Schema.JsonObject

/**
 * A tool of a scripted server: a text for an answer, or a failure whose text is the tool's own error. The
 * message of a defect is one, too.
 * `request` asks something back, for instance `elicitation/create`; it fails with the words of the refusal.
 */
export type ScriptedTool = (
  args: Json,
  request: (method: string, params: Json) => Effect.Effect<Json, string>
) => Effect.Effect<string, string>

/** A server of a test. Without anything it is one that offers nothing. */
export interface ScriptedServer {
  /** By their names. */
  readonly tools?: Readonly<Record<string, ScriptedTool>> | undefined
  /** Fields of the list of tools beside their names: `description`, `inputSchema`, `annotations`. */
  readonly definitions?: Readonly<Record<string, Json>> | undefined
  /** Texts by URI. */
  readonly resources?: Readonly<Record<string, string>> | undefined
  /** Fields of what is read beside its address and its text, such as `mimeType`, by URI. */
  readonly contents?: Readonly<Record<string, Json>> | undefined
  /** The people who see it: the key `for` of its entry. By default everyone. */
  readonly for?: ReadonlyArray<string> | undefined
}

/** By their names. */
export type ScriptedServers = Readonly<Record<string, ScriptedServer>>

export const platform = (servers: ScriptedServers): Layer.Layer<McpConfig | Connect.Requirements> => {
  const running = new Map<number, () => void>()
  const entries = Object.entries(servers).map(([name, { for: audience }]) => [
    name,
    { command: name, protocol: "legacy", ...audience === undefined ? {} : { for: audience } }
  ])
  const host = Layer.mergeAll(
    Layer.succeed(Programs, { start: ({ file }) => start(file, servers[file], running) }),
    Layer.succeed(ProcessTree, {
      mark: Effect.succeed("scripted"),
      watch: () => Effect.void,
      note: () => Effect.void,
      alive: ({ pid }) => Effect.sync(() => running.has(pid) ? 1 : 0),
      signal: ({ pid }) => Effect.sync(() => running.get(pid)?.())
    }),
    McpFetch.layer(() => Promise.reject(new Error("a scripted server has no network"))),
    Environment.layer({ PATH: "/scripted" }),
    // Each command is where it is looked for.
    FileSystem.layerNoop({ exists: () => Effect.succeed(true) }),
    Path.layer
  )
  return Layer.provideMerge(McpConfig.layerEntries(Object.fromEntries(entries)), host)
}

const encoder = new TextEncoder()

/** One start of a server: each message that it is written is handled by a fiber of its own. */
const start = Effect.fnUntraced(function*(
  name: string,
  server: ScriptedServer | undefined,
  running: Map<number, () => void>
): Effect.fn.Return<Program, PlatformError.PlatformError, Scope.Scope> {
  if (server === undefined) return yield* noProgram(name)
  const inbox = yield* Queue.unbounded<string | (() => void)>()
  const pid = Math.max(0, ...running.keys()) + 1
  let told: ProgramListener | null = null
  const exit = () => {
    if (!running.delete(pid)) return
    told?.ended("output")
    told?.ended("errors")
    told?.exited({ exitCode: 0, signal: null })
  }
  running.set(pid, exit)
  const talk = conversation(server, (message) => told?.wrote("output", encoder.encode(`${JSON.stringify(message)}\n`)))
  return {
    pid,
    listen: (listener) =>
      Effect.gen(function*() {
        told = listener
        yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
          const next = yield* Queue.take(inbox)
          if (typeof next === "string") yield* Effect.forkChild(talk(next))
          else next()
        })))
      }),
    write: (text) => {
      for (const line of text.split("\n")) if (line !== "") Queue.offerUnsafe(inbox, line)
      return true
    },
    isWritable: () => running.has(pid),
    end: () => void Queue.offerUnsafe(inbox, exit),
    pause: () => {},
    resume: () => {},
    soon: (work) => void Queue.offerUnsafe(inbox, work)
  }
})

const noProgram = (name: string) =>
  Effect.fail(
    PlatformError.systemError({ _tag: "NotFound", module: "ScriptedServers", method: "start", pathOrDescriptor: name })
  )

const conversation = (server: ScriptedServer, say: (message: Json) => void) => {
  const asked = new Map<Schema.Json, Deferred.Deferred<Json, string>>()
  const request = (method: string, params: Json) =>
    Effect.suspend(() => {
      const id = `asked-${asked.size + 1}`
      const answer = Deferred.makeUnsafe<Json, string>()
      asked.set(id, answer)
      say({ jsonrpc: "2.0", id, method, params })
      return Deferred.await(answer)
    })
  return Effect.fnUntraced(function*(line: string) {
    const { error, id, method, params, result } = JsonRpc.parse(line) ?? {}
    if (id === undefined) return
    if (typeof method !== "string") {
      const answer = asked.get(id)
      const outcome = JsonRpc.isObject(result) ? Effect.succeed(result) : Effect.fail(wordsOf(error))
      if (answer !== undefined) yield* Deferred.complete(answer, outcome)
      return
    }
    const given = JsonRpc.isObject(params) ? params : {}
    const answer = yield* Effect.result(answered(server, method, given, request))
    say({ jsonrpc: "2.0", id, ...answer._tag === "Success" ? { result: answer.success } : { error: answer.failure } })
  })
}

const textOf = (value: Schema.Json | undefined): string => typeof value === "string" ? value : ""

const wordsOf = (error: Schema.Json | undefined): string =>
  JsonRpc.isObject(error) && typeof error["message"] === "string" ? error["message"] : "it was refused"

const answered = (
  server: ScriptedServer,
  method: string,
  params: Json,
  request: Parameters<ScriptedTool>[1]
): Effect.Effect<Json, Json> => {
  const { contents = {}, definitions = {}, resources = {}, tools = {} } = server
  const name = textOf(params["name"])
  const uri = textOf(params["uri"])
  switch (method) {
    case "initialize":
      return Effect.succeed({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
        serverInfo: { name: "scripted", version: "1.0.0" }
      })
    case "tools/list":
      return Effect.succeed({
        tools: Object.keys(tools).map((tool) => ({ name: tool, inputSchema: { type: "object" }, ...definitions[tool] }))
      })
    case "tools/call":
      return called(name, tools[name], params["arguments"], request)
    case "resources/list":
      return Effect.succeed({ resources: Object.keys(resources).map((uri) => ({ uri, name: uri })) })
    case "resources/read":
      return Object.hasOwn(resources, uri)
        ? Effect.succeed({ contents: [{ uri, text: resources[uri] ?? "", ...contents[uri] }] })
        : Effect.fail({ code: -32002, message: "Resource not found" })
    case "ping":
    case "logging/setLevel":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return Effect.succeed({})
    default:
      return Effect.fail({ code: -32601, message: "Method not found" })
  }
}

const called = (
  name: string,
  tool: ScriptedTool | undefined,
  args: Schema.Json | undefined,
  request: Parameters<ScriptedTool>[1]
): Effect.Effect<Json, Json> => {
  if (tool === undefined) return Effect.fail({ code: -32602, message: `Unknown tool: ${name}` })
  const answer = Effect.suspend(() => tool(JsonRpc.isObject(args) ? args : {}, request))
  const said = Effect.catchDefect(
    answer,
    (defect) => Effect.fail(defect instanceof Error ? defect.message : String(defect))
  )
  return Effect.match(said, {
    onSuccess: (text): Json => ({ content: [{ type: "text", text }], isError: false }),
    onFailure: (text): Json => ({ content: [{ type: "text", text }], isError: true })
  })
}
