/**
 * What a turn of the chat server adds to a tool call: milliseconds from the end of a model's answer to the next request
 * to the model, less those of the same call of the registry. All of the server runs here, its database included, but the
 * model is a script and nobody speaks HTTP. `node programs/Turn.ts [--turns N] [--calls N]`
 */
import { Chats } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { TEXT } from "../support/Client.ts"
import { say, stdio } from "../support/Program.ts"
import { median, percentile } from "../support/Samples.ts"
import * as ScriptedModel from "../support/ScriptedModel.ts"
import * as ServedChats from "../support/ServedChats.ts"

const { values } = parseArgs({
  options: { turns: { type: "string", default: "30" }, calls: { type: "string", default: "10" } }
})
const calls = Number(values.calls)
const turns = Number(values.turns)

const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { server: stdio() } }))
writeFileSync(join(folder, "AGENTS.md"), `---\nname: Bench\nsteps: ${calls + 1}\n---\nBe brief.\n`)
// A model that names chats would be asked in between.
writeFileSync(join(folder, "settings.json"), JSON.stringify({ titles: "message" }))

const waits: Array<number> = []
const script = { tool: "server_echo", input: { text: TEXT }, calls }

const services = ServedChats.layer(folder, "scripted/model", ScriptedModel.layer(script, waits))

/** A turn in a chat of its own, as somebody who listens sees it. */
const turn = Effect.gen(function*() {
  const chats = yield* Chats
  const { id } = yield* chats.create({ agent: null, model: null })
  yield* chats.send(id, { text: "Call it.", agent: null, model: null })
  const parts = yield* chats.events(id, 0).pipe(Stream.takeUntil(({ type }) => type === "finish"), Stream.runCollect)
  const results = parts.filter((part) => part.type === "tool-result" && !part.isError)
  if (results.length !== calls) return yield* Effect.die(new Error(JSON.stringify(parts).slice(0, 1000)))
})

const main = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  const tool = yield* registry.tool("server_echo")
  const direct: Array<number> = []
  const directly = Effect.gen(function*() {
    const start = performance.now()
    yield* registry.callTool(tool, { text: TEXT })
    direct.push(performance.now() - start)
  })
  // Alternately, so that both see the same machine; the first third warms up.
  for (let number = 0; number < turns; number++) {
    yield* turn
    for (let call = 0; call < calls; call++) yield* directly
  }
  const measured = (all: ReadonlyArray<number>) => all.slice(Math.floor(all.length / 3))
  const call = median(measured(direct))
  const wait = median(measured(waits))
  return { turn: wait, p95: percentile(measured(waits), 0.95), direct: call, added: wait - call }
})

const figures = await Effect.runPromise(Effect.provide(main, services))
rmSync(folder, { recursive: true, force: true })
say(figures)
