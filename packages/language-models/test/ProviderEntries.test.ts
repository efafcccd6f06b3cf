import { LanguageModels, type ProviderEntry } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Anthropic from "./streams/Anthropic.ts"
import * as Compatible from "./streams/Compatible.ts"
import * as Google from "./streams/Google.ts"
import * as OpenAi from "./streams/Openai.ts"
import * as ScriptedFetch from "./support/ScriptedFetch.ts"

const entry = (name: string, fields: Partial<ProviderEntry>): ProviderEntry => ({
  name,
  kind: "openai-compatible",
  url: "http://models.test/v1",
  key: null,
  publicOnly: false,
  missing: null,
  ...fields
})

const key = (text: string) => Redacted.make(text)

/** The models of these entries, what was sent, and a way to change the entries. */
const start = Effect.fnUntraced(function*(
  first: ReadonlyArray<ProviderEntry>,
  answers: ReadonlyArray<ScriptedFetch.Answer>
) {
  const entries = yield* SubscriptionRef.make(first)
  const { layer, sent } = ScriptedFetch.make(answers)
  const models = yield* Effect.provide(LanguageModels, LanguageModels.layerOf(entries).pipe(Layer.provide(layer)))
  const ask = Effect.fnUntraced(function*(id: string) {
    const model = yield* models.model(id)
    return yield* Effect.exit(Stream.runDrain(model.streamText({ prompt: "Hello" })))
  })
  return { models, sent, ask, set: (now: ReadonlyArray<ProviderEntry>) => SubscriptionRef.set(entries, now) }
})

const redirect = (location: string): ScriptedFetch.Answer => () =>
  Promise.resolve(new Response(null, { status: 307, headers: { location } }))

describe("LanguageModels of entries", () => {
  it.effect.each([
    {
      of: entry("a", { kind: "openai", url: null, key: key("k") }),
      text: OpenAi.text,
      url: "https://api.openai.com/v1/responses",
      header: ["authorization", "Bearer k"],
      wire: "openai"
    },
    {
      of: entry("a", { kind: "openai" }),
      text: Compatible.text,
      url: "http://models.test/v1/chat/completions",
      header: ["authorization", null],
      wire: "openai"
    },
    {
      of: entry("a", { kind: "openai-responses", key: key("k") }),
      text: OpenAi.text,
      url: "http://models.test/v1/responses",
      header: ["authorization", "Bearer k"],
      wire: "openai"
    },
    {
      of: entry("a", { kind: "anthropic", key: key("k") }),
      text: Anthropic.text,
      url: "http://models.test/v1/messages",
      header: ["x-api-key", "k"],
      wire: "anthropic"
    },
    {
      of: entry("a", { kind: "google", key: key("k") }),
      text: Google.text,
      url: "http://models.test/v1/models/m:streamGenerateContent?alt=sse",
      header: ["x-goog-api-key", "k"],
      wire: "google"
    },
    {
      of: entry("a", { key: key("k") }),
      text: Compatible.text,
      url: "http://models.test/v1/chat/completions",
      header: ["authorization", "Bearer k"],
      wire: "openai"
    }
  ])(
    "speaks as its kind does: $of.kind at $url",
    ({ header: [name, value], of, text, url, wire }) =>
      Effect.gen(function*() {
        const { ask, models, sent } = yield* start([of], [ScriptedFetch.events(text)])
        assert.strictEqual((yield* ask("a/m"))._tag, "Success")
        assert.strictEqual(sent[0]?.url, url)
        assert.strictEqual(sent[0]?.headers.get(name ?? ""), value)
        assert.strictEqual((yield* models.facts("a/m")).wire, wire)
      })
  )

  it.effect("takes a change with the next model, and keeps what an entry that stayed has made", () =>
    Effect.gen(function*() {
      const stays = () => entry("stays", { key: key("same") })
      const { ask, models, sent, set } = yield* start(
        [stays(), entry("moves", { key: key("one") })],
        [ScriptedFetch.events(Compatible.text), ScriptedFetch.events(Compatible.text)]
      )
      const before = { stays: yield* models.model("stays/m"), moves: yield* models.model("moves/m") }
      yield* ask("moves/m")
      yield* set([stays(), entry("moves", { url: "http://other.test/v1", key: key("two") }), entry("new", {})])
      assert.strictEqual(yield* models.model("stays/m"), before.stays)
      assert.notStrictEqual(yield* models.model("moves/m"), before.moves)
      yield* ask("moves/m")
      assert.deepStrictEqual(sent.map(({ headers, url }) => [url, headers.get("authorization")]), [
        ["http://models.test/v1/chat/completions", "Bearer one"],
        ["http://other.test/v1/chat/completions", "Bearer two"]
      ])
      assert.deepStrictEqual((yield* models.providers).map(({ provider }) => provider), ["moves", "new", "stays"])
      yield* set([])
      assert.match((yield* Effect.flip(models.model("stays/m"))).message, /no provider is called stays/)
    }))

  it.effect("says what an entry misses", () =>
    Effect.gen(function*() {
      const { models } = yield* start([entry("a", { missing: "set A_KEY" }), entry("b", { url: null })], [])
      assert.deepStrictEqual((yield* models.providers).map(({ missing }) => missing), [
        "set A_KEY",
        "it has no address"
      ])
      assert.match((yield* Effect.flip(models.model("a/m"))).message, /set A_KEY/)
    }))

  it.effect("follows a redirect within the origin, and takes no key to another", () =>
    Effect.gen(function*() {
      const { ask, sent } = yield* start([entry("a", { kind: "anthropic", key: key("secret-key") })], [
        redirect("/v2/messages"),
        ScriptedFetch.events(Anthropic.text),
        redirect("https://thief.test/v1/messages")
      ])
      assert.strictEqual((yield* ask("a/m"))._tag, "Success")
      const refused = yield* ask("a/m")
      assert.include(String(refused), "redirects to https://thief.test")
      assert.deepStrictEqual(sent.map(({ url }) => url), [
        "http://models.test/v1/messages",
        "http://models.test/v2/messages",
        "http://models.test/v1/messages"
      ])
    }))

  it.effect("reaches an entry that is for public addresses through its own fetch, which refuses unless a host gives one", () =>
    Effect.gen(function*() {
      const { ask, sent } = yield* start([entry("a", { publicOnly: true })], [])
      assert.include(String(yield* ask("a/m")), "there is no way to public addresses alone")
      assert.strictEqual(sent.length, 0)
    }))
})
