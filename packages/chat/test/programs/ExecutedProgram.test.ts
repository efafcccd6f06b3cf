import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ExecutedProgram from "../../src/programs/ExecutedProgram.ts"
import { chatWith, message, start, until } from "../support/Chatting.ts"
import { answer, ASKING, brief, coding, done, resultOf, type Setup, valueIn, waiting } from "../support/Coding.ts"
import { agent, calls, finish, mcpTool, model, tool } from "../support/Scripted.ts"

describe("A program that a model writes", () => {
  it.effect("makes its calls as the model would, each a part of the chat under the program's", () =>
    Effect.gen(function*() {
      const { chats, read } = yield* coding(
        ({ call, log }) =>
          Effect.gen(function*() {
            const one = yield* call("a_one", { n: 1 }, 2)
            yield* log("one is there")
            return { one: valueIn(one), two: valueIn(yield* call("a_two", {}, 3)) }
          }),
        {
          world: {
            tools: [mcpTool("a", "one"), mcpTool("a", "two")],
            call: (name) => Effect.succeed(name === "a_one" ? answer("three", { n: 3 }) : answer("[1, 2]"))
          }
        }
      )
      const { parts } = yield* chatWith(chats, "hi")
      const made = parts.flatMap((part) =>
        part.type === "tool-call" ? [[part.id, part.name, part.program, part.line, part.args]] : []
      )
      assert.deepStrictEqual(made, [
        ["x", "execute", undefined, undefined, { code: "p" }],
        ["x.1", "a_one", "x", 2, { n: 1 }],
        ["x.2", "a_two", "x", 3, {}]
      ])
      const result = read()
      assert.deepStrictEqual(result.split("\n").slice(1, -1), [
        "Value:",
        "{\"one\":{\"n\":3},\"two\":[1,2]}",
        "",
        "Console:",
        "one is there",
        "",
        "Calls:",
        "1 a_one (line 2): done",
        "2 a_two (line 3): done"
      ])
      assert.match(result, /^<tool_result_\w{8} server="a" tool="execute" trusted="yes">\n/)
    }))

  it.effect("is told why a call failed, and the model what became of each, so that it repeats no write", () =>
    Effect.gen(function*() {
      const { chats, read } = yield* coding(
        ({ call }) =>
          Effect.gen(function*() {
            yield* call("a_one", {}, 1)
            yield* call("a_two", {}, 2)
            yield* call("a_gone", {}, 3)
            const [error] = [yield* call("save", {}, 4)]
            return yield* Effect.fail({
              kind: "threw" as const,
              message: "error" in error ? error.error : "nothing",
              line: 4,
              text: "await tools.save({})",
              during: "save"
            })
          }),
        {
          ...ASKING,
          permissions: () => `{ "rules": [{ "deny": "save" }] }`,
          builtIn: [tool("save")],
          world: {
            tools: [mcpTool("a", "one"), mcpTool("a", "two")],
            call: (name) => Effect.succeed({ ...answer(`${name} says no`), isError: name === "a_two" })
          }
        }
      )
      const { parts } = yield* chatWith(chats, "hi")
      assert.isTrue(resultOf(parts).isError)
      assert.deepStrictEqual(brief(parts).slice(0, -2), [
        "call x execute",
        "call x.1 a_one of x",
        "result x.1",
        "call x.2 a_two of x",
        "error x.2",
        "call x.3 a_gone of x",
        "error x.3",
        "call x.4 save of x",
        "error x.4",
        "error x"
      ])
      const text = read()
      assert.match(
        text,
        /\nThe program ended with an error at line 4: save was not called: .*deny save/
      )
      assert.include(text, "\n  4 | await tools.save({})\n")
      assert.include(
        text,
        "Calls:\n1 a_one (line 1): done\n2 a_two (line 2): failed\n3 a_gone (line 3): not made\n4 save (line 4): not made\n" +
          "Those that are done have been made: do not repeat them. " +
          "Those that are not made were refused, or the program ended before they were."
      )
    }))

  it.effect("is told what there is where it uses a name that is not, and what to do where it returns nothing", () =>
    Effect.gen(function*() {
      const message = "ReferenceError: fetch is not defined"
      const wrong = yield* coding(() => Effect.fail({ kind: "threw", message, line: 1, text: "fetch()", during: null }))
      yield* chatWith(wrong.chats, "hi")
      assert.include(
        wrong.read(),
        "at line 1: ReferenceError: fetch is not defined; beside JavaScript's own a program has tools, boo, console, a\n"
      )
      const silent = yield* coding(() => Effect.succeed(undefined))
      yield* chatWith(silent.chats, "hi")
      assert.include(silent.read(), "The program returned nothing. Only return at its top gives a value")
    }))

  it.effect("is shown in 32 KB, and kept whole where it is more", () =>
    Effect.gen(function*() {
      const { chats, read } = yield* coding(({ log }) =>
        Effect.as(log(`${"c".repeat(20_000)}end`), `begin${"v".repeat(50_000)}`)
      )
      const { parts } = yield* chatWith(chats, "hi")
      const { text, truncated } = resultOf(parts)
      assert.isBelow(text.length, 33_000)
      assert.match(
        text,
        /^Value:\nbeginv+\n\nConsole:\nc+end\n\n\[\d+ bytes of it left out; read the whole with view_file file-1\./
      )
      assert.strictEqual(truncated?.file, "file-1")
      assert.strictEqual(read(), text)
    }))

  it.effect("gives the model the images of its calls", () =>
    Effect.gen(function*() {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const image = { type: "image", data: png, mimeType: "image/png" }
      const { asked, chats } = yield* coding(
        ({ call }) => Effect.map(call("a_one"), (given) => valueIn(given)),
        {
          world: {
            tools: [mcpTool("a", "one")],
            call: () => Effect.succeed({ ...answer(""), content: [image] })
          }
        }
      )
      const { parts } = yield* chatWith(chats, "hi")
      assert.deepStrictEqual(resultOf(parts).content.map(({ type }) => type), ["text", "image"])
      const [, , , results] = asked[1]?.prompt.content ?? []
      const [part] = results?.role === "tool" ? results.content : []
      assert.deepStrictEqual(
        part?.type === "tool-result" ? part.modelOutput?.map(({ type }) => type) : [],
        ["text", "file"]
      )
      assert.match(resultOf(parts).text, /^Value:\n\[image: image\/png, 1x1 pixels/)
    }))

  it.effect("asks a person for each call that needs a yes, and one answer may be that of several", () =>
    Effect.gen(function*() {
      const both = ["a_one", "a_two"]
      const { approvals, chats, read } = yield* coding(
        ({ call }) =>
          Effect.gen(function*() {
            const first = yield* Effect.forEach(both, (name) => call(name, {}, 1), { concurrency: "unbounded" })
            return [...first.map(valueIn), valueIn(yield* call("a_one", {}, 2))]
          }),
        ASKING
      )
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("hi"))
      const [one, two, more] = yield* waiting(chats, id)
      assert.deepStrictEqual([one?.call, two?.call, more], ["x.1", "x.2", undefined])
      yield* approvals.answer(id, one?.id ?? "", { decision: "once", also: [two?.id ?? "", "unknown"] })
      const [later] = yield* waiting(chats, id)
      assert.strictEqual(later?.call, "x.3", "a later call asks anew")
      yield* approvals.answer(id, later?.id ?? "", { decision: "deny", reason: "enough" })
      yield* until(chats, id, 1)
      assert.match(read(), /"a_one ran","a_two ran","a_one was not called: the person who was asked said no: enough"/)
      assert.include(read(), "3 a_one (line 2): not made")
    }))

  it.effect("that is stopped says what it did: done, unknown, not made", () =>
    Effect.gen(function*() {
      const { chats } = yield* coding(
        ({ call, log }) =>
          Effect.gen(function*() {
            yield* call("a_one", {}, 1)
            yield* log("so far")
            return yield* Effect.as(
              Effect.forEach(["a_two", "save"], (name) => call(name, {}, 2), { concurrency: "unbounded" }),
              null
            )
          }),
        {
          permissions: () => `{ "rules": [{ "ask": "save" }] }`,
          builtIn: [tool("save")],
          world: {
            tools: [mcpTool("a", "one"), mcpTool("a", "two")],
            call: (name) => name === "a_one" ? Effect.succeed(answer("1")) : Effect.never
          }
        }
      )
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("hi"))
      assert.lengthOf(yield* waiting(chats, id), 1)
      yield* chats.stop(id)
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(brief(parts).slice(-4).toSorted(), ["error x", "error x.2", "error x.3", "stopped"])
      assert.strictEqual(
        resultOf(parts).text,
        "The program was stopped before it ended.\n\nConsole:\nso far\n\nCalls:\n1 a_one (line 1): done\n" +
          "2 a_two (line 2): unknown\n3 save (line 2): not made\nThose that are done have been made: do not repeat them. " +
          "Nobody knows what came of unknown ones: look before you make one again. " +
          "Those that are not made were refused, or the program ended before they were."
      )
    }))

  it.effect("runs nowhere where an agent says no, or none is wanted, or nothing can run it", () =>
    Effect.gen(function*() {
      const given = Effect.fnUntraced(function*(setup: Setup) {
        const { asked, chats } = yield* coding(() => Effect.succeed(null), setup)
        yield* chatWith(chats, "hi")
        return asked[0]?.tools.map(({ name }) => name)
      })
      const single = ["a_one", "a_two"]
      const programs = ["execute", "tool_search"]
      const plain = { agents: [agent] as const }
      assert.deepStrictEqual(yield* given({}), programs)
      assert.deepStrictEqual(yield* given(plain), single, "off is the default")
      assert.deepStrictEqual(yield* given({ ...plain, codeMode: "on" }), programs)
      assert.deepStrictEqual(yield* given({ codeMode: "on", agents: [{ ...agent, code: false }] }), single)
      assert.deepStrictEqual(yield* given({ agents: [{ ...agent, code: true, tools: ["*", "!execute"] }] }), single)
      const auto: Setup = { ...plain, codeMode: "auto", toolSearch: { mode: "auto", threshold: 1 } }
      const knows = { facts: { writesPrograms: true } }
      assert.deepStrictEqual(yield* given({ ...auto, ...knows }), programs)
      assert.include((yield* given(auto)) ?? [], "tool_call", "a model of which nothing is known makes calls")
      assert.deepStrictEqual(yield* given({ ...plain, ...knows, codeMode: "auto" }), single, "few tools are given")
    }))
})

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

describe("What a program gets of a call", () => {
  const Answer = Schema.Struct({
    text: Schema.String,
    structuredContent: Schema.NullOr(Schema.JsonObject),
    isError: Schema.Boolean
  })

  it.effect.prop(
    "is what a direct call gives: the same part, and its structured content, its JSON or its text",
    { given: Arbitrary.schema(Answer) },
    ({ given }) =>
      Effect.gen(function*() {
        const world = {
          tools: [mcpTool("a", "one")],
          call: () => Effect.succeed({ ...answer(given.text, given.structuredContent), isError: given.isError })
        }
        let seen: unknown
        const inside = yield* coding(
          ({ call }) =>
            Effect.map(call("a_one"), (answered) => {
              seen = answered
              return null
            }),
          { world }
        )
        const scripted = yield* model([[calls("x", "a_one"), finish("tool-calls")], done])
        const direct = yield* start({ models: { m: scripted.model }, environment: "m", world })
        const one = resultOf((yield* chatWith(inside.chats, "hi")).parts, "x.1")
        const other = resultOf((yield* chatWith(direct.chats, "hi")).parts)
        const { id: _, seq: __, ...rest } = one
        const { id: ___, seq: ____, ...same } = other
        assert.deepStrictEqual(rest, same)
        const json = /^\s*[[{]/.test(one.text)
          ? decodeJson(one.text)
          : null
        assert.deepStrictEqual(
          seen,
          given.isError
            ? { error: one.text, outcome: "failed" }
            : { value: given.structuredContent ?? (json?._tag === "Some" ? json.value : one.text) }
        )
      }),
    { arbitrary: { runs: 12 } }
  )

  it("is text where it was cut, and says what may have been made where it failed", () => {
    const cut = { bytes: 9, shownBytes: 1, file: null, text: null }
    const whole = { ...ToolResult.success("{\"a\": 1}"), structuredContent: { a: 1 } }
    assert.deepStrictEqual(ExecutedProgram.answerOf("t", { ...whole, truncated: cut }), { value: "{\"a\": 1}" })
    const failed = (text: string, fault: "tool" | "call" | "server") => {
      const given = ExecutedProgram.answerOf("t", ToolResult.failure(text, { fault }))
      return "error" in given ? given.outcome : null
    }
    assert.deepStrictEqual(
      [failed("no", "tool"), failed("lost", "server"), failed("t was not called: no", "server"), failed("odd", "call")],
      ["failed", "unknown", "not made", "not made"]
    )
    const origin = { server: "a", tool: "t", isTrusted: false }
    const said = ExecutedProgram.answerOf("t", ToolResult.failure("t was not called: no", { origin }))
    assert.deepStrictEqual(said, { error: "t was not called: no", outcome: "failed" }, "a server cannot say so")
  })
})
