/** Models that answer from a script, in the form of their provider, and keep what they are sent. */
import { LanguageModels, ModelFacts, ModelFetch, type ProviderEntry } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { setTimeout } from "node:timers/promises"
import type { Json } from "../../test/servers/model/Json.ts"
import { type Step, text } from "../../test/servers/model/Script.ts"
import type { Wire } from "./Wires.ts"

const provider = (name: string, kind: ProviderEntry["kind"], url: string | null): ProviderEntry => ({
  name,
  kind,
  url,
  key: Redacted.make("none"),
  publicOnly: false,
  missing: null
})

const PROVIDERS = [
  provider("openai", "openai-compatible", "http://model.invalid/v1"),
  provider("responses", "openai-responses", null),
  provider("anthropic", "anthropic", null),
  provider("google", "google", null)
]

/** What the models of the script read; their makers' lists need not know them. */
const FACTS = Object.fromEntries(PROVIDERS.map(({ name }) => [`${name}/*`, { contextTokens: 200_000 }]))

/** What a model says, and what it was asked. */
export interface Script {
  /** One for each request; those that were given are taken away. */
  answers: ReadonlyArray<ReadonlyArray<Step>>
  readonly bodies: Array<Json>
  /** How long each answer takes. */
  readonly millis: number
}

const answering = (wire: Wire, script: Script): typeof fetch => (_, init) => {
  if (init?.method !== "POST") return Promise.resolve(Response.json({ data: [] }))
  const body: Json = JSON.parse(String(init.body))
  script.bodies.push(body)
  const [answer = [text("no more")], ...rest] = script.answers
  script.answers = rest
  const stream = wire.answer(body, answer, String(script.bodies.length))
  return setTimeout(script.millis, new Response(stream, { headers: { "content-type": "text/event-stream" } }))
}

/** Models of all providers, of which each answers from the script. */
export const models = (wire: Wire, script: Script) =>
  Layer.unwrap(Effect.map(SubscriptionRef.make<ReadonlyArray<ProviderEntry>>(PROVIDERS), LanguageModels.layerOf)).pipe(
    Layer.provide(Layer.succeed(ModelFetch, answering(wire, script))),
    Layer.provide(Layer.succeed(ModelFacts.ModelOverrides, FACTS))
  )
