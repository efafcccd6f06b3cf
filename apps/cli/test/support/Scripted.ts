/** Runs the command over scripted services, and gives what it wrote and how it ended. */
import {
  type Agent,
  Agents,
  type ChatDocument,
  Chats,
  type ChatSummary,
  type ChatTurn,
  type JournaledWrite,
  NO_USAGE,
  type Part,
  PermissionFiles,
  Questions,
  ToolApprovals,
  Undos,
  UnknownChat,
  WorkspaceTools
} from "@boocode/chat"
import type { EntryTrial } from "@boocode/chat-server/EntryTrial"
import { type Configuration, Environment, McpConfig, type Scopes } from "@boocode/mcp-config"
import {
  Approvals,
  type DecisionOptions,
  McpError,
  McpErrors,
  McpRegistries,
  McpRegistry,
  type McpTool,
  type ServerStatus,
  type Standing,
  ToolPins,
  type TrustDetails
} from "@boocode/mcp-registry"
import { type AgentTool, Permissions, ResultFiles, ToolResult } from "@boocode/toolkit"
import { Sandbox } from "@boocode/toolkit/code"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { status, tool, trustDetails } from "../../../chat-server/test/support/ServerFixtures.ts"
import { Backend } from "../../src/backend/Backend.ts"
import { LocalModels } from "../../src/backend/ChatBackend.ts"
import { ModelBackend } from "../../src/backend/ModelBackend.ts"
import { PeopleBackend } from "../../src/backend/PeopleBackend.ts"
import * as RemoteClient from "../../src/backend/RemoteClient.ts"
import * as Boocode from "../../src/commands/Boocode.ts"
import { RemoteToken } from "../../src/options/Options.ts"
import { Browser } from "../../src/terminal/Browser.ts"
import { Interrupts, Keyboard } from "../../src/terminal/Keyboard.ts"
import { Output } from "../../src/terminal/Output.ts"
import { Screen } from "../../src/terminal/Screen.ts"
import { TypedCommand } from "../../src/terminal/TypedCommand.ts"
import { backups } from "./BackupFixtures.ts"
import * as RecordedPublished from "./RecordedPublished.ts"
import { ASSISTANT, FOLDER, SUMMARY } from "./ScriptedDocuments.ts"

export { status, tool, trustDetails }

export interface Script {
  readonly servers?: ReadonlyArray<ServerStatus>
  readonly tools?: ReadonlyArray<McpTool>
  /** Tools that are left out only because they write. */
  readonly writers?: ReadonlyArray<McpTool>
  readonly call?: typeof McpRegistry.Service.call
  /** What the browser brings back from a login, without the state; without it there is no browser. */
  readonly back?: string
  /** How a login goes. */
  readonly login?: typeof McpRegistry.Service.login
  /** What the registry answers about prompts and resources. */
  readonly offerings?: Partial<
    Pick<typeof McpRegistry.Service, "prompts" | "prompt" | "resources" | "readResource" | "watchResource">
  >
  readonly configuration?: Configuration
  /** A person's own permissions.jsonc; nothing in it unless told. */
  readonly permissions?: string
  /** The `.boocode/permissions.jsonc` of a project. */
  readonly projectPermissions?: ReadonlyArray<string>
  /** What there is to know before a decision. */
  readonly trust?: TrustDetails
  readonly agents?: readonly [Agent, ...ReadonlyArray<Agent>]
  readonly parts?: ReadonlyArray<Part>
  /** Where the log is written, for a test that reads it while the command runs. */
  readonly log?: Array<string>
  /** The ids of the chats there are; `c` unless told. */
  readonly chatIds?: ReadonlyArray<string>
  /** The write mode of the chat; none of its own unless told. */
  readonly write?: ChatSummary["write"]
  /** What the tools of each chat wrote, the newest first. */
  readonly writes?: ReadonlyArray<JournaledWrite>
  /** What was said before. */
  readonly turns?: ReadonlyArray<ChatTurn>
  readonly stdin?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly isTerminal?: boolean
  /** Why no chat can be imported. */
  readonly importing?: ChatDocument.ImportRefused
  /** What a person types to run this command; `boocode` unless told. */
  readonly command?: string
  /** How wide the terminal is; no limit unless told. */
  readonly columns?: number
  /** What a person types into a terminal, line by line; without it standard input is none. */
  readonly typed?: ReadonlyArray<string>
  /** What a person types while the first message to a running server is being answered. */
  readonly typedEarly?: ReadonlyArray<string>
  /** How entries of project files stand that nothing was decided about here. */
  readonly standing?: Partial<Standing>
  /** Which files hold servers; /data/mcp.json unless told. */
  readonly scopes?: Scopes
  /** The files there are; none unless told. */
  readonly files?: Layer.Layer<FileSystem.FileSystem>
  /** How long it takes until no server is connecting. */
  readonly settleMillis?: number
  /** How a trial of a server goes that is not installed yet. */
  readonly trial?: typeof EntryTrial.Service.run
  /** The models and their providers. */
  readonly models?: Partial<typeof ModelBackend.Service>
  /** Where programs run. */
  readonly sandbox?: Layer.Layer<Sandbox>
  /** The address of the server that runs on the data folder; none unless told. */
  readonly running?: string
  /** The tokens that are kept for servers elsewhere, by address; the command changes them. */
  readonly logins?: Map<string, string>
  /** What a running server answers, to `METHOD /path?query` and a body; what it was asked is in the log. */
  readonly answer?: (asked: string, body: Schema.Json) => Effect.Effect<Response, HttpClientError.HttpClientError>
}

const viewFile: AgentTool = {
  name: "view_file",
  server: null,
  description: "Reads a file.",
  inputSchema: { type: "object", properties: {} },
  tokens: 1,
  isAlwaysLoaded: true,
  run: (args) => Effect.succeed(ToolResult.success(`read ${JSON.stringify(args)}`))
}

export const EMPTY: Configuration = { servers: [], sources: [], warnings: [] }

/** What a process would have shown: both streams and the exit code. `log` has what the services were asked for. */
export const boocode = Effect.fnUntraced(function*(args: ReadonlyArray<string>, script: Script = {}) {
  const seen = { stdout: "", stderr: "", statuses: new Array<string>(), log: script.log ?? new Array<string>() }
  const early: Early = { type: () => {}, lines: [...script.typedEarly ?? []] }
  const sink = (stream: "stdout" | "stderr") => () =>
    Sink.forEach((chunk: string | Uint8Array) =>
      Effect.sync(() => {
        seen[stream] += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
      })
    )
  const stdio = Stdio.layerTest({
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    stdin: Stream.make(new TextEncoder().encode(script.stdin ?? "")),
    stdinIsTerminal: Effect.succeed(script.typed !== undefined),
    stdoutIsTerminal: Effect.succeed(script.isTerminal ?? false),
    stderrIsTerminal: Effect.succeed(script.isTerminal ?? false)
  })
  const platform = Layer.mergeAll(
    stdio,
    script.files ?? FileSystem.layerNoop({ exists: () => Effect.succeed(true) }),
    Path.layer,
    terminal,
    Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {}),
    Environment.layer(script.variables ?? {})
  )
  const services = Layer.mergeAll(
    Layer.provideMerge(keyboard(script.typed, early), Layer.provide(Output.layer, screen(script, seen))),
    backend(script, seen.log, early),
    browser(script, seen.log),
    interrupts
  ).pipe(
    Layer.provideMerge(platform),
    Layer.provideMerge(Layer.succeed(TypedCommand, script.command ?? "boocode"))
  )
  const exit = yield* Effect.exit(Effect.provide(Boocode.run(args), services))
  let code = 0
  Runtime.defaultTeardown(exit, (given) => {
    code = given
  })
  return { ...seen, code, isDefect: Exit.hasDies(exit) }
})

/** What is shown below everything else is gone when the command ends; `statuses` has all of it. */
const screen = ({ columns = Infinity }: Script, { statuses }: { readonly statuses: Array<string> }) =>
  Layer.succeed(Screen, {
    columns: Effect.succeed(columns),
    status: (rows) => Effect.sync(() => statuses.push(rows.join("\n"))),
    above: () => Effect.succeed(false)
  })

/** The lines of standard input, or what a person types. */
const keyboard = (typed: ReadonlyArray<string> | undefined, early: Early) => {
  if (typed === undefined) return Keyboard.layerLines
  const rest = [...typed]
  const next = Effect.sync(() => rest.shift() ?? null)
  return Layer.succeed(Keyboard, {
    typing: ({ waits }) =>
      Effect.sync(() => {
        early.type = (line) => {
          rest.push(line)
          waits?.(line)
        }
      }),
    message: next,
    line: () => next,
    secret: () => next
  })
}

/** What is typed while nobody takes it. */
interface Early {
  type: (line: string) => void
  readonly lines: Array<string>
}

const terminal = Layer.succeed(
  Terminal.Terminal,
  Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("no size is asked for"),
    readInput: Effect.die("no key is read"),
    readLine: Effect.die("no line is read"),
    display: () => Effect.void
  })
)

/** One that comes back with what the test says. */
const browser = (script: Script, log: Array<string>) => {
  const opened = Deferred.makeUnsafe<void>()
  return Layer.succeed(Browser, {
    open: ({ href }) =>
      Effect.gen(function*() {
        log.push(`browser ${href}`)
        yield* Deferred.succeed(opened, undefined)
        return script.back !== undefined
      }),
    listen: (address) => {
      const redirectUri = address.replace(":0/", ":7001/")
      log.push(`listen ${redirectUri}`)
      const arrival = (state: string) =>
        script.back === undefined
          ? Effect.never
          : Effect.as(Deferred.await(opened), `${redirectUri}?${script.back}&state=${state}`)
      return Effect.succeed({ redirectUri, arrival })
    }
  })
}

const interrupts = Layer.succeed(Interrupts, {
  first: () => Effect.void,
  second: Effect.never,
  abandoned: Effect.never
})

const backend = (script: Script, log: Array<string>, early: Early) =>
  Layer.succeed(Backend, {
    people: () => Layer.mock(PeopleBackend, { list: Effect.succeed([]) }),
    fleet: {
      import: () => Effect.succeed({ written: ["mcp.json"], same: ["AGENTS.md"] }),
      export: (_place, folder) => Effect.succeed([`${folder}/mcp.json`]),
      history: (_place, file) =>
        Effect.succeed([
          {
            name: file ?? "agents/old.md",
            version: 2,
            removed: file === null,
            by: "10.0.0.7:4267",
            at: "2026-11-24T10:00:00Z"
          }
        ]),
      restore: (_place, _file, version) => Effect.succeed(version + 2)
    },
    files: () =>
      Effect.gen(function*() {
        const scopes = script.scopes ?? { dataFile: "/data/mcp.json", projectFrom: null, home: null }
        return {
          ...{ scopes, environment: yield* Environment, searchAfterPath: ["/opt/boocode/bin"] },
          envFile: "/data/.env",
          folder: FOLDER
        }
      }).pipe(Effect.provide(Environment.layer(script.variables ?? {}))),
    config: () => McpConfig.layerTest(script.configuration ?? EMPTY),
    trust: () => trust(script, log),
    permissions: () => permissions(script),
    published: (_place, given) => RecordedPublished.layer(script, given),
    registry: () =>
      Layer.mergeAll(
        registry(script, log),
        Layer.mock(ResultFiles, {}),
        agents(script),
        WorkspaceTools.layerOf([viewFile]),
        Layer.provide(PermissionFiles.layer, permissions(script))
      ),
    chats: () =>
      Layer.mergeAll(
        registry(script, log),
        agents(script),
        chats(script, log),
        Layer.succeed(LocalModels, {
          names: Effect.succeed(["openai/gpt-5", "openai/gpt-5-mini"]),
          standard: Effect.succeed(script.variables?.["BOOCODE_MODEL"] ?? null)
        }),
        WorkspaceTools.layerOf([viewFile]),
        Layer.provide(PermissionFiles.layer, permissions(script)),
        Environment.layer(script.variables ?? {})
      ),
    models: () => Layer.mock(ModelBackend, script.models ?? {}),
    history: () => Effect.succeed({ lines: [], add: (line) => Effect.sync(() => log.push(`remember ${line}`)) }),
    running: () => Effect.succeed(script.running ?? null),
    remote: (url) =>
      Layer.unwrap(Effect.map(RemoteToken, (token) => RemoteClient.layer(url, token))).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, http(script, log, early)))
      ),
    logins: {
      addresses: Effect.sync(() => [...script.logins?.keys() ?? []].toSorted()),
      keep: (url, token) => Effect.sync(() => script.logins?.set(url, Redacted.value(token))),
      forget: (url) =>
        Effect.sync(() => {
          const token = script.logins?.get(url)
          script.logins?.delete(url)
          return token === undefined ? null : Redacted.make(token)
        })
    },
    sandbox: script.sandbox ?? Layer.mock(Sandbox, {}),
    ...backups(log),
    bridge: (place, profile) => Effect.sync(() => log.push(JSON.stringify({ place, profile }))),
    serve: (place, options) => Effect.sync(() => log.push(JSON.stringify({ place, options })))
  })

const permissions = (script: Script) =>
  Permissions.layerTest(script.permissions ?? "{}", ...script.projectPermissions ?? [])

/** What was decided stands in the log; an entry stands as it was decided on last. */
const trust = (script: Script, log: Array<string>) => {
  const decided = new Map<string, "approved" | "rejected">()
  return Layer.mergeAll(
    Layer.succeed(Approvals, {
      standing: ({ name, needsApproval }) =>
        Effect.sync(() => {
          const decision = needsApproval ? decided.get(name) ?? "pending" : "not-needed"
          const print = { hash: "ab12", fields: [{ key: "command", shown: "run", hash: "cd34" }] }
          const by = decided.has(name) ? "always" : null
          const base = { decision, by, print, changes: null, problem: null } as const
          return decision === "pending" ? { ...base, ...script.standing } : base
        }),
      decide: ({ name }, decision) =>
        Effect.sync(() => {
          log.push(`${decision} ${name}`)
          decided.set(name, decision)
        }),
      revoke: ({ name }) =>
        Effect.sync(() => {
          log.push(`revoked ${name}`)
          decided.delete(name)
        })
    }),
    Layer.succeed(ToolPins, {
      check: () => Effect.die("nothing is listed"),
      forget: ({ name }) => Effect.sync(() => log.push(`forgot ${name}`))
    })
  )
}

const http = (script: Script, log: Array<string>, early: Early) =>
  HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const asked = `${request.method} ${url.pathname}${url.search}`
      const { authorization } = request.headers
      log.push(`${url.origin} ${asked}${authorization === undefined ? "" : ` as ${authorization}`}`)
      const body = request.body._tag === "Uint8Array" ? json(new TextDecoder().decode(request.body.body)) : null
      const answer = script.answer?.(asked, body) ?? Effect.die("no request is expected")
      if (/^POST .*\/messages$/.test(asked)) early.lines.splice(0).forEach((line) => early.type(line))
      return Effect.map(answer, (response) => HttpClientResponse.fromWeb(request, response))
    })
  )

const agents = (script: Script) => Agents.layer(script.agents ?? [ASSISTANT])

const registry = (script: Script, log: Array<string>) => {
  const servers = script.servers ?? []
  const tools = script.tools ?? []
  const server = (name: string) =>
    Effect.fromNullishOr(servers.find((one) => one.name === name)).pipe(
      Effect.mapError(() =>
        new McpError({ server: null, reason: new McpErrors.UnknownServer({ name, nearest: ["files"] }) })
      )
    )
  const decided = (name: string, verb: string, options?: DecisionOptions) =>
    Effect.sync(() => log.push(`${verb} ${name}${options?.once === true ? " once" : ""}`))
  const call = script.call ?? (() => Effect.die("no call is expected"))
  const waited = (who: string) =>
    Effect.andThen(Effect.sync(() => log.push(who)), Effect.sleep(script.settleMillis ?? 0))
  return Layer.effect(
    McpRegistry,
    Effect.acquireRelease(
      Effect.sync(() => {
        log.push("open")
        return McpRegistry.of({
          ...{ audiences: Effect.succeed(new Map()), servers: Effect.succeed(servers), server },
          tools: Effect.succeed(tools),
          rejected: Effect.succeed([]),
          writers: Effect.succeed(script.writers ?? []),
          appTools: Effect.succeed([]),
          view: (patterns) =>
            Effect.succeed({
              tools: tools.filter(({ name }) =>
                patterns === undefined || patterns.some((pattern) => name.startsWith(pattern.replace("*", "")))
              ),
              warnings: []
            }),
          tool: (name) =>
            Effect.fromNullishOr(tools.find((one) => one.name === name)).pipe(
              Effect.mapError(() =>
                new McpError({ server: null, reason: new McpErrors.UnknownTool({ name, nearest: ["files_read"] }) })
              )
            ),
          call,
          callTool: ({ name }, args, options) => call(name, args, options),
          prompts: () => Effect.succeed({ prompts: [], waiting: [], failed: [], warnings: [] }),
          prompt: () => Effect.die("unused"),
          resources: () => Effect.die("unused"),
          readResource: () => Effect.die("unused"),
          complete: () => Effect.die("unused"),
          watchResource: () => Stream.die("unused"),
          ...script.offerings,
          setLogLevel: () => Effect.die("unused"),
          refresh: () => Effect.die("unused"),
          health: () => Effect.die("unused"),
          apply: Effect.die("unused"),
          reload: Effect.die("unused"),
          applied: Stream.empty,
          start: () => Effect.die("unused"),
          stop: () => Effect.die("unused"),
          restart: () => Effect.die("unused"),
          login: script.login ?? (() => Effect.die("unused")),
          logout: (name) => Effect.andThen(Effect.sync(() => log.push(`logout ${name}`)), server(name)),
          events: Stream.empty,
          news: Stream.empty,
          own: () => Effect.succeed(null),
          settled: Effect.as(waited("settled"), { connected: [], failed: [] }),
          settledServer: (name) => Effect.andThen(waited(`settled ${name}`), server(name)),
          log: () => Effect.die("unused"),
          trustDetails: (name) => Effect.as(server(name), script.trust ?? trustDetails),
          approve: (name, options) => Effect.andThen(decided(name, "approve", options), server(name)),
          reject: (name, options) => Effect.andThen(decided(name, "reject", options), server(name)),
          revoke: (name) => Effect.andThen(decided(name, "revoke"), server(name))
        })
      }),
      () => Effect.sync(() => log.push("close"))
    )
  ).pipe((layer) => Layer.provideMerge(McpRegistries.layerSame, layer))
}

/** One chat; a request for a yes is answered before what follows its answer comes. */
const chats = (script: Script, log: Array<string>) => {
  const answered = new Map<string, Deferred.Deferred<void>>()
  const answerOf = (id: string) => {
    const one = answered.get(id) ?? Deferred.makeUnsafe<void>()
    answered.set(id, one)
    return one
  }
  const logged = <A>(line: string, value: A) => Effect.sync(() => (log.push(line), value))
  const known = (id: string) =>
    (script.chatIds ?? ["c"]).includes(id) ? Effect.void : Effect.fail(new UnknownChat({ id }))
  const approvals = Layer.succeed(ToolApprovals, {
    ...ToolApprovals.defaultValue(),
    answer: (_chat, id, answer) =>
      Effect.andThen(
        logged(`answer ${id} ${JSON.stringify(answer)}`, null),
        Effect.forEach([id, ...answer.also ?? []], (one) => Deferred.succeed(answerOf(one), undefined), {
          discard: true
        })
      )
  })
  const questions = Layer.succeed(Questions, {
    ...Questions.defaultValue(),
    reply: (id, reply) =>
      Effect.andThen(
        logged(`reply ${id} ${JSON.stringify(reply)}`, null),
        Effect.asVoid(Deferred.succeed(answerOf(id), undefined))
      )
  })
  let write: ChatSummary["write"] = script.write ?? null
  const undos = Layer.succeed(Undos, {
    ...Undos.defaultValue(),
    list: () => Effect.succeed(script.writes ?? []),
    undo: (chat, id) => logged(`undo ${id} of ${chat}`, "notes/a.md is as it was before")
  })
  return Layer.mergeAll(
    approvals,
    questions,
    undos,
    Layer.mock(Chats, {
      create: (options) => logged(`create ${JSON.stringify(options)}`, { ...SUMMARY, ...options }),
      list: Effect.succeed((script.chatIds ?? ["c"]).map((id) => ({ ...SUMMARY, id }))),
      search: (words) => logged(`search ${words}`, [{ ...SUMMARY, excerpt: "it will rain" }]),
      summary: (id) => Effect.as(known(id), { ...SUMMARY, id }),
      get: (id) => Effect.as(known(id), { ...SUMMARY, id, write, usage: NO_USAGE, turns: script.turns ?? [] }),
      update: (id, { agent = null, model = null, off, ...edit }) =>
        logged(`update ${JSON.stringify({ ...edit, ...(off === undefined ? {} : { off }), agent, model })}`, {
          ...SUMMARY,
          id,
          write: write = edit.write === undefined ? write : edit.write,
          agent,
          model,
          off: { ...SUMMARY.off, ...off }
        }),
      fork: (id, turn) => logged(`fork ${id} ${turn}`, { ...SUMMARY, id: "f" }),
      remove: (id) => Effect.andThen(known(id), logged(`remove ${id}`, undefined)),
      export: (id, format) => Effect.as(known(id), { title: SUMMARY.title, text: `${format} of ${id}\n` }),
      import: (text, format) =>
        script.importing === undefined ? logged(`import ${format} ${text}`, SUMMARY) : Effect.fail(script.importing),
      send: (_id, message) =>
        Effect.sync(() => {
          const images = message.attachments?.map(({ data, name }) => ` +${name} ${data.length}`) ?? []
          const instead = (message.replaces ?? null) === null ? "" : ` for ${message.replaces}`
          const to = message.model === null ? "" : ` to ${message.model}`
          log.push(`send ${message.text}${instead}${images.join("")}${to}`)
          return { turn: log.filter((line) => line.startsWith("send")).length, queued: false, after: 0 }
        }),
      events: () =>
        Stream.tap(
          Stream.fromIterable(script.parts ?? []),
          (part) =>
            part.type === "approval-answer" || (part.type === "question-answer" && part.reason === null)
              ? Deferred.await(answerOf(part.id))
              : Effect.void
        )
    })
  )
}

export const json = (text: string): Schema.Json => JSON.parse(text)
