/** JSON can say `1e400`, which is infinite here: with that in it nothing could be sent on, and no list it stands in. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ServerQuestion from "../../../../mcp-client/src/asks/ServerQuestion.ts"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import { config } from "../../../../mcp-client/test/support/ServerConfigs.ts"
import * as ServerCall from "../../../src/calls/ServerCall.ts"
import type { CallProgress } from "../../../src/index.ts"
import * as Discovery from "../../../src/tools/Discovery.ts"
import * as AskingServers from "../../support/AskingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const parsed = (text: string): Schema.JsonObject => {
  const value = JsonRpc.decode(text)
  return JsonRpc.isObject(value) ? value : assert.fail("no object")
}

const tool = (name: string, more: string) => parsed(`{"name":"${name}","inputSchema":{"type":"object"},${more}}`)

describe("A number beyond all numbers", () => {
  it("is null in a result, small or big", () => {
    const text = `{"content":[{"type":"text","text":"a","at":1e400}],"structuredContent":{"low":[-1e400],"high":1e308}}`
    for (const raw of [parsed(text), { ...parsed(text), _meta: { filler: "a".repeat(100_000) } }]) {
      const { content, structuredContent } = ServerCall.cleanResultOf(raw, (words) => words)
      assert.deepStrictEqual(content, [{ type: "text", text: "a", at: null }])
      assert.deepStrictEqual(structuredContent, { low: [null], high: 1e308 })
    }
  })

  it("costs only the tool that has it (R8)", () => {
    const listed = [
      tool("good", `"annotations":{"n":1,"none":null},"outputSchema":{"default":null}`),
      tool("hint", `"annotations":{"n":1e400}`),
      tool("output", `"outputSchema":{"maximum":1e400}`),
      parsed(`{"name":"input","inputSchema":{"properties":{"n":{"maximum":-1e400}}}}`),
      parsed(`{"name":"null","inputSchema":{"properties":{"n":{"default":null}}}}`)
    ]
    const { rejected, tools } = Discovery.judge(config(), listed, ["files"])
    assert.deepStrictEqual(tools.map((accepted) => accepted.tool), ["good", "null"])
    assert.deepStrictEqual(rejected.map((left) => left.tool), ["hint", "output", "input"])
    assert.match(rejected[0]?.reason ?? "", /^malformed: .*number/)
    assert.isTrue(tools.every(Schema.is(Schema.Json)))
  })

  it("is in no question", () => {
    const options = { elicitation: ["form"], sampling: true, roots: false, scrub: (words: string) => words } as const
    const form = `{"type":"object","properties":{"n":{"type":"number","maximum":1e400}}}`
    const message = `{"role":"user","content":{"type":"text","text":"hi"}}`
    const questions = [
      ["elicitation/create", `{"message":"how many?","requestedSchema":${form}}`],
      ["sampling/createMessage", `{"messages":[${message}],"maxTokens":1e400}`]
    ] as const
    for (const [method, params] of questions) {
      const read = (text: string) =>
        Result.getOrElse(ServerQuestion.decode(method, parsed(text), options), (why) => why)
      assert.match(String(Reflect.get(read(params), "message")), /a number in it/)
      assert.notInstanceOf(read(params.replace("1e400", "100")), ServerQuestion.Refused)
    }
  })

  it.effect("is no progress", () => {
    const { asker } = AskingServers.answering(null)
    const questions = { ask: AskingServers.form(AskingServers.NAME) }
    return AskingServers.withServer(
      questions,
      AskingServers.hosting({ asker }),
      (registry, server) =>
        Effect.gen(function*() {
          const told: Array<CallProgress> = []
          const onProgress = (progress: CallProgress) => Effect.sync(() => void told.push(progress))
          const call = yield* Effect.forkChild(registry.call("it_ask", {}, { onProgress }))
          yield* ScriptedHost.drain
          const [asked] = AskingServers.received(server, "tools/call")
          const token = AskingServers.at(asked, "params", "_meta")["progressToken"]
          const params = `{"progressToken":${JSON.stringify(token)},"progress":1e400,"total":1e400,"message":"on"}`
          server.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}\n`)
          yield* ScriptedHost.drain
          assert.deepStrictEqual(told, [{ progress: 0, total: null, message: "on" }])
          yield* Fiber.interrupt(call)
        })
    )
  })
})
