import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { Approval, type ToolResult } from "../../src/index.ts"
import { heldTool } from "../support/HeldTool.ts"

const asking = (ask: ReadonlyArray<string>, decide: Approval.Approval["decide"]): Approval.Approval => ({ ask, decide })

const only = <A>(list: ReadonlyArray<A>): A => {
  assert.strictEqual(list.length, 1)
  return list[0] ?? assert.fail("nothing")
}

const refused = (result: ToolResult.ToolResult, words: string): void => {
  assert.isTrue(result.isError)
  assert.strictEqual(result.fault, "call")
  assert.include(result.text, words)
}

describe("Approval.guard", () => {
  it.effect("asks before a call, with all a person needs to decide, and calls after a yes (R106)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const seen: Array<Approval.Request> = []
      const guarded = only(Approval.guard(
        [tool],
        asking(["files_write"], (request) =>
          Effect.sync(() => {
            assert.deepStrictEqual(sent, [])
            seen.push(request)
            return Approval.approve
          }))
      ))
      const result = yield* guarded.run({ path: "a" }, { callId: "call-1" })
      assert.isFalse(result.isError)
      assert.deepStrictEqual(sent, [{ path: "a" }])
      const { id, ...rest } = only(seen)
      assert.notStrictEqual(id, "")
      assert.deepStrictEqual(rest, {
        callId: "call-1",
        server: "files",
        tool: "write",
        name: "files_write",
        isTrusted: false,
        args: { path: "a" },
        annotations: { readOnlyHint: true }
      })
    }))

  it.effect("makes two requests of two parallel calls of one tool, each with its own answer (R106)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const open: Array<readonly [Approval.Request, Deferred.Deferred<Approval.Decision>]> = []
      const both = yield* Deferred.make<void>()
      const decide = Effect.fnUntraced(function*(request: Approval.Request) {
        const answer = yield* Deferred.make<Approval.Decision>()
        if (open.push([request, answer]) === 2) yield* Deferred.succeed(both, undefined)
        return yield* Deferred.await(answer)
      })
      const guarded = only(Approval.guard([tool], asking(["*"], decide)))
      // The same arguments and, as some models do it, the same id.
      const call = guarded.run({ path: "a" }, { callId: "call_0" })
      const fiber = yield* Effect.forkChild(Effect.all([call, call], { concurrency: "unbounded" }))
      yield* Deferred.await(both)
      assert.strictEqual(new Set(open.map(([{ id }]) => id)).size, 2)
      yield* Deferred.succeed(open[1]?.[1] ?? assert.fail("one request"), Approval.approve)
      yield* Deferred.succeed(open[0]?.[1] ?? assert.fail("no request"), Approval.deny("not this one"))
      const [first, second] = yield* Fiber.join(fiber)
      refused(first, "said no: not this one")
      assert.isFalse(second.isError)
      assert.strictEqual(sent.length, 1)
    }))

  it.effect("answers a no with an error that says whose it is, and sends nothing", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      for (
        const [reason, words] of [[undefined, "said no"], [" ", "said no"], ["too big", "said no: too big"]] as const
      ) {
        const guarded = only(Approval.guard([tool], asking(["*"], () => Effect.succeed(Approval.deny(reason)))))
        const result = yield* guarded.run({})
        assert.strictEqual(result.text, `files_write was not called: the person who was asked ${words}`)
        // A person's word is not a server's.
        assert.isNull(result.origin)
        refused(result, words)
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("sends what the person made of the arguments, and those that were shown when nothing was made of them", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const shown: Array<unknown> = []
      const decide = (request: Approval.Request) =>
        Effect.sync(() => {
          shown.push(request.args)
          return shown.length === 1 ? Approval.approveWith({ path: "b" }) : Approval.approve
        })
      const guarded = only(Approval.guard([tool], asking(["*"], decide)))
      yield* guarded.run({ path: "a" })
      yield* guarded.run("{\"paths\": \"[1]\", \"limit\": null}")
      assert.deepStrictEqual(shown, [{ path: "a" }, { paths: [1] }])
      assert.deepStrictEqual(sent, [{ path: "b" }, { paths: [1] }])
    }))

  it.effect("tells the model which arguments were sent when a person changed them", () =>
    Effect.gen(function*() {
      const { tool } = heldTool("files_write")
      const guarded = only(
        Approval.guard([tool], asking(["*"], () => Effect.succeed(Approval.approveWith({ path: "b" }))))
      )
      assert.strictEqual(
        (yield* guarded.run({ path: "a" })).text,
        "[the person who was asked changed the arguments to {\"path\":\"b\"}]\n\ndone"
      )
    }))

  it.effect("R73: asks about what the entry of a server names, whatever the patterns except and the server says", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const asked = { ...tool, needsApproval: true, annotations: { readOnlyHint: true } }
      for (const ask of [[], ["*", "!files_write"]]) {
        const guarded = only(Approval.guard([asked], asking(ask, () => Effect.succeed(Approval.deny()))))
        assert.isFalse(guarded.needsApproval)
        refused(yield* guarded.run({}), "said no")
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("says of nobody's no that it is none", () =>
    Effect.gen(function*() {
      const { tool } = heldTool("files_write")
      const decide = () => Effect.succeed(Approval.unanswered("nobody answered within 24 hours"))
      const result = yield* only(Approval.guard([tool], { ...asking(["*"], decide), timeout: "Infinity" })).run({})
      refused(result, "files_write was not called: it needs a person's yes, and nobody answered within 24 hours")
    }))

  it.effect("asks nobody about arguments that cannot be used, and sends nothing", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const guarded = only(Approval.guard([tool], asking(["*"], () => Effect.die("asked"))))
      refused(yield* guarded.run("{\"a\" 1}"), "bad arguments for files_write: not JSON at line 1, column 6")
      refused(yield* guarded.run({ path: [1] }), "bad arguments for files_write: ")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("waits 5 minutes or what it is told, takes the question away, and counts silence as no", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      for (const [timeout, seconds, words] of [[undefined, 300, "5 minutes"], ["10 seconds", 10, "10 s"]] as const) {
        let isShown = false
        const decide = () =>
          Effect.sync(() => void (isShown = true)).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => void (isShown = false)))
          )
        const guarded = only(Approval.guard([tool], { ...asking(["*"], decide), timeout }))
        const fiber = yield* Effect.forkChild(guarded.run({}), { startImmediately: true })
        yield* TestClock.adjust(`${seconds - 1} seconds`)
        assert.isUndefined(fiber.pollUnsafe())
        assert.isTrue(isShown)
        yield* TestClock.adjust("1 second")
        const result = yield* Fiber.join(fiber)
        refused(result, `nobody answered within ${words}`)
        assert.notInclude(result.text, "said no")
        assert.isFalse(isShown)
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("takes the question away when the call is cancelled (R30)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const shown = yield* Deferred.make<void>()
      let gone = false
      const decide = () =>
        Effect.andThen(Deferred.succeed(shown, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => void (gone = true)))
        )
      const guarded = only(Approval.guard([tool], asking(["*"], decide)))
      const fiber = yield* Effect.forkChild(guarded.run({}))
      yield* Deferred.await(shown)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(gone)
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("counts a question that cannot be asked as no, without its details", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const breaks = [() => Effect.die("secret-window"), () => JSON.parse("{")]
      for (const decide of breaks) {
        const result = yield* only(Approval.guard([tool], asking(["*"], decide))).run({})
        refused(result, "nobody could be asked")
        assert.notInclude(result.text, "secret-window")
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect.prop(
    "asks about exactly the tools that the patterns name, the last pattern that matches deciding",
    [Schema.Array(Schema.Literals(["*", "files_*", "!files_*", "files_write", "!*_write", "web_*"]))],
    ([ask]) =>
      Effect.gen(function*() {
        for (const name of ["files_read", "files_write", "web_write"]) {
          const { sent, tool } = heldTool(name)
          const guarded = only(Approval.guard([tool], asking(ask, () => Effect.succeed(Approval.deny()))))
          yield* guarded.run({})
          const hit = ask.findLast((pattern) =>
            new RegExp(`^${pattern.replace("!", "").replaceAll("*", ".*")}$`).test(name)
          )
          const isAsked = hit !== undefined && !hit.startsWith("!")
          assert.strictEqual(sent.length, isAsked ? 0 : 1)
        }
      })
  )
})
