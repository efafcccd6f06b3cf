/** Routes about what people used of models. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../Documents.ts"
import { NotReady } from "../Problems.ts"

/** Requests to models, their tokens, and what is known of their cost. */
export const Used = Schema.Struct({
  requests: Schema.Finite,
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  cost: Schema.Finite.annotate({ description: "in US dollars; requests to models without known prices count nothing" })
})

export const UsageReport = Schema.Struct({
  day: Used.annotate({ description: "since 00:00 UTC" }),
  month: Used.annotate({ description: "since the first of the month, 00:00 UTC" }),
  limits: Schema.Array(Schema.Struct({
    of: Schema.Literals(["money", "tokens"]),
    limit: Schema.String.annotate({ description: "such as `20 USD a month`" }),
    used: Schema.Finite.annotate({ description: "in US dollars, or tokens" }),
    most: Schema.Finite,
    resets: Schema.String.annotate({ description: "when it begins anew: ISO 8601, in UTC" })
  })),
  turns: Schema.NullOr(Schema.Int).annotate({ description: "how many chats are answered at once; null for any number" })
})

export const UsageApi = HttpApiGroup.make("usage").add(
  HttpApiEndpoint.get("mine", "/me/usage", { success: UsageReport, error: [NotReady] })
    .annotateMerge(about("What this person used today and this month, and their limits.")),
  HttpApiEndpoint.get("all", "/usage", {
    query: {
      month: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}$/))).annotate({
        description: "such as 2026-11; this month by default"
      })
    },
    success: Schema.Struct({
      month: Schema.String,
      people: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, ...Used.fields }))
    }),
    error: [NotReady]
  }).annotateMerge(about("What each person used in a month of UTC, the most expensive first."))
)
