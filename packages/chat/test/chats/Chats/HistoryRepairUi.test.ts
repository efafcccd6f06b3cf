import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as HistoryRepair from "../../../src/history/HistoryRepair.ts"
import { uiFaults, type UiMessage, type UiPart } from "../../support/HistoryRules.ts"

const kinds = ({ repairs }: { readonly repairs: ReadonlyArray<HistoryRepair.Repair> }) =>
  repairs.map(({ call, kind }) => call === null ? kind : `${kind} ${call}`)

describe("HistoryRepair and the tool parts of OpenCode", () => {
  const part = (status: string, more: object = {}): UiPart => ({
    type: "tool",
    id: "prt_1",
    callID: "c",
    tool: "read",
    state: { status, input: { path: "a" }, ...more }
  })
  const info = (id: string, role: string) => ({ id, role, sessionID: "ses_1" })
  const question = { info: info("m1", "user"), parts: [{ type: "text", text: "hi" }] }
  const answer = (...parts: ReadonlyArray<UiPart>) => ({ info: info("m2", "assistant"), parts })
  const ends = { type: "step-finish", reason: "tool-calls" }

  it.each(["pending", "running"])("end a call that stayed %s (R31)", (status) => {
    const given = [question, answer({ type: "step-start" }, part(status, { time: { start: 5 } }), ends)]
    const repaired = HistoryRepair.openCodeMessages(given)
    assert.deepStrictEqual(kinds(repaired), ["missing-result c"])
    assert.deepStrictEqual(repaired.messages, [
      question,
      answer(
        { type: "step-start" },
        part("error", { error: HistoryRepair.MISSING_RESULT, time: { start: 5, end: 5 } }),
        ends
      )
    ])
    assert.strictEqual(HistoryRepair.openCodeMessages(repaired.messages).messages, repaired.messages)
  })

  it("leave a call alone that has a result or an error", () => {
    const given = [
      question,
      answer(part("completed", { output: "ok", time: { start: 1, end: 2 } })),
      answer({ ...part("error", { error: "no", time: { start: 1, end: 2 } }), callID: "d" }),
      { info: info("m4", "user"), parts: [{ type: "text", text: "go on" }] }
    ]
    assert.strictEqual(HistoryRepair.openCodeMessages(given).messages, given)
  })

  it("keep one of two calls of one id, give a later one its own, and make arguments an object", () => {
    const given = [
      question,
      answer(part("running"), part("completed", { output: "ok" })),
      answer(part("completed", { input: "half {", output: "ok" }))
    ]
    const repaired = HistoryRepair.openCodeMessages(given)
    assert.deepStrictEqual(kinds(repaired), ["repeated-call c", "renamed-call c", "call-arguments c"])
    assert.deepStrictEqual(repaired.messages.slice(1), [
      answer(part("completed", { output: "ok" })),
      answer({ ...part("completed", { input: { rawInvalidInput: "half {" }, output: "ok" }), callID: "c_2" })
    ])
  })

  it("get a message of the user in the same session where a provider needs one", () => {
    const { messages } = HistoryRepair.openCodeMessages([answer({ type: "text", text: "Hello" })])
    assert.deepStrictEqual(messages.map(({ info, parts }) => [info, parts.map(({ text }) => text)]), [
      [info("m2-before", "user"), [HistoryRepair.BEGINNING]],
      [info("m2", "assistant"), ["Hello"]],
      [info("m2-after", "user"), [HistoryRepair.GO_ON]]
    ])
  })

  it("are known among the parts of the AI SDK, too", () => {
    const ui = { id: "a1", role: "assistant", parts: [part("running")] }
    const given = [{ id: "u1", role: "user", parts: [{ type: "text", text: "hi" }] }, ui]
    assert.deepStrictEqual(kinds(HistoryRepair.uiMessages(given)), ["missing-result c"])
  })
})

describe("HistoryRepair.uiMessages", () => {
  const question: UiMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "hi" }] }
  const answer = (...parts: ReadonlyArray<UiPart>): UiMessage => ({
    id: "a1",
    role: "assistant",
    parts,
    metadata: { kept: true }
  })
  const tool = (state: string, more: object = {}): UiPart => ({
    type: "tool-read",
    toolCallId: "a",
    state,
    input: { p: 1 },
    ...more
  })
  const next: UiMessage = { id: "u2", role: "user", parts: [{ type: "text", text: "go on" }] }

  it.each(["input-streaming", "input-available", "approval-requested", "approval-responded"])(
    "ends a call that stayed in %s (R31)",
    (state) => {
      const approval = state.startsWith("approval")
        ? { approval: { id: "x", ...(state === "approval-responded" ? { approved: true } : {}) } }
        : {}
      const given = [question, answer({ type: "step-start" }, tool(state, approval)), next]
      assert.notDeepEqual(uiFaults(given), [])
      const repaired = HistoryRepair.uiMessages(given)
      assert.deepStrictEqual(uiFaults(repaired.messages), [])
      assert.deepStrictEqual(kinds(repaired), ["missing-result a"])
      assert.deepInclude(repaired.messages[1], { id: "a1", metadata: { kept: true } })
      const wanted = state === "approval-requested"
        ? { state: "output-denied", approval: { id: "x", approved: false, reason: HistoryRepair.NOT_APPROVED } }
        : { state: "output-error", errorText: HistoryRepair.MISSING_RESULT, ...approval }
      assert.deepStrictEqual(repaired.messages[1]?.parts[1], tool(state, wanted))
    }
  )

  it("leaves results, errors, denials and a yes in the last message alone", () => {
    for (const state of ["output-available", "output-error", "output-denied"]) {
      const given = [question, answer(tool(state)), next]
      assert.strictEqual(HistoryRepair.uiMessages(given).messages, given)
    }
    const agreed = [question, answer(tool("approval-responded", { approval: { id: "x", approved: true } }))]
    assert.strictEqual(HistoryRepair.uiMessages(agreed).messages, agreed)
    const refused = [question, answer(tool("approval-responded", { approval: { id: "x", approved: false } })), next]
    assert.strictEqual(HistoryRepair.uiMessages(refused).messages, refused)
  })

  it("ends an approved call after which something was said: no request would run it any more", () => {
    const agreed = tool("approval-responded", { approval: { id: "x", approved: true } })
    for (const more of [{ type: "text", text: "well" }, { type: "step-start" }]) {
      const { messages, repairs } = HistoryRepair.uiMessages([
        question,
        answer(agreed, more, { ...agreed, toolCallId: "b" })
      ])
      assert.deepStrictEqual(repairs.map(({ call, kind }) => `${kind} ${call}`), ["missing-result a"])
      assert.deepStrictEqual(messages[1]?.parts[2], { ...agreed, toolCallId: "b" })
    }
  })

  it("knows tools whose names are known at run time, and keeps the one of two parts that has the result", () => {
    const dynamic = (state: string): UiPart => ({
      type: "dynamic-tool",
      toolName: "read",
      toolCallId: "a",
      state,
      input: {}
    })
    const given = [
      question,
      answer(dynamic("input-available"), dynamic("output-available"), { type: "text", text: "ok" }),
      next
    ]
    const repaired = HistoryRepair.uiMessages(given)
    assert.deepStrictEqual(repaired.messages[1]?.parts, [dynamic("output-available"), { type: "text", text: "ok" }])
    assert.deepStrictEqual(repaired.repairs, [{ kind: "repeated-call", message: 1, call: "a", tool: "read" }])
  })

  it("begins and ends with the user, and names added messages after their neighbours", () => {
    const { messages } = HistoryRepair.uiMessages([answer({ type: "text", text: "Summary." })])
    assert.deepStrictEqual(messages.map(({ id, role }) => `${role} ${id}`), [
      "user a1-before",
      "assistant a1",
      "user a1-after"
    ])
  })

  const State = Schema.Literals([
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error"
  ])
  const Part = Arbitrary.all({
    type: Arbitrary.schema(Schema.Literals(["text", "blank", "reasoning", "step-start", "tool-f", "dynamic-tool"])),
    id: Arbitrary.schema(Schema.Literals(["a", "b", "a_2"])),
    state: Arbitrary.schema(State),
    input: Arbitrary.schema(Schema.Literals(["object", "none", "text"]))
  })
  const AnyUi = Arbitrary.array(
    Arbitrary.all({
      role: Arbitrary.schema(Schema.Literals(["user", "assistant"])),
      parts: Arbitrary.array(Part, { maxLength: 4 })
    }),
    { maxLength: 6 }
  )

  it.prop("makes any parts in any states sound, once and for all (R31)", [AnyUi], ([drawn]) => {
    const given = drawn.map(({ parts, role }, index): UiMessage => ({
      id: `m${index}`,
      role,
      parts: parts.map(({ id, input, state, type }): UiPart => {
        if (type === "text" || type === "blank") return { type: "text", text: type === "text" ? "words" : "\n" }
        if (type === "reasoning" || type === "step-start") return { type, text: "hm" }
        const made = input === "object" ? { input: {} } : input === "text" ? { input: "{" } : {}
        return { type, toolName: "f", toolCallId: id, state, approval: { id: "x", approved: true }, ...made }
      }).filter(({ type }) => role === "assistant" || type === "text")
    }))
    const once = HistoryRepair.uiMessages(given)
    assert.deepStrictEqual(uiFaults(once.messages), [])
    assert.strictEqual(HistoryRepair.uiMessages(once.messages).messages, once.messages)
    assert.strictEqual(once.messages === given, once.repairs.length === 0)
    return true
  }, { arbitrary: { runs: 300 } })
})
