import { ApprovalErrors, ChatStoreFailed, type OpenApproval } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { open2 } from "../support/People.ts"
import { json, open, post } from "../support/Scripted.ts"

const PENDING: OpenApproval = {
  chat: "c",
  type: "approval",
  seq: 3,
  turn: 1,
  id: "p",
  call: "1",
  name: "files_write",
  server: "files",
  tool: "write",
  isTrusted: false,
  args: { path: "a" },
  annotations: { readOnlyHint: true }
}

const WAITING = {
  id: "p",
  owner: "first",
  name: "files_write",
  server: "files",
  class: "writes",
  since: "2026-05-01T10:00:00.000Z"
} as const

const GRANT = { server: "files", tool: "write", name: "files_write", since: "2026-05-01T10:00:00.000Z" }

describe("Calls that need a yes, over HTTP", () => {
  it.effect("lists what waits and what is always allowed", () =>
    Effect.gen(function*() {
      const ask = yield* open({
        approvals: { pending: Effect.succeed([PENDING]), granted: Effect.succeed([GRANT]) }
      })
      const response = yield* ask("/api/approvals")
      assert.deepStrictEqual([response.status, yield* json(response)], [200, { pending: [PENDING], granted: [GRANT] }])
    }))

  it.effect("takes an answer with its reason and arguments, and refuses what is none", () =>
    Effect.gen(function*() {
      const given: Array<unknown> = []
      const ask = yield* open({
        approvals: { answer: (chat, id, answer) => Effect.sync(() => void given.push([chat, id, answer])) }
      })
      const path = "/api/chats/c/approvals/p"
      const yes = { decision: "chat", args: { path: "b" } }
      const no = { decision: "deny", reason: "not there" }
      assert.strictEqual((yield* ask(path, post(yes))).status, 204)
      assert.strictEqual((yield* ask(path, post(no))).status, 204)
      for (const wrong of [{}, { decision: "expired" }, { decision: "yes" }, { decision: "once", args: [1] }]) {
        assert.strictEqual((yield* ask(path, post(wrong))).status, 400)
      }
      assert.deepStrictEqual(given, [["c", "p", yes], ["c", "p", no]])
    }))

  it.effect("says why an answer is not taken", () =>
    Effect.gen(function*() {
      const cases = [
        [new ApprovalErrors.UnknownApproval({ chat: "c", id: "p" }), 404],
        [new ApprovalErrors.ApprovalClosed({ id: "p", decision: "once" }), 409],
        [new ApprovalErrors.ApprovalNotReady({ id: "p" }), 503],
        [new ApprovalErrors.UnusableArguments({ name: "files_write", why: "path: expected a string" }), 400],
        [new ApprovalErrors.GrantNotKept({ why: "the disk is full" }), 500],
        [new ChatStoreFailed({ operation: "get", why: "the disk is gone" }), 503]
      ] as const
      for (const [error, status] of cases) {
        const ask = yield* open({ approvals: { answer: () => Effect.fail(error) } })
        const response = yield* ask("/api/chats/c/approvals/p", post({ decision: "once" }))
        const { _tag, detail } = Object(yield* json(response))
        assert.deepStrictEqual([response.status, _tag, detail], [status, error._tag, error.message])
      }
    }))

  it.effect("shows an admin what waits for others without what it is to do, and lets them only deny", () =>
    Effect.gen(function*() {
      const given: Array<unknown> = []
      const { ann, bob } = yield* open2({
        approvals: {
          waiting: Effect.succeed([WAITING]),
          deny: (id, reason) => Effect.sync(() => void given.push([id, reason]))
        }
      })
      const path = "/api/admin/approvals"
      assert.deepStrictEqual(yield* ann.body(path), { waiting: [{ ...WAITING, user: "Ann" }] })
      assert.strictEqual((yield* bob.ask(path)).status, 403)
      for (const decision of ["once", "chat", "hour", "always"]) {
        const refused = yield* ann.ask(`${path}/p`, post({ decision }))
        assert.deepStrictEqual([refused.status, Object(yield* json(refused))._tag], [403, "OnlyDeny"])
      }
      assert.strictEqual((yield* bob.ask(`${path}/p`, post({ decision: "deny" }))).status, 403)
      assert.deepStrictEqual(given, [])
      assert.strictEqual((yield* ann.ask(`${path}/p`, post({ decision: "deny", reason: "not now" }))).status, 204)
      assert.strictEqual((yield* ann.ask(`${path}/p`, post({ decision: "deny" }))).status, 204)
      assert.deepStrictEqual(given, [["p", "an admin denied it: not now"], ["p", "an admin denied it"]])
    }))

  it.effect("takes back what was always allowed, and names what is near when nothing was", () =>
    Effect.gen(function*() {
      const ask = yield* open({
        approvals: { granted: Effect.succeed([GRANT]), revoke: (name) => Effect.succeed(name === GRANT.name) }
      })
      const revoke = (name: string) => ask(`/api/approvals/granted/${name}`, { method: "DELETE" })
      assert.strictEqual((yield* revoke("files_write")).status, 204)
      const response = yield* revoke("files_wirte")
      assert.strictEqual(response.status, 404)
      assert.deepStrictEqual(Object(yield* json(response)).nearest, ["files_write"])
    }))
})
