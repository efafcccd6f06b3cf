/** Services whose answers a test gives, and the whole of the HTTP side on top of them, without a socket. */
import {
  type Agent,
  AgentConflict,
  AgentEditor,
  AgentRefused,
  Agents,
  type Chat,
  ChatDocument,
  ChatErrors,
  Chats,
  type ChatSummary,
  NO_USAGE,
  type Part,
  PermissionFiles,
  Questions,
  SeenRegistries,
  ToolApprovals,
  type TurnStart,
  Undos,
  UnknownAgent,
  UnknownChat,
  WorkspaceTools
} from "@boocode/chat"
import type { LanguageModels } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import {
  type DecisionOptions,
  type LogLine,
  McpError,
  type McpErrorReason,
  McpErrors,
  McpRegistries,
  McpRegistry,
  type ServerStatus,
  type TrustDetails
} from "@boocode/mcp-registry"
import { type AgentTool, Permissions, ToolResult } from "@boocode/toolkit"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { EntryTrial } from "../../src/entries/EntryTrial.ts"
import * as Http from "../../src/Http.ts"
import { PublicRegistry } from "../../src/published/PublicRegistry.ts"
import { Signals } from "../../src/services/Shutdown.ts"
import { DefaultModel } from "../../src/settings/DefaultModel.ts"
import type { ModelProviders } from "../../src/settings/ModelProviders.ts"
import { FleetView } from "../../src/telemetry/FleetView.ts"
import { ServerGauges } from "../../src/telemetry/ServerGauges.ts"
import * as NoClients from "./NoClients.ts"
import * as Fixtures from "./ServerFixtures.ts"
import { status, tool } from "./ServerFixtures.ts"
import * as Standing from "./Standing.ts"
import { config, files, models } from "./Surroundings.ts"

export { status, tool }

const fails = (reason: McpErrorReason, server: string | null = "files") => Effect.fail(new McpError({ server, reason }))

/** Every tool of the server `files` fails with the reason it is named after. */
const REASONS: Readonly<Record<string, McpErrorReason>> = {
  files_rejected: new McpErrors.RejectedByPolicy({ tool: "rejected", why: "declares itself not read-only" }),
  files_not_ready: new McpErrors.NotReady({ state: "failed", why: "command not found: x" }),
  files_timeout: new McpErrors.CallTimeout({ tool: "timeout", limitMillis: 60_000, limit: "timeout" }),
  files_unknown_outcome: new McpErrors.OutcomeUnknown({ tool: "unknown_outcome", why: "the connection was lost" })
}

export const servers = [status("files"), status("slow", { state: "connecting", tools: 0 })]

export const log: ReadonlyArray<LogLine> = [
  { seq: 1, time: "2026-11-21T00:00:00.000Z", kind: "event", level: null, logger: null, text: "starting" },
  { seq: 2, time: "2026-11-21T00:00:01.000Z", kind: "stderr", level: null, logger: null, text: "listening" }
]

export const applied = { added: ["new"], removed: ["old"], changed: ["files"], unchanged: ["slow"] }

const find = (name: string) => {
  const found = servers.find((server) => server.name === name)
  return found === undefined
    ? fails(new McpErrors.UnknownServer({ name, nearest: ["files"] }), null)
    : Effect.succeed(found)
}

export const trustDetails: TrustDetails = { ...Fixtures.trustDetails, file: "/repo/.mcp.json", decision: "pending" }

/** What was decided, and how, stands among the warnings. */
const decided = (decision: string) => (name: string, { once, seen }: DecisionOptions = {}) =>
  Effect.flatMap(find(name), (server) =>
    seen === "stale"
      ? fails(new McpErrors.EntryChanged({ file: server.source }), name)
      : Effect.succeed({
        ...server,
        warnings: [`${decision} ${once === true ? "once" : "always"} ${seen ?? "unseen"}`]
      }))

const call: McpRegistry["Service"]["call"] = (name, args, options) => {
  const reason = REASONS[name]
  if (reason !== undefined) return fails(reason)
  if (name === "files_counted") {
    const told = options?.onProgress?.({ progress: 1, total: 2, message: "half" }) ?? Effect.void
    return Effect.as(told, {
      isError: false,
      content: [{ type: "text", text: "done" }],
      structuredContent: null,
      millis: 3
    })
  }
  const isError = name === "files_broken"
  const limit = String(Duration.toMillis(options?.timeout ?? 0))
  const text = isError ? "no such file" : name === "files_limit" ? limit : JSON.stringify(args)
  return Effect.succeed({ isError, content: [{ type: "text", text }], structuredContent: null, millis: 3 })
}

/** What `files` offers beside tools. */
const offerings: Pick<
  McpRegistry["Service"],
  "prompts" | "prompt" | "resources" | "readResource" | "complete"
> = {
  prompts: (server) =>
    Effect.as(find(server ?? "files"), {
      prompts: [{
        server: "files",
        name: "review",
        title: "Review",
        description: "Reviews a file.",
        arguments: [{ name: "path", title: null, description: null, required: true }]
      }],
      waiting: [],
      failed: [{ server: "slow", message: "slow: no answer", hint: "wait" }],
      warnings: []
    }),
  prompt: (server, name, args) =>
    Effect.andThen(
      find(server),
      name === "review"
        ? Effect.succeed({
          description: "A review.",
          messages: [{ role: "user" as const, content: { type: "text", text: `Review ${String(args["path"])}.` } }],
          truncated: null
        })
        : fails(new McpErrors.UnknownPrompt({ name, nearest: ["review"] }), server)
    ),
  resources: () =>
    Effect.succeed({
      resources: ["notes.md", "plan.md"].map((name) => ({
        server: "files",
        uri: `file:///${name}`,
        name,
        title: null,
        description: null,
        mimeType: "text/markdown",
        size: 12
      })),
      templates: [],
      waiting: [],
      failed: [],
      warnings: []
    }),
  readResource: (server, uri) =>
    uri === "file:///notes.md"
      ? Effect.succeed([{ uri, mimeType: "text/markdown", text: "# Notes", blob: null, truncated: false }])
      : uri === "file:///pictures"
      ? Effect.succeed(["a", "b"].map((name) => (
        { uri: `${uri}/${name}.png`, mimeType: "image/png", text: null, blob: PIXEL, truncated: false }
      )))
      : fails(new McpErrors.UnknownResource({ uri, nearest: ["file:///notes.md"] }), server),
  complete: (_server, { argument }) => Effect.succeed({ values: [`${argument.value}.md`], hasMore: false })
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export const registry = (events: Stream.Stream<ServerStatus> = Stream.empty) =>
  Layer.provideMerge(
    Layer.provideMerge(SeenRegistries.layer, McpRegistries.layerSame),
    Layer.succeed(McpRegistry, {
      audiences: Effect.succeed(new Map()),
      servers: Effect.succeed(servers),
      server: find,
      tools: Effect.succeed([tool("files", "read")]),
      rejected: Effect.succeed([]),
      writers: Effect.succeed([]),
      appTools: Effect.succeed([]),
      view: (patterns) =>
        Effect.succeed({ tools: patterns === undefined ? [tool("files", "read")] : [], warnings: patterns ?? [] }),
      tool: (name) =>
        name.startsWith("files_")
          ? Effect.succeed(tool("files", name.slice(6)))
          : fails(new McpErrors.UnknownTool({ name, nearest: ["files_read"] }), null),
      call,
      callTool: ({ name }, args, options) => call(name, args, options),
      ...offerings,
      watchResource: (server, uri, options) =>
        server === "files"
          ? Stream.make(
            ...(options?.atStart === true ? [{ server, uri, at: 0 }] : []),
            { server, uri, at: 1000 },
            { server, uri: `${uri}/part`, at: 2000 }
          )
          : Stream.fail(new McpError({ server, reason: new McpErrors.NotOffered({ what: "updates of resources" }) })),
      setLogLevel: find,
      refresh: find,
      health: (name) => Effect.as(find(name), 7),
      apply: Effect.succeed(applied),
      reload: Effect.succeed(applied),
      applied: Stream.empty,
      start: (name) =>
        Effect.flatMap(find(name), ({ state }) =>
          fails(
            state === "ready"
              ? new McpErrors.AlreadyRunning({ state })
              : new McpErrors.HandshakeTimeout({ method: "initialize", limitMillis: 1000, stderr: "", said: [] }),
            name
          )),
      stop: (name) => Effect.map(find(name), (server) => ({ ...server, state: "stopped" as const })),
      restart: (name) =>
        Effect.flatMap(
          find(name),
          () => fails(new McpErrors.CommandNotFound({ command: "x", searched: ["/bin"] }), name)
        ),
      // A person is needed, and what they come back with is the server's warning.
      login: (name, asking) =>
        Effect.gen(function*() {
          const found = yield* find(name)
          if (asking === null) return found
          const { redirectUri } = asking
          const [state, server] = [randomUUID(), found.name]
          const url = `https://auth.example/authorize?state=${state}`
          const asked = { server, url, state, redirectUri, issuer: "https://auth.example", scopes: [] }
          const came = yield* Effect.mapError(
            asking.authorize(asked),
            (reason) => new McpError({ server: name, reason })
          )
          const error = new URL(came).searchParams.get("error")
          if (error !== null) return yield* fails(new McpErrors.AuthorizationFailed({ detail: error }), name)
          return { ...found, warnings: [came] }
        }),
      logout: (name) =>
        Effect.andThen(find(name), fails(new McpErrors.AuthorizationFailed({ detail: "nobody is signed in" }), name)),
      events,
      news: Stream.empty,
      own: () => Effect.succeed(null),
      settled: Effect.succeed({ connected: [], failed: [] }),
      settledServer: find,
      log: (name, after = 0) => Effect.as(find(name), log.filter(({ seq }) => seq > after)),
      trustDetails: (name) => Effect.as(find(name), trustDetails),
      approve: decided("approved"),
      reject: decided("rejected"),
      revoke: (name) =>
        Effect.andThen(find(name), fails(new McpErrors.ApprovalNotNeeded({ file: "data/mcp.json" }), name))
    })
  )

export const agent: Agent = {
  name: "Assistant",
  description: null,
  model: null,
  tools: ["nothing_*"],
  steps: 25,
  temperature: null,
  prompt: "Help.",
  file: "data/AGENTS.md",
  line: 4
}

const agents = Layer.succeed(Agents, {
  list: Effect.succeed({
    agents: [agent],
    problems: [{ name: "Odd", file: "AGENTS.md", line: 7, message: "tools: has no value" }]
  }),
  agent: (name) =>
    name === null || name === agent.name
      ? Effect.succeed(agent)
      : unknownAgent(name),
  changes: Stream.make(undefined)
})

/** Takes every agent but the one that is there, and one without a name; `Fixed` cannot be written. */
const agentEditor = Layer.succeed(AgentEditor, {
  create: (draft) => {
    if (draft.name === "") return Effect.fail(new AgentRefused({ key: "name", detail: "an agent needs a name" }))
    if (draft.name === agent.name) return conflict("taken")
    return Effect.succeed({
      ...agent,
      ...draft,
      steps: draft.steps ?? 25,
      ask: draft.ask ?? undefined,
      code: draft.code ?? undefined,
      for: draft.for ?? undefined
    })
  },
  replace: (name, draft) => {
    if (name === "Fixed") return conflict("unchanged")
    if (name !== agent.name) return unknownAgent(name)
    return Effect.succeed({
      ...agent,
      ...draft,
      steps: draft.steps ?? 25,
      ask: draft.ask ?? undefined,
      code: draft.code ?? undefined,
      for: draft.for ?? undefined
    })
  },
  remove: (name) => {
    if (name === "Fixed") return conflict("built-in")
    return name === agent.name ? Effect.void : unknownAgent(name)
  },
  whyFixed: ({ name }) => Effect.succeed(name === "Fixed" ? "it is fixed" : null)
})

const conflict = (state: AgentConflict["state"]) =>
  Effect.fail(new AgentConflict({ state, message: `it is ${state}`, hint: "take another" }))

const unknownAgent = (name: string) => Effect.fail(new UnknownAgent({ name, nearest: [agent.name], problem: null }))

const usage = NO_USAGE
export const parts: ReadonlyArray<Part> = [
  { type: "text-delta", seq: 1, turn: 1, text: "old" },
  { type: "finish", seq: 2, turn: 1, reason: "stop", usage },
  { type: "text-delta", seq: 3, turn: 2, text: "line one\nline two" },
  { type: "finish", seq: 4, turn: 2, reason: "stop", usage },
  { type: "text-delta", seq: 5, turn: 3, text: "of a later turn" }
]

const summary: ChatSummary = {
  id: "c1",
  title: "Hello",
  titledBy: "message",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "2026-11-21T00:00:00.000Z",
  updatedAt: "2026-11-21T00:00:00.000Z",
  running: null,
  waiting: 0,
  approvals: 0,
  questions: 0
}
const start: TurnStart = {
  turn: 1,
  key: null,
  text: "hi",
  agent: "Assistant",
  model: "command",
  createdAt: "2026-11-21T00:00:00.000Z",
  state: "ended",
  replacedBy: null,
  attachments: []
}

export const chat: Chat = { ...summary, usage, turns: [{ ...start, parts: parts.slice(0, 2) }] }

const known = <A>(id: string, value: A) => id === chat.id ? Effect.succeed(value) : Effect.fail(new UnknownChat({ id }))

const waiting = (id: string, turn: number): Effect.Effect<undefined, UnknownChat | ChatErrors.UnknownTurn> =>
  turn === 3 ? known(id, undefined) : Effect.fail(new ChatErrors.UnknownTurn({ id, turn, isWaiting: true }))

export const chats: typeof Chats.Service = {
  drafts: (id) => Stream.fromEffectDrain(known(id, null)),
  draft: (id) => known(id, null),
  timeline: (id, turn) =>
    turn === start.turn
      ? known(id, {
        chat: id,
        turn,
        agent: "Assistant",
        model: "command",
        sentAt: start.createdAt,
        millis: 0,
        isKnown: false,
        usage,
        bars: []
      })
      : Effect.fail(new ChatErrors.UnknownTurn({ id, turn, isWaiting: false })),
  create: () => Effect.succeed(summary),
  begin: () => Effect.succeed(summary),
  list: Effect.succeed([summary]),
  get: (id) => known(id, chat),
  summary: (id) => known(id, summary),
  remove: (id) => known(id, undefined),
  search: (words) => Effect.succeed(words === "hello" ? [{ ...summary, excerpt: "Hello" }] : []),
  changes: Stream.make({ type: "chat" as const, chat: summary }),
  update: (id, { title }) => known(id, { ...summary, title: title ?? summary.title }),
  find: (words) =>
    Effect.succeed(
      words === "hello"
        ? [{
          record: { ...summary, owner: "first" },
          turn: 1,
          seq: null,
          role: "user",
          excerpt: "Say hello",
          marks: [[4, 9]]
        }]
        : []
    ),
  fork: (id, turn) =>
    turn === 1
      ? known(id, { ...summary, id: "c2" })
      : Effect.fail(
        turn === 2
          ? new ChatErrors.TurnRunning({ id, turn })
          : new ChatErrors.UnknownTurn({ id, turn, isWaiting: false })
      ),
  waiting: (id, turn) => Effect.map(waiting(id, turn), () => ({ ...start, turn, state: "waiting" })),
  editWaiting: (id, turn) => waiting(id, turn),
  hurry: (id, turn) => waiting(id, turn),
  editSummary: (id, summary, text) =>
    summary === "s"
      ? known(id, { type: "summary", seq: 1, turn: 1, id: summary, text, from: 1, to: 1, tokens: 2, edited: true })
      : Effect.fail(new ChatErrors.UnknownSummary({ id, summary })),
  drop: (id, turn) => waiting(id, turn),
  file: (id, file) => Effect.fail(new ChatErrors.UnknownFile({ id, attachment: file })),
  // A title as a stranger might choose it.
  export: (id, format) => known(id, { title: "../Höhe: <1>\n", text: format === "json" ? "{}" : "# Hello" }),
  import: (text) =>
    text === "{}"
      ? Effect.fail(new ChatDocument.ImportRefused({ why: "it has no turns" }))
      : Effect.succeed(summary),
  forget: () => Effect.void,
  close: () => Effect.succeed(0),
  sent: (id, key) => known(id, key === "sent" ? { turn: 2, queued: true, after: 0 } : null),
  send: (id, { text }) =>
    known(id, text === "later" ? { turn: 3, queued: true, after: 0 } : { turn: 2, queued: false, after: 2 }),
  stop: (id) => known(id, undefined),
  events: (id, after) => Stream.unwrap(known(id, Stream.fromIterable(parts.filter(({ seq }) => seq > after))))
}

/** Every service the routes need; the registry's changes are the test's. */
export const services = (
  events?: Stream.Stream<ServerStatus>,
  standing: Standing.Standing = {},
  changed: Partial<typeof Chats.Service> = {},
  known: Layer.Layer<LanguageModels | ModelProviders> = models,
  permissions = "{}"
) =>
  Layer.mergeAll(
    config,
    Signals.layerNone,
    Standing.layer(standing),
    registry(events),
    agents,
    agentEditor,
    Layer.succeed(Chats, { ...chats, ...changed }),
    known,
    files,
    Permissions.layerTest(permissions),
    WorkspaceTools.layerOf([viewFile]),
    DefaultModel.layer(null).pipe(Layer.provide(known)),
    Layer.succeed(EntryTrial, { run: () => Effect.die("no test tries an entry") }),
    NoClients.layer,
    Layer.succeed(PublicRegistry, {
      address: "https://registry.example",
      search: () => Effect.die("no test looks for a server"),
      server: () => Effect.die("no test looks for a server"),
      known: () => Effect.succeed(null),
      versions: () => Effect.die("no test looks for a server")
    })
  ).pipe(Layer.provideMerge(Environment.layer({})))

const viewFile: AgentTool = {
  name: "view_file",
  server: null,
  description: "Reads a file.",
  inputSchema: { type: "object", properties: {} },
  tokens: 1,
  isAlwaysLoaded: true,
  run: (args) => Effect.succeed(ToolResult.success(`read ${JSON.stringify(args)}`))
}

/** The whole HTTP side as a function from request to response. Closed with the test. */
export const open = Effect.fnUntraced(function*(
  options: Standing.Standing & {
    readonly events?: Stream.Stream<ServerStatus>
    readonly allowedHosts?: ReadonlyArray<string>
    /** The address it is bound to. */
    readonly host?: string
    /** What chats do otherwise. */
    readonly chats?: Partial<typeof Chats.Service>
    /** The models there are, and who provides them. */
    readonly models?: Layer.Layer<LanguageModels | ModelProviders>
    /** Its files, where it is to change some. */
    readonly files?: Layer.Layer<FileSystem.FileSystem>
    /** How calls that need a yes are answered. */
    readonly approvals?: Partial<typeof ToolApprovals.Service>
    /** What was written, and how it is undone. */
    readonly undos?: Partial<typeof Undos.Service>
    /** A person's own permissions.jsonc. */
    readonly permissions?: string
    /** What servers ask, and how they are answered. */
    readonly questions?: Partial<typeof Questions.Service>
    /** The fleet that it is a node of. */
    readonly fleet?: typeof FleetView.Service
  } = {}
) {
  const settings = { allowedHosts: options.allowedHosts ?? [], ...options.settings }
  const routes = Http.routes(options.host ?? "127.0.0.1").pipe(
    Layer.provide(ServerGauges.layer),
    Layer.provide(PermissionFiles.layer),
    Layer.provide(
      services(options.events, { ...options, settings }, options.chats, options.models, options.permissions)
    ),
    Layer.provide(Layer.succeed(ToolApprovals, { ...ToolApprovals.defaultValue(), ...options.approvals })),
    Layer.provide(Layer.succeed(Undos, { ...Undos.defaultValue(), ...options.undos })),
    Layer.provide(Layer.succeed(Questions, { ...Questions.defaultValue(), ...options.questions })),
    Layer.provide(Layer.succeed(FleetView, options.fleet ?? null)),
    Layer.provide(options.files ?? Layer.empty),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )
  return (path: string, init: RequestInit = {}) => {
    const headers = new Headers({ host: "127.0.0.1:4266", ...init.headers })
    return Effect.promise(() => handler(new Request(`http://127.0.0.1:4266${path}`, { ...init, headers })))
  }
})

/** A POST with a JSON body. */
export const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const json = (response: Response): Effect.Effect<unknown> => Effect.promise(() => response.json())
export const text = (response: Response): Effect.Effect<string> => Effect.promise(() => response.text())

/** A page as it is built, which is one text. */
export const packed = (html: string) =>
  new TextEncoder().encode(
    `${JSON.stringify([{ path: "/index.html", etag: "\"1\"", plain: html.length, packed: [] }])}\n${html}`
  )

/** The files with an empty page. */
export const withPage = (files: FileSystem.FileSystem) =>
  Layer.succeed(FileSystem.FileSystem, {
    ...files,
    readFile: (path) => path.endsWith("page.pack") ? Effect.succeed(packed("")) : files.readFile(path)
  })
