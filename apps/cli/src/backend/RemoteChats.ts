/** The chats of a running server. They stay there, and the page can go on with them. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Failed } from "../terminal/Failure.ts"
import { ChatBackend } from "./ChatBackend.ts"
import * as Remote from "./Remote.ts"

export const layer = Layer.effect(
  ChatBackend,
  Effect.gen(function*() {
    const remote = yield* Remote.Remote
    const { alive, api, lasting, quick, url } = remote
    const plainly = <A, R>(request: Effect.Effect<A, unknown, R>) => Effect.mapError(quick(request), Remote.plainly)
    const hinted = <A>(request: Effect.Effect<A, unknown>, agent: string | null) =>
      quick(request).pipe(
        Effect.catch(Remote.agentHint(agent)),
        Effect.provideService(Remote.Remote, remote),
        Effect.mapError(Remote.plainly)
      )
    const unbroken = (parts: Stream.Stream<Part, unknown>): Stream.Stream<Part, Failed> =>
      Stream.concat(Stream.mapError(alive(parts), Remote.plainly), Stream.fail(brokenOff(url)))
    return ChatBackend.of({
      list: (words, limit) =>
        Effect.map(
          plainly(api.chats.list({ query: words === null ? all(limit) : { q: words, limit } })),
          ({ chats }) => chats
        ),
      get: (id) => plainly(api.chats.get({ params: { id } })),
      create: (partner) => hinted(api.chats.create({ payload: partner }), partner.agent),
      update: (id, payload) => hinted(api.chats.update({ params: { id }, payload }), payload.agent ?? null),
      fork: (id, turn) => plainly(api.chats.fork({ params: { id }, payload: { turn } })),
      remove: (id) => plainly(api.chats.remove({ params: { id } })),
      export: (id, format) =>
        Effect.flatMap(
          plainly(api.chats.export({ params: { id }, query: { format } })),
          (bytes) => plainly(Stream.mkString(Stream.decodeText(bytes)))
        ),
      import: (text, format) =>
        format === "markdown"
          ? plainly(api.chats.import({ payload: text }))
          : Effect.flatMap(json(text), (payload) => plainly(api.chats.import({ payload }))),
      send: Effect.fnUntraced(function*(id, { attachments = [], replaces, text }) {
        const payload = {
          text,
          ...(attachments.length === 0 ? {} : { attachments }),
          ...(replaces === undefined ? {} : { replaces })
        }
        // The message may be a prompt, which its server may take long to fill in.
        const sent = yield* Effect.mapError(lasting(api.chats.send({ params: { id }, payload })), Remote.plainly)
        return Stream.isStream(sent) ? unbroken(sent) : sent.turn
      }),
      events: (id, after) =>
        unbroken(Stream.unwrap(quick(api.chats.events({ params: { id }, query: { after }, headers: {} })))),
      stop: (id) => Effect.ignore(quick(api.chats.stop({ params: { id } }))),
      answer: (id, approval, { also, args, decision, reason, where }) => {
        const payload = {
          ...{ decision, reason: reason ?? null, args: args ?? null, where: where ?? null },
          // An older server does not know it.
          ...also === undefined || also === null ? {} : { also }
        }
        return plainly(api.approvals.answer({ params: { id, approval }, payload }))
      },
      reply: (id, payload) => plainly(api.questions.answer({ params: { id }, payload })),
      writes: (id) => Effect.map(plainly(api.writes.list({ params: { id } })), ({ writes }) => writes),
      undo: (id, write) =>
        Effect.map(
          Effect.mapError(lasting(api.writes.undo({ params: { id, write } })), Remote.plainly),
          ({ text }) => text
        ),
      modelsOf: Effect.fnUntraced(function*(name) {
        const { agents } = yield* plainly(api.agents.agents())
        const agent = name === null ? agents[0] : agents.find((one) => one.name === name)
        return [agent?.model, (yield* plainly(api.agents.models())).default]
      }),
      agents: Effect.map(plainly(api.agents.agents()), ({ agents }) => agents),
      models: Effect.map(
        plainly(api.agents.models()),
        ({ models }) => models.flatMap(({ suggested }) => suggested.map(({ id }) => id))
      ),
      servers: Effect.map(plainly(api.servers.list()), ({ servers }) => servers),
      tools: (agent) =>
        Effect.map(plainly(api.tools.list({ query: agent === null ? {} : { agent } })), ({ tools }) => tools),
      standardWrite: Effect.map(plainly(api.permissions.list()), ({ write }) => write),
      // The server itself waits before a turn.
      settled: Effect.void
    })
  })
)

/** Without a limit a server lists all chats; it takes none above 1,000. */
const all = (limit: number) => limit > 1000 ? {} : { limit }

const brokenOff = (url: string): Failed =>
  Remote.serverLost(
    `the server at ${url} ended the stream before the turn was done`,
    "the turn may have gone on there; its page shows the chat"
  )

const ExportedChats = Schema.fromJsonString(Schema.Union([Schema.JsonObject, Schema.Array(Schema.JsonObject)]))

const json = (text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(ExportedChats)(text),
    () =>
      new Failed({
        tag: "ImportRefused",
        message: "it is no JSON",
        hint: "give a file that boocode chats export wrote"
      })
  )
