import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HistoryRepair from "../../src/history/HistoryRepair.ts"
import {
  type Block,
  blockFaults,
  type BlockMessage,
  promptFaults,
  uiFaults,
  type UiMessage,
  type UiPart
} from "../support/HistoryRules.ts"

const MANY = { arbitrary: { runs: 300 } }

const kinds = ({ repairs }: { readonly repairs: ReadonlyArray<HistoryRepair.Repair> }) =>
  repairs.map(({ call, kind }) => call === null ? kind : `${kind} ${call}`)

// Content blocks

const says = (text: string): Block => ({ type: "text", text })
const uses = (id: string, input: unknown = { of: id }): Block => ({ type: "tool_use", id, name: `f_${id}`, input })
const gives = (id: string, content = `ok ${id}`): Block => ({ type: "tool_result", tool_use_id: id, content })
const user = (...content: ReadonlyArray<Block>): BlockMessage => ({ role: "user", content })
const assistant = (...content: ReadonlyArray<Block>): BlockMessage => ({ role: "assistant", content })
const missing = (id: string): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content: HistoryRepair.MISSING_RESULT,
  is_error: true
})

const SOUND: ReadonlyArray<BlockMessage> = [
  { role: "user", content: "hi" },
  assistant({ type: "thinking", thinking: "hm", signature: "s" }, says("Let me look."), uses("a"), uses("b")),
  user(
    gives("a"),
    { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "ok" }], is_error: true },
    says("and?")
  ),
  assistant(uses("c")),
  user(gives("c")),
  { role: "assistant", content: "Done." },
  { role: "user", content: "thanks" }
]

/** Histories that Anthropic answered with 400, and what repairs them. */
const BROKEN: ReadonlyArray<
  readonly [string, ReadonlyArray<BlockMessage>, ReadonlyArray<BlockMessage>, ReadonlyArray<string>]
> = [
  [
    "a call without a result, and a question instead of it",
    [user(says("hi")), assistant(uses("a")), { role: "user", content: "and?" }],
    [user(says("hi")), assistant(uses("a")), user(missing("a"), says("and?"))],
    ["missing-result a"]
  ],
  [
    "a call without a result at the end, as a killed process leaves it",
    [user(says("hi")), assistant(uses("a"))],
    [user(says("hi")), assistant(uses("a")), user(missing("a"))],
    ["missing-result a"]
  ],
  [
    "one of three parallel calls done",
    [user(says("hi")), assistant(uses("a"), uses("b"), uses("c")), user(gives("b")), user(says("go on"))],
    [
      user(says("hi")),
      assistant(uses("a"), uses("b"), uses("c")),
      user(missing("a"), gives("b"), missing("c")),
      user(says("go on"))
    ],
    ["missing-result a", "missing-result c"]
  ],
  [
    "a result whose call was compacted away",
    [user(gives("gone"), says("Summary: we looked.")), assistant(says("ok")), user(says("go"))],
    [user(says("Summary: we looked.")), assistant(says("ok")), user(says("go"))],
    ["stray-result gone"]
  ],
  [
    "a history that begins with results, then the assistant",
    [user(gives("gone")), assistant(says("So"), uses("a")), user(gives("a"))],
    [user(says(HistoryRepair.BEGINNING)), assistant(says("So"), uses("a")), user(gives("a"))],
    ["stray-result gone", "user-added"]
  ],
  [
    "a summary by the assistant, then its next call",
    [user(says("hi")), assistant(says("Summary.")), assistant(uses("a")), user(gives("a"))],
    [
      user(says("hi")),
      assistant(says("Summary.")),
      user(says(HistoryRepair.GO_ON)),
      assistant(uses("a")),
      user(gives("a"))
    ],
    ["user-added"]
  ],
  [
    "two results of one call",
    [user(says("hi")), assistant(uses("a")), user(gives("a"), gives("a", "again"))],
    [user(says("hi")), assistant(uses("a")), user(gives("a"))],
    ["repeated-result a"]
  ],
  [
    "a result behind a text, and one that came two messages late",
    [
      user(says("hi")),
      assistant(uses("a"), uses("b")),
      user(says("well"), gives("b")),
      assistant(says("hm")),
      user(gives("a"))
    ],
    [
      user(says("hi")),
      assistant(uses("a"), uses("b")),
      user(gives("a"), gives("b"), says("well")),
      assistant(says("hm")),
      user(says(HistoryRepair.GO_ON))
    ],
    ["moved-result b", "moved-result a", "user-added"]
  ],
  [
    "a result in front of its call",
    [user(gives("a"), says("hi")), assistant(uses("a")), user(says("go"))],
    [user(says("hi")), assistant(uses("a")), user(gives("a"), says("go"))],
    ["moved-result a"]
  ],
  [
    "an id that a later answer uses again",
    [user(says("hi")), assistant(uses("a")), user(gives("a", "1")), assistant(uses("a")), user(gives("a", "2"))],
    [
      user(says("hi")),
      assistant(uses("a")),
      user(gives("a", "1")),
      assistant({ ...uses("a"), id: "a_2" }),
      user(gives("a_2", "2"))
    ],
    ["renamed-call a"]
  ],
  [
    "one call twice in one message",
    [user(says("hi")), assistant(uses("a"), uses("a")), user(gives("a"))],
    [user(says("hi")), assistant(uses("a")), user(gives("a"))],
    ["repeated-call a"]
  ],
  [
    "arguments that are missing or are no object",
    [user(says("hi")), assistant(uses("a", null), uses("b", "{\"p\": ")), user(gives("a"), gives("b"))],
    [
      user(says("hi")),
      assistant(uses("a", {}), uses("b", { rawInvalidInput: "{\"p\": " })),
      user(gives("a"), gives("b"))
    ],
    ["call-arguments a", "call-arguments b"]
  ],
  [
    "reasoning that was cut off, blank text, a message of nothing",
    [
      user(says("hi"), says(" ")),
      assistant({ type: "thinking", thinking: "hm", signature: "s" }),
      user(says("go on")),
      assistant(),
      assistant(says("Yes."), { type: "thinking", thinking: "hm", signature: "s" }),
      user(says("ok"))
    ],
    [user(says("hi")), user(says("go on")), assistant(says("Yes.")), user(says("ok"))],
    ["left-out", "left-out", "left-out", "left-out"]
  ],
  [
    "words of the assistant at the end",
    [user(says("hi")), assistant(says("Well"))],
    [user(says("hi")), assistant(says("Well")), user(says(HistoryRepair.GO_ON))],
    ["user-added"]
  ]
]

describe("HistoryRepair.blocks", () => {
  it.each(BROKEN)("repairs %s (Decision 16, R31)", (_, given, wanted, done) => {
    assert.notDeepEqual(blockFaults(given), [], "the rules must refuse it first")
    const repaired = HistoryRepair.blocks(given)
    assert.deepStrictEqual(repaired.messages, wanted)
    assert.deepStrictEqual(kinds(repaired), done)
    assert.deepStrictEqual(blockFaults(repaired.messages), [])
  })

  it("gives a sound history back as it is (R31)", () => {
    assert.deepStrictEqual(blockFaults(SOUND), [])
    const repaired = HistoryRepair.blocks(SOUND)
    assert.strictEqual(repaired.messages, SOUND)
    assert.deepStrictEqual(repaired.repairs, [])
  })

  it("keeps ids, metadata and every message that it need not change", () => {
    const given = [
      { role: "user", content: "hi", id: "m1" },
      {
        role: "assistant",
        content: [{ ...uses("a"), cache_control: { type: "ephemeral" } }],
        id: "m2",
        sessionID: "s"
      },
      { role: "user", content: [says("well"), { ...gives("a"), cache_control: null }], id: "m3", sessionID: "s" }
    ]
    const { messages } = HistoryRepair.blocks(given)
    assert.strictEqual(messages[0], given[0])
    assert.strictEqual(messages[1], given[1])
    const changed: unknown = messages[2]
    assert.deepStrictEqual(changed, {
      ...given[2],
      content: [{ ...gives("a"), cache_control: null }, says("well")]
    })
  })

  it("leaves words of the assistant at the end where no request follows", () => {
    const given = [user(says("hi")), assistant(says("Well"))]
    assert.strictEqual(HistoryRepair.blocks(given, { isRequest: false }).messages, given)
  })

  const BlockKind = Schema.Literals([
    "text",
    "blank",
    "think",
    "use a",
    "use b",
    "use c",
    "use a_2",
    "give a",
    "give b",
    "give c",
    "give a_2",
    "no input"
  ])
  const toBlock = (kind: string): Block => {
    const [word, id = ""] = kind.split(" ")
    if (word === "use") return uses(id)
    if (word === "give") return gives(id)
    if (kind === "no input") return uses("a", null)
    return kind === "think"
      ? { type: "thinking", thinking: "hm", signature: "s" }
      : says(kind === "blank" ? " \n" : "words")
  }
  const of = (role: string) => ({ type }: Block) => type === "text" || role === "assistant" || type === "tool_result"
  const AnyBlocks = Arbitrary.array(
    Arbitrary.all({
      role: Arbitrary.schema(Schema.Literals(["user", "assistant"])),
      blocks: Arbitrary.array(Arbitrary.schema(BlockKind), { maxLength: 5 })
    }),
    { minLength: 0, maxLength: 7 }
  )

  it.prop(
    "makes any interleaving of calls, results and words sound, once and for all (R31)",
    [AnyBlocks],
    ([drawn]) => {
      const given = drawn.map(({ blocks, role }): BlockMessage => ({
        role,
        content: blocks.map(toBlock).filter(of(role))
      }))
      const once = HistoryRepair.blocks(given)
      assert.deepStrictEqual(blockFaults(once.messages), [])
      const twice = HistoryRepair.blocks(once.messages)
      assert.strictEqual(twice.messages, once.messages)
      assert.strictEqual(once.messages === given, once.repairs.length === 0)
      assert.isTrue(once.repairs.every(({ message }) => message >= 0 && message <= given.length))
      return true
    },
    MANY
  )

  it.prop("never touches what the rules accept (R31)", [AnyBlocks], ([drawn]) => {
    const given = drawn.map(({ blocks, role }): BlockMessage => ({
      role,
      content: blocks.map(toBlock).filter(of(role))
    }))
    return blockFaults(given).length > 0 || HistoryRepair.blocks(given).messages === given
  }, { arbitrary: { runs: 300 } })
})

// Interruption

/** What is written down while a turn runs: the question, then each step's words, calls, and results as they come. */
type Event = readonly ["ask" | "say" | "call" | "result", string]

const TURN: ReadonlyArray<Event> = [
  ["ask", "q1"],
  ["say", "look"],
  ["call", "a"],
  ["call", "b"],
  ["call", "c"],
  ["result", "c"],
  ["result", "a"],
  ["result", "b"],
  ["call", "d"],
  ["result", "d"],
  ["say", "done"],
  ["ask", "q2"],
  ["call", "e"],
  ["result", "e"],
  ["say", "done again"]
]

const cuts = Array.from({ length: TURN.length }, (_, index) => index + 1)

/** The turn up to an event, compacted up to another one, then asked on after a new start. */
const stored = (from: number, to: number): ReadonlyArray<Event> => [...TURN.slice(from, to), ["ask", "go on"]]

const asBlocks = (events: ReadonlyArray<Event>): ReadonlyArray<BlockMessage> => {
  const messages: Array<{ role: string; content: Array<Block> }> = []
  for (const [kind, text] of events) {
    const role = kind === "ask" || kind === "result" ? "user" : "assistant"
    const block = kind === "call" ? uses(text) : kind === "result" ? gives(text) : says(text)
    const last = messages.at(-1)
    const isNext = last?.role === role && (kind === "ask") === last.content.every(({ type }) => type !== "tool_result")
    if (isNext && last !== undefined) last.content.push(block)
    else messages.push({ role, content: [block] })
  }
  return messages
}

const asPrompt = (events: ReadonlyArray<Event>): ReadonlyArray<Prompt.Message> =>
  asBlocks(events).map(({ content, role }) => {
    const blocks = typeof content === "string" ? [says(content)] : content
    const results = blocks.filter(({ type }) => type === "tool_result")
    if (results.length > 0) {
      return Prompt.toolMessage({
        content: results.map((block) =>
          Prompt.toolResultPart({
            id: String(block["tool_use_id"]),
            name: "f",
            isFailure: false,
            result: "ok",
            providerExecuted: false
          })
        )
      })
    }
    if (role === "user") {
      return Prompt.userMessage({ content: blocks.map(({ text }) => Prompt.textPart({ text: String(text) })) })
    }
    return Prompt.assistantMessage({
      content: blocks.map((block) =>
        block.type === "text"
          ? Prompt.textPart({ text: String(block["text"]) })
          : Prompt.toolCallPart({ id: String(block["id"]), name: "f", params: {}, providerExecuted: false })
      )
    })
  })

const asUi = (events: ReadonlyArray<Event>): ReadonlyArray<UiMessage> => {
  const messages: Array<{ id: string; role: string; parts: Array<UiPart> }> = []
  for (const [index, [kind, text]] of events.entries()) {
    const role = kind === "ask" ? "user" : "assistant"
    const last = messages.at(-1)
    const parts = last?.role === role ? last.parts : []
    if (last?.role !== role) messages.push({ id: `m${index}`, role, parts })
    const at = parts.findIndex(({ toolCallId }) => toolCallId === text)
    if (kind === "call") parts.push({ type: "tool-f", toolCallId: text, state: "input-available", input: {} })
    else if (kind !== "result") parts.push({ type: "text", text })
    else if (at >= 0) parts[at] = { ...parts[at], type: "tool-f", state: "output-available", output: `ok ${text}` }
  }
  return messages
}

const pairs = cuts.flatMap((to) => Array.from({ length: to }, (_, from) => [from, to] as const))

describe("HistoryRepair at every point where a turn can be cut", () => {
  it("answers each call exactly once, directly after it, and keeps each real result: blocks (R31)", () => {
    let refused = 0
    for (const [from, to] of pairs) {
      const given = asBlocks(stored(from, to))
      if (blockFaults(given).length > 0) refused++
      const { messages } = HistoryRepair.blocks(given)
      assert.deepStrictEqual(blockFaults(messages), [], `events ${from} to ${to}`)
      const text = JSON.stringify(messages)
      for (const id of keptResults(from, to)) assert.include(text, `"ok ${id}"`)
    }
    assert.isAbove(refused, 40)
  })

  it("answers each call exactly once, directly after it: effect/ai (R31)", () => {
    let refused = 0
    for (const [from, to] of pairs) {
      const given = asPrompt(stored(from, to))
      if (promptFaults(given).length > 0) refused++
      const { messages } = HistoryRepair.prompt(given)
      assert.deepStrictEqual(promptFaults(messages), [], `events ${from} to ${to}`)
      const results = messages.flatMap((message) => message.role === "tool" ? message.content : [])
      const real = results.filter((part) => part.type === "tool-result" && !part.isFailure)
      assert.strictEqual(real.length, keptResults(from, to).length)
      assert.strictEqual(HistoryRepair.prompt(messages).messages, messages)
    }
    assert.isAbove(refused, 40)
  })

  it("ends every call that was not finished: parts (R31)", () => {
    let refused = 0
    for (const [from, to] of pairs) {
      const given = asUi(stored(from, to))
      if (uiFaults(given).length > 0) refused++
      const { messages } = HistoryRepair.uiMessages(given)
      assert.deepStrictEqual(uiFaults(messages), [], `events ${from} to ${to}`)
      assert.strictEqual(HistoryRepair.uiMessages(messages).messages, messages)
    }
    assert.isAbove(refused, 20)
  })

  const keptResults = (from: number, to: number) => {
    const kept = TURN.slice(from, to)
    const called = kept.flatMap(([kind, id]) => kind === "call" ? [id] : [])
    return kept.flatMap(([kind, id]) => kind === "result" && called.includes(id) ? [id] : [])
  }
})

describe("HistoryRepair.prompt", () => {
  it("keeps provider options, results of the provider itself, and a yes that waits in a tool message", () => {
    const options = { anthropic: { cacheControl: { type: "ephemeral" } } }
    const given: ReadonlyArray<Prompt.Message> = [
      Prompt.systemMessage({ content: "Be brief.", options }),
      Prompt.userMessage({ content: [Prompt.textPart({ text: "hi" })], options }),
      Prompt.assistantMessage({
        content: [
          Prompt.toolCallPart({ id: "s", name: "search", params: {}, providerExecuted: true }),
          Prompt.toolResultPart({ id: "s", name: "search", isFailure: false, result: "r", providerExecuted: true }),
          Prompt.toolCallPart({ id: "a", name: "f", params: {}, providerExecuted: false, options })
        ],
        options
      })
    ]
    const { messages } = HistoryRepair.prompt(given)
    assert.deepStrictEqual(messages.slice(0, 3), given)
    assert.deepStrictEqual(messages.map(({ role }) => role), ["system", "user", "assistant", "tool"])
    assert.deepStrictEqual(messages[2]?.options, options)
  })

  it("gives a sound history back as it is", () => {
    const given = asPrompt(TURN.slice(0, 11)).concat(Prompt.userMessage({ content: [Prompt.textPart({ text: "go" })] }))
    // The results came as they were ready; a prompt has them in the order of the calls.
    const sound = HistoryRepair.prompt(given).messages
    assert.deepStrictEqual(promptFaults(sound), [])
    assert.strictEqual(HistoryRepair.prompt(sound).messages, sound)
  })
})

describe("HistoryRepair.reported", () => {
  it.effect("tells a reporter what was done, in words that name call and tool, and is silent otherwise", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const given = [user(says("hi")), assistant(uses("a")), user(says("and?"))]
      const messages = yield* HistoryRepair.reported(HistoryRepair.blocks(given)).pipe(
        Effect.flatMap((messages) => Effect.as(HistoryRepair.reported(HistoryRepair.blocks(messages)), messages)),
        Effect.provideService(
          HistoryRepair.Reporter,
          (repairs) => Effect.sync(() => void told.push(...repairs.map(HistoryRepair.describe)))
        )
      )
      assert.deepStrictEqual(messages[2], user(missing("a"), says("and?")))
      assert.deepStrictEqual(told, ["message 2: call a of f_a had no result and got an error result"])
    }))
})
