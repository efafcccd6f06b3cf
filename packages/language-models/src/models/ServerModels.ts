/** The models that a server lists itself, as those that speak OpenAI's chat completions do. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A model as its server lists it. */
export interface ServerModel {
  readonly id: string
  /** Null when the server does not say. */
  readonly contextTokens: number | null
}

/** Where the list is asked for. */
export interface ListedAt {
  readonly baseUrl: string
  readonly key: string | null
  readonly fetch: typeof globalThis.fetch
}

/**
 * The models that `GET {baseUrl}/models` lists, in its order. Waits 2 seconds at most and keeps a list for 5 minutes.
 * Empty when the list cannot be read; the server is then asked again after 20 seconds at the earliest.
 */
export const make = ({ baseUrl, fetch, key }: ListedAt): Effect.Effect<Effect.Effect<ReadonlyArray<ServerModel>>> =>
  Effect.tryPromise((signal) =>
    fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      signal
    }).then((response) => response.text())
  ).pipe(
    Effect.flatMap(decodeListing),
    Effect.timeout(PATIENCE),
    Effect.map(({ data }) => data.flatMap(serverModel)),
    Effect.exit,
    Effect.tap((exit) =>
      Exit.isFailure(exit) ? Effect.logDebug("a server's models could not be listed", exit.cause) : Effect.void
    ),
    Effect.cachedWithTTL(
      Exit.match({ onSuccess: (exit) => Exit.isSuccess(exit) ? KEPT : RETRIED_AFTER, onFailure: () => 0 })
    ),
    Effect.map(Effect.map((exit) => Exit.isSuccess(exit) ? exit.value : []))
  )

const PATIENCE = "2 seconds"
const KEPT = "5 minutes"
const RETRIED_AFTER = "20 seconds"

const decodeListing = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Array(Schema.JsonObject) }))
)

const NO_CHAT = /embed|rerank|whisper|tts|transcri|moderation|dall-e|stable-diffusion/i

const serverModel = (listed: Schema.JsonObject): ReadonlyArray<ServerModel> => {
  const { id } = listed
  return typeof id === "string" && id !== "" && !NO_CHAT.test(id) ? [{ id, contextTokens: contextOf(listed) }] : []
}

/** As vLLM, OpenRouter, Groq, Mistral and llama.cpp call it. */
const NAMES = ["max_model_len", "context_length", "context_window", "max_context_length", "n_ctx"]

const contextOf = (listed: Schema.JsonObject): number | null => {
  const meta = Predicate.isObject(listed["meta"]) ? listed["meta"] : {}
  const found = NAMES.map((name): unknown => listed[name] ?? Reflect.get(meta, name))
  return found.filter(Predicate.isNumber).find((tokens) => Number.isSafeInteger(tokens) && tokens > 0) ?? null
}
