/** The providers of models: where they are, what keys they have, and what they offer. */
import * as ProviderEntries from "@boocode/language-models/ProviderEntry"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, describeName, nullable, SuggestedModel } from "./Documents.ts"
import { BadRequest, Conflict, Forbidden, Internal, NotFound } from "./Problems.ts"

const Kind = Schema.Literals(ProviderEntries.PROVIDER_KINDS).annotate({
  description:
    "`openai` is OpenAI's Responses API, and chat completions at any other address; `openai-responses` the Responses " +
    "API at any address; `openai-compatible` chat completions, as Ollama, LM Studio, llama.cpp and vLLM speak them"
})

export const ProviderDocument = Schema.Struct({
  name: Schema.String.annotate({ description: "the part before the slash of its models' ids" }),
  kind: Kind,
  url: Schema.NullOr(Schema.String).annotate({ description: "null is the address of its kind" }),
  key: Schema.Struct({
    from: Schema.Literals(["none", "stored", "variable"]),
    variable: Schema.NullOr(Schema.String).annotate({ description: "the name of the variable" })
  }).annotate({ description: "where its key comes from; the key itself is never told" }),
  source: Schema.Literals(["environment", "settings.json"]),
  ready: Schema.Boolean,
  missing: Schema.NullOr(Schema.String).annotate({ description: "what to do to use it; null when it is ready" }),
  example: Schema.String.annotate({ description: "a model id that works with it" })
})

const KindDocument = Schema.Struct({
  kind: Kind,
  title: Schema.String,
  url: Schema.NullOr(Schema.String).annotate({ description: "the address without a `url`; null where one is needed" }),
  needsKey: Schema.Boolean,
  keyPage: Schema.NullOr(Schema.String).annotate({ description: "where a person gets a key" })
})

const FoundProvider = Schema.Struct({
  name: Schema.String,
  kind: Kind,
  url: Schema.String,
  models: Schema.Int.annotate({ description: "how many it lists" })
})

export const ProviderList = Schema.Struct({
  providers: Schema.Array(ProviderDocument).annotate({ description: "sorted by name" }),
  kinds: Schema.Array(KindDocument),
  found: Schema.Array(FoundProvider).annotate({ description: "what answered at its usual address within 500 ms" })
})

/** A draft may hold anything: the answer says how it is wrong. */
const Url = nullable(Schema.String.check(Schema.isMaxLength(2000)))

const Key = nullable(Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(10_000))))

const url = Url.annotate({ description: "http or https, for most up to `/v1`; null is the address of the kind" })
const key = Key.annotate({
  description: "is kept with the tokens of servers and sent to this one address; null for none; never `${VAR}`"
})

const draft = { kind: Schema.optionalKey(Kind), url, key }

export const ProviderTrial = Schema.Struct({
  ok: Schema.Boolean,
  models: Schema.Array(SuggestedModel).annotate({ description: "by their whole ids, in the provider's order" }),
  millis: Schema.Finite,
  error: Schema.NullOr(Schema.Struct({ message: Schema.String, hint: Schema.String }))
})

const Errors = [BadRequest, Forbidden, NotFound, Conflict, Internal] as const

const strict = { onExcessProperty: "error" } as const

export const ProvidersApi = HttpApiGroup.make("providers").add(
  HttpApiEndpoint.get("list", "/providers", {
    query: {
      find: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
        description:
          "`true` looks for Ollama, LM Studio and llama.cpp on this machine, where nobody else reaches this server"
      })
    },
    success: ProviderList
  }).annotateMerge(about(
    "Every provider of models as it stands: those of the environment, and those of `providers` in settings.json, which " +
      "replace one of the same name. Asks no provider, unless `find` says so."
  )),
  HttpApiEndpoint.post("add", "/providers", {
    payload: Schema.Struct({
      name: Schema.String.annotate({ description: "1 to 40 small letters, digits, - and _" }),
      kind: Kind,
      url,
      key
    }),
    success: ProviderDocument.pipe(HttpApiSchema.status(201)),
    error: Errors
  }).annotate(HttpApi.PayloadParseOptions, strict).annotateMerge(about(
    "Adds a provider to settings.json; it works at once. The key is kept with the tokens of servers, never in the file. " +
      "409 when the name is taken. Where others reach this server 403 for an address that is not public."
  )),
  HttpApiEndpoint.patch("change", "/providers/:name", {
    params: describeName,
    payload: Schema.Struct(draft),
    success: ProviderDocument,
    error: Errors
  }).annotate(HttpApi.PayloadParseOptions, strict).annotateMerge(about(
    "Changes a provider; what is left out stays. 400 for another address without a key, where there is one: a key is sent " +
      "only to the address that it was saved with. A provider of the environment gets an entry that replaces it."
  )),
  HttpApiEndpoint.delete("remove", "/providers/:name", {
    params: describeName,
    success: HttpApiSchema.NoContent,
    error: Errors
  }).annotateMerge(about("Removes a provider from settings.json, and its key. 409 for one of the environment.")),
  HttpApiEndpoint.post("test", "/providers/:name/test", {
    params: describeName,
    payload: [Schema.Struct(draft), Schema.Null],
    success: ProviderTrial,
    error: Errors
  }).annotateMerge(about(
    "Asks a provider for the list of its models, for 10 s at most, and writes nothing. The body goes before " +
      "what is kept; with a `kind` there need be no such provider yet. A failure is in `error`, with the status 200."
  ))
)
