import { McpError, type McpErrorReason, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { Agents } from "../../src/agents/Agents.ts"
import { Chats } from "../../src/chats/Chats.ts"
import * as SlashMessage from "../../src/messages/SlashMessage.ts"
import type { ChatSummary } from "../../src/model/Chat.ts"
import { UnknownChat } from "../../src/model/ChatError.ts"
import { NO_USAGE } from "../../src/model/Part.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { CurrentUser, FIRST } from "../../src/users/CurrentUser.ts"
import * as Chatting from "../support/Chatting.ts"
import * as Scripted from "../support/Scripted.ts"
import { agent, mcpTool, says, status, tool } from "../support/Scripted.ts"

const fails = (server: string | null, reason: McpErrorReason) => Effect.fail(new McpError({ server, reason }))

const notReady = (state: "connecting" | "failed") => new McpErrors.NotReady({ state, why: null })

/** `files` has a tool and a prompt, `slow` connects once it is waited for, `never` does not, `dead` failed. */
const world = () => {
  let isSlowReady = false
  return Layer.mergeAll(
    Layer.succeed(CurrentUser, FIRST),
    Layer.mock(McpRegistry, {
      writers: Effect.succeed([]),
      servers: Effect.succeed(["dead", "files", "slow"].map((name) => status(name, "ready"))),
      tools: Effect.succeed([mcpTool("files", "read")]),
      tool: (name) => {
        if (name === "files_read") return Effect.succeed(mcpTool("files", "read"))
        if (name === "slow_echo" && isSlowReady) return Effect.succeed(mcpTool("slow", "echo"))
        if (name.startsWith("slow_")) return fails("slow", notReady("connecting"))
        if (name.startsWith("never_")) return fails("never", notReady("connecting"))
        if (name.startsWith("dead_")) return fails("dead", notReady("failed"))
        if (name === "files_write") {
          return fails("files", new McpErrors.RejectedByPolicy({ tool: "write", why: "declares itself not read-only" }))
        }
        return fails(null, new McpErrors.UnknownTool({ name, nearest: [] }))
      },
      settledServer: (name) =>
        name === "never"
          ? Effect.never
          : Effect.sync(() => {
            isSlowReady = true
            return status(name, "ready")
          }),
      prompts: () =>
        Effect.succeed({
          prompts: [{ server: "files", name: "review", title: null, description: null, arguments: [] }],
          waiting: [],
          failed: [],
          warnings: []
        }),
      prompt: (server, name) =>
        name === "review"
          ? Effect.succeed({
            description: null,
            messages: [{ role: "user", content: { type: "text", text: "/files_read Review it." } }],
            truncated: null
          })
          : fails(server, new McpErrors.UnknownPrompt({ name, nearest: ["review"] }))
    }),
    Agents.layer([agent, { ...agent, name: "Ada" }, { ...agent, name: "Bea", tools: ["*", "!files_*"] }]),
    WorkspaceTools.layerOf([{ ...tool("grep"), server: null }], [{
      ...tool("write_file"),
      server: null,
      class: "writes"
    }]),
    Layer.mock(Chats, {
      summary: () => Effect.succeed(SUMMARY),
      get: (id) =>
        id === "c"
          ? Effect.succeed({
            ...SUMMARY,
            usage: NO_USAGE,
            turns: [turn(1, "command"), turn(2, "openai/gpt-5")]
          })
          : Effect.fail(new UnknownChat({ id }))
    })
  )
}

const SUMMARY: ChatSummary = {
  id: "c",
  title: "",
  titledBy: "none",
  agent: "Bea",
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

const turn = (number: number, model: string) => ({
  turn: number,
  key: null,
  text: "/files_read {}",
  agent: "A",
  model,
  createdAt: "",
  state: "ended" as const,
  replacedBy: null,
  attachments: [],
  parts: []
})

const resolved = (text: string, changes: { readonly replaces?: number; readonly prompt?: [] } = {}) =>
  Effect.provide(SlashMessage.resolve("c", { text, agent: "A", model: "openai/gpt-5", ...changes }), world())

/** What becomes of a message in short. */
const outcome = (text: string, changes: Parameters<typeof resolved>[1] = {}) =>
  Effect.match(resolved(text, changes), {
    onFailure: (error) =>
      error._tag === "McpError"
        ? error.reason._tag
        : `${error._tag}: ${error.message}. ${"hint" in error ? error.hint : ""}`,
    onSuccess: ({ agent, model, text }) => `${agent} ${model}: ${text}`
  })

const MODEL = "A openai/gpt-5:"
const CALL = "A command:"
const SAY = "to say it to the model, put a word before the slash"

describe("A message that begins with a slash", () => {
  for (
    const [text, expected] of [
      ["hello /files_read", `${MODEL} hello /files_read`],
      ["/files_read {\"path\": \"a\"}", `${CALL} /files_read {"path": "a"}`],
      [" /grep", `${CALL}  /grep`],
      ["/grep for it", `${CALL} /grep for it`],
      ["/resources_list", `${CALL} /resources_list`],
      ["/", `${CALL} /`],
      ["/slow_echo", `${CALL} /slow_echo`],
      ["/dead_echo", "NotReady"],
      ["/files_write {}", "RejectedByPolicy"],
      ["/write_file {}", "RejectedByPolicy"],
      ["@Ada /files_read {}", `${CALL} @Ada /files_read {}`],
      ["@Bea /grep", `${CALL} @Bea /grep`],
      [
        "@Bea /files_read",
        "UnknownCommand: the agent Bea may not use the tool files_read. choose another agent, or allow the tool under tools: of this one"
      ],
      ["@Ada /files_raed", `UnknownCommand: no such command: /files_raed. did you mean /files_read? Otherwise, ${SAY}`],
      ["/files:review", `${MODEL} /files_read Review it.`],
      ["@Ada /files:review", "Ada openai/gpt-5: /files_read Review it."],
      ["/files:revue {}", "UnknownPrompt"],
      [
        "/filez:review {}",
        `UnknownCommand: no such command: /filez:review. did you mean /files:review? Otherwise, ${SAY}`
      ],
      ["/review", `UnknownCommand: no such command: /review. did you mean /files:review? Otherwise, ${SAY}`],
      ["/modle openai/gpt-5", `UnknownCommand: no such command: /modle. did you mean /model? Otherwise, ${SAY}`],
      ["/summarize the chat", `UnknownCommand: no such command: /summarize. ${SAY}`],
      ["/tmp is full", `UnknownCommand: no such command: /tmp. ${SAY}`],
      [
        "/help",
        "UnknownCommand: /help is a command, and no message. type it on the page or in boocode chat -i, where it works"
      ],
      ["/usr/bin is full", `${MODEL} /usr/bin is full`],
      ["/usr:bin/x", `${MODEL} /usr:bin/x`],
      ["/notes.txt", `${MODEL} /notes.txt`],
      ["//", `${MODEL} //`]
    ] as const
  ) {
    it.effect(`${JSON.stringify(text)} is ${expected.split(":")[0]}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* outcome(text), expected)
      }))
  }

  it.effect("stays what it was when it is sent again unchanged, and is read anew when it was edited", () =>
    Effect.gen(function*() {
      const text = "/files_read {}"
      assert.strictEqual(yield* outcome(text, { replaces: 1 }), `${CALL} ${text}`)
      assert.strictEqual(yield* outcome(text, { replaces: 2 }), `${MODEL} ${text}`)
      assert.strictEqual(yield* outcome(`${text} `, { replaces: 2 }), `${CALL} ${text} `)
      assert.match(yield* outcome("/nothing", { replaces: 2 }), /^UnknownCommand/)
      const gone = SlashMessage.resolve("gone", { text, agent: null, model: null, replaces: 1 })
      assert.deepInclude(yield* Effect.flip(Effect.provide(gone, world())), { _tag: "UnknownChat" })
    }))

  it.effect("is for the agent of the chat when neither it nor a mention names one", () =>
    Effect.gen(function*() {
      const of = (agent: string | null) =>
        SlashMessage.resolve("c", { text: "/files_read", agent, model: null }).pipe(
          Effect.provide(world()),
          Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ model }) => model })
        )
      assert.strictEqual(yield* of(null), "the agent Bea may not use the tool files_read")
      assert.strictEqual(yield* of("Ada"), "command")
      assert.strictEqual(yield* of("Nobody"), "command", "the sending says that there is no such agent")
    }))

  it.effect("is no command when it is the text of a prompt", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* outcome("/nothing", { prompt: [] }), `${MODEL} /nothing`)
    }))

  it.effect("waits for a server that connects for 3 seconds, then says that it is not ready", () =>
    Effect.gen(function*() {
      const waiting = yield* Effect.forkChild(outcome("/never_echo"))
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "NotReady")
    }))

  it.effect("calls a tool although a model answers the chat, which reads the call and its result afterwards", () =>
    Effect.gen(function*() {
      const { asked, model } = yield* Scripted.model([[...says("Thanks."), Scripted.finish()]])
      const { chats } = yield* Chatting.start({
        models: { "openai/m": model },
        environment: "openai/m",
        world: {
          servers: [status("files", "ready")],
          tools: [mcpTool("files", "read")],
          call: (_, args) =>
            Effect.succeed({
              isError: false,
              content: [{ type: "text", text: `read ${JSON.stringify(args)}` }],
              structuredContent: null,
              millis: 1
            })
        }
      })
      const words = yield* resolved("/files_read {\"path\": \"a\"}")
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, words)
      const parts = yield* Chatting.until(chats, id, 1)
      assert.deepStrictEqual(Chatting.brief(parts), ["1 tool-call", "1 read {\"path\":\"a\"}", "1 stop"])
      assert.strictEqual(asked.length, 0)
      yield* chats.send(id, Chatting.message("What is in it?"))
      yield* Chatting.until(chats, id, 2)
      const [request] = asked
      const heard = Scripted.outline(request?.prompt.content ?? []).filter((line) => !line.startsWith("system"))
      assert.strictEqual(heard.length, 4, heard.join("\n"))
      assert.match(heard[0] ?? "", /^user "\/files_read/)
      assert.match(heard[1] ?? "", /^assistant call command_1 files_read/)
      assert.match(heard[2] ?? "", /^tool result command_1 .*read/s)
      assert.match(heard[3] ?? "", /^user "What is in it\?"/)
    }))
})
