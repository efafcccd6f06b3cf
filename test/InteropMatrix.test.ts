/**
 * Every part of the protocol with servers that others wrote the core of, over each transport and in both eras. One
 * registry has all of them; a test tries one part with every server at the same time.
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry, ServerRequests } from "@boocode/mcp-registry"
import { assert, describe, layer } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Cells from "./interop/Cells.ts"
import * as Matrix from "./interop/Matrix.ts"
import { type Cell, CELLS, programs, ROWS, serverOf, titleOf } from "./interop/Rows.ts"
import { CHECKOUT } from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Documents from "./support/Documents.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_INTEROP_TEST"
const mark = randomUUID()

const BIN = join(CHECKOUT, "test/node_modules/.bin")
const ROOT_BIN = join(CHECKOUT, "node_modules/.bin")

const registry = Layer.unwrap(Effect.gen(function*() {
  const found = yield* programs
  const entries = ROWS.map((row) => {
    const entry = row.entry(found)
    return [serverOf(row), "url" in entry ? entry : { ...entry, env: { [MARK]: mark } }]
  })
  return McpRegistry.layer({ searchAfterPath: [ROOT_BIN, BIN], maxConnecting: 4 }).pipe(
    Layer.provide(McpConfig.layerEntries(Object.fromEntries(entries))),
    Layer.provide(Layer.succeed(ServerRequests, {
      elicitation: ["form", "url"],
      sampling: true,
      asker: Cells.asker,
      roots: { current: Effect.succeed([{ uri: Cells.ROOT, name: "interop" }]), changes: Stream.empty }
    })),
    Layer.provide(NodeMcp.layer),
    Layer.provide(Environment.layer(process.env))
  )
}))

/** Tries a cell with every server that has it, and says which of them it does not work with. */
const everyServer = (cell: Cell) =>
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    yield* registry.settled
    const troubles = yield* Effect.forEach(ROWS, (row) => {
      const attempt = Cells.attempt(row, cell)
      if (attempt === null) return Effect.succeed(row.lacks[cell] === undefined ? [`${titleOf(row)}: not tried`] : [])
      return Effect.map(
        Effect.exit(Effect.timeout(attempt(registry, row), 2 * Deadline.WAIT_MILLIS)),
        (exit) => Exit.isSuccess(exit) ? [] : [`${titleOf(row)}: ${Cause.pretty(exit.cause).slice(0, 600)}`]
      )
    }, { concurrency: "unbounded" })
    assert.deepStrictEqual(troubles.flat(), [])
  })

describe("Interop matrix", Deadline.TEST, () => {
  layer(registry, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("every server connects, in the revision that its entry leads to", () => everyServer("connect"))
    it.effect("tools are listed", () => everyServer("list"))
    it.effect("tools are called", () => everyServer("call"))
    it.effect("a call that is interrupted is cancelled at the server", () => everyServer("cancel"))
    it.effect("progress of a call is told, in order", () => everyServer("progress"))
    it.effect("a tool that comes later is listed", () => everyServer("list_changed"))
    it.effect("prompts are listed and filled in", () => everyServer("prompts"))
    it.effect("resources and templates are listed and read", () => everyServer("resources"))
    it.effect("an update of a watched resource is told", () => everyServer("subscribe"))
    it.effect("arguments are completed", () => everyServer("completion"))
    it.effect("a form is answered, with its defaults", () => everyServer("form"))
    it.effect("an address to visit is answered", () => everyServer("url"))
    it.effect("the model is asked", () => everyServer("sampling"))
    it.effect("the folders to work in are told", () => everyServer("roots"))
    it.effect("log messages are kept, from the level on that was set", () => everyServer("logging"))
    it.effect("instructions are kept", () => everyServer("instructions"))

    it.effect("what a server lacks it does not declare, or has none of", () =>
      Effect.gen(function*() {
        const registry = yield* McpRegistry
        const wrong = yield* Effect.forEach(ROWS, (row) =>
          Effect.gen(function*() {
            const lacking = CELLS.filter((cell) => row.lacks[cell] !== undefined)
            const { capabilities } = yield* registry.server(serverOf(row))
            const { prompts } = yield* registry.prompts(serverOf(row))
            const { resources } = yield* registry.resources(serverOf(row))
            const found = {
              prompts: prompts.length > 0,
              resources: resources.length > 0,
              completion: capabilities?.completions === true
            }
            return lacking.filter((cell) => Reflect.get(found, cell) === true)
              .map((cell) => `${titleOf(row)} has ${cell}`)
          }), { concurrency: "unbounded" })
        assert.deepStrictEqual(wrong.flat(), [])
      }))
  })

  layer(Layer.empty)((it) => {
    it.effect("no process is left", () =>
      Effect.map(Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), (left) => assert.deepStrictEqual(left, [])))

    it.effect("docs/interop.md has the table", () =>
      Effect.sync(() => assert.include(Documents.read("docs/interop.md"), Documents.unpadded(Matrix.markdown()))))
  })
})
