/** The audit of calls: a person sees their own calls, an admin those of everybody. */
import { CurrentUser } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { requester } from "../../access/Requester.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import * as AccessGuard from "../../http/AccessGuard.ts"
import { AuditCalls, type Wanted } from "../../team/AuditCalls.ts"
import * as AuditText from "../../team/AuditText.ts"
import * as UserRows from "../../users/UserRows.ts"
import { Users } from "../../users/Users.ts"

const PAGE = 100

/** Pages of an export. */
const MANY = 1000

export const layer = HttpApiBuilder.group(
  ChatApi,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* AuditCalls
    const users = yield* Users
    /** The owner of the calls: null for everybody. A name that nobody has is taken for an id, which nobody has either. */
    const ownerOf = Effect.fnUntraced(function*(user: string | undefined) {
      const by = yield* requester
      if (!AccessGuard.mayAsAdmin(by)) return (yield* CurrentUser).id
      if (user === undefined) return undefined
      const known = (yield* users.all).find(({ name }) => UserRows.keyOf(name) === UserRows.keyOf(user))
      return known?.id ?? user
    })
    const wanted = Effect.fnUntraced(function*({ user, ...query }: Omit<Wanted, "owner"> & { readonly user?: string }) {
      return { ...query, owner: yield* ownerOf(user) } satisfies Wanted
    })
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { limit = PAGE, ...query } }) {
        const found = yield* calls.list(yield* wanted(query), limit)
        return { calls: found, next: found.length < limit ? null : found.at(-1)?.id ?? null }
      }, Effect.mapError(Problems.fromStore)),
      export: Effect.fnUntraced(function*({ query: { format, ...query } }) {
        const asked = yield* wanted(query)
        // The first page decides about the status.
        const first = yield* calls.list(asked, MANY)
        const next = (id: number | undefined) => id === undefined ? Option.none<number>() : Option.some(id)
        const rest = Stream.paginate(
          first.at(-1)?.id ?? 0,
          (before) =>
            Effect.map(calls.list({ ...asked, before }, MANY), (found) => [found, next(found.at(-1)?.id)] as const)
        )
        const all = Stream.concat(Stream.fromIterable(first), first.length < MANY ? Stream.empty : rest)
        const lines = Stream.map(all, format === "csv" ? AuditText.csvLine : AuditText.jsonLine)
        const head = format === "csv" ? Stream.make(AuditText.CSV_HEAD) : Stream.empty
        return HttpServerResponse.stream(Stream.encodeText(Stream.orDie(Stream.concat(head, lines))), {
          contentType: format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl",
          headers: { "content-disposition": `attachment; filename="audit.${format}"` }
        })
      }, Effect.mapError(Problems.fromStore))
    })
  })
)
