/** One start of a server whose entry is not written yet, and what `doctor` would say of it. */
import { toolDocument } from "@boocode/chat-server/Documents"
import { EntryTrial, type Trial } from "@boocode/chat-server/EntryTrial"
import { ConfigFile, type ConfiguredServer, Environment } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { doctorLines } from "../mcp/doctor/McpDoctor.ts"
import { Failed } from "../terminal/Failure.ts"
import { oneLine, Output } from "../terminal/Output.ts"

export interface Tried {
  readonly trial: Trial
  /** `needs-auth` works after a person signed in. */
  readonly outcome: "ready" | "needs-auth" | "failed"
}

/** The package that a first start downloads may be large. */
const LONGEST = "5 minutes"

type Secrets = Readonly<Record<string, Redacted.Redacted<string>>>

/** Starts it, with values for variables that are not in `.env` yet. All its tools are listed; none is called. */
export const start = Effect.fnUntraced(function*(
  name: string,
  entry: Schema.JsonObject,
  file: { readonly path: string; readonly name: string },
  secrets: Secrets = {}
) {
  const { notePaint, notes } = yield* Output
  const { run } = yield* EntryTrial
  const server = yield* configured(name, { ...entry, writes: "ask", startupTimeout: LONGEST }, file, secrets)
  yield* notes([notePaint.dim(`starting ${oneLine(name)} once; its first start may download it`)])
  const trial = yield* Effect.scoped(
    Effect.andThen(Effect.forkScoped(telling(server)), run(server, LONGEST))
  )
  const { state } = trial.server
  return { trial, outcome: state === "ready" || state === "needs-auth" ? state : "failed" } satisfies Tried
})

/** Says what a long start waits for: a package manager is silent while it downloads and while it tries the network again. */
const telling = Effect.fnUntraced(function*({ config, name }: ConfiguredServer) {
  const { notePaint, notes } = yield* Output
  const transport = Result.isSuccess(config) ? config.success.transport : null
  const who = transport?._tag === "stdio" ? `${oneLine(transport.command)} to start ${oneLine(name)}` : oneLine(name)
  const why = transport?._tag === "stdio"
    ? "it may be downloading, or trying the network again"
    : "it did not answer yet"
  for (let seconds = 0;;) {
    const pause = seconds === 0 ? 10 : 30
    yield* Effect.sleep(Duration.seconds(pause))
    seconds += pause
    yield* notes([notePaint.dim(`still waiting for ${who}: ${seconds} s of ${LONGEST}; ${why}`)])
  }
})

const configured = Effect.fnUntraced(function*(
  name: string,
  entry: Schema.JsonObject,
  file: { readonly path: string; readonly name: string },
  secrets: Secrets
) {
  const environment = yield* Environment
  const values = Object.entries(secrets).map(([key, value]) => [key, Redacted.value(value)])
  const variables = { ...environment.variables, ...Object.fromEntries(values) }
  const { servers } = yield* ConfigFile.fromText(
    { path: file.path, name: file.name, scope: "data" },
    JSON.stringify({ mcpServers: { [name]: entry } })
  ).pipe(Effect.provideService(Environment, Environment.of({ ...environment, variables })))
  const [server] = servers
  return server === undefined ? yield* unusable(name) : yield* usable(server)
})

/** An entry that can never work is not started. */
const usable = (server: ConfiguredServer): Effect.Effect<ConfiguredServer, Failed> => {
  if (Result.isSuccess(server.config)) return Effect.succeed(server)
  const { _tag, hint, message } = server.config.failure
  return Effect.fail(new Failed({ tag: _tag, message, hint: `${hint}; nothing was written` }))
}

const unusable = (name: string) =>
  new Failed({
    tag: "InvalidEntry",
    message: `the entry of ${name} cannot be read`,
    hint: "report this to the authors of boocode; nothing was written"
  })

/** Shows the steps of the trial, as `doctor` does. */
export const tell = Effect.fnUntraced(function*({ trial }: Tried) {
  const { notePaint, notes } = yield* Output
  const { examine } = yield* Effect.promise(() => import("../mcp/doctor/Doctor.ts"))
  const { server, tools } = trial
  const evidence = { status: server, tools: tools.map(toolDocument), servers: [server.name], entry: null, hides: [] }
  yield* notes(doctorLines(examine([evidence], []), false, notePaint).slice(0, -2))
})
