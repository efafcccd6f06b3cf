import { type AgentTool, Approval, ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Undo from "../../src/journal/Undo.ts"
import * as WriteJournal from "../../src/journal/WriteJournal.ts"
import type { Part, TurnPart } from "../../src/model/Part.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, calls, files as keptFiles, finish, model, outline, says, tool } from "../support/Scripted.ts"
import { type Files, layer, textAt, undo, WORKSPACE } from "../support/Writing.ts"

const BY_RULE = { by: "rule", source: "permissions.jsonc:4" } as const

const byRule = () => BY_RULE

const numbered = (parts: ReadonlyArray<TurnPart>): ReadonlyArray<Part> =>
  parts.map((part, index) => ({ ...part, turn: 1, seq: index + 1 }))

const writesOf = (parts: ReadonlyArray<TurnPart>) => parts.flatMap((part) => part.type === "write" ? [part] : [])

/** Runs a turn whose model calls tools and then answers; calls of tools are written down, those that ask after a yes. */
const turn = Effect.fnUntraced(function*(
  tools: ReadonlyArray<AgentTool>,
  asked: ReadonlyArray<ReturnType<typeof calls>>,
  decision: Approval.Decision = Approval.approve
) {
  const scripted = yield* model([[...asked, finish("tool-calls")], [...says("Done."), finish()]])
  const parts: Array<TurnPart> = []
  const emit = (part: TurnPart) => Effect.sync(() => void parts.push(part))
  const journaled = tools.map((one) => WriteJournal.journaled(one, { emit, allowed: byRule }))
  const guarded = Approval.guard(journaled, { ask: ["delete"], decide: () => Effect.succeed(decision) })
  yield* Turn.run(
    { agent, model: scripted.model, tools: TurnTools.of(guarded), history: [], text: "go" },
    emit
  ).pipe(Effect.provide(keptFiles()))
  return { parts, asked: scripted.asked }
})

const workspace = (): Files => ({ [`${WORKSPACE}/a.md`]: "one", [`${WORKSPACE}/b.md`]: "b" })

describe("WriteJournal", () => {
  it.effect("has an entry for each call that wrote, between the call and its result, which no model reads", () =>
    Effect.gen(function*() {
      const disk = workspace()
      yield* Effect.gen(function*() {
        const { writers } = yield* WorkspaceTools
        const { asked, parts } = yield* turn(writers, [calls("c", "write_file", { path: "a.md", content: "two" })])
        assert.deepStrictEqual(parts.map(({ type }) => type), [
          "tool-call",
          "write",
          "tool-result",
          "text-delta",
          "finish"
        ])
        const [write] = writesOf(parts)
        assert.deepInclude(write, {
          call: "c",
          name: "write_file",
          server: null,
          class: "writes",
          args: { path: "a.md", content: "two" },
          outcome: "done",
          allowedBy: "rule",
          source: "permissions.jsonc:4"
        })
        assert.isTrue(write?.undo?.possible)
        assert.deepStrictEqual(outline(asked[1]?.prompt.content ?? []).slice(2), [
          "assistant call c write_file",
          "tool result c replaced a.md (3 bytes; it had 3)"
        ])
        for (const id of ["c", write?.id ?? ""]) {
          assert.strictEqual(yield* Undo.idOf(numbered(parts), id), write?.undo?.id)
        }
        yield* undo(write?.undo?.id ?? "")
        assert.strictEqual(textAt(disk, "a.md"), "one")
      }).pipe(Effect.provide(layer(disk)))
    }))

  it.effect("has the arguments as a person changed them, and no entry for a call that was refused or cannot be made", () =>
    Effect.gen(function*() {
      const disk = workspace()
      yield* Effect.gen(function*() {
        const { writers } = yield* WorkspaceTools
        const remove = [calls("c", "delete", { path: "a.md" })]
        const refused = yield* turn(writers, remove, Approval.deny("no"))
        assert.deepStrictEqual(writesOf(refused.parts), [])
        assert.strictEqual(textAt(disk, "a.md"), "one")
        const wrong = yield* turn(writers, [calls("c", "write_file", { path: 7 }), calls("d", "make_dir", "{")])
        assert.deepStrictEqual(writesOf(wrong.parts), [])
        const changed = yield* turn(writers, remove, Approval.approveWith({ path: "b.md" }))
        assert.deepInclude(writesOf(changed.parts)[0], { args: { path: "b.md" }, class: "destroys", outcome: "done" })
        assert.strictEqual(textAt(disk, "a.md"), "one")
        assert.isNull(textAt(disk, "b.md"))
      }).pipe(Effect.provide(layer(disk)))
    }))

  it.effect("tells calls that failed from those of which nobody knows what they did", () =>
    Effect.gen(function*() {
      const failing = (name: string, result: ToolResult.ToolResult) =>
        ({ ...tool(name, () => Effect.succeed(result)), class: "writes" }) as const
      const { parts } = yield* turn([
        failing("s_refused", ToolResult.failure("no")),
        failing("s_away", ToolResult.failure("no answer", { fault: "server" })),
        failing("s_fine", ToolResult.success("ok")),
        { ...tool("s_broken", () => Effect.die("a mistake")), class: undefined }
      ], ["s_refused", "s_away", "s_fine", "s_broken"].map((name, index) => calls(`c${index}`, name)))
      assert.deepStrictEqual(
        writesOf(parts).toSorted((one, other) => one.call < other.call ? -1 : 1).map((part) =>
          [part.name, part.server, part.class, part.outcome, part.undo] as const
        ),
        [
          ["s_refused", "s", "writes", "failed", null],
          ["s_away", "s", "writes", "unknown", null],
          ["s_fine", "s", "writes", "done", null],
          ["s_broken", "s", "undeclared", "unknown", null]
        ]
      )
      const why = yield* Effect.flip(Undo.idOf(numbered(parts), "c2"))
      assert.match(why.message, /nothing is kept of what it replaced/)
      assert.match((yield* Effect.flip(Undo.idOf(numbered(parts), "x"))).message, /no write of this chat has this id/)
    }))

  it.effect("has an entry for a call that was cut off, which may have written", () =>
    Effect.gen(function*() {
      const began = yield* Deferred.make<void>()
      const entries: Array<TurnPart> = []
      const slow = tool("s_slow", () => Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
      const journaled = WriteJournal.journaled(slow, {
        emit: (part) => Effect.sync(() => void entries.push(part)),
        allowed: ({ args, id }) => ({ by: "grant", source: `${id} ${JSON.stringify(args)}` })
      })
      const fiber = yield* Effect.forkChild(journaled.run("{\"n\":1}", { callId: "c" }))
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      assert.deepInclude(entries[0], { outcome: "unknown", allowedBy: "grant", source: "c {\"n\":1}", args: { n: 1 } })
      assert.strictEqual(entries.length, 1)
    }))
})
