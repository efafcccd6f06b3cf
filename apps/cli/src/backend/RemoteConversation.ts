/** A chat of a running server. It stays there afterwards, for the page to go on with. */
import { CommandMode, type Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Failed } from "../terminal/Failure.ts"
import { Archive, ChatConversation, type Partner, type Which } from "./ChatConversation.ts"
import { NO_CHAT } from "./LocalConversation.ts"
import * as Remote from "./Remote.ts"
import * as RemoteAgents from "./RemoteAgents.ts"

/** What has to be known of the chat that is led. */
interface Led extends Partner {
  readonly id: string
}

export const layer = (partner: Partner, which: Which) => Layer.effect(ChatConversation, make(partner, which))

const make = Effect.fnUntraced(function*(partner: Partner, which: Which) {
  const remote = yield* Remote.Remote
  const { alive, api, lasting, quick, url } = remote
  const plainly = <A, R>(request: Effect.Effect<A, unknown, R>) => Effect.mapError(quick(request), Remote.plainly)
  const named = <A>(request: Effect.Effect<A, unknown>, agent: string | null) =>
    quick(request).pipe(
      Effect.catch(RemoteAgents.explained(agent)),
      Effect.provideService(Remote.Remote, remote),
      Effect.mapError(Remote.plainly)
    )
  const created = named(api.chats.create({ payload: partner }), partner.agent)
  const address = ({ agent = null, model = null }: Partial<Partner>) =>
    Effect.suspend(() => {
      const payload = { ...(agent === null ? {} : { agent }), ...(model === null ? {} : { model }) }
      return Effect.map(named(api.chats.update({ params: { id: now.id }, payload }), agent), turnTo)
    })
  const turnTo = (chat: Led) => {
    now = chat
  }
  const known = Effect.fnUntraced(function*(which: Exclude<Which, { readonly _tag: "New" }>) {
    if (which._tag === "Id") return yield* plainly(api.chats.get({ params: { id: which.id } }))
    return (yield* plainly(api.chats.list({ query: { limit: 1 } }))).chats[0] ?? (yield* NO_CHAT)
  })

  let now: Led = which._tag === "New" ? yield* created : yield* known(which)
  if (which._tag !== "New" && (partner.agent !== null || partner.model !== null)) yield* address(partner)

  const turn = (parts: Stream.Stream<Part, unknown>): Stream.Stream<Part, Failed> =>
    Stream.mapError(alive(parts), Remote.plainly).pipe(
      Stream.concat(Stream.fail(Remote.brokenOff(url))),
      Stream.takeUntil((part) => part.type === "finish")
    )
  const after = (seq: number) =>
    turn(Stream.unwrap(quick(api.chats.events({ params: { id: now.id }, query: { after: seq }, headers: {} }))))
  const chat = Effect.suspend(() => plainly(api.chats.get({ params: { id: now.id } })))
  return ChatConversation.of({
    isCommandMode: Effect.gen(function*() {
      const { agents } = yield* plainly(api.agents.agents())
      const agent = now.agent === null ? agents[0] : agents.find(({ name }) => name === now.agent)
      const ids = [now.model, agent?.model ?? null, (yield* plainly(api.agents.models())).default]
      return ids.every((id) => (id ?? "").trim() === "" || id === CommandMode.ID)
    }),
    // Their server waits for them by itself.
    settled: Effect.void,
    say: Effect.fnUntraced(function*({ images = [], replaces, text }) {
      const attachments = images.map(({ data, name }) => ({ kind: "image" as const, name, data }))
      const payload = {
        text,
        ...(attachments.length === 0 ? {} : { attachments }),
        ...(replaces === undefined ? {} : { replaces })
      }
      // It may be a prompt, for which a server of theirs is asked.
      const sent = lasting(api.chats.send({ params: { id: now.id }, payload }))
      const answer = yield* Effect.mapError(sent, Remote.plainly)
      if (Stream.isStream(answer)) return { parts: turn(answer), after }
      // It waits behind a turn that somebody else began.
      const own = (seq: number) => Stream.filter(after(seq), (part) => part.turn === answer.turn)
      const parts = turn(Stream.filter(
        Stream.unwrap(quick(api.chats.events({ params: { id: now.id }, query: { after: 0 }, headers: {} }))),
        (part) => part.turn === answer.turn
      ))
      return { parts, after: own }
    }),
    running: which._tag === "New" ? Effect.succeed(null) : Effect.map(chat, ({ running, turns }) => {
      if (running === null) return null
      const first = turns.find((one) => one.turn === running)?.parts[0]?.seq
      return { parts: after(first === undefined ? lastSeq(turns) : first - 1), after }
    }),
    stop: Effect.suspend(() => Effect.ignore(quick(api.chats.stop({ params: { id: now.id } })))),
    answer: (approval, payload) =>
      Effect.suspend(() =>
        plainly(
          api.approvals.answer({
            params: { id: now.id, approval },
            payload: { decision: payload.decision, reason: payload.reason ?? null }
          })
        )
      ),
    reply: (id, payload) => plainly(api.questions.answer({ params: { id }, payload })),
    chat,
    exported: (format) =>
      Effect.suspend(() =>
        Effect.flatMap(
          plainly(api.chats.export({ params: { id: now.id }, query: { format } })),
          (bytes) => plainly(Stream.mkString(Stream.decodeText(bytes)))
        )
      ),
    begin: Effect.map(created, turnTo),
    address,
    tools: Effect.gen(function*() {
      const { agent } = now
      return (yield* plainly(api.tools.list({ query: agent === null ? {} : { agent } }))).tools
    })
  })
})

const lastSeq = (turns: ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>): number =>
  turns.reduce((highest, { parts }) => Math.max(highest, parts.at(-1)?.seq ?? 0), 0)

// The chats of a running server.

export const archiveLayer = Layer.effect(
  Archive,
  Effect.map(Remote.Remote, ({ api, quick }) => {
    const plainly = <A>(request: Effect.Effect<A, unknown>) => Effect.mapError(quick(request), Remote.plainly)
    return Archive.of({
      list: (words, limit) =>
        Effect.map(
          plainly(api.chats.list({ query: words === null ? { limit } : { q: words, limit } })),
          ({ chats }) => chats
        ),
      get: (id) => plainly(api.chats.get({ params: { id } })),
      export: (id, format) =>
        Effect.flatMap(
          plainly(api.chats.export({ params: { id }, query: { format } })),
          (bytes) => plainly(Stream.mkString(Stream.decodeText(bytes)))
        ),
      import: (text, format) =>
        format === "markdown"
          ? plainly(api.chats.import({ payload: text }))
          : Effect.flatMap(json(text), (payload) => plainly(api.chats.import({ payload }))),
      remove: (id) => plainly(api.chats.remove({ params: { id } }))
    })
  })
)

const json = (text: string) =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union([Schema.JsonObject, Schema.Array(Schema.JsonObject)])))(
    text
  )
    .pipe(
      Effect.mapError(() =>
        new Failed({ tag: "ImportRefused", message: "it is no JSON", hint: "give a file that chats export wrote" })
      )
    )
