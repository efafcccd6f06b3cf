import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CleanResult from "../src/CleanResult.ts"
import * as Discovery from "../src/Discovery.ts"
import * as HttpReply from "../src/http/HttpReply.ts"
import * as Pages from "../src/rpc/Pages.ts"
import * as BigAnswers from "../src/transport/BigAnswers.ts"
import * as Framing from "../src/transport/Framing.ts"
import * as Inbox from "../src/transport/Inbox.ts"
import * as JsonRpc from "../src/transport/JsonRpc.ts"
import { config } from "./ServerConfigs.ts"

const CAP = 1024 * 1024
const HALF = "lorem ipsum ".repeat(4000)

/** The result in a line, as it arrives in chunks of a pipe. */
const arrived = (line: Uint8Array): Schema.JsonObject => {
  const inbox = Inbox.make()
  const results: Array<Schema.JsonObject> = []
  inbox.listen((incoming) => {
    const result = incoming._tag === "Message" ? incoming.message["result"] : null
    if (JsonRpc.isObject(result)) results.push(result)
  })
  const decoder = Framing.make(CAP)
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
        CleanResult.of(arrived(lineOf(result)), scrub),
        CleanResult.of(result, scrub)
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
        Pages.collect(Pages.TOOLS, () => Effect.succeed(arrived(lineOf(page))))
      )
      assert.deepStrictEqual(
        Discovery.judge(config(), collected.items, ["files"]).tools,
        Discovery.judge(config(), tools, ["files"]).tools
      )
    }
  )

  it("are known to be clean when they are of ASCII and nothing of them is hidden", () => {
    assert.isTrue(BigAnswers.isPlain(arrived(lineOf(answer(HALF, "a\tb\nc \"d\"", HALF)))))
    for (const hidden of ["\u007f", "\u0007", "\r", "\b", "\f", "é", "\u200b"]) {
      assert.isFalse(BigAnswers.isPlain(arrived(lineOf(answer(HALF, hidden, HALF)))), JSON.stringify(hidden))
    }
  })

  it("are known by their size, and over HTTP by their texts as well, in whatever they come", () => {
    const noted: Array<readonly [characters: number, isPlain: boolean]> = []
    const note = (message: JsonRpc.Message) => {
      const { result } = message
      if (JsonRpc.isObject(result)) noted.push([BigAnswers.charactersOf(result), BigAnswers.isPlain(result)])
    }
    const reading = { maxBytes: CAP, onMessage: note, onOversized: () => {}, onOver: () => {} }
    const feed = (body: HttpReply.Body, text: string) => {
      body.onData(new TextEncoder().encode(text))
      body.onEnd()
    }
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, result: answer(HALF) })
    feed(HttpReply.json(reading), line)
    feed(HttpReply.json(reading), line.replace("lorem", "\\u0007orem"))
    feed(HttpReply.json(reading), line.replace("lorem", "lörem"))
    feed(HttpReply.events(reading), `data: ${line}\n\n`)
    const inbox = Inbox.make()
    inbox.listen((incoming) => incoming._tag === "Message" && note(incoming.message))
    inbox.receive({ _tag: "Line", text: `[${line},${line}]` })
    const size = line.length
    assert.deepStrictEqual(noted, [
      [size, true],
      [size + 5, false],
      [size, false],
      [size, false],
      [2 * size + 3, false],
      [2 * size + 3, false]
    ])
    assert.strictEqual(BigAnswers.charactersOf(arrived(lineOf(answer("small")))), 0)
  })

  it("with bytes that are no text are as clean as with what stands for these", () => {
    const line = lineOf(answer(HALF, "#", HALF))
    line[line.indexOf(0x23)] = 0xff
    assert.deepStrictEqual(CleanResult.of(arrived(line), scrub), CleanResult.of(answer(HALF, "\ufffd", HALF), scrub))
  })

  it("are refused when they are nested too deep, however plain", () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":${"[".repeat(50_000)}${
      "]".repeat(50_000)
    }}}}\n`
    const result = arrived(new TextEncoder().encode(deep))
    assert.isTrue(BigAnswers.isPlain(result))
    assert.isTrue(CleanResult.of(result, scrub).isError)
  })
})
