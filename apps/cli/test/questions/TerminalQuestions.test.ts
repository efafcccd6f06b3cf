import { NO_USAGE, type Part } from "@boocode/chat"
import { type Elicitation, type McpRegistry, ServerRequests } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, tool } from "../support/Scripted.ts"

const WITH_MODEL = { variables: { BOOCODE_MODEL: "openai/some-model" } }

const question = (changes: object): Part => ({
  type: "question",
  seq: 1,
  turn: 1,
  id: "q",
  call: "1",
  server: "files",
  isTrusted: false,
  kind: "form",
  message: "Who?\u001B[2J",
  schema: null,
  url: null,
  sampling: null,
  expiresAt: "",
  ...changes
})

const answered: Part = {
  type: "question-answer",
  seq: 2,
  turn: 1,
  id: "q",
  action: "accept",
  content: null,
  reason: null
}

const finish: Part = { type: "finish", seq: 3, turn: 1, reason: "stop", usage: NO_USAGE }

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    size: { type: "string", enum: ["small", "large"], default: "large" },
    count: { type: "integer" },
    kinds: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
    sure: { type: "boolean" }
  },
  required: ["name"]
}

const SAMPLING = {
  model: "openai/m",
  messages: [{ role: "user", text: "Say\u001B[2J it", media: [{ mediaType: "image/png", bytes: 7 }] }],
  systemPrompt: "Be short",
  maxTokens: 50,
  temperature: null,
  stopSequences: []
}

const asked = (changes: object, typed?: ReadonlyArray<string>) =>
  boocode(["chat", "hello"], {
    parts: [question(changes), answered, finish],
    ...typed === undefined ? {} : { typed },
    ...WITH_MODEL
  })

const replies = (log: ReadonlyArray<string>) =>
  log.flatMap((line) => line.startsWith("reply q ") ? [JSON.parse(line.slice("reply q ".length))] : [])

describe("chat, about what servers ask", () => {
  it.effect("fills in a form field by field, with its defaults, and asks again for what does not fit", () =>
    Effect.gen(function*() {
      const ended = yield* asked({ schema: SCHEMA }, [
        "", // needed
        "x", // too short
        "Ada",
        "", // large
        "many", // no number
        "3",
        "1, c",
        "maybe",
        "y",
        "y"
      ])
      assert.deepStrictEqual(replies(ended.log), [
        { action: "accept", content: { name: "Ada", size: "large", count: 3, kinds: ["a", "c"], sure: true } }
      ])
      assert.include(ended.stderr, "files (not trusted) asks for this:")
      for (const told of ["is required", "needs 2 characters or more", "must be a number", "must be yes or no"]) {
        assert.include(ended.stderr, `✗ ${told}`)
      }
      assert.notInclude(ended.stderr, "\u001B")
    }))

  it.effect("says no at the end of the input, and when what was filled in is not to be sent", () =>
    Effect.gen(function*() {
      for (const typed of [[], ["Ada"], ["Ada", "", "", "", "", "n"], ["Ada", "", "", "", "", ""]]) {
        const ended = yield* asked({ schema: SCHEMA }, typed)
        assert.deepStrictEqual(replies(ended.log), [{ action: "decline" }], typed.join())
      }
    }))

  it.effect("shows an address whole with its host, and visits nothing itself", () =>
    Effect.gen(function*() {
      const url = "https://user@evil.example:8443/a?b=c#d"
      for (
        const [typed, expected] of [
          [["perhaps", "y"], { action: "accept" }],
          [["n"], { action: "decline" }],
          [[""], { action: "decline" }]
        ] as const
      ) {
        const ended = yield* asked({ kind: "url", url }, typed)
        assert.deepStrictEqual(replies(ended.log), [expected])
        assert.include(ended.stderr, url)
        assert.include(ended.stderr, "on evil.example:8443\n")
      }
    }))

  it.effect("shows what the model would be sent, and allows it once, for the chat or not", () =>
    Effect.gen(function*() {
      for (
        const [typed, expected] of [
          [["y"], { action: "accept", scope: "once" }],
          [["c"], { action: "accept", scope: "chat" }],
          [["n"], { action: "decline" }]
        ] as const
      ) {
        const ended = yield* asked({ kind: "sampling", message: "", sampling: SAMPLING }, typed)
        assert.deepStrictEqual(replies(ended.log), [expected])
        for (const line of ["system: Be short", "user: Say it", "image/png, 7 bytes", "openai/m, at most 50 tokens"]) {
          assert.include(ended.stderr, line)
        }
      }
    }))

  it.effect("takes no other word for a yes: one that only begins like it is asked about again", () =>
    Effect.gen(function*() {
      const sampling = { kind: "sampling", message: "", sampling: SAMPLING }
      const cancelled = yield* asked(sampling, ["cancel", "close", "nope", "n"])
      assert.deepStrictEqual(replies(cancelled.log), [{ action: "decline" }])
      const allowed = yield* asked(sampling, ["yikes", "chat"])
      assert.deepStrictEqual(replies(allowed.log), [{ action: "accept", scope: "chat" }])
      const visited = yield* asked({ kind: "url", url: "https://example.com/" }, ["yuck", "YES"])
      assert.deepStrictEqual(replies(visited.log), [{ action: "accept" }])
    }))

  it.effect("says no at once where nobody can be asked, with a line that says so", () =>
    Effect.gen(function*() {
      const ended = yield* asked({ schema: SCHEMA })
      assert.deepStrictEqual(replies(ended.log), [{ action: "decline" }])
      assert.include(ended.stderr, "there is no terminal to answer in, so the answer is no")
    }))

  it.effect("asks nobody about what is granted, and tells what the model said", () =>
    Effect.gen(function*() {
      const parts: ReadonlyArray<Part> = [
        question({ kind: "sampling", message: "", sampling: SAMPLING, isGranted: true }),
        { ...answered, reason: "this server is allowed for the chat" },
        {
          type: "sampling-result",
          seq: 3,
          turn: 1,
          id: "q",
          text: "seven",
          stopReason: "endTurn",
          error: null,
          millis: 4
        },
        { ...finish, seq: 4 }
      ]
      const ended = yield* boocode(["chat", "hello"], { parts, typed: [], ...WITH_MODEL })
      assert.deepStrictEqual(replies(ended.log), [])
      assert.include(ended.stderr, "this server is allowed for the chat")
      assert.include(ended.stderr, "the model told the server 4 ms\n  seven")
    }))
})

const BY = { server: "files", isTrusted: true }
const FORM: Elicitation = { ...BY, kind: "form", message: "Which?", schema: SCHEMA }

/** A server that asks while its tool is called; what it is told is the result. */
const call: typeof McpRegistry.Service.call = () =>
  Effect.gen(function*() {
    const { asker, elicitation, sampling } = yield* ServerRequests
    const told = elicitation.length === 0 ? "nobody" : JSON.stringify(yield* asker.elicit(FORM))
    const content = [{ type: "text", text: `${elicitation.join()} ${sampling} ${told}` }]
    return { isError: false, content, structuredContent: null, millis: 1 }
  })

describe("mcp call, about what servers ask", () => {
  it.effect("answers forms in the terminal, and tells servers that it has no model", () =>
    Effect.gen(function*() {
      const args = ["mcp", "call", "files_ask"]
      const ended = yield* boocode(args, { tools: [tool("files", "ask")], call, typed: ["Ada", "", "", "", "", "y"] })
      const answer = { action: "accept", content: { name: "Ada", size: "large" } }
      assert.strictEqual(ended.stdout, `form,url false ${JSON.stringify(answer)}\n`, ended.stderr)
      assert.include(ended.stderr, "files asks for this:")
    }))

  it.effect("tells servers that nobody can be asked where there is no terminal", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "call", "files_ask"], { tools: [tool("files", "ask")], call })
      assert.strictEqual(ended.stdout, " false nobody\n")
    }))

  it.effect("answers what a running server is asked by the server of the tool, and nothing else", () =>
    Effect.gen(function*() {
      const { seq: _seq, turn: _turn, ...form } = question({
        chat: null,
        call: null,
        message: "Which?",
        schema: SCHEMA
      }) as
        & Part
        & Record<string, unknown>
      const events = [
        { ...form, id: "other", server: "web" },
        { ...form, id: "mine" }
      ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
      let done: (response: Response) => void = () => {}
      const result = new Promise<Response>((resolve) => {
        done = resolve
      })
      const answered: Array<unknown> = []
      const ended = yield* boocode(["mcp", "call", "files_ask", "--url", "http://127.0.0.1:4266"], {
        typed: ["Ada", "", "", "", "", "y"],
        answer: (asked, body) => {
          if (asked === "GET /api/events") {
            return Effect.succeed(new Response(events, { headers: { "content-type": "text/event-stream" } }))
          }
          if (asked === "GET /api/mcp/servers") {
            return Effect.succeed(Response.json({ servers: [], problems: [], write: "off" }))
          }
          if (asked.startsWith("POST /api/questions/")) {
            answered.push([asked, body])
            done(Response.json(RESULT))
            return Effect.succeed(new Response(null, { status: 204 }))
          }
          return Effect.promise(() => result)
        }
      })
      assert.strictEqual(ended.stdout, "thanks\n", ended.stderr)
      const content = { name: "Ada", size: "large" }
      assert.deepStrictEqual(answered, [["POST /api/questions/mine", { action: "accept", content }]])
    }))
})

const RESULT = {
  isError: false,
  text: "thanks",
  content: [],
  structuredContent: null,
  truncated: null,
  origin: null,
  millis: 1,
  diagnostics: [],
  fault: null
}
