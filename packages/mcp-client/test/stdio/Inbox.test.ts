import { assert, describe, it } from "@effect/vitest"
import type { Incoming } from "../../src/base/JsonRpc.ts"
import * as Pace from "../../src/base/Pace.ts"
import type { Whole } from "../../src/stdio/Framing.ts"
import * as Inbox from "../../src/stdio/Inbox.ts"

const line = (text: string): Whole => ({ _tag: "Line", text })
const message = (message: { readonly [key: string]: string | number | object }) => line(JSON.stringify(message))

const REQUEST = { jsonrpc: "2.0", id: 1, method: "ping" }
const ANSWER = { jsonrpc: "2.0", id: 1, result: {} }

const listening = () => {
  const inbox = new Inbox.Inbox()
  const arrived: Array<Incoming> = []
  inbox.listen((incoming) => arrived.push(incoming))
  return { arrived, inbox }
}

const NO_MESSAGES = [
  "Server listening on port 3000",
  "Content-Length: 42",
  "{\"level\":\"info\",\"msg\":\"up\"}",
  "{\"jsonrpc\":\"2.0\"}",
  "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}",
  "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}",
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null}",
  "{\"jsonrpc\":\"2.0\",\"id\":1",
  "[1,2]",
  "[]",
  "null",
  "7",
  "\"text\""
]

describe("Inbox", () => {
  it("hands requests, notifications, results and errors to the listener, in order", () => {
    const { arrived, inbox } = listening()
    inbox.sent(REQUEST)
    const messages = [
      REQUEST,
      { jsonrpc: "2.0", method: "notifications/progress", params: {} },
      ANSWER,
      { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }
    ]
    for (const each of messages) assert.isNull(inbox.receive(message(each)))
    assert.deepStrictEqual(arrived, messages.map((each) => ({ _tag: "Message", message: each })))
    assert.deepStrictEqual(inbox.diagnostics(), [])
  })

  it("takes a list of messages apart, as a server of 2025-03-26 may write them, and notes what is none", () => {
    const { arrived, inbox } = listening()
    inbox.sent(REQUEST)
    assert.isNull(inbox.receive(line(JSON.stringify([REQUEST, ANSWER]))))
    assert.strictEqual(
      inbox.receive(line(JSON.stringify([ANSWER, 7]))),
      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},7]"
    )
    assert.deepStrictEqual(arrived, [REQUEST, ANSWER, ANSWER].map((each) => ({ _tag: "Message", message: each })))
  })

  it("hands on that a message was too large (Decision 11)", () => {
    const { arrived, inbox } = listening()
    const frame: Whole = { _tag: "Oversized", bytes: 99, id: 3, isAnswer: true }
    assert.isNull(inbox.receive(frame))
    assert.deepStrictEqual(arrived, [frame])
  })

  it("skips each line that is no JSON-RPC message, and gives it to be noted (R39)", () => {
    const { arrived, inbox } = listening()
    for (const text of NO_MESSAGES) assert.strictEqual(inbox.receive(line(text)), text)
    inbox.receive(message(REQUEST))
    assert.lengthOf(arrived, 1)
  })

  it("tells of answers to requests that were never sent, and of none that comes late or twice", () => {
    const { inbox } = listening()
    inbox.sent({ ...REQUEST, id: 1 })
    inbox.sent({ ...REQUEST, id: 2 })
    inbox.sent({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } })
    for (const id of [1, 1, 2, "2"]) inbox.receive(message({ ...ANSWER, id }))
    inbox.receive(message({ ...REQUEST, id: "theirs" }))
    inbox.receive({ _tag: "Oversized", bytes: 99, id: "theirs", isAnswer: false })
    assert.deepStrictEqual(inbox.diagnostics(), [])
    inbox.receive(message({ ...ANSWER, id: "x".repeat(1000) }))
    assert.deepStrictEqual(inbox.diagnostics(), [
      `it answered a request that was never sent, by the id "${"x".repeat(99)}…`
    ])
    for (const id of [3, -1, 0.5, 987_654]) inbox.receive(message({ jsonrpc: "2.0", id, error: { code: 1 } }))
    assert.deepStrictEqual(inbox.diagnostics(), [
      `it answered 5 requests that were never sent, the first by the id "${"x".repeat(99)}…`
    ])
  })

  it("tells how many lines it skipped and the first of them, in one line (R39)", () => {
    const { inbox } = listening()
    inbox.receive(line("banner"))
    assert.deepStrictEqual(inbox.diagnostics(), [
      "skipped 1 line on standard output that is no message: banner"
    ])
    for (let count = 1; count < 1000; count++) inbox.receive(line(`more ${count}`))
    assert.deepStrictEqual(inbox.diagnostics(), [
      "skipped 1000 lines on standard output that are no messages, first: banner"
    ])
  })

  it("gives a thousand lines to be noted, and counts the rest (R39)", () => {
    const { inbox } = listening()
    for (let count = 1; count <= 1000; count++) assert.strictEqual(inbox.receive(line("again")), "again")
    assert.isNull(inbox.receive(line("again")))
    assert.match(inbox.diagnostics()[0] ?? "", /^skipped 1001 lines/)
  })

  it("shows at most 200 characters of a line (R39)", () => {
    const { inbox } = listening()
    assert.strictEqual(inbox.receive(line("x".repeat(10_000))), "x".repeat(200))
    const [diagnostic = ""] = inbox.diagnostics()
    assert.isTrue(diagnostic.endsWith(`: ${"x".repeat(200)}`))
  })

  it("shows no binary noise, but says that it came (R39)", () => {
    const { inbox } = listening()
    const noise = "\ufffd\u0000\u001b[31m{\"\ufffd\ufffd({"
    assert.strictEqual(inbox.receive(line(noise)), "binary data")
    assert.deepStrictEqual(inbox.diagnostics(), [
      "skipped 1 line on standard output that is no message: binary data"
    ])
  })

  it("shows text with colours as it is: who tells it takes them off", () => {
    const { inbox } = listening()
    assert.strictEqual(inbox.receive(line("\u001b[31mready\u001b[0m")), "\u001b[31mready\u001b[0m")
  })

  it("tells that the server could not read a message of ours, and in which words (R40)", () => {
    const { arrived, inbox } = listening()
    const complaint = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error: bad day" } }
    assert.isNull(inbox.receive(line(JSON.stringify(complaint))))
    assert.deepStrictEqual(inbox.diagnostics(), [
      "the server could not read a message of ours: Parse error: bad day (-32700)"
    ])
    inbox.receive(line(`{"jsonrpc":"2.0","error":{"message":""}}`))
    inbox.receive(line("banner"))
    assert.deepStrictEqual(inbox.diagnostics(), [
      "the server could not read 2 messages of ours, first: Parse error: bad day (-32700)",
      "skipped 1 line on standard output that is no message: banner"
    ])
    // It may be the answer to the only question that is open.
    assert.deepStrictEqual(arrived[0], { _tag: "Message", message: complaint })
  })

  it("says so when the server gives no reason, and shows at most 200 characters of one", () => {
    for (const [error, words] of [[{}, "no reason given"], [{ message: "x".repeat(999) }, "x".repeat(200)]] as const) {
      const { inbox } = listening()
      inbox.receive(line(JSON.stringify({ jsonrpc: "2.0", id: null, error })))
      assert.deepStrictEqual(inbox.diagnostics(), [`the server could not read a message of ours: ${words}`])
    }
  })

  it("tells what answers a request of ours from what nobody asked for, any more or twice (R37)", () => {
    const { inbox } = listening()
    const came = (frame: Whole) => {
      const before = inbox.unasked()
      inbox.receive(frame)
      return inbox.unasked() - before
    }
    const answer = message(ANSWER)
    const length = JSON.stringify(ANSWER).length + Pace.LINE_COST
    assert.strictEqual(came(answer), length)
    inbox.sent(REQUEST)
    assert.strictEqual(came(answer), 0)
    assert.strictEqual(came(answer), length)
    inbox.sent(REQUEST)
    inbox.sent({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
    assert.strictEqual(came(answer), length)
    inbox.sent(REQUEST)
    assert.strictEqual(came({ _tag: "Oversized", bytes: 99, id: 1, isAnswer: true }), 0)
    assert.strictEqual(came({ _tag: "Oversized", bytes: 99, id: null, isAnswer: false }), 99 + Pace.LINE_COST)
    assert.strictEqual(came(message({ jsonrpc: "2.0", method: "notifications/message" })), 50 + Pace.LINE_COST)
    assert.strictEqual(came(line("banner")), 6 + Pace.LINE_COST)
  })

  it("keeps what came before the first listener for it, in order", () => {
    const inbox = new Inbox.Inbox()
    inbox.receive(message(REQUEST))
    inbox.receive({ _tag: "Oversized", bytes: 9, id: null, isAnswer: true })
    const arrived: Array<string> = []
    inbox.listen(({ _tag }) => arrived.push(_tag))
    inbox.receive(message(ANSWER))
    assert.deepStrictEqual(arrived, ["Message", "Oversized", "Message"])
  })

  it("gives each message to one listener, the last that was set", () => {
    const inbox = new Inbox.Inbox()
    const arrived: Array<string> = []
    inbox.receive(message(REQUEST))
    inbox.listen(() => arrived.push("first"))
    inbox.receive(message(REQUEST))
    inbox.listen(() => arrived.push("second"))
    inbox.receive(message(REQUEST))
    assert.deepStrictEqual(arrived, ["first", "first", "second"])
  })
})
