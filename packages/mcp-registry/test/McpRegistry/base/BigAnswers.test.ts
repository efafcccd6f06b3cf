import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import * as Listings from "../../../../mcp-client/src/rpc/Listings.ts"
import * as Framing from "../../../../mcp-client/src/stdio/Framing.ts"
import * as Inbox from "../../../../mcp-client/src/stdio/Inbox.ts"
import { config } from "../../../../mcp-client/test/support/ServerConfigs.ts"
import * as ServerCall from "../../../src/calls/ServerCall.ts"
import * as Discovery from "../../../src/tools/Discovery.ts"

const CAP = 1024 * 1024
const HALF = "lorem ipsum ".repeat(4000)

/** The result in a line, as it arrives in chunks of a pipe. */
const arrived = (line: Uint8Array): Schema.JsonObject => {
  const inbox = new Inbox.Inbox()
  const results: Array<Schema.JsonObject> = []
  inbox.listen((incoming) => {
    const result = incoming._tag === "Message" ? incoming.message["result"] : null
    if (JsonRpc.isObject(result)) results.push(result)
  })
  const decoder = new Framing.Framing(CAP)
  for (let from = 0; from < line.length; from += 60_000) {
    for (const frame of decoder.push(line.slice(from, from + 60_000))) {
      if (frame._tag !== "Endless") inbox.receive(frame)
    }
  }
  const [result] = results
  return result ?? assert.fail("no result came")
}

const lineOf = (result: unknown) => new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`)
const answer = (...texts: ReadonlyArray<string>) => ({ content: texts.map((text) => ({ type: "text", text })) })
const scrub = (text: string) => text

const Word = Schema.Literals([
  "plain",
  "\t",
  "\n",
  "\r",
  "\u0007",
  "\b",
  "\f",
  "\u007f",
  "\\u0007",
  "\u001b[31m",
  "\ud83d",
  "é",
  "\u200b",
  "\u009b"
])

describe("Big answers", () => {
  it.prop(
    "are cleaned of all that small ones are, wherever in them it stands (R100)",
    [Arbitrary.array(Arbitrary.schema(Word), { maxLength: 3 })],
    ([words]) => {
      const result = { ...answer(HALF + words.join("") + HALF), structuredContent: { [words.join("")]: HALF } }
      assert.deepStrictEqual(
        ServerCall.cleanResultOf(arrived(lineOf(result)), scrub),
        ServerCall.cleanResultOf(result, scrub)
      )
    }
  )

  it.prop(
    "give lists of tools as clean as small ones do (R100)",
    [Arbitrary.array(Arbitrary.schema(Word), { maxLength: 3 })],
    ([words]) => {
      const description = words.join("")
      const tools = [{ name: "a", title: description, description, inputSchema: {} }]
      const page = { tools, _meta: { filler: HALF } }
      const collected = Effect.runSync(
        Listings.collect(Listings.TOOLS, () => Effect.succeed(arrived(lineOf(page))))
      )
      assert.deepStrictEqual(
        Discovery.judge(config(), collected.items, ["files"]).tools,
        Discovery.judge(config(), tools, ["files"]).tools
      )
    }
  )

  it("with bytes that are no text are as clean as with what stands for these", () => {
    const line = lineOf(answer(HALF, "#", HALF))
    line[line.indexOf(0x23)] = 0xff
    assert.deepStrictEqual(
      ServerCall.cleanResultOf(arrived(line), scrub),
      ServerCall.cleanResultOf(answer(HALF, "\ufffd", HALF), scrub)
    )
  })

  it("are refused when they are nested too deep, however plain", () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":${"[".repeat(50_000)}${
      "]".repeat(50_000)
    }}}}\n`
    const result = arrived(new TextEncoder().encode(deep))
    assert.isTrue(ServerCall.cleanResultOf(result, scrub).isError)
  })
})
