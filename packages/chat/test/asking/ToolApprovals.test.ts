import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import { ToolApprovals } from "../../src/asking/ToolApprovals.ts"
import type { ChatStore } from "../../src/store/ChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"
import * as Asking from "../support/Asking.ts"

const first = <A>(list: ReadonlyArray<A>): A => list[0] ?? assert.fail("nothing waits")

/** Starts a call, and gives the request that it makes. */
const asked = Effect.fnUntraced(function*(
  asking: Asking.Asking,
  ...call: Parameters<Asking.Asking["call"]>
) {
  const fiber = yield* Effect.forkChild(asking.call(...call), { startImmediately: true })
  const request = (yield* asking.requests(call[1]?.chat)).at(-1) ?? assert.fail("it does not ask")
  return { fiber, request }
})

const answers = (asking: Asking.Asking, id: string, decision: "once" | "chat" | "always" | "deny", more: object = {}) =>
  asking.approvals.answer("c", id, { decision, ...more })

describe("ToolApprovals", () => {
  it.effect("asks about what the entry, the settings or the agent name, and about nothing else", () =>
    Asking.run({ ask: ["web_*", "!web_get"] }, (asking) =>
      Effect.gen(function*() {
        const cases = [
          ["files_read", false, []],
          ["files_write", true, ["files_write"]],
          ["web_post", true, []],
          ["web_get", false, []],
          ["mail_send", true, [], { needsApproval: true }]
        ] as const
        for (const [index, [name, isAsked, agentAsks, changes = {}]] of cases.entries()) {
          const fiber = yield* Effect.forkChild(
            asking.call(asking.tool(name, changes), { agentAsks, chat: `c${index}` }),
            { startImmediately: true }
          )
          const requests = yield* asking.requests(`c${index}`)
          assert.deepStrictEqual(requests.map((request) => request.name), isAsked ? [name] : [])
          yield* Fiber.interrupt(fiber)
        }
        assert.deepStrictEqual(asking.sent.map(([name]) => name), ["files_read", "web_get"])
      })))

  it.effect("R73: keeps asking, whatever an agent excepts and a server says of its tool", () =>
    Asking.run({ ask: ["files_read"] }, (asking) =>
      Effect.gen(function*() {
        const harmless = { annotations: { readOnlyHint: true, destructiveHint: false }, isTrusted: false }
        for (
          const [chat, tool] of [
            ["c1", asking.tool("files_read", harmless)],
            ["c2", asking.tool("files_list", { ...harmless, needsApproval: true })]
          ] as const
        ) {
          const agentAsks = ["*", "!files_read", "!files_list"]
          const { fiber, request } = yield* asked(asking, tool, { chat, agentAsks })
          assert.deepStrictEqual(request.annotations, harmless.annotations)
          assert.isFalse(request.isTrusted)
          yield* Fiber.interrupt(fiber)
        }
        assert.deepStrictEqual(asking.sent, [])
      })))

  it.effect("sends what was shown after a yes, which is written down before the call", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const { fiber, request } = yield* asked(asking, asking.tool("files_write"), {
          args: `{"path": "a"}`,
          callId: "7"
        })
        const { id, print: _print, seq: _seq, ...rest } = request
        assert.deepStrictEqual(rest, {
          type: "approval",
          turn: 1,
          call: "7",
          name: "files_write",
          server: "files",
          tool: "write",
          isTrusted: true,
          args: { path: "a" },
          annotations: {},
          class: "undeclared",
          rule: { text: "ask *", source: "approvals.ask in settings.json" },
          before: null,
          suggestions: [{ where: null, text: "files_write" }]
        })
        assert.deepStrictEqual((yield* asking.approvals.pending).map(({ chat, id }) => [chat, id]), [["c", id]])
        yield* answers(asking, id, "once")
        assert.deepStrictEqual((yield* asking.parts()).at(-1), {
          type: "approval-answer",
          seq: 2,
          turn: 1,
          id,
          decision: "once",
          reason: null
        })
        assert.isFalse((yield* Fiber.join(fiber)).isError)
        assert.deepStrictEqual(asking.sent, [["files_write", { path: "a" }]])
        assert.deepStrictEqual(yield* asking.approvals.pending, [])
        // Once is once.
        const { fiber: again } = yield* asked(asking, asking.tool("files_write"), { callId: "8" })
        yield* Fiber.interrupt(again)
        assert.lengthOf(asking.sent, 1)
      })))

  it.effect("R106: makes two requests of two calls of one tool in one answer, each answered by itself", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const tool = asking.tool("files_write")
        const one = yield* asked(asking, tool, { args: { path: "a" }, callId: "1" })
        const two = yield* asked(asking, tool, { args: { path: "a" }, callId: "2" })
        assert.notStrictEqual(one.request.id, two.request.id)
        assert.deepStrictEqual([one.request.call, two.request.call], ["1", "2"])
        yield* answers(asking, two.request.id, "once")
        assert.isFalse((yield* Fiber.join(two.fiber)).isError)
        assert.isUndefined(one.fiber.pollUnsafe())
        yield* answers(asking, one.request.id, "deny", { reason: "not twice" })
        assert.include((yield* Fiber.join(one.fiber)).text, "said no: not twice")
        assert.lengthOf(asking.sent, 1)
      })))

  it.effect("holds for this tool in this chat, and for no other tool or chat", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const write = asking.tool("files_write")
        const { fiber, request } = yield* asked(asking, write)
        yield* answers(asking, request.id, "chat")
        yield* Fiber.join(fiber)
        assert.isFalse((yield* asking.call(write, { callId: "2" })).isError)
        // The name that models know may change with the configuration.
        assert.isFalse((yield* asking.call({ ...write, name: "files_write_0a1b2c3d" }, { callId: "3" })).isError)
        for (const [tool, chat] of [[asking.tool("files_remove"), "c"], [write, "other"]] as const) {
          yield* Fiber.interrupt((yield* asked(asking, tool, { chat, callId: "4" })).fiber)
        }
        assert.lengthOf(asking.sent, 3)
      })))

  it.effect("R73: holds for the chat until the tool is defined in another way, or its server declared elsewhere", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      yield* Asking.run({ ask: ["*"], file: "/one/.mcp.json" }, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          yield* answers(asking, request.id, "chat")
          yield* Fiber.join(fiber)
          const changed = asking.tool("files_write", { description: "Writes, and sends it on." })
          yield* Fiber.interrupt((yield* asked(asking, changed, { callId: "2" })).fiber)
          assert.isFalse((yield* asking.call(asking.tool("files_write"), { callId: "3" })).isError)
          assert.lengthOf(asking.sent, 2)
        }))
      yield* Asking.run(
        { ask: ["*"], file: "/two/.mcp.json", ...(store === undefined ? {} : { store }) },
        (asking) =>
          Effect.gen(function*() {
            yield* Fiber.interrupt((yield* asked(asking, asking.tool("files_write"), { callId: "4" })).fiber)
            assert.lengthOf(asking.sent, 0)
          })
      )
    }))

  it.effect("holds always, in the next run too, until the tool is defined in another way or it is taken back", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      yield* Asking.run({ disk, ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          yield* answers(asking, request.id, "always")
          yield* Fiber.join(fiber)
        }))
      assert.strictEqual(disk.modes.get(Asking.FILE) ?? 0o600, 0o600)
      yield* Asking.run({ disk, ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          assert.isFalse((yield* asking.call(asking.tool("files_write"))).isError)
          const granted = yield* asking.approvals.granted
          assert.deepStrictEqual(granted.map(({ since: _, ...grant }) => grant), [
            { server: "files", tool: "write", name: "files_write" }
          ])
          const others = [
            asking.tool("files_write", { description: "Writes anywhere." }),
            asking.tool("files_write", { annotations: { readOnlyHint: true } }),
            asking.tool("files_write", { inputSchema: { type: "object", properties: { to: {} } } }),
            asking.tool("web_write"),
            asking.tool("files_read")
          ]
          for (const [index, tool] of others.entries()) {
            yield* Fiber.interrupt((yield* asked(asking, tool, { chat: `o${index}` })).fiber)
          }
          assert.lengthOf(asking.sent, 1)
          assert.isFalse(yield* asking.approvals.revoke("files_read"))
          assert.isTrue(yield* asking.approvals.revoke("files_write"))
          yield* Fiber.interrupt((yield* asked(asking, asking.tool("files_write"), { chat: "last" })).fiber)
          assert.lengthOf(asking.sent, 1)
        }))
    }))

  it.effect("allows always the server of one file, not that of the same name in another project", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      yield* Asking.run({ disk, ask: ["*"], file: "/one/.mcp.json" }, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          yield* answers(asking, request.id, "always")
          yield* Fiber.join(fiber)
        }))
      yield* Asking.run({ disk, ask: ["*"], file: "/two/.mcp.json" }, (asking) =>
        Effect.gen(function*() {
          yield* Fiber.interrupt((yield* asked(asking, asking.tool("files_write"))).fiber)
          assert.lengthOf(asking.sent, 0)
        }))
    }))

  it.effect("counts nothing as always allowed when the file is damaged, and says so; the damaged file is kept", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const logged: Array<string> = []
      disk.files.set(Asking.FILE, `{"version":1,"allowed":[{"server":"files"`)
      yield* Asking.run({ disk, ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          assert.include(logged.join("\n"), "nothing is always allowed")
          yield* answers(asking, request.id, "always")
          yield* Fiber.join(fiber)
          assert.lengthOf(yield* asking.approvals.granted, 1)
        })).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])))
      assert.isTrue([...disk.files.keys()].includes(`${Asking.FILE}.unusable`))
    }))

  it.effect("still waits when always could not be written down, and takes another answer", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      disk.state.isReadOnly = true
      yield* Asking.run({ disk, ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          const error = yield* Effect.flip(answers(asking, request.id, "always"))
          assert.strictEqual(error._tag, "GrantNotKept")
          assert.isUndefined(fiber.pollUnsafe())
          yield* answers(asking, request.id, "once")
          assert.isFalse((yield* Fiber.join(fiber)).isError)
        }))
    }))

  it.effect("sends what the person made of the arguments, and refuses what cannot be sent", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const { fiber, request } = yield* asked(asking, asking.tool("files_write"), { args: { path: "a" } })
        const error = yield* Effect.flip(answers(asking, request.id, "once", { args: { path: [1] } }))
        assert.strictEqual(error._tag, "UnusableArguments")
        yield* answers(asking, request.id, "once", { args: { path: "b" } })
        assert.include((yield* Fiber.join(fiber)).text, `changed the arguments to {"path":"b"}`)
        assert.deepStrictEqual(asking.sent, [["files_write", { path: "b" }]])
        const last = (yield* asking.parts()).at(-1)
        assert.deepStrictEqual(last?.type === "approval-answer" ? last.args : null, { path: "b" })
      })))

  it.effect("takes one answer of several, and none for a call that is over or never asked", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
        const both = yield* Effect.all(
          [answers(asking, request.id, "once"), answers(asking, request.id, "deny")].map(Effect.result),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(both.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        yield* Fiber.join(fiber)
        const late = yield* Effect.flip(answers(asking, request.id, "once"))
        assert.strictEqual(late._tag, "ApprovalClosed")
        assert.strictEqual((yield* Effect.flip(answers(asking, "nobody", "once")))._tag, "UnknownApproval")
        const other = yield* asked(asking, asking.tool("files_write"), { callId: "2" })
        const foreign = yield* Effect.flip(asking.approvals.answer("d", other.request.id, { decision: "once" }))
        assert.strictEqual(foreign._tag, "UnknownApproval")
        yield* Fiber.interrupt(other.fiber)
        assert.lengthOf((yield* asking.parts()).filter(({ type }) => type === "approval-answer"), 1)
      })))

  it.effect("writes nothing after the end of a stopped call, however late an answer comes", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
        const answering = yield* Effect.forkChild(Effect.result(answers(asking, request.id, "once")))
        yield* Fiber.interrupt(fiber)
        const before = yield* asking.parts()
        yield* Fiber.join(answering)
        assert.deepStrictEqual(yield* asking.parts(), before)
      })))

  it.effect("waits 24 hours, then says so to the model and to the listeners", () =>
    Asking.run({ ask: ["*"] }, (asking) =>
      Effect.gen(function*() {
        const { fiber } = yield* asked(asking, asking.tool("files_write"))
        yield* TestClock.adjust("23 hours")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 hour")
        const { text } = yield* Fiber.join(fiber)
        assert.strictEqual(
          text,
          "files_write was not called: it needs a person's yes, and nobody answered within 24 hours"
        )
        const last = (yield* asking.parts()).at(-1)
        assert.strictEqual(last?.type === "approval-answer" ? last.decision : "", "expired")
        assert.deepStrictEqual(asking.sent, [])
      })))

  it.effect("takes up a call that asked in an earlier run, under its id, and keeps an answer that came before it", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      const before = yield* Asking.run({ ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"), { args: { path: "a" } })
          yield* Fiber.interrupt(fiber)
          return request
        }))
      // Whatever the configuration says now.
      yield* Asking.run({ ask: [], ...(store === undefined ? {} : { store }) }, (asking) =>
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* asking.approvals.pending).map(({ id }) => id), [before.id])
          const early = yield* Effect.forkChild(answers(asking, before.id, "once"), { startImmediately: true })
          yield* TestClock.adjust("10 seconds")
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"), { args: { path: "a" } })
          yield* Fiber.join(early)
          assert.isFalse((yield* Fiber.join(fiber)).isError)
          assert.strictEqual(request.id, before.id)
          assert.deepStrictEqual((yield* asking.parts()).map(({ type }) => type), ["approval", "approval-answer"])
          assert.lengthOf(asking.sent, 1)
        }))
    }))

  it.effect("asks anew when the call of an earlier run would be another one now", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      yield* Asking.run({ ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          yield* Fiber.interrupt((yield* asked(asking, asking.tool("files_write"), { args: { path: "a" } })).fiber)
        }))
      yield* Asking.run({ ask: ["*"], ...(store === undefined ? {} : { store }) }, (asking) =>
        Effect.gen(function*() {
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"), { args: { path: "b" } })
          const all = yield* asking.parts()
          assert.deepStrictEqual(all.map(({ type }) => type), ["approval", "approval-answer", "approval"])
          assert.notStrictEqual(request.id, first(yield* asking.requests()).id)
          assert.deepStrictEqual(request.args, { path: "b" })
          yield* Fiber.interrupt(fiber)
        }))
    }))

  it.effect("says that a turn of an earlier run is not back yet, instead of losing the answer", () =>
    Effect.gen(function*() {
      let store: ChatStore["Service"] | undefined
      const before = yield* Asking.run({ ask: ["*"] }, (asking) =>
        Effect.gen(function*() {
          store = asking.store
          const { fiber, request } = yield* asked(asking, asking.tool("files_write"))
          yield* Fiber.interrupt(fiber)
          return request
        }))
      yield* Asking.run({ ...(store === undefined ? {} : { store }) }, (asking) =>
        Effect.gen(function*() {
          const early = yield* Effect.forkChild(Effect.flip(answers(asking, before.id, "once")))
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual((yield* Fiber.join(early))._tag, "ApprovalNotReady")
          assert.lengthOf(yield* asking.parts(), 1)
        }))
    }))

  it.effect("gives models no tool that asks where there is nobody to ask", () =>
    Effect.gen(function*() {
      const nobody: typeof ToolApprovals.Service = yield* ToolApprovals
      const { tool } = yield* Asking.run({}, (asking) => Effect.succeed(asking))
      const guard = nobody.guard({
        chat: "c",
        owner: FIRST.id,
        agent: { ask: ["files_write"] },
        emit: () => Effect.void,
        earlier: []
      })
      const tools = [tool("files_read"), tool("files_write"), tool("files_remove", { needsApproval: true })]
      assert.deepStrictEqual(guard(tools).map(({ name }) => name), ["files_read"])
    }))

  it.effect("lists what waits in all chats without what it is to do, and takes a no for it by its id alone", () =>
    Asking.run({ ask: ["files_write"] }, (asking) =>
      Effect.gen(function*() {
        const tool = asking.tool("files_write")
        const { fiber, request } = yield* asked(asking, tool, { args: { path: "secret" } })
        const waiting = yield* asking.approvals.waiting
        assert.deepStrictEqual(waiting, [{
          id: request.id,
          owner: FIRST.id,
          name: "files_write",
          server: "files",
          ...request.class === undefined ? {} : { class: request.class },
          since: ""
        }])
        const unknown = yield* Effect.flip(asking.approvals.deny("other", "no"))
        assert.strictEqual(unknown.message, "no call of any chat asks under the id other")
        yield* asking.approvals.deny(request.id, "an admin denied it")
        const { isError, text } = yield* Fiber.join(fiber)
        assert.isTrue(isError)
        assert.include(text, "an admin denied it")
        assert.deepStrictEqual(asking.sent, [])
        assert.deepStrictEqual(yield* asking.approvals.waiting, [])
      })))
})
