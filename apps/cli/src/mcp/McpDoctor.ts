/** `mcp doctor`: goes through every server step by step, says what to do, and ends with 1 when one has a problem. */
import { McpConfig } from "@boocode/mcp-config"
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { served } from "../backend/Connected.ts"
import { Servers } from "../backend/Servers.ts"
import type { Options, Target } from "../options/Options.ts"
import { Ended } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import * as Doctor from "./doctor/Doctor.ts"
import { doctorLines } from "./doctor/DoctorLines.ts"
import type { Evidence } from "./doctor/Evidence.ts"

export interface Look {
  /** Null is every server. */
  readonly name: string | null
  /** Shows every step of healthy servers too. */
  readonly isVerbose: boolean
}

export const doctor = Effect.fnUntraced(function*(options: Options, target: Target, look: Look) {
  yield* served(options, target, examined(options, look), look.name === null, look.name)
})

const examined = Effect.fnUntraced(function*(options: Options, { isVerbose, name }: Look) {
  const output = yield* Output
  const found = yield* evidence(name)
  const diagnosis = Doctor.examine(found, yield* Servers.use(({ problems }) => problems))
  yield* options.json ? output.document(diagnosis) : output.lines(doctorLines(diagnosis, isVerbose, output.paint))
  if (!diagnosis.healthy) return yield* new Ended({ code: 1 })
})

const evidence = Effect.fnUntraced(function*(name: string | null) {
  const servers = yield* Servers
  // Asked before anything is waited for: a name nobody has is told at once.
  if (name !== null) yield* servers.one(name)
  yield* servers.settled(name === null ? null : [name])
  yield* wakeOwn(yield* servers.all, name)
  const all = yield* servers.all
  const { tools } = yield* servers.tools(null)
  const entries = yield* localEntries
  return all.filter((status) => name === null || status.name === name).map((status): Evidence => ({
    status,
    tools: tools.filter(({ server }) => server === status.name),
    servers: all.map((one) => one.name),
    entry: entries?.servers.find((entry) => entry.name === status.name) ?? null,
    hides: entries?.sources.filter(({ hidden }) => hidden.includes(status.name)).map(({ file }) => file) ?? []
  }))
})

/** A server that sleeps shows how it was the last time; one of our own is better looked at as it is. */
const wakeOwn = Effect.fnUntraced(function*(all: ReadonlyArray<ServerStatus>, name: string | null) {
  const registry = Option.getOrNull(yield* Effect.serviceOption(McpRegistry))
  if (registry === null) return
  const asleep = all.filter((status) => status.idle && (name === null || status.name === name))
  // What it fails with is in its status.
  yield* Effect.forEach(asleep, (status) => Effect.ignore(registry.start(status.name)), {
    concurrency: "unbounded",
    discard: true
  })
})

/** The configuration that the servers were started from; null when they run elsewhere. */
const localEntries = Effect.flatMap(
  Effect.serviceOption(McpConfig),
  Option.match({ onNone: () => Effect.succeed(null), onSome: ({ current }) => current })
)
