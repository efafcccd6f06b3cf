/** What each provider says of the tokens that it read from its cache, and wrote to it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Anthropic from "../streams/Anthropic.ts"
import * as Compatible from "../streams/Compatible.ts"
import * as Google from "../streams/Google.ts"
import * as OpenAi from "../streams/Openai.ts"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const chunk = (usage: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [], usage })}`

const WIRES = [
  {
    model: ANTHROPIC,
    stream: Anthropic.text.replace(
      /"cache_creation_input_tokens":0,"cache_read_input_tokens":0/,
      `"cache_creation_input_tokens":30,"cache_read_input_tokens":60`
    ),
    written: 30
  },
  {
    model: OPENAI,
    stream: OpenAi.text.replace(
      /"usage":\{"input_tokens".*?\},/,
      `"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},`
    ),
    written: 30
  },
  {
    model: GOOGLE,
    stream: Google.text.replace(`"promptTokenCount":5`, `"promptTokenCount":100,"cachedContentTokenCount":60`),
    written: undefined
  },
  {
    model: COMPATIBLE,
    variables: Asking.COMPATIBLE,
    stream: Compatible.text.replace(
      "data: [DONE]",
      `${
        chunk({ prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60 } })
      }\n\ndata: [DONE]`
    ),
    written: undefined
  }
]

describe("the usage of an answer", () => {
  it.effect.each(WIRES)(
    "has what $model read from its cache and wrote to it, as parts of all input",
    (wire) =>
      Effect.gen(function*() {
        const { model, stream, variables = Asking.KEYS, written } = wire
        const { parts } = yield* Asking.ask({ model, variables, prompt: "Hello." }, [ScriptedFetch.events(stream)])
        const finish = parts.at(-1)
        assert.deepStrictEqual(finish?.type === "finish" ? finish.usage.inputTokens : null, {
          total: 100,
          uncached: 40 - (written ?? 0),
          cacheRead: 60,
          cacheWrite: written
        })
      })
  )
})
