/** How the tests ask a model: as the turn loop does, with dynamic tools and deferred validation. */
import { LanguageModels } from "@boocode/language-models"
import type * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ScriptedFetch from "./ScriptedFetch.ts"

export const readFileSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { path: { type: "string", minLength: 1 }, tail: { anyOf: [{ type: "integer" }, { type: "null" }] } },
  required: ["path"],
  additionalProperties: false
} as const

export const listSchema = { type: "object", properties: {} } as const

const tool = (name: string, description: string, parameters: typeof readFileSchema | typeof listSchema) =>
  Tool.dynamic(name, { description, parameters, success: Schema.String, failure: Schema.String, failureMode: "return" })

/** Two tools; their handlers are never run, since calls are not resolved. */
export const toolkit = Toolkit.make(
  tool("files_read_file", "Reads a file", readFileSchema),
  tool("files_list", "Lists files", listSchema)
).pipe(
  (kit) =>
    Effect.flatMap(
      kit.toHandlers({ files_read_file: () => Effect.die("not run"), files_list: () => Effect.die("not run") }),
      (handlers) => Effect.provideContext(kit, handlers)
    )
)

export const KEYS = {
  ANTHROPIC_API_KEY: "key-anthropic",
  GOOGLE_GENERATIVE_AI_API_KEY: "key-google",
  OPENAI_API_KEY: "key-openai"
}

export const COMPATIBLE = { OPENAI_BASE_URL: "http://model.test/v1" }

/** The models that a scripted network and these variables make. */
export const models = (network: Layer.Layer<never>, variables: Record<string, string> = KEYS) =>
  LanguageModels.layer.pipe(
    Layer.provide(network),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables })))
  )

export interface Question {
  readonly model: string
  readonly variables?: Record<string, string>
  readonly prompt: Prompt.RawInput
  readonly tools?: boolean
}

/** The parts of one answer. */
export const stream = (network: Layer.Layer<never>, question: Question): Stream.Stream<Part, AiError.AiError> =>
  Stream.unwrap(
    Effect.gen(function*() {
      const models = yield* LanguageModels
      const model = yield* Effect.orDie(models.model(question.model))
      const options = {
        prompt: question.prompt,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      } as const
      return question.tools === false
        ? model.streamText(options)
        : model.streamText({ ...options, toolkit: yield* toolkit })
    }).pipe(Effect.provide(Layer.orDie(models(network, question.variables))))
  )

export type Part = Response.AnyPart

/** All parts of one answer, and the requests made for it. */
export const ask = Effect.fnUntraced(function*(question: Question, answers: ReadonlyArray<ScriptedFetch.Answer>) {
  const { layer, sent } = ScriptedFetch.make(answers)
  const parts = yield* Stream.runCollect(stream(layer, question))
  return { parts, sent }
})

/** The text of one kind of delta, joined. */
export const joined = (parts: ReadonlyArray<Part>, type: "text-delta" | "reasoning-delta"): string =>
  parts.map((part) => part.type === type ? part.delta : "").join("")

/** The tool calls, as the turn loop sees them. */
export const calls = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "tool-call" ? [{ id: part.id, name: part.name, params: part.params }] : [])

export const CONVERSATION: ReadonlyArray<Prompt.MessageEncoded> = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Read a.txt and list the files." }
]

/** The conversation after the answer `parts`, with both calls answered. */
export const answered = (parts: ReadonlyArray<Part>): Prompt.Prompt =>
  Prompt.make(CONVERSATION).pipe(
    Prompt.concat(Prompt.fromResponseParts(parts)),
    Prompt.concat(Prompt.fromMessages([Prompt.toolMessage({
      content: calls(parts).map(({ id, name }, index) =>
        Prompt.toolResultPart({
          id,
          name,
          isFailure: index === 1,
          result: index === 1 ? "no such folder" : "contents of a",
          providerExecuted: false
        })
      )
    })]))
  )
