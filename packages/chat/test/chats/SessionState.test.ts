import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SessionState from "../../src/chats/SessionState.ts"
import { NO_USAGE, type Part } from "../../src/model/Part.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"

const record = {
  id: "a",
  owner: FIRST.id,
  title: "a",
  titledBy: "none",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "2026-11-22T00:00:00.000Z",
  updatedAt: "2026-11-22T00:00:00.000Z"
} as const

const empty = SessionState.make({ record, turns: [], lastSeq: 0, lastTurn: 0 })

const after = (...events: ReadonlyArray<SessionState.SessionEvent>) => events.reduce(SessionState.reduce, empty)

const question = (id: string, seq: number): Part => ({
  type: "question",
  id,
  seq,
  turn: 1,
  call: null,
  server: "s",
  isTrusted: true,
  kind: "url",
  message: "",
  schema: null,
  url: "https://example.com",
  sampling: null,
  expiresAt: ""
})

describe("SessionState", () => {
  it("keeps waiting turns in the order of their numbers, so that one that goes on comes first", () => {
    const state = after(
      { type: "queued", pending: { turn: 3, resume: null } },
      { type: "queued", pending: { turn: 2, resume: [] } }
    )
    assert.deepStrictEqual(state.queue.map(({ turn }) => turn), [2, 3])
    assert.strictEqual(SessionState.summary(state).waiting, 2)
  })

  it.effect("frees the chat with the end of its turn, and forgets the approvals of that turn alone", () =>
    Effect.withFiber((fiber) => {
      const pending = { turn: 1, resume: null }
      const running = after(
        { type: "queued", pending },
        { type: "begun", pending, fiber },
        { type: "asked", approval: "x", turn: 1 },
        { type: "asked", approval: "y", turn: 2 },
        { type: "written", parts: [question("q", 1)] }
      )
      assert.deepInclude(SessionState.summary(running), { running: 1, waiting: 0, approvals: 2, questions: 1 })
      const end: ReadonlyArray<Part> = [
        { type: "question-answer", id: "q", action: "cancel", content: null, reason: null, seq: 2, turn: 1 },
        { type: "finish", reason: "stop", usage: NO_USAGE, seq: 3, turn: 1 }
      ]
      const ended = SessionState.reduce(running, { type: "written", parts: end })
      assert.deepInclude(SessionState.summary(ended), { running: null, approvals: 1, questions: 0 })
      assert.strictEqual(ended.lastSeq, 3)
      assert.strictEqual(SessionState.isNews(running, ended), true)
      assert.strictEqual(SessionState.isNews(ended, { ...ended, lastSeq: 4 }), false)
      return Effect.void
    }))

  it("keeps a removed chat as it is, whatever happens to it then", () => {
    const removed = after({ type: "phase", phase: "removing" }, { type: "phase", phase: "removed" })
    const late: ReadonlyArray<SessionState.SessionEvent> = [
      { type: "phase", phase: "removing" },
      { type: "phase", phase: "open" },
      { type: "queued", pending: { turn: 1, resume: null } },
      { type: "record-put", record: { ...record, title: "b" } }
    ]
    for (const event of late) assert.strictEqual(SessionState.reduce(removed, event), removed, event.type)
  })

  it("keeps a chat suspended until it is removed", () => {
    const phaseAfter = (...phases: ReadonlyArray<SessionState.Phase>) =>
      after(...phases.map((phase) => ({ type: "phase" as const, phase }))).phase
    assert.strictEqual(phaseAfter("suspended", "removing"), "suspended")
    assert.strictEqual(phaseAfter("suspended", "open"), "suspended")
    assert.strictEqual(phaseAfter("suspended", "ending"), "suspended")
    assert.strictEqual(phaseAfter("suspended", "removed"), "removed")
    assert.strictEqual(phaseAfter("removing", "open"), "open", "a removal may fail")
  })
})
