/** Gives a server's question to the asker that answers it, and writes the answer as the protocol has it. */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SecureAddress from "../base/SecureAddress.ts"
import type { Asker, ElicitationAnswer, FormRequest, ServerHost, UrlRequest } from "../host/ServerRequests.ts"
import type { Addressee } from "./AskingCalls.ts"
import * as AskLimit from "./AskLimit.ts"
import * as ElicitationForm from "./ElicitationForm.ts"
import * as ServerQuestion from "./ServerQuestion.ts"
import { Refused } from "./ServerQuestion.ts"

/** A question that is open for so long ends as if nobody had answered, whatever its asker does. */
const LIMIT = "1 hour"

export interface Answers {
  readonly options: ServerQuestion.Options
  /**
   * Answers a request. It ends when the last of its calls does: then nobody has answered. Fails with what the server is
   * told in place of an answer.
   */
  readonly answer: (
    method: string,
    params: Schema.Json | undefined,
    addressee: Addressee
  ) => Effect.Effect<Schema.JsonObject, Refused>
  /** Notes that the server says a visit to an address is done. */
  readonly visited: (elicitationId: string) => void
  /** Begins to listen for these visits; what it gives waits until all of them are done. */
  readonly done: (elicitationIds: ReadonlyArray<string>) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  /** Counts a request that is no question. Gives what the server is told where it is one too many, else null. */
  readonly passing: () => Refused | null
  /** Whether the next request is not even worth an answer. */
  readonly isFlooded: () => boolean
  /** Refused and unanswered questions, in words. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** Nothing was asked yet. */
export const make = (host: ServerHost, scrub: (text: string) => string, clock: Clock.Clock): Answers => {
  const limit = AskLimit.make(clock)
  const visits = new Set<(elicitationId: string) => void>()
  const notes = new Set<string>()
  const options = { ...host, roots: host.roots !== null, scrub }
  const note = (words: string) =>
    Effect.sync(() => notes.size < MOST_NOTES ? void notes.add(cut(scrub(words))) : undefined)

  const done: Answers["done"] = (elicitationIds) => {
    const missing = new Set(elicitationIds)
    const all = Deferred.makeUnsafe<void>()
    const visited = (elicitationId: string) => {
      missing.delete(elicitationId)
      if (missing.size === 0) Deferred.doneUnsafe(all, Effect.void)
    }
    return Effect.acquireRelease(
      Effect.as(Effect.sync(() => void visits.add(visited)), Deferred.await(all)),
      () => Effect.sync(() => void visits.delete(visited))
    )
  }
  const form = Effect.fnUntraced(function*(request: FormRequest, asker: Asker) {
    const answer = yield* asker.elicit(request)
    if (answer.action !== "accept") return { action: answer.action }
    const content = ElicitationForm.validate(request.schema, answer.content ?? {})
    if (Result.isSuccess(content)) return { action: "accept", content: content.success }
    const [problem] = content.failure
    yield* note(
      `an answer to one of its forms did not fit (${problem?.field} ${problem?.message}), so it was not given`
    )
    return CANCELLED
  })
  const url = Effect.fnUntraced(function*(request: UrlRequest, elicitationId: string | null, asker: Asker) {
    if (!SecureAddress.isSecure(request.url)) {
      yield* note("it wanted an address visited that is not https, or hides its host; that was declined")
      return { action: "decline" }
    }
    const asked = Effect.map(asker.elicit(request), ({ action }) => ({ action }))
    if (elicitationId === null) return yield* asked
    // A server that says that the visit is done knows that the person was there.
    return yield* Effect.raceFirst(asked, Effect.as(yield* done([elicitationId]), { action: "accept" }))
  }, Effect.scoped)
  const sampling = (request: Parameters<Asker["sample"]>[0], asker: Asker) =>
    Effect.matchEffect(asker.sample(request), {
      onFailure: ({ isRejected, message }) =>
        Effect.fail(new Refused({ code: isRejected ? REJECTED : INTERNAL, message })),
      onSuccess: ({ model, stopReason, text }) =>
        Effect.succeed({ role: "assistant", content: { type: "text", text }, model, stopReason })
    })
  const folders = ({ roots }: Asker) =>
    Effect.gen(function*() {
      if (host.roots === null) return []
      const isCallers = roots !== undefined && (yield* host.roots.areCallers ?? Effect.succeed(false))
      return yield* isCallers ? roots : host.roots.current
    })
  const asked = (
    question: ServerQuestion.ServerQuestion,
    { asker, key }: Addressee
  ): Effect.Effect<Schema.JsonObject, Refused> => {
    const asking = key === undefined ? host.asking : { ...host.asking, key }
    switch (question._tag) {
      case "Form":
        return form({ ...question.request, ...asking }, asker)
      case "Url":
        return url({ ...question.request, ...asking }, question.elicitationId, asker)
      case "Sampling":
        return sampling({ ...question.request, ...asking }, asker)
      case "Roots":
        return Effect.map(folders(asker), toRoots)
    }
  }
  const answered = Effect.fnUntraced(function*(
    method: string,
    params: Schema.Json | undefined,
    addressee: Addressee
  ) {
    const { calls } = addressee
    const question = yield* Effect.fromResult(ServerQuestion.decode(method, params, options))
    const isElicitation = question._tag === "Form" || question._tag === "Url"
    const unanswered = isElicitation ? Effect.succeed(CANCELLED) : Effect.fail(GONE)
    const answer = asked(question, addressee).pipe(
      // The server waits for an answer, also where the asker broke.
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("a server's question was not answered", defect), unanswered)
      ),
      Effect.timeoutOrElse({ duration: LIMIT, orElse: () => unanswered })
    )
    // Nobody has to be asked for folders, so nobody is waited for.
    if (question._tag === "Roots") return yield* answer
    const ended = calls.length === 0 ? Effect.never : Effect.all(calls.map((call) => call.ended), { discard: true })
    const whileWanted = Effect.raceFirst(answer, Effect.andThen(ended, unanswered))
    return yield* calls.reduce((inner, call) => call.asked(inner), whileWanted)
  })
  return {
    options,
    answer: (method, params, addressee) =>
      Effect.mapError(
        limit.during(Effect.suspend(() => answered(method, params, addressee))),
        ({ code, message }) => new Refused({ code, message: cut(scrub(message)) })
      ),
    visited: (elicitationId) => visits.forEach((tell) => tell(elicitationId)),
    done,
    passing: limit.passing,
    isFlooded: limit.isFlooded,
    diagnostics: () => [...notes, ...limit.diagnostics()]
  }
}

/** Further notes are dropped. */
const MOST_NOTES = 10
/** A field may be named at any length. */
const MOST_WORDS = 300

/** The code for a person's no to sampling. */
const REJECTED = -1
const INTERNAL = -32603

const CANCELLED = { action: "cancel" } as const satisfies ElicitationAnswer

const GONE = new Refused({ code: INTERNAL, message: "Nobody answered in time" })

const cut = (words: string): string => words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words

const toRoots = (roots: ReadonlyArray<{ readonly uri: string; readonly name: string | null }>) => ({
  roots: roots.map(({ name, uri }) => name === null ? { uri } : { uri, name })
})
