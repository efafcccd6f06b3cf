import { McpError, McpErrors } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { boocode, json, status } from "../support/Scripted.ts"

const MISSING = {
  waiting: ["lazy"],
  failed: [{ server: "dead", message: "dead: no\u001B[31m answer", hint: "" }],
  warnings: []
}
const PROMPT = {
  server: "notes",
  name: "summary",
  title: null,
  description: "Sums up a day.",
  arguments: [
    { name: "day", title: null, description: null, required: true },
    { name: "tone", title: null, description: null, required: false }
  ]
}
const RESOURCE = {
  server: "notes",
  uri: "memo://today",
  name: "today",
  title: "Today",
  description: null,
  mimeType: "text/plain",
  size: 3
}
const TEMPLATE = {
  server: "notes",
  uriTemplate: "memo://{day}",
  name: "day",
  title: null,
  description: "One day.",
  mimeType: null
}
const content = { uri: "memo://today", mimeType: null, text: null, blob: null, truncated: false }

const script = {
  servers: [status("dead", { state: "failed" }), status("notes")],
  offerings: {
    prompts: () => Effect.succeed({ prompts: [PROMPT], ...MISSING }),
    prompt: (server: string, name: string, args: object) =>
      name === PROMPT.name
        ? Effect.succeed({
          description: null,
          messages: [
            { role: "user" as const, content: { type: "text", text: `Sum up ${JSON.stringify(args)}.` } },
            { role: "assistant" as const, content: { type: "text", text: "Gladly." } }
          ],
          truncated: null
        })
        : Effect.fail(
          new McpError({ server, reason: new McpErrors.UnknownPrompt({ name, nearest: [PROMPT.name] }) })
        ),
    resources: () => Effect.succeed({ resources: [RESOURCE], templates: [TEMPLATE], ...MISSING }),
    readResource: () =>
      Effect.succeed([
        { ...content, text: "Buy \u001B[31mmilk.", truncated: true },
        { ...content, mimeType: "image/png", blob: "AAAA" }
      ])
  }
}

describe("mcp prompts and resources", () => {
  it.effect("print one document with what there is, and whose could not be had", () =>
    Effect.gen(function*() {
      const prompts = yield* boocode(["mcp", "prompts", "--json"], script)
      assert.deepStrictEqual(json(prompts.stdout), { prompts: [PROMPT], ...MISSING })
      assert.deepStrictEqual(prompts.log, ["open", "settled", "close"])
      const resources = yield* boocode(["mcp", "resources", "--json"], script)
      assert.deepStrictEqual(json(resources.stdout), { resources: [RESOURCE], templates: [TEMPLATE], ...MISSING })
    }))

  it.effect("show people a line each, and say on standard error what is missing", () =>
    Effect.gen(function*() {
      const prompts = yield* boocode(["mcp", "prompts"], script)
      assert.strictEqual(prompts.stdout, "/notes:summary  Sums up a day. (day, tone?)\n")
      assert.strictEqual(
        prompts.stderr,
        "failed   dead: dead: no answer\nwaiting  lazy sleeps or is slow; boocode mcp prompts lazy waits for it\n"
      )
      const resources = yield* boocode(["mcp", "resources"], script)
      assert.deepStrictEqual(resources.stdout.split("\n"), [
        "notes  memo://today  Today, text/plain",
        "notes  memo://{day}  day, One day.",
        ""
      ])
    }))

  it.effect("of one server wait for that one alone, and fail for a name that nobody has", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "prompts", "notes", "--json"], script)
      assert.deepStrictEqual(ended.log, ["open", "settled notes", "close"])
      const unknown = yield* boocode(["mcp", "resources", "note"], script)
      assert.strictEqual(unknown.code, 1)
      assert.match(unknown.stderr, /no server is called note/)
    }))
})

describe("mcp prompt", () => {
  it.effect("prints the text of all messages, or the document", () =>
    Effect.gen(function*() {
      const args = ["mcp", "prompt", "notes", "summary", "--args", "{\"day\": \"monday\"}"]
      const told = yield* boocode(args, script)
      assert.strictEqual(told.stdout, "User:\nSum up {\"day\":\"monday\"}.\n\nAssistant:\nGladly.\n")
      const document = yield* boocode([...args, "--json"], script)
      assert.hasAllKeys(json(document.stdout), ["description", "messages", "truncated", "said", "text"])
    }))

  it.effect("ends with 1 and the nearest for a prompt that is not there, with 2 for arguments that are no object", () =>
    Effect.gen(function*() {
      const unknown = yield* boocode(["mcp", "prompt", "notes", "sumary"], script)
      assert.strictEqual(unknown.code, 1)
      assert.match(unknown.stderr, /it has no prompt called sumary[^]*did you mean summary\?/)
      const wrong = yield* boocode(["mcp", "prompt", "notes", "summary", "--args", "[1]"], script)
      assert.deepStrictEqual([wrong.code, wrong.stdout, wrong.log], [2, "", []])
      assert.match(wrong.stderr, /one JSON object/)
    }))
})

describe("mcp read", () => {
  it.effect("prints text, and says what it does not print", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* boocode(["mcp", "read", "notes", "memo://today"], script)
      assert.deepStrictEqual([code, stdout], [0, "Buy \u001B[31mmilk.\n"])
      assert.match(stderr, /memo:\/\/today is larger than "maxResultBytes"/)
      assert.match(stderr, /memo:\/\/today is image\/png; with --json it is printed in base64/)
      const document = yield* boocode(["mcp", "read", "notes", "memo://today", "--json"], script)
      assert.match(document.stdout, /^\{"contents":\[.*"blob":"AAAA"/)
    }))
})

describe("mcp read --watch", () => {
  const uri = "memo://today"
  /** Is watched, changes once, then the server tells of no more updates. */
  const changing = () => {
    let reads = 0
    return {
      ...script,
      offerings: {
        ...script.offerings,
        readResource: () => Effect.sync(() => [{ ...content, text: `state ${reads++}` }]),
        watchResource: (server: string, _: string, options?: { readonly atStart?: boolean }) =>
          Stream.concat(
            Stream.make(...(options?.atStart === true ? [{ server, uri, at: 0 }] : []), { server, uri, at: 1000 }),
            Stream.fail(new McpError({ server, reason: new McpErrors.UnknownServer({ name: server, nearest: [] }) }))
          )
      }
    }
  }

  it.effect("prints what there is, and again after each change, until the server has nothing more to tell", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* boocode(["mcp", "read", "notes", uri, "--watch"], changing())
      assert.deepStrictEqual([code, stdout], [1, "state 0\nstate 1\n"])
      assert.match(stderr, /memo:\/\/today changed\n/)
      const lines = (yield* boocode(["mcp", "read", "notes", uri, "-w", "--json"], changing())).stdout.trim().split(
        "\n"
      )
      assert.deepStrictEqual(lines.slice(0, 2).map((line) => Object(json(line)).at), [null, "1970-01-01T00:00:01.000Z"])
      assert.strictEqual(Object(json(lines[2] ?? "")).error._tag, "UnknownServer")
    }))

  it.effect("says for whom it waits when the server takes long to tell, and shows nothing before that", () =>
    Effect.gen(function*() {
      const slow = changing()
      const watchResource = (server: string, uri: string) =>
        Stream.unwrap(Effect.as(Effect.sleep("10 seconds"), slow.offerings.watchResource(server, uri)))
      const fiber = yield* Effect.forkChild(
        boocode(["mcp", "read", "notes", uri, "--watch"], { ...slow, offerings: { ...slow.offerings, watchResource } })
      )
      yield* Effect.repeat(
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        ),
        { until: () => fiber.pollUnsafe() !== undefined }
      )
      const { stderr, stdout } = yield* Fiber.join(fiber)
      assert.match(stderr, /^waiting for notes …\n/)
      assert.strictEqual(stdout, "state 0\n")
    }))
})
