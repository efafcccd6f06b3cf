/** The pages that each provider says an answer is from, with their places where it tells them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Anthropic from "../streams/Anthropic.ts"
import * as Compatible from "../streams/Compatible.ts"
import * as Google from "../streams/Google.ts"
import * as OpenAi from "../streams/Openai.ts"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const URL = "https://example.org/a"
const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

const cited = { type: "web_search_result_location", url: URL, title: "A", cited_text: "x", encrypted_index: "e" }
const annotation = { type: "url_citation", url: URL, title: "A", start_index: 0, end_index: 4 }

const WIRES = [
  {
    model: ANTHROPIC,
    stream: Anthropic.text.replace(
      "event: content_block_stop",
      `${
        event("content_block_delta", { index: 0, delta: { type: "citations_delta", citation: cited } })
      }event: content_block_stop`
    ),
    ends: [null]
  },
  {
    model: OPENAI,
    stream: OpenAi.text.replace(
      "event: response.output_text.done",
      `${
        event("response.output_text.annotation.added", {
          sequence_number: 4,
          item_id: "msg_02",
          output_index: 0,
          content_index: 0,
          annotation_index: 0,
          annotation
        })
      }event: response.output_text.done`
    ).replaceAll(
      `"annotations":[],"logprobs":[],"text":"Done."`,
      `"annotations":[${JSON.stringify(annotation)}],"logprobs":[],"text":"Done."`
    ),
    ends: [4]
  },
  {
    model: GOOGLE,
    stream: Google.text.replace(
      `"finishReason":"STOP"`,
      `"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"${URL}","title":"A"}}],"groundingSupports":[{"segment":{"endIndex":3},"groundingChunkIndices":[0,7]}]}`
    ),
    ends: [3]
  },
  {
    model: COMPATIBLE,
    variables: Asking.COMPATIBLE,
    stream: Compatible.text,
    ends: []
  }
]

describe("the sources of an answer", () => {
  it.effect.each(WIRES)("of $model have their places where the provider tells them", (wire) =>
    Effect.gen(function*() {
      const { ends, model, stream, variables = Asking.KEYS } = wire
      const { parts } = yield* Asking.ask({ model, variables, prompt: "Hello." }, [ScriptedFetch.events(stream)])
      const sources = parts.flatMap((part) => part.type === "source" && part.sourceType === "url" ? [part] : [])
      assert.strictEqual(sources.length > 0, model !== COMPATIBLE)
      for (const { title, url } of sources) assert.deepStrictEqual([url.href, title], [URL, "A"])
      const places = sources.flatMap(({ metadata }) => metadata["citation"] ?? [])
      assert.deepStrictEqual(places.map((place) => Object(place).bytes ?? Object(place).end), ends)
    }))
})
