/** Chats of a model that writes programs. */
import type { CallResult } from "@boocode/mcp-registry"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Part } from "../../src/model/Part.ts"
import { settle, start } from "./Chatting.ts"
import { agent, calls, finish, mcpTool, model, outline, says } from "./Scripted.ts"
import * as ScriptedSandbox from "./ScriptedSandbox.ts"

export const writes = (id: string, code: string) => [calls(id, "execute", { code }), finish("tool-calls")]
export const done = [...says("Done."), finish()]

export const answer = (text: string, structuredContent: CallResult["structuredContent"] = null): CallResult => ({
  content: [{ type: "text", text }],
  structuredContent,
  isError: false,
  millis: 1
})

export type Setup = NonNullable<Parameters<typeof start>[0]>

/** Chats of an agent whose model writes the program `p`, and then says that it is done. */
export const coding = Effect.fnUntraced(function*(
  program: Parameters<typeof ScriptedSandbox.make>[0][string],
  setup: Setup = {}
) {
  const scripted = yield* model([writes("x", "p"), done])
  const started = yield* start({
    agents: [{ ...agent, code: true }],
    models: { m: scripted.model },
    environment: "m",
    sandbox: ScriptedSandbox.make({ p: program }),
    world: { tools: [mcpTool("a", "one"), mcpTool("a", "two")], call: (name) => Effect.succeed(answer(`${name} ran`)) },
    ...setup
  })
  /** What the model read of the program. */
  const read = () => outline(scripted.asked[1]?.prompt.content ?? [])[3]?.replace(/^tool (result|error) x /, "") ?? ""
  return { ...started, asked: scripted.asked, read }
})

export const resultOf = (parts: ReadonlyArray<Part>, id = "x") =>
  parts.filter((part) => part.type === "tool-result").find((part) => part.id === id) ??
    assert.fail(`no result of ${id}`)

export const brief = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  parts.map((part) => {
    switch (part.type) {
      case "tool-call":
        return `call ${part.id} ${part.name}${part.program === undefined ? "" : ` of ${part.program}`}`
      case "tool-result":
        return `${part.isError ? "error" : "result"} ${part.id}`
      case "approval":
        return `asks ${part.call}`
      case "approval-answer":
        return part.decision
      case "finish":
        return part.reason
      default:
        return part.type
    }
  })

/** Both calls ask a person. */
export const ASKING: Partial<Setup> = {
  permissions: () => `{ "rules": [{ "ask": "a_*" }] }`
}

/** The approvals that wait in a chat. */
export const waiting = Effect.fnUntraced(
  function*(chats: Effect.Success<ReturnType<typeof coding>>["chats"], id: string) {
    yield* settle
    const parts = (yield* chats.get(id)).turns.flatMap((turn) => turn.parts)
    const over = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
    return parts.filter((part) => part.type === "approval").filter((part) => !over.has(part.id))
  }
)

export const valueIn = (given: { readonly value: Schema.Json } | { readonly error: string }): Schema.Json =>
  "value" in given ? given.value : given.error
