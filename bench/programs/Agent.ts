/**
 * What an agent's step costs among so many tools: milliseconds of the first view and of a later one, of indexing and a
 * search, of turning the view into model tools; and how many schemas were compiled before a tool was called and after.
 * `node programs/Agent.ts --tools N [--servers N] [--page N]`
 */
import * as Compilations from "../support/Compilations.ts"

import { McpRegistry } from "@boocode/mcp-registry"
import { McpToolkit, ResultFiles, ToolSearch } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layer } from "../clients/Registry.ts"
import { say, stdio } from "../support/Program.ts"
import { median } from "../support/Samples.ts"

const { values } = parseArgs({
  options: {
    tools: { type: "string", default: "10000" },
    page: { type: "string", default: "100" },
    servers: { type: "string", default: "1" }
  }
})
const count = Number(values.tools)
const servers = Number(values.servers)

/** Everything but one tool in ten, as an agent's file would say it, and one that nobody has. */
const PATTERNS = ["*", "!*9", "server0_echo"]
const QUERY = "the thing number 42"
const ROUNDS = 15

const timed = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>) {
  const start = performance.now()
  const result = yield* work
  return [result, performance.now() - start] as const
})

/** The middle of several times. */
const warm = <E, R>(work: Effect.Effect<unknown, E, R>) =>
  Effect.map(
    Effect.forEach(Array.from({ length: ROUNDS }), () => timed(work)),
    (all) => median(all.map(([, millis]) => millis))
  )

const main = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  const view = registry.view(PATTERNS)
  const [{ tools }, viewCold] = yield* timed(view)
  if (tools.length < count * 0.85) return yield* Effect.die(new Error(`the view has ${tools.length} of ${count} tools`))
  const viewWarm = yield* warm(view)

  const index = ToolSearch.make()
  const [, indexed] = yield* timed(Effect.sync(() => index.update(tools)))
  const searched = yield* warm(Effect.sync(() => index.search(QUERY)))

  const made = Effect.flatMap(
    McpToolkit.agentTools(tools),
    (some) => McpToolkit.toolkit(some, { dialect: "openai" })
  )
  const [toolkit, toolkitCold] = yield* timed(made)
  const toolkitWarm = yield* warm(made)

  const before = Compilations.count()
  const answers = yield* toolkit.handle("server0_echo", { text: "x" }).pipe(Stream.unwrap, Stream.runCollect)
  if (answers.at(-1)?.isFailure !== false) return yield* Effect.die(new Error("echo failed"))
  const after = Compilations.count()
  return {
    viewCold,
    viewWarm,
    indexed,
    searched,
    toolkitCold,
    toolkitWarm,
    compiledBefore: before,
    compiledAfter: after
  }
})

const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
const server = stdio("--tools", String(Math.ceil(count / servers)), "--page", values.page)
const entries = Object.fromEntries(Array.from({ length: servers }, (_, at) => [`server${at}`, server]))
const services = ResultFiles.layer(folder).pipe(Layer.provideMerge(layer(entries)))
const figures = await Effect.runPromise(Effect.provide(main, services))
rmSync(folder, { recursive: true, force: true })
say(figures)
