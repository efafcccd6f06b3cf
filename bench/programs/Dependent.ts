/**
 * Calls of which each takes what the one before gave, in a chat: `node programs/Dependent.ts calls|program [--calls N]
 * [--latency MS] [--bytes N]`. With `calls` the model makes each itself, with `program` it writes one program. All of the chat
 * server runs here, with a real server over pipes. The model is a script that takes as long for each answer. Tokens are
 * counted from the requests as they leave, with a tokenizer of today.
 */
import { Chats } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { call, type Step, text } from "../../test/servers/model/Script.ts"
import * as PrefixCost from "../context/PrefixCost.ts"
import * as ScriptedWire from "../context/ScriptedWire.ts"
import { WIRES } from "../context/Wires.ts"
import { say, stdio } from "../support/Program.ts"
import * as ServedChats from "../support/ServedChats.ts"

const { positionals: [mode], values } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: "string", default: "100" },
    latency: { type: "string", default: "200" },
    // About 100 tokens.
    bytes: { type: "string", default: "1500" }
  }
})
const calls = Number(values.calls)
const isProgram = mode === "program"

const [wire] = WIRES
if (wire === undefined) throw new Error("there is no wire")

const first = Number(values.bytes)

const PROGRAM = `// Each text is asked for by the length of the one before.
let bytes = ${first}
for (let at = 0; at < ${calls}; at++) {
  const text: string = await server.text({ bytes })
  bytes = text.length + 1
}
return bytes`

const DONE: ReadonlyArray<Step> = [text("These are all of them.")]

const answers: ReadonlyArray<ReadonlyArray<Step>> = isProgram
  ? [[call("execute", { code: PROGRAM })], DONE]
  : [...Array.from({ length: calls }, (_, at) => [call("server_text", { bytes: first + at })]), DONE]

const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { server: stdio() } }))
writeFileSync(join(folder, "AGENTS.md"), `---\nname: Bench\nsteps: ${calls + 1}\ncode: ${isProgram}\n---\nBe brief.\n`)
// A model that names chats would be asked in between.
writeFileSync(join(folder, "settings.json"), JSON.stringify({ titles: "message" }))

const script: ScriptedWire.Script = { answers, bodies: [], millis: Number(values.latency) }

const turn = Effect.gen(function*() {
  const chats = yield* Chats
  yield* (yield* McpRegistry).settled
  const { id } = yield* chats.create({ agent: null, model: null })
  const start = performance.now()
  yield* chats.send(id, { text: "Follow the texts to the end.", agent: null, model: null })
  const parts = yield* chats.events(id, 0).pipe(Stream.takeUntil(({ type }) => type === "finish"), Stream.runCollect)
  const seconds = (performance.now() - start) / 1000
  const made = parts.filter((part) => part.type === "tool-result" && !part.isError).length - (isProgram ? 1 : 0)
  if (made !== calls) return yield* Effect.die(new Error(JSON.stringify(parts).slice(-2000)))
  return seconds
})

const models = ScriptedWire.models(wire, script)
const seconds = await Effect.runPromise(Effect.provide(turn, ServedChats.layer(folder, wire.model, models)))
rmSync(folder, { recursive: true, force: true })
const { anew, requests, sent } = PrefixCost.of(script.bodies.map(wire.prompt), wire.byMarks)
const answered = answers.flat().reduce((sum, step) => {
  const said = step.type === "call" ? step.args : step.type === "text" ? step.text : ""
  return sum + encode(said).length
}, 0)
say({ seconds, requests, sent, anew, answered })
