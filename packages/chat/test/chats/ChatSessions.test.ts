import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as ChatNews from "../../src/chats/ChatNews.ts"
import * as ChatSession from "../../src/chats/ChatSession.ts"
import * as ChatSessions from "../../src/chats/ChatSessions.ts"
import * as PartWriter from "../../src/chats/PartWriter.ts"
import * as SessionState from "../../src/chats/SessionState.ts"
import type { ChatRecord } from "../../src/model/Chat.ts"
import { NO_USAGE, type Part } from "../../src/model/Part.ts"
import type { ChatStore, TurnStart } from "../../src/store/ChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"
import { newStore, settle } from "../support/Chatting.ts"

const record = (id: string): ChatRecord => ({
  id,
  owner: FIRST.id,
  title: id,
  titledBy: "none",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "2026-11-22T00:00:00.000Z",
  updatedAt: "2026-11-22T00:00:00.000Z"
})

const text = (words: string) => ({ type: "text-delta" as const, text: words })
const call = { type: "tool-call" as const, id: "c", name: "x", server: null, args: {} }
const finish = { type: "finish" as const, reason: "stop" as const, usage: NO_USAGE }

/** A session over a store whose writes a test watches and holds up. */
const session = Effect.gen(function*() {
  const store = yield* newStore
  const written: Array<ReadonlyArray<string>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const watched: ChatStore["Service"] = {
    ...store,
    append: (id, parts) =>
      Effect.gen(function*() {
        const gate = gates.shift()
        if (gate !== undefined) yield* Deferred.await(gate)
        written.push(parts.map(brief))
        yield* store.append(id, parts)
      })
  }
  yield* store.put(record("a"))
  const sessions = yield* ChatSessions.make(watched, ChatNews.make())
  return { written, gates, session: yield* sessions.hold("a") }
})

const brief = (part: Part): string => part.type === "text-delta" ? part.text : part.type

describe("ChatSessions", () => {
  it.effect("keep no chat in memory that nobody uses, however many were visited", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const sessions = yield* ChatSessions.make(store, ChatNews.make())
      yield* Effect.forEach(Array.from({ length: 1000 }, (_, at) => `chat-${at}`), (id) =>
        Effect.andThen(store.put(record(id)), Effect.scoped(sessions.hold(id))))
      assert.strictEqual(sessions.live.size, 0)
      const listener = yield* Effect.scoped(Effect.flatMap(sessions.hold("chat-7"), (held) =>
        Effect.forkScoped(Stream.runDrain(ChatSession.events(held, 0))).pipe(
          Effect.andThen(Effect.scoped(sessions.hold("chat-7"))),
          Effect.map((again) => {
            assert.strictEqual(again, held)
            return sessions.live.size
          })
        )))
      assert.strictEqual(listener, 1)
      assert.strictEqual(sessions.live.size, 0)
    }))

  it.effect("tell the list of a chat once, when all that an earlier program left of it is mended", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      yield* store.put(record("a"))
      const turn = (number: number, state: "running" | "waiting"): TurnStart => ({
        turn: number,
        key: null,
        text: "",
        agent: "",
        model: "",
        createdAt: "",
        state,
        replacedBy: null,
        attachments: []
      })
      yield* store.putTurn("a", turn(1, "running"))
      yield* store.putTurn("a", turn(2, "waiting"))
      yield* store.putTurn("a", turn(3, "waiting"))
      const heard: Array<ChatNews.ChatChange> = []
      const news: ChatNews.ChatNews = {
        changes: () => Stream.empty,
        tell: (_, change) => void heard.push(change),
        wrote: () => {}
      }
      const sessions = yield* ChatSessions.make(store, news)
      const held = yield* sessions.hold("a")
      assert.deepStrictEqual(heard, [{ type: "chat", chat: SessionState.summary(held.state) }])
      assert.strictEqual(held.state.queue.length, 2)
      ChatSession.happened(held, { type: "unqueued", pending: held.state.queue })
      assert.strictEqual(heard.length, 2)
    }))
})

describe("PartWriter", () => {
  it.effect("keeps the first text at once, what comes within 30 ms together, and all of it before a call", () =>
    Effect.gen(function*() {
      const { session: chat, written } = yield* session
      for (const word of ["a", "b", "c"]) yield* PartWriter.write(chat, 1, text(word))
      assert.deepStrictEqual(written, [["a"]])
      yield* TestClock.adjust("29 millis")
      assert.deepStrictEqual(written, [["a"]])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(written, [["a"], ["bc"]])
      yield* PartWriter.write(chat, 1, text("d"))
      yield* PartWriter.write(chat, 1, call)
      assert.deepStrictEqual(written, [["a"], ["bc"], ["d", "tool-call"]])
      yield* TestClock.adjust("1 minute")
      yield* PartWriter.write(chat, 1, text("e"))
      assert.deepStrictEqual(written.at(-1), ["e"], "after a pause there is no wait")
    }))

  it.effect("lets a model write on while the store is slow, and shows nothing that is not kept", () =>
    Effect.gen(function*() {
      const { gates, session: chat, written } = yield* session
      const seen: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(ChatSession.events(chat, 0), (part) => Effect.sync(() => void seen.push(brief(part))))
      )
      const gate = yield* Deferred.make<void>()
      gates.push(gate)
      const first = yield* Effect.forkChild(PartWriter.write(chat, 1, text("a")))
      yield* settle
      for (const word of ["b", "c"]) yield* PartWriter.write(chat, 1, text(word))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([written, seen], [[], []])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* settle
      assert.deepStrictEqual([written, seen], [[["a"], ["bc"]], ["a", "bc"]])
    }))

  it.effect("loses no text when the turn is interrupted between two writes", () =>
    Effect.gen(function*() {
      const { session: chat, written } = yield* session
      const turn = yield* Effect.forkChild(
        Effect.forEach(["a", "b"], (word) => PartWriter.write(chat, 1, text(word))).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => PartWriter.write(chat, 1, finish))
        )
      )
      yield* settle
      yield* Fiber.interrupt(turn)
      assert.deepStrictEqual(written, [["a"], ["b", "finish"]])
      assert.strictEqual(chat.state.lastSeq, 3)
    }))
})

describe("ChatNews", () => {
  it.effect("give who is slow the last change of each chat, and who is fast every one", () =>
    Effect.gen(function*() {
      const news = ChatNews.make()
      const fast: Array<string> = []
      const slow: Array<string> = []
      const listen = (heard: Array<string>, each: Effect.Effect<void>) =>
        Effect.forkChild(
          Stream.runForEach(news.changes(FIRST.id), (change) =>
            Effect.andThen(
              Effect.sync(() => void heard.push(change.type === "chat" ? change.chat.title : `- ${change.id}`)),
              each
            ))
        )
      yield* listen(fast, Effect.void)
      yield* listen(slow, Effect.sleep("1 second"))
      yield* settle
      const tell = (id: string, title: string) =>
        Effect.andThen(
          Effect.sync(() =>
            news.tell(FIRST.id, {
              type: "chat",
              chat: { ...record(id), title, running: null, waiting: 0, approvals: 0, questions: 0 }
            })
          ),
          settle
        )
      for (let at = 1; at <= 3; at++) {
        yield* tell("a", `a${at}`)
        yield* tell("b", `b${at}`)
      }
      news.tell(FIRST.id, { type: "chat-removed", id: "b" })
      news.tell("bob", { type: "chat-removed", id: "of bob" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(fast, ["a1", "b1", "a2", "b2", "a3", "b3", "- b"])
      assert.deepStrictEqual(slow, ["a1", "a3", "- b"])
    }))
})
