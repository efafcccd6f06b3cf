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

/** Calls of tools, and how they came out. */
export const Called = Schema.Struct({
  calls: Schema.Int,
  failed: Schema.Int,
  refused: Schema.Int.annotate({ description: "not made, because a rule or a person refused" }),
  millis: Schema.Finite.annotate({ description: "how long they took together" })
})

const name = Schema.String

export const UsageOverview = Schema.Struct({
  since: Schema.String.annotate({ description: "the first day of UTC, such as 2026-11-24" }),
  until: Schema.String.annotate({ description: "today in UTC" }),
  auditDays: Schema.Int.annotate({ description: "for so many days calls are kept" }),
  days: Schema.Array(Schema.Struct({ name, ...Used.fields, ...Called.fields })).annotate({
    description: "in their order; those without any use are left out"
  }),
  people: Schema.Array(Schema.Struct({ id: Schema.String, name, ...Used.fields, ...Called.fields })).annotate({
    description: "the name is empty for somebody who is gone"
  }),
  models: Schema.Array(Schema.Struct({ name, ...Used.fields })).annotate({
    description: "an empty name is what was used before models were noted"
  }),
  agents: Schema.Array(Schema.Struct({ name, ...Used.fields })).annotate({
    description: "an empty name is requests of no agent"
  }),
  servers: Schema.Array(Schema.Struct({ name, ...Called.fields })).annotate({
    description: "an empty name is the built-in tools"
  }),
  tools: Schema.Array(Schema.Struct({ name, ...Called.fields }))
})

export const ServerDay = Schema.Struct({
  server: Schema.String,
  since: Schema.String.annotate({ description: "when the first slot begins: ISO 8601, in UTC" }),
  until: Schema.String.annotate({ description: "now" }),
  minutes: Schema.Int.annotate({ description: "how long a slot is" }),
  auditDays: Schema.Int.annotate({ description: "for so many days calls are kept" }),
  slots: Schema.Array(Schema.Struct({
    from: Schema.String,
    calls: Schema.Int.annotate({ description: "those that were made" }),
    failed: Schema.Int.annotate({ description: "those without an answer among them" }),
    p50: Schema.Finite.annotate({ description: "half of them took at most so many milliseconds" }),
    p95: Schema.Finite,
    slowest: Schema.Finite
  })).annotate({ description: "in their order; those without any call are left out" }),
  events: Schema.Array(Schema.Struct({
    at: Schema.String,
    kind: Schema.Literals(["ready", "restarted", "failed", "stopped"]),
    reason: Schema.NullOr(Schema.String).annotate({ description: "the name of the error, such as `CrashLoop`" })
  })).annotate({
    description:
      "what happened to the server, kept for 8 days: to one that all share for admins, to a personal one for its owner alone"
  })
})

const inHours = {
  hours: Schema.optionalKey(Schema.Literals(["24", "168"])).annotate({
    description: "24, the default, in slots of a quarter of an hour; 168 in slots of an hour"
  })
}

const inDays = {
  days: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 366 }))
  )
    .annotate({ description: "how many, today among them; 30 by default" })
}

export const UsageApi = HttpApiGroup.make("usage").add(
  HttpApiEndpoint.get("mine", "/me/usage", { success: UsageReport, error: [NotReady] })
    .annotateMerge(about("The use of this person today and this month, and their limits.")),
  HttpApiEndpoint.get("myDays", "/me/usage/days", { query: inDays, success: UsageOverview, error: [NotReady] })
    .annotateMerge(about(
      "The use of this person over days, by day, model and agent, and the calls made for them by day, server and tool. A call " +
        "costs nothing by itself."
    )),
  HttpApiEndpoint.get("allDays", "/usage/days", { query: inDays, success: UsageOverview, error: [NotReady] })
    .annotateMerge(about("Like that of one person, for everybody and by person.")),
  HttpApiEndpoint.get("myServer", "/me/usage/servers/:name", {
    params: { name },
    query: inHours,
    success: ServerDay,
    error: [NotReady]
  }).annotateMerge(
    about(
      "The calls of a server that were made for this person over the day: how many, how many failed, how long they took, and what happened to a personal server of theirs."
    )
  ),
  HttpApiEndpoint.get("allServer", "/usage/servers/:name", {
    params: { name },
    query: inHours,
    success: ServerDay,
    error: [NotReady]
  }).annotateMerge(
    about(
      "Like that of one person, for everybody, and when the server became ready, failed, was started again and stopped."
    )
  ),
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
  }).annotateMerge(about("The use of each person in a month of UTC, the most expensive first."))
)
