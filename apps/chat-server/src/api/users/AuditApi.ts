/** Routes about who called what. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../Documents.ts"
import { NotReady } from "../Problems.ts"

export const AuditedCall = Schema.Struct({
  id: Schema.Int.annotate({ description: "later calls have a higher one" }),
  at: Schema.String.annotate({ description: "when it was over: ISO 8601, in UTC" }),
  owner: Schema.String.annotate({ description: "the id of the person that it was made for" }),
  user: Schema.NullOr(Schema.String).annotate({ description: "their name; null where nobody has one" }),
  tool: Schema.String,
  server: Schema.NullOr(Schema.String).annotate({ description: "null for a built-in tool" }),
  class: Schema.String.annotate({ description: "reads, writes, destroys or undeclared" }),
  origin: Schema.String.annotate({ description: "chat, program, v1, own or client" }),
  place: Schema.NullOr(Schema.String).annotate({ description: "the id of the chat, or the name of the client" }),
  outcome: Schema.String.annotate({ description: "done, failed, unknown or refused" }),
  allowedBy: Schema.String.annotate({ description: "whose yes, or no: person, grant, rule or default" }),
  source: Schema.String.annotate({ description: "where that stands, such as `permissions.jsonc:4`" }),
  millis: Schema.Int
})

const text = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(300)))

const time = Schema.optionalKey(
  Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/))
).annotate({ description: "a day such as 2026-11-24, or a time such as 2026-11-24T17:00Z, of UTC" })

const AuditQuery = {
  user: text.annotate({ description: "a person's name or id; members see their own calls, whatever stands here" }),
  tool: text,
  server: text,
  class: Schema.optionalKey(Schema.Literals(["reads", "writes", "destroys", "undeclared"])),
  origin: Schema.optionalKey(Schema.Literals(["chat", "program", "v1", "own", "client", "app"])),
  outcome: Schema.optionalKey(Schema.Literals(["done", "failed", "unknown", "refused"])),
  since: time,
  until: time
}

export const AuditApi = HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit", {
    query: {
      ...AuditQuery,
      before: Schema.optionalKey(Schema.FiniteFromString.check(Schema.isInt())).annotate({
        description: "the `next` of the page before"
      }),
      limit: Schema.optionalKey(
        Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 500 }))
      )
    },
    success: Schema.Struct({
      calls: Schema.Array(AuditedCall),
      next: Schema.NullOr(Schema.Int).annotate({ description: "what to send as `before` for the next page" })
    }),
    error: [NotReady]
  }).annotateMerge(about(
    "Calls of tools and the people they were for, the newest first, 100 a page: the calls of everybody for admins, else those of the person. " +
      "It has no arguments and no results."
  )),
  HttpApiEndpoint.get("export", "/audit/export", {
    query: { ...AuditQuery, format: Schema.Literals(["csv", "jsonl"]) },
    error: [NotReady]
  }).annotateMerge(about("All pages of it as a file."))
)
