import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TokenCount from "../../src/history/TokenCount.ts"
import * as Compaction from "../../src/turn/Compaction.ts"
import * as OmittedMessages from "../../src/turn/OmittedMessages.ts"
import { promptFaults } from "../support/HistoryRules.ts"

/** Three characters are a token. */
const words = (size: number) => "ab ".repeat(Math.ceil(size / 3)).slice(0, size)

const user = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })
const says = (text: string) => Prompt.assistantMessage({ content: [Prompt.textPart({ text })] })
const image = Prompt.filePart({ mediaType: "image/png", data: "AAAA" })

/** An answer with calls, and a result of so many characters for each; a negative size has an image, too. */
const step = (name: string, sizes: ReadonlyArray<number>): ReadonlyArray<Prompt.Message> => [
  Prompt.assistantMessage({
    content: sizes.map((_, index) =>
      Prompt.toolCallPart({ id: `${name}${index}`, name: "f_read", params: {}, providerExecuted: false })
    )
  }),
  Prompt.toolMessage({
    content: sizes.map((size, index) => {
      const result = `${name}${index}:${words(Math.abs(size))}`
      return Prompt.toolResultPart({
        id: `${name}${index}`,
        name: "f_read",
        isFailure: false,
        providerExecuted: false,
        result,
        ...(size < 0 ? { modelOutput: [Prompt.textPart({ text: result }), image] } : {})
      })
    })
  })
]

const conversation = (
  earlier: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>,
  running: ReadonlyArray<ReadonlyArray<number>> = []
): OmittedMessages.Conversation => ({
  system: [Prompt.systemMessage({ content: "Be brief." })],
  earlier: earlier.map((steps, turn) => [
    user(`question ${turn}`),
    ...steps.flatMap((sizes, at) => step(`t${turn}s${at}_`, sizes)),
    says(`answer ${turn}`)
  ]),
  question: [user("now")],
  steps: running.map((sizes, at) => step(`r${at}_`, sizes))
})

const NO_HANDLES: OmittedMessages.Handles = new Map()
const room = (tokens: number, besides = 0): Compaction.Room => ({ tokens, besides })
const fit = (
  of: OmittedMessages.Conversation,
  tokens: number,
  { before = OmittedMessages.NOTHING, handles = NO_HANDLES }: {
    readonly before?: OmittedMessages.OmittedMessages
    readonly handles?: OmittedMessages.Handles
  } = {}
) => Effect.runSync(Compaction.fit(of, before, room(tokens), handles))

const texts = (messages: ReadonlyArray<Prompt.Message>): string =>
  messages.flatMap((message) =>
    message.role === "system" ?
      [message.content] :
      message.content.map((part) =>
        part.type === "text" ? part.text : part.type === "tool-result" ? String(part.result) : ""
      )
  ).join("\n")

describe("Compaction", () => {
  it("leaves a conversation that fits as it is", () => {
    const whole = conversation([[[1000]]], [[1000]])
    const { fits, left, messages } = fit(whole, 10_000)
    assert.isTrue(fits)
    assert.strictEqual(left, OmittedMessages.NOTHING)
    assert.include(texts(messages), "t0s0_0:ab ab")
  })

  it("leaves out the largest results of earlier turns first, and says how to get at them", () => {
    const whole = conversation([[[3000]], [[30_000]], [[6000]]])
    const { left, messages } = fit(whole, 8000, { handles: new Map([["t1s0_0", "result-1"]]) })
    assert.deepStrictEqual([...left.results], ["t1s0_0"])
    const said = texts(messages)
    assert.include(said, "This result of f_read, 30007 bytes, is left out")
    assert.include(said, "read the whole with view_file result-1")
    assert.include(said, "t0s0_0:ab ab")
    assert.include(said, "t2s0_0:ab ab")
  })

  it("leaves out results of the running turn only when those of earlier turns are not enough, never unread ones", () => {
    const whole = conversation([[[9000]]], [[9000], [9000]])
    assert.deepStrictEqual([...fit(whole, 8000).left.results], ["t0s0_0"])
    const { fits, left, messages } = fit(whole, 4000)
    assert.isTrue(fits)
    assert.deepStrictEqual([...left.results], ["t0s0_0", "r0_0"])
    assert.include(texts(messages), "r1_0:ab ab")
    assert.include(texts(messages), "call f_read again if you need it")
  })

  it("leaves out whole turns when results are not enough, with one line that says how many", () => {
    const long = {
      ...conversation([]),
      earlier: [0, 1, 2, 3].map((turn) => [user(`${turn}a `.repeat(1000)), says("ok")])
    }
    const { fits, left, messages } = fit(long, 5500)
    assert.isTrue(fits)
    assert.strictEqual(left.turns, 2)
    assert.include(texts(messages), "2 oldest turns of this conversation are left out")
    assert.notInclude(texts(messages), "0a 0a")
    assert.include(texts(messages), "2a 2a")
  })

  it("cuts unread results when nothing else helps, and keeps their beginning and end", () => {
    const { fits, left, messages } = fit(conversation([[[600]]], [[90_000, 300]]), 6000)
    assert.isTrue(fits)
    assert.deepStrictEqual([[...left.cut.keys()], left.turns], [["r0_0"], 1])
    assert.include(texts(messages), "r0_0:ab ab")
    assert.match(texts(messages), /Of 90005 bytes a part is left out here/)
    assert.include(texts(messages), `r0_1:${words(300)}`)
  })

  it("says when it does not fit at all", () => {
    const whole = { ...conversation([[[600]]]), question: [user(words(30_000))] }
    const { fits, tokens } = fit(whole, 5000)
    assert.isFalse(fits)
    assert.isAbove(tokens, 5000)
  })

  it("counts what goes with the messages, such as the definitions of tools", () => {
    const whole = conversation([[[9000]]])
    const beside = (besides: number) =>
      Effect.runSync(Compaction.fit(whole, OmittedMessages.NOTHING, room(5000, besides), NO_HANDLES)).left.results.size
    assert.deepStrictEqual([beside(0), beside(3000)], [0, 1])
  })

  it("frees a fifth of the room, so that the beginning of the next requests stays as it is", () => {
    const earlier = Array.from({ length: 12 }, () => [[2400]])
    const first = fit(conversation(earlier), 8000)
    const next = fit(conversation(earlier, [[300]]), 8000, { before: first.left })
    assert.isAbove(first.left.results.size, 0)
    assert.strictEqual(next.left, first.left)
    assert.deepStrictEqual(next.messages.slice(0, first.messages.length), first.messages)
  })

  it("has everything there again for a model that reads more", () => {
    const whole = conversation([[[9000], [200, 5000]], [[7000]]], [[4000]])
    assert.isAbove(fit(whole, 3000).left.results.size, 0)
    const { messages } = fit(whole, 100_000)
    assert.deepStrictEqual(messages, OmittedMessages.render(whole, OmittedMessages.NOTHING, NO_HANDLES))
    for (const id of ["t0s0_0", "t0s1_1", "t1s0_0", "r0_0"]) assert.include(texts(messages), `${id}:ab ab`)
  })

  it("counts results and turns that are left out once", () => {
    const whole = conversation([[[9000]], [[9000]]], [[9000], [90]])
    const left = { results: new Set(["t0s0_0", "t1s0_0", "r0_0"]), turns: 1, cut: new Map([["r1_0", 50]]) }
    assert.deepStrictEqual(Compaction.counted(whole, left), { results: 3, turns: 1 })
  })

  const Size = Arbitrary.schema(Schema.Literals([0, 40, 700, 6000, 25_000, -900, -8000]))
  const Steps = Arbitrary.array(Arbitrary.array(Size, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
  const Drawn = {
    earlier: Arbitrary.array(Steps, { maxLength: 5 }),
    running: Steps,
    more: Arbitrary.array(Size, { minLength: 1, maxLength: 3 }),
    tokens: Arbitrary.schema(Schema.Literals([300, 1500, 4000, 9000, 30_000]))
  }

  it.prop(
    "keeps every call answered, fits where it can, changes nothing when it is done again, and only ever leaves out more (R31)",
    Drawn,
    ({ earlier, more, running, tokens }) => {
      const whole = conversation(earlier, running)
      const fitted = fit(whole, tokens)
      assert.deepStrictEqual(promptFaults(fitted.messages), [])
      assert.strictEqual(fitted.tokens, TokenCount.ofMessages(fitted.messages))
      assert.strictEqual(fitted.fits, fitted.tokens <= tokens)
      assert.deepStrictEqual(fit(whole, tokens), fitted, "the same for the same")
      const said = texts(fitted.messages)
      assert.include(said, "Be brief.")
      assert.include(said, "now")
      if (!fitted.fits) assert.strictEqual(fitted.left.turns, earlier.length, "everything was tried")
      const again = fit(whole, tokens, { before: fitted.left })
      assert.deepStrictEqual(again.messages, fitted.messages)
      if (fitted.fits) assert.strictEqual(again.left, fitted.left)

      const next = fit(conversation(earlier, [...running, more]), tokens, { before: fitted.left })
      assert.deepStrictEqual(promptFaults(next.messages), [])
      assert.isTrue([...fitted.left.results].every((id) => next.left.results.has(id)))
      assert.isAtLeast(next.left.turns, fitted.left.turns)
      for (const [id, bytes] of fitted.left.cut) assert.isAtMost(next.left.cut.get(id) ?? Infinity, bytes)
    },
    { arbitrary: { runs: 40 } }
  )
})
