import type { McpTool } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import type { Answer } from "../../src/asking/PendingApproval.ts"
import type { ChatWrite } from "../../src/model/Chat.ts"
import type { HookCall } from "../../src/permissions/CallHooks.ts"
import type { ChatStore } from "../../src/store/ChatStore.ts"
import * as Asking from "../support/Asking.ts"

const ON: ChatWrite = { mode: "ask", until: null }

const rules = (...all: ReadonlyArray<object>) => JSON.stringify({ rules: all })

const writer = (asking: Asking.Asking) => asking.tool("files_write", { class: "writes" })

/** Starts a call, and gives the request that it makes. */
const asked = Effect.fnUntraced(function*(asking: Asking.Asking, ...call: Parameters<Asking.Asking["call"]>) {
  const fiber = yield* Effect.forkChild(asking.call(...call), { startImmediately: true })
  const request = (yield* asking.requests(call[1]?.chat)).at(-1) ?? assert.fail("it does not ask")
  assert.isUndefined(fiber.pollUnsafe(), "it does not wait")
  return { fiber, request }
})

/** Makes a call that asks, and answers it; gives its text. */
const answered = Effect.fnUntraced(function*(
  asking: Asking.Asking,
  answer: Answer,
  ...call: Parameters<Asking.Asking["call"]>
) {
  const { fiber, request } = yield* asked(asking, ...call)
  yield* asking.approvals.answer(call[1]?.chat ?? "c", request.id, answer)
  return (yield* Fiber.join(fiber)).text
})

const writes = (asking: Asking.Asking) =>
  Effect.map(
    asking.parts(),
    (parts) => parts.flatMap((part) => part.type === "write" ? [[part.allowedBy, part.source, part.outcome]] : [])
  )

describe("The gate of calls", () => {
  it.effect("refuses what a rule denies, with the rule and its note, and asks nobody", () =>
    Asking.run(
      { permissions: () => rules({ deny: "files_*", where: { path: "secrets/*" }, note: "keys are there" }) },
      (asking) =>
        Effect.gen(function*() {
          const tool = asking.tool("files_read")
          const { isError, text } = yield* asking.call(tool, { args: { path: "x/../secrets/key" } })
          assert.isTrue(isError)
          assert.include(text, "permissions.jsonc:1 says deny files_* where path is secrets/* (keys are there)")
          assert.isFalse((yield* asking.call(tool, { args: { path: "a" }, callId: "2" })).isError)
          // What cannot be read may be anything.
          assert.isTrue((yield* asking.call(tool, { args: "{ path: secrets", callId: "3" })).isError)
          assert.deepStrictEqual(asking.sent, [["files_read", { path: "a" }]])
          assert.deepStrictEqual(yield* asking.parts(), [])
        })
    ))

  it.effect("calls a tool that writes where a rule allows it, asks otherwise, and refuses it with write mode off", () =>
    Asking.run(
      { permissions: () => rules({ allow: "files_write", where: { path: "notes/*" } }) },
      (asking) =>
        Effect.gen(function*() {
          const tool = writer(asking)
          assert.include((yield* asking.call(tool, { args: { path: "notes/a" } })).text, "write mode is off")
          assert.isFalse((yield* asking.call(tool, { args: { path: "notes/a" }, write: ON, callId: "2" })).isError)
          const call = { args: { path: "plans/a" }, write: ON, callId: "3" }
          const { fiber, request } = yield* asked(asking, tool, call)
          assert.deepInclude(request, { class: "writes", rule: null })
          yield* asking.approvals.answer("c", request.id, { decision: "once" })
          yield* Fiber.join(fiber)
          assert.deepStrictEqual(yield* writes(asking), [
            ["rule", "permissions.jsonc:1", "done"],
            ["person", "a person's yes to this call", "done"]
          ])
          const strict = { args: { path: "plans/a" }, write: { mode: "rules", until: null }, callId: "4" } as const
          assert.include((yield* asking.call(tool, strict)).text, "no rule allows it")
        })
    ))

  it.effect("tells a person the rule that asks, and what a longer yes may hold for, the narrowest first", () =>
    Asking.run({ permissions: () => rules({ ask: "files_*", class: "writes" }) }, (asking) =>
      Effect.gen(function*() {
        const call = { args: { path: "notes/2026/a.md" }, write: ON }
        const { fiber, request } = yield* asked(asking, writer(asking), call)
        assert.deepStrictEqual(request.rule, { text: "ask files_* of class writes", source: "permissions.jsonc:1" })
        assert.deepStrictEqual(request.suggestions, [
          { where: { path: "notes/2026/*" }, text: "files_write where path is notes/2026/*" },
          { where: null, text: "files_write" }
        ])
        yield* Fiber.interrupt(fiber)
      })))

  it.effect("holds a yes for the chat to the calls that it was given for", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      const answer: Answer = { decision: "chat", where: { path: "notes/*" } }
      const at = (path: string, callId: string) => ({ args: { path }, write: ON, callId })
      yield* Asking.run({}, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          const tool = writer(asking)
          const { fiber, request } = yield* asked(asking, tool, at("notes/a", "1"))
          const wrong = { decision: "chat", where: { path: "plans/*" } } as const
          const error = yield* Effect.flip(asking.approvals.answer("c", request.id, wrong))
          assert.strictEqual(error._tag, "UnusableConditions")
          yield* asking.approvals.answer("c", request.id, answer)
          yield* Fiber.join(fiber)
          assert.isFalse((yield* asking.call(tool, at("notes/b", "2"))).isError)
          yield* Fiber.interrupt((yield* asked(asking, tool, at("notes/../plans/b", "3"))).fiber)
          assert.deepStrictEqual((yield* writes(asking)).map(([by]) => by), ["person", "grant"])
        }))
      yield* Asking.run(store === undefined ? {} : { store }, (asking) =>
        Effect.gen(function*() {
          assert.isFalse((yield* asking.call(writer(asking), at("notes/c", "4"))).isError)
          const other = { ...at("notes/c", "5"), chat: "other" }
          yield* Fiber.interrupt((yield* asked(asking, writer(asking), other)).fiber)
        }))
    }))

  it.effect("holds a yes for an hour in every chat, and always until it is taken back, each to its calls", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const at = (path: string, chat: string) => ({ args: { path }, write: ON, chat })
      yield* Asking.run({ disk }, (asking) =>
        Effect.gen(function*() {
          const tool = writer(asking)
          yield* answered(asking, { decision: "hour", where: { path: "notes/*" } }, tool, at("notes/a", "c"))
          yield* answered(asking, { decision: "always", where: { path: "plans/*" } }, tool, at("plans/a", "d"))
          assert.deepStrictEqual((yield* asking.approvals.granted).map(({ until, where }) => [where, until]), [
            [{ path: "notes/*" }, "1970-01-01T01:00:00.000Z"],
            [{ path: "plans/*" }, undefined]
          ])
        }))
      yield* Asking.run({ disk }, (asking) =>
        Effect.gen(function*() {
          const tool = writer(asking)
          assert.isFalse((yield* asking.call(tool, at("notes/b", "e"))).isError)
          assert.isFalse((yield* asking.call(tool, at("plans/b", "f"))).isError)
          yield* TestClock.adjust("1 hour")
          assert.lengthOf(yield* asking.approvals.granted, 1)
          yield* Fiber.interrupt((yield* asked(asking, tool, at("notes/b", "g"))).fiber)
          assert.isTrue(yield* asking.approvals.revoke("files_write"))
          yield* Fiber.interrupt((yield* asked(asking, tool, at("plans/b", "h"))).fiber)
        }))
    }))

  it.effect("makes no call after a yes where rules deny it by then, or deny what the person made of it", () =>
    Effect.gen(function*() {
      let text = rules({ deny: "files_write", where: { path: "secrets/*" } })
      yield* Asking.run({ permissions: () => text }, (asking) =>
        Effect.gen(function*() {
          const tool = writer(asking)
          const call = { args: { path: "notes/a" }, write: ON }
          const edited = { decision: "once", args: { path: "secrets/a" } } as const
          assert.include(yield* answered(asking, edited, tool, call), "deny files_write where path is secrets/*")
          const { fiber, request } = yield* asked(asking, tool, { ...call, callId: "2" })
          text = rules({ deny: "*" })
          yield* asking.approvals.answer("c", request.id, { decision: "always" })
          assert.include((yield* Fiber.join(fiber)).text, "says deny *")
          assert.deepStrictEqual(asking.sent, [])
          // Neither does what was allowed for good.
          assert.isTrue((yield* asking.call(tool, { ...call, callId: "3" })).isError)
        }))
    }))

  it.effect("makes no call after a yes to a tool that changed meanwhile, and asks about the next one anew", () => {
    const listed: Array<McpTool> = []
    return Asking.run({ listed }, (asking) =>
      Effect.gen(function*() {
        const [before, after] = ["writes", "destroys"].map((description) =>
          asking.tool("files_write", { class: "writes", description })
        )
        if (before?.listed === undefined || after?.listed === undefined) return assert.fail("no tool")
        listed.push(before.listed)
        const { fiber, request } = yield* asked(asking, before, { write: ON })
        listed[0] = after.listed
        yield* asking.approvals.answer("c", request.id, { decision: "chat" })
        assert.include((yield* Fiber.join(fiber)).text, "it changed while a person was asked about it")
        assert.deepStrictEqual(asking.sent, [])
        yield* answered(asking, { decision: "once" }, after, { write: ON, callId: "2" })
        assert.deepStrictEqual(asking.sent, [["files_write", {}]])
      }))
  })

  it.effect("looks at the write mode at each call: its end ends it, also for a call that waits", () =>
    Asking.run({}, (asking) =>
      Effect.gen(function*() {
        const write = { mode: "ask", until: "1970-01-01T02:00:00.000Z" } as const
        const tool = writer(asking)
        const { fiber, request } = yield* asked(asking, tool, { write })
        yield* TestClock.adjust("2 hours")
        yield* asking.approvals.answer("c", request.id, { decision: "once" })
        assert.include((yield* Fiber.join(fiber)).text, "write mode is off")
        assert.include((yield* asking.call(tool, { write, callId: "2" })).text, "write mode is off")
        const unreadable = { mode: "ask", until: "tomorrow" } as const
        assert.include((yield* asking.call(tool, { write: unreadable, callId: "3" })).text, "write mode is off")
        assert.deepStrictEqual(asking.sent, [])
      })))

  it.effect("refuses at once where nobody can answer, with the reason, and shows no card", () =>
    Asking.run({ permissions: () => rules({ ask: "web_*" }) }, (asking) =>
      Effect.gen(function*() {
        const { text } = yield* asking.call(asking.tool("web_get"), { isUnattended: true })
        assert.include(
          text,
          "it needs a person's yes, because permissions.jsonc:1 says ask web_*, and nobody can answer"
        )
        assert.isTrue((yield* asking.call(writer(asking), { isUnattended: true, write: ON, callId: "2" })).isError)
        assert.isFalse((yield* asking.call(asking.tool("files_read"), { isUnattended: true, callId: "3" })).isError)
        assert.deepStrictEqual(yield* asking.parts(), [])
      })))

  it.effect("shows two cards for two calls of one tool in parallel, each answered by itself", () =>
    Asking.run({}, (asking) =>
      Effect.gen(function*() {
        const tool = writer(asking)
        const one = yield* asked(asking, tool, { write: ON, args: { path: "a" }, callId: "1" })
        const two = yield* asked(asking, tool, { write: ON, args: { path: "a" }, callId: "2" })
        assert.notStrictEqual(one.request.id, two.request.id)
        yield* asking.approvals.answer("c", two.request.id, { decision: "deny", reason: "not twice" })
        assert.include((yield* Fiber.join(two.fiber)).text, "not twice")
        assert.isUndefined(one.fiber.pollUnsafe())
        yield* asking.approvals.answer("c", one.request.id, { decision: "once" })
        assert.isFalse((yield* Fiber.join(one.fiber)).isError)
        assert.lengthOf(asking.sent, 1)
      })))

  it.effect("asks about every call while the file is wrong, and what was allowed before does not count", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      let text = rules({ allow: "files_*" }, { ask: "web_*" })
      yield* Asking.run({ disk, permissions: () => text }, (asking) =>
        Effect.gen(function*() {
          yield* answered(asking, { decision: "always" }, asking.tool("web_get"))
          assert.isFalse((yield* asking.call(asking.tool("web_get"), { callId: "2" })).isError)
          text = "{ rules: ["
          const { fiber, request } = yield* asked(asking, asking.tool("web_get"), { callId: "3" })
          assert.include(request.rule?.text ?? "", "until that is corrected, every call asks")
          yield* Fiber.interrupt(fiber)
          yield* Fiber.interrupt((yield* asked(asking, asking.tool("files_read"), { callId: "4" })).fiber)
          assert.lengthOf(asking.sent, 2)
        }))
    }))

  it.effect("asks hooks about each call: one refuses it, or has a person asked whatever was allowed before", () =>
    Effect.gen(function*() {
      const heard: Array<HookCall> = []
      const hook = (call: HookCall) => {
        heard.push(call)
        if (call.args["path"] === "secret") return { outcome: "deny", reason: "it is secret" } as const
        return call.args["path"] === "odd" ? { outcome: "ask", reason: "it is odd" } as const : null
      }
      const permissions = () => JSON.stringify({ hooks: [{ command: ["policy"] }], rules: [{ allow: "files_*" }] })
      yield* Asking.run({ hook, permissions }, (asking) =>
        Effect.gen(function*() {
          const tool = writer(asking)
          const at = (path: string, callId: string) => ({ args: { path }, write: ON, callId })
          assert.isFalse((yield* asking.call(tool, at("plain", "1"))).isError)
          const called = { tool: "files_write", server: "files", class: "writes", agent: "A", chat: "c" }
          assert.deepStrictEqual(heard, [{ ...called, args: { path: "plain" } }])
          const refused = yield* asking.call(tool, at("secret", "2"))
          assert.include(refused.text, "the hook at permissions.jsonc:1 says deny: it is secret")
          const { fiber, request } = yield* asked(asking, tool, at("odd", "3"))
          assert.deepStrictEqual(request.rule, { text: "it is odd", source: "permissions.jsonc:1" })
          yield* asking.approvals.answer("c", request.id, { decision: "chat" })
          assert.isFalse((yield* Fiber.join(fiber)).isError)
          const edited = { decision: "once", args: { path: "secret" } } as const
          assert.include(yield* answered(asking, edited, tool, at("odd", "4")), "it is secret")
          assert.strictEqual(heard.filter(({ args }) => args["path"] === "odd").length, 2)
        }))
    }))

  it.effect("asks about every call while there are hooks and nothing runs them", () =>
    Asking.run({ permissions: () => `{ "hooks": [{ "command": ["policy"] }] }` }, (asking) =>
      Effect.gen(function*() {
        const { fiber, request } = yield* asked(asking, asking.tool("files_read"))
        assert.include(request.rule?.text ?? "", "this program runs no hooks")
        yield* Fiber.interrupt(fiber)
      })))

  it.effect("brings back a card of an earlier run, unless rules deny the call now", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      const call = { write: ON, args: { path: "a" } }
      const before = yield* Asking.run({}, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          const { fiber, request } = yield* asked(asking, writer(asking), call)
          yield* Fiber.interrupt(fiber)
          return request
        }))
      const again = store === undefined ? {} : { store }
      yield* Asking.run(again, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, writer(asking), call)
          assert.strictEqual(request.id, before.id)
          yield* Fiber.interrupt(fiber)
        }))
      yield* Asking.run({ ...again, permissions: () => rules({ deny: "*" }) }, (asking) =>
        Effect.gen(function*() {
          assert.include((yield* asking.call(writer(asking), call)).text, "says deny *")
          assert.deepInclude((yield* asking.parts()).at(-1), { type: "approval-answer", decision: "expired" })
        }))
    }))
})
