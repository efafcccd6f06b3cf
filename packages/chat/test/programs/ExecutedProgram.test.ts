import type { CallResult } from "@boocode/mcp-registry"
import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { Part } from "../../src/model/Part.ts"
import * as ExecutedProgram from "../../src/programs/ExecutedProgram.ts"
import { chatWith, copied, message, newStore, settle, start, until } from "../support/Chatting.ts"
import { agent, calls, finish, mcpTool, model, outline, says, tool } from "../support/Scripted.ts"
import * as ScriptedSandbox from "../support/ScriptedSandbox.ts"

const writes = (id: string, code: string) => [calls(id, "execute", { code }), finish("tool-calls")]
const done = [...says("Done."), finish()]

const answer = (text: string, structuredContent: CallResult["structuredContent"] = null): CallResult => ({
  content: [{ type: "text", text }],
  structuredContent,
  isError: false,
  millis: 1
})

type Setup = NonNullable<Parameters<typeof start>[0]>

/** Chats of an agent whose model writes the program `p`, and then says that it is done. */
const coding = Effect.fnUntraced(function*(
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

const resultOf = (parts: ReadonlyArray<Part>, id = "x") =>
  parts.filter((part) => part.type === "tool-result").find((part) => part.id === id) ??
    assert.fail(`no result of ${id}`)

const brief = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
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
const ASKING: Partial<Setup> = {
  permissions: () => `{ "rules": [{ "ask": "a_*" }] }`
}

/** The approvals that wait in a chat. */
const waiting = Effect.fnUntraced(function*(chats: Effect.Success<ReturnType<typeof coding>>["chats"], id: string) {
  yield* settle
  const parts = (yield* chats.get(id)).turns.flatMap((turn) => turn.parts)
  const over = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
  return parts.filter((part) => part.type === "approval").filter((part) => !over.has(part.id))
})

const valueIn = (given: { readonly value: Schema.Json } | { readonly error: string }): Schema.Json =>
  "value" in given ? given.value : given.error

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
        ["x_1", "a_one", "x", 2, { n: 1 }],
        ["x_2", "a_two", "x", 3, {}]
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
        "call x_1 a_one of x",
        "result x_1",
        "call x_2 a_two of x",
        "error x_2",
        "call x_3 a_gone of x",
        "error x_3",
        "call x_4 save of x",
        "error x_4",
        "error x"
      ])
      const text = read()
      assert.match(
        text,
        /\nThe program ended with an error at line 4 in a call of save: save was not called: .*deny save/
      )
      assert.include(text, "\n  4 | await tools.save({})\n")
      assert.include(
        text,
        "Calls:\n1 a_one (line 1): done\n2 a_two (line 2): failed\n3 a_gone (line 3): not made\n4 save (line 4): not made\n" +
          "Those that are done have been made: do not repeat them."
      )
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
      assert.deepStrictEqual([one?.call, two?.call, more], ["x_1", "x_2", undefined])
      yield* approvals.answer(id, one?.id ?? "", { decision: "once", also: [two?.id ?? "", "unknown"] })
      const [later] = yield* waiting(chats, id)
      assert.strictEqual(later?.call, "x_3", "a later call asks anew")
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
      assert.deepStrictEqual(brief(parts).slice(-4).toSorted(), ["error x", "error x_2", "error x_3", "stopped"])
      assert.strictEqual(
        resultOf(parts).text,
        "The program was stopped before it ended.\n\nConsole:\nso far\n\nCalls:\n1 a_one (line 1): done\n" +
          "2 a_two (line 2): unknown\n3 save (line 2): not made\nThose that are done have been made: do not repeat them. " +
          "Nobody knows what came of unknown ones: look before you make one again."
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
        const one = resultOf((yield* chatWith(inside.chats, "hi")).parts, "x_1")
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
    { arbitrary: { runs: 30 } }
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
  })
})

const INTERRUPTED = "The program was interrupted: the chat server ended before it did, and its state was not kept."

describe("A program that waits for a person", () => {
  /** Reads, then asks; where it goes on, it asks at once. What it is then is its state. */
  const parking =
    (snapshots: Array<Effect.Effect<void>>): Parameters<typeof ScriptedSandbox.make>[0][string] =>
    ({ call, program }) =>
      Effect.gen(function*() {
        if (program.from === undefined) yield* call("a_one", {}, 1)
        snapshots.push(program.onSnapshot?.(new Uint8Array([1, 2, 3])) ?? Effect.void)
        const asked = yield* call("a_two", {}, 2)
        return { from: program.from === undefined ? null : [...program.from], asked: valueIn(asked) }
      })

  const restarting = Effect.fnUntraced(function*() {
    const store = yield* newStore
    const ran: Array<string> = []
    const snapshots: Array<Effect.Effect<void>> = []
    const setup: Setup = {
      permissions: () => `{ "rules": [{ "ask": "a_two" }, { "ask": "execute" }] }`,
      store,
      world: {
        tools: [mcpTool("a", "one"), mcpTool("a", "two")],
        call: (name) =>
          Effect.sync(() => {
            ran.push(name)
            return answer(`${name} ran`)
          })
      }
    }
    const first = yield* coding(parking(snapshots), setup)
    const { id } = yield* first.chats.create({ agent: null, model: null })
    yield* first.chats.send(id, message("hi"))
    const [program] = yield* waiting(first.chats, id)
    yield* first.approvals.answer(id, program?.id ?? "", { decision: "once" })
    const [asked] = yield* waiting(first.chats, id)
    const again = Effect.gen(function*() {
      yield* first.close
      const scripted = yield* model([done])
      const second = yield* start({
        ...setup,
        agents: [{ ...agent, code: true }],
        models: { m: scripted.model },
        environment: "m",
        sandbox: ScriptedSandbox.restoring(parking(snapshots), 2)
      })
      yield* settle
      return { ...second, asked: scripted.asked }
    })
    const file = Effect.map(store.file(id, "program-x"), (bytes) => bytes === null ? null : [...bytes])
    const keep = Effect.suspend(() => snapshots.at(-1) ?? Effect.void)
    return { again, approval: asked?.id ?? "", file, first, id, keep, ran, store }
  })

  it.effect("goes on with the answer in the next run of the server, and makes no call twice", () =>
    Effect.gen(function*() {
      const { again, approval, file, id, keep, ran } = yield* restarting()
      yield* keep
      assert.isNull(yield* file, "it has not waited for long")
      yield* TestClock.adjust("10 seconds")
      yield* keep
      assert.deepStrictEqual(yield* file, [1, 2, 3])
      const { approvals, chats } = yield* again
      assert.deepStrictEqual((yield* waiting(chats, id)).map((part) => part.id), [approval])
      assert.deepStrictEqual(yield* file, [1, 2, 3], "it survives the next kill as well")
      yield* approvals.answer(id, approval, { decision: "once" })
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(ran, ["a_one", "a_two"])
      assert.deepStrictEqual(brief(parts), [
        "call x execute",
        "asks x",
        "once",
        "call x_1 a_one of x",
        "result x_1",
        "call x_2 a_two of x",
        "asks x_2",
        "once",
        "result x_2",
        "result x",
        "text-delta",
        "stop"
      ])
      const document = yield* chats.export(id, "markdown")
      assert.include(document.text, "Called execute:\n\n```ts\np\n```\n")
      assert.include(document.text, "The program called a\\_one:")
      assert.include(resultOf(parts).text, `Value:\n{"from":[1,2,3],"asked":"a_two ran"}`)
      assert.deepStrictEqual(resultOf(parts).origin, { server: "a", tool: "execute", isTrusted: true })
      assert.isNull(yield* file)
    }))

  it.effect("is kept no longer once a call goes on, and then ends with the server, with its list of calls", () =>
    Effect.gen(function*() {
      const { approval, file, first, id, keep, store } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      const entered = yield* Deferred.make<void>()
      first.world.call = () => Effect.andThen(Deferred.succeed(entered, undefined), Effect.never)
      yield* first.approvals.answer(id, approval, { decision: "once" })
      yield* Deferred.await(entered)
      assert.isNull(yield* file, "before the call is made")
      yield* keep
      assert.isNull(yield* file, "what was saved before that is too old")
      const killed = yield* copied(store)
      // As if the server had been killed before it was deleted.
      yield* killed.putFile(id, "program-x", new Uint8Array([1]))
      yield* first.chats.stop(id)
      const { chats } = yield* start({ store: killed })
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(brief(parts).slice(-4), ["once", "error x", "error x_2", "interrupted"])
      assert.strictEqual(
        resultOf(parts).text.split("\nThose")[0],
        `${INTERRUPTED}\n\nCalls:\n1 a_one (line 1): done\n2 a_two (line 2): unknown`
      )
      assert.isNull(yield* killed.file(id, "program-x"))
    }))

  it.effect("that was not kept ends as interrupted, and its question with it", () =>
    Effect.gen(function*() {
      const { again, id, ran } = yield* restarting()
      const { approvals, asked, chats } = yield* again
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(ran, ["a_one"])
      assert.strictEqual(
        resultOf(parts).text,
        `${INTERRUPTED}\n\n` +
          "Calls:\n1 a_one (line 1): done\n2 a_two (line 2): not made\n" +
          "Those that are done have been made: do not repeat them."
      )
      assert.deepStrictEqual(yield* approvals.pending, [])
      assert.lengthOf(asked, 1, "the model goes on")
    }))

  it.effect("is deleted when it is stopped", () =>
    Effect.gen(function*() {
      const { file, first, id, keep } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      yield* first.chats.stop(id)
      assert.isNull(yield* file)
    }))
})
