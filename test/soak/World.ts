/** One registry with its servers, from its building to its teardown, and the checks that go with it. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Deadline from "../support/Deadline.ts"
import { HTTP, LIMITS, type Role, ROLES } from "./Cast.ts"
import * as Census from "./Census.ts"
import type { Dice } from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import type { HttpPeer } from "./HttpPeer.ts"
import type { Operations } from "./Operations.ts"

export type Registry = McpRegistry["Service"]
export type Entry = Readonly<Record<string, unknown>>

export interface World {
  readonly mark: string
  readonly registry: Registry
  readonly roles: ReadonlyArray<Role>
  /** The entries as they are configured this time, by server. */
  readonly entries: Readonly<Record<string, Entry>>
  /** The processes that were stopped by a signal and not continued yet. */
  readonly frozen: Set<number>
  /** The last status that each server announced. */
  readonly announced: Map<string, ServerStatus>
  readonly close: Effect.Effect<void>
}

const limited = (entry: Entry, mark: string, name: string): Entry => ({
  startupTimeout: LIMITS.startupMillis,
  timeout: LIMITS.idleMillis,
  maxTotalTimeout: LIMITS.totalMillis,
  ...entry,
  ..."command" in entry ? { env: { [Census.MARK]: `${mark}/${name}` } } : {}
})

/** Who takes part this time, and how each is configured. */
const cast = (dice: Dice, url: string, among: RegExp) =>
  [...ROLES, { ...HTTP, entry: () => ({ url }) }].flatMap((role) => {
    const isIn = dice.chance(role.share)
    const entry = role.entry(dice)
    return isIn && among.test(role.name) ? [{ role, entry }] : []
  })

export const open = Effect.fnUntraced(function*(
  mark: string,
  dice: Dice,
  among: RegExp,
  peer: HttpPeer,
  findings: Findings
) {
  const chosen = cast(dice, peer.url, among)
  const entries = Object.fromEntries(chosen.map(({ entry, role }) => [role.name, limited(entry, mark, role.name)]))
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const context = yield* Layer.buildWithScope(layer(entries, findings), scope)
  const registry = Context.get(context, McpRegistry)
  const announced = new Map<string, ServerStatus>()
  const listener = yield* Effect.forkDetach(
    Stream.runForEach(registry.events, (status) => Effect.sync(() => announced.set(status.name, status)))
  )
  findings.note(`registry of ${Object.keys(entries).join(", ")}`)
  return {
    mark,
    registry,
    roles: chosen.map(({ role }) => role),
    entries,
    frozen: new Set<number>(),
    announced,
    close: Effect.andThen(Scope.close(scope, Exit.void), Fiber.interrupt(listener))
  } satisfies World
})

/** What the registry logs is part of the history. */
export const layer = (entries: Readonly<Record<string, Entry>>, findings: Findings): Layer.Layer<McpRegistry> =>
  McpRegistry.layer().pipe(
    Layer.provide(McpConfig.layerEntries(entries)),
    Layer.provide(NodeMcp.layer),
    Layer.provide(Environment.layer(process.env)),
    Layer.provide(Logger.layer([
      Logger.make(({ logLevel, message }) => findings.note(`${logLevel}: ${String(message).slice(0, 300)}`))
    ]))
  )

/** Closes it, whatever it is doing, and looks for what it left. */
export const teardown = Effect.fnUntraced(function*(
  { close, mark, roles }: World,
  operations: Operations,
  findings: Findings
) {
  findings.note("teardown")
  const started = performance.now()
  const closed = yield* Effect.timeoutOption(close, Deadline.GONE_MILLIS)
  const millis = performance.now() - started
  findings.took("teardown", millis)
  findings.count("teardowns")
  if (closed._tag === "None") findings.violated(`the teardown took more than ${Deadline.GONE_MILLIS} ms`)
  const left = yield* leftAfter(mark, roles.map(({ name }) => name), 5000)
  for (const { command, pid, server } of left) {
    findings.violated(`process ${pid} of ${server} is left after the teardown: ${command}`)
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))
  }
  yield* operations.drain(10_000, "the teardown")
})

const leftAfter = Effect.fnUntraced(function*(mark: string, servers: ReadonlyArray<string>, withinMillis: number) {
  const until = performance.now() + withinMillis
  for (;;) {
    const left = Census.processes(mark, servers)
    if (left.length === 0 || performance.now() > until) return left
    yield* Effect.sleep("50 millis")
  }
})
