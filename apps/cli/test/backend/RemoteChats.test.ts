import { NO_USAGE, type Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { boocode, json, type Script } from "../support/Scripted.ts"

const URL = "http://127.0.0.1:4266"
const AGENT = {
  name: "Assistant",
  description: null,
  model: null,
  tools: null,
  steps: 25,
  temperature: null,
  file: null,
  line: null,
  prompt: "",
  editable: true,
  why: null
}
const CHAT = {
  id: "c",
  title: "",
  titledBy: "none",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "",
  updatedAt: "",
  running: null,
  waiting: 0,
  approvals: 0,
  questions: 0
}

const answer = (body: Schema.Json, status = 200) => Effect.sync(() => Response.json(body, { status }))

const stream = (parts: ReadonlyArray<Part>) =>
  Effect.sync(() => {
    const events = parts.map((part) => `id: ${part.seq}\ndata: ${JSON.stringify(part)}\n\n`)
    const body = [": hello\n\n", ...events, ": still here\n\n"].join("")
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })

/** These parts, the last of them when the promise is kept. */
const held = (opened: Promise<void>, parts: ReadonlyArray<Part>) =>
  Effect.sync(() => {
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        const write = (part: Part) =>
          controller.enqueue(encoder.encode(`id: ${part.seq}\ndata: ${JSON.stringify(part)}\n\n`))
        parts.slice(0, -1).forEach(write)
        await opened
        parts.slice(-1).forEach(write)
        controller.close()
      }
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })

const turn = (number: number, first: number, text: string): ReadonlyArray<Part> => [
  { type: "text-delta", seq: first, turn: number, text },
  { type: "finish", seq: first + 1, turn: number, reason: "stop", usage: NO_USAGE }
]

interface World {
  readonly sent: Array<Schema.Json>
  readonly script: Script
}

const world = (
  parts: (count: number) => ReadonlyArray<Part>,
  more: Readonly<Record<string, () => ReturnType<typeof answer>>> = {},
  model: string | null = "openai/gpt-5"
): World => {
  const sent: Array<Schema.Json> = []
  const answers: Readonly<Record<string, () => ReturnType<typeof answer>>> = {
    "POST /api/chats": () => answer(CHAT, 201),
    "GET /api/agents": () => answer({ agents: [AGENT], problems: [] }),
    "GET /api/models": () => answer({ default: model, models: [], command: { active: model === null, help: "" } }),
    "POST /api/chats/c/messages": () => stream(parts(sent.length)),
    ...more
  }
  return {
    sent,
    script: {
      answer: (asked, body) => {
        if (body !== null) sent.push(body)
        return answers[asked]?.() ?? Effect.die(`nobody expects ${asked}`)
      }
    }
  }
}

describe("chat --url", () => {
  it.effect("has the running server answer, and starts nothing itself", () =>
    Effect.gen(function*() {
      const { script, sent } = world(() => turn(1, 1, "Hello!\n"))
      const ended = yield* boocode(["chat", "--url", URL, "--agent", "Assistant", "hi"], script)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.strictEqual(ended.stdout, "Hello!\n")
      assert.strictEqual(ended.stderr, "")
      assert.deepStrictEqual(sent, [{ agent: "Assistant", model: null }, { text: "hi" }])
      assert.isTrue(ended.log.every((line) => line.startsWith(URL)))
    }))

  it.effect("prints one part a line with --json", () =>
    Effect.gen(function*() {
      const parts = turn(1, 1, "Hello!")
      const ended = yield* boocode(["chat", "--json", "--url", URL, "hi"], world(() => parts).script)
      assert.deepStrictEqual(ended.stdout.trimEnd().split("\n").map(json), parts.map((part) => ({ ...part })))
    }))

  it.effect("has a conversation: one chat, a turn a line", () =>
    Effect.gen(function*() {
      const { script, sent } = world((count) => count === 2 ? turn(1, 1, "one\n") : turn(2, 3, "two\n"))
      const ended = yield* boocode(["chat", "-i", "--url", URL], { ...script, stdin: "first\n\nsecond\n" })
      assert.strictEqual(ended.stdout, "one\ntwo\n")
      assert.deepStrictEqual(sent.slice(1), [{ text: "first" }, { text: "second" }])
    }))

  it.effect("leaves calls that need a yes to somebody at the page with --wait, but for those of --allow", () =>
    Effect.gen(function*() {
      const asking = (id: string, seq: number): Part => ({
        ...{ type: "approval", seq, turn: 1, id, call: id, name: `files_${id}`, server: "files", tool: id },
        ...{ isTrusted: true, args: {}, annotations: {} }
      })
      const parts: ReadonlyArray<Part> = [
        asking("write", 1),
        asking("read", 2),
        { type: "approval-answer", seq: 3, turn: 1, id: "write", decision: "once", reason: null },
        ...turn(1, 4, "Done.\n")
      ]
      const answered = new Array<string>()
      const answers = Object.fromEntries(["write", "read"].map((id) => [
        `POST /api/chats/c/approvals/${id}`,
        () => {
          answered.push(id)
          return Effect.sync(() => new Response(null, { status: 204 }))
        }
      ]))
      const talk = ["chat", "--url", URL, "hi", "--allow", "*_read"]
      const waited = yield* boocode([...talk, "--wait"], world(() => parts, answers).script)
      assert.deepStrictEqual([waited.code, waited.stdout], [0, "Done.\n"])
      assert.include(waited.stderr, "files_write waits for a yes: at the page, or in boocode chat -i --continue")
      assert.deepStrictEqual(answered.splice(0), ["read"])
      yield* boocode(talk, world(() => parts, answers).script)
      assert.include(answered, "write")
    }))

  it.effect("gives the chat a write mode and shows it, as a PATCH of the chat", () =>
    Effect.gen(function*() {
      let write: Schema.Json = null
      const { script, sent } = world(() => turn(1, 1, "Hello!\n"), {
        "PATCH /api/chats/c": () => {
          write = Object(sent.at(-1)).write
          return answer({ ...CHAT, write })
        },
        "GET /api/chats/c": () => answer({ ...CHAT, write, usage: NO_USAGE, turns: [] })
      })
      const ended = yield* boocode(["chat", "-i", "--url", URL], {
        ...script,
        stdin: "/write ask 1h\n/write sometimes\n/write off\n"
      })
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(sent.slice(1), [
        { write: { mode: "ask", until: "1970-01-01T01:00:00.000Z" } },
        { write: { mode: "off", until: null } }
      ])
      assert.match(ended.stderr, /^write mode ask until 1970-01-01 .*\nerror {2}there is no write mode sometimes\n/)
      assert.match(ended.stderr, /write mode off\n$/)
    }))

  it.effect("has the server keep what is typed while it answers, but for what comes after a command", () =>
    Effect.gen(function*() {
      const opened = Promise.withResolvers<void>()
      const both = [...turn(1, 1, "one\n"), ...turn(2, 3, "two\n")]
      const chat = { ...CHAT, usage: NO_USAGE, turns: [] }
      const waiting = {
        turn: 2,
        key: null,
        text: "second",
        agent: "",
        model: "",
        createdAt: "",
        state: "waiting",
        replacedBy: null,
        attachments: [],
        parts: []
      }
      const sent: Array<Schema.Json> = []
      const answers: Readonly<Record<string, () => ReturnType<typeof answer>>> = {
        // The first answer ends when the second message has come.
        first: () => held(opened.promise, both.slice(0, 2)),
        second: () => {
          opened.resolve()
          return answer({ turn: 2, queued: true }, 202)
        },
        third: () => stream(turn(3, 5, "three\n")),
        "GET /api/chats/c": () => answer({ ...chat, turns: [waiting] }),
        "GET /api/chats/c/events?after=0": () => stream(both)
      }
      const { script } = world(() => [], answers)
      const ended = yield* boocode(["chat", "-i", "--url", URL, "first"], {
        ...script,
        answer: (asked, body) => {
          const text = asked.endsWith("/messages") ? String(Object(body).text) : null
          if (text !== null) sent.push(text)
          return text === null
            ? script.answer?.(asked, body) ?? Effect.die("no script")
            : answers[text]?.() ?? Effect.die(text)
        },
        typed: [],
        typedEarly: ["second", "/cost", "third"]
      })
      assert.strictEqual(ended.stdout, "one\ntwo\nthree\n", ended.stderr)
      assert.deepStrictEqual(sent, ["first", "second", "third"])
    }))

  it.effect("goes on where a message that waits was taken back elsewhere", () =>
    Effect.gen(function*() {
      const { script } = world((count) => turn(1, 1, `${count}\n`), {
        "GET /api/chats/c": () => answer({ ...CHAT, usage: NO_USAGE, turns: [] })
      })
      const ended = yield* boocode(["chat", "-i", "--url", URL, "first"], {
        ...script,
        answer: (asked, body) =>
          Object(body).text === "second"
            ? answer({ turn: 2, queued: true }, 202)
            : script.answer?.(asked, body) ?? Effect.die("no script"),
        typed: [],
        typedEarly: ["second"]
      })
      assert.include(ended.stderr, "this message was taken back elsewhere")
      assert.strictEqual(ended.code, 0)
    }))

  it.effect("has the server fill in prompts of its servers", () =>
    Effect.gen(function*() {
      const { script, sent } = world(() => turn(1, 1, "Hello!\n"))
      const ended = yield* boocode(["chat", "--url", URL, "/files:review {\"path\": \"a.md\"}"], script)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(sent[1], { text: "/files:review {\"path\": \"a.md\"}" })
    }))

  it.effect("says that the command mode answers when neither side names a model, and fails as its call does", () =>
    Effect.gen(function*() {
      const failed: ReadonlyArray<Part> = [
        { type: "tool-call", seq: 1, turn: 1, id: "1", name: "files_read", server: "files", args: {} },
        {
          type: "tool-result",
          seq: 2,
          turn: 1,
          id: "1",
          isError: true,
          text: "no",
          content: [],
          truncated: null,
          origin: null,
          millis: 1
        },
        { type: "finish", seq: 3, turn: 1, reason: "stop", usage: NO_USAGE }
      ]
      const ended = yield* boocode(["chat", "--url", URL, "/files_read"], world(() => failed, {}, null).script)
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, "the server has no model configured, so the command mode answers")
      assert.strictEqual(ended.stdout, "no\n")
    }))

  it.effect("tells an agent nobody has with those there are, and a model that cannot be used", () =>
    Effect.gen(function*() {
      const refused = (status: number, _tag: string, detail: string) => () =>
        answer({ type: "about:blank", title: "", status, detail, _tag, hint: "list the agents", nearest: [] }, status)
      const told = (status: number, _tag: string, detail: string) =>
        Effect.map(
          boocode(["chat", "--json", "--url", URL, "--agent", "Ida", "hi"], {
            ...world(() => [], { "POST /api/chats": refused(status, _tag, detail) }).script
          }),
          ({ code, stdout }) => [code, Object(json(stdout)).error]
        )
      assert.deepStrictEqual(yield* told(404, "UnknownAgent", "no agent is called Ida"), [
        1,
        { _tag: "UnknownAgent", message: "no agent is called Ida", hint: "there are Assistant" }
      ])
      const [, error] = yield* told(400, "ModelUnavailable", "x/y is no model")
      assert.strictEqual(error._tag, "ModelUnavailable")
    }))

  it.effect("fails when the stream ends before the turn does", () =>
    Effect.gen(function*() {
      const cut = world(() => turn(1, 1, "half a ").slice(0, 1))
      const ended = yield* boocode(["chat", "--url", URL, "hi"], cut.script)
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(ended.stdout, "half a ")
      assert.include(ended.stderr, "ended the stream before the turn was done")
    }))
})
