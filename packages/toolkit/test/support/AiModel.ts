/** A model of the AI SDK that says what a test wrote, one step after the other. */
import { MockLanguageModelV4 } from "ai/test"

type Generated = Extract<
  NonNullable<NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>["doGenerate"]>,
  { content: unknown }
>
type Streamed = Extract<
  NonNullable<NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>["doStream"]>,
  { stream: unknown }
>
type Part = Streamed["stream"] extends ReadableStream<infer A> ? A : never

/** The calls of a step, or the words that end the answer. */
export type Step = string | ReadonlyArray<readonly [id: string, name: string, input: string]>

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined }
}

const finishReason = (step: Step) => ({
  unified: typeof step === "string" ? "stop" as const : "tool-calls" as const,
  raw: undefined
})

const generated = (step: Step): Generated => ({
  content: typeof step === "string"
    ? [{ type: "text", text: step }]
    : step.map(([toolCallId, toolName, input]) => ({ type: "tool-call", toolCallId, toolName, input })),
  finishReason: finishReason(step),
  usage,
  warnings: []
})

const streamed = (step: Step): Streamed => {
  const parts: ReadonlyArray<Part> = [
    { type: "stream-start", warnings: [] },
    ...(typeof step === "string"
      ? [
        { type: "text-start" as const, id: "t" },
        { type: "text-delta" as const, id: "t", delta: step },
        { type: "text-end" as const, id: "t" }
      ]
      : step.map(([toolCallId, toolName, input]) => ({ type: "tool-call" as const, toolCallId, toolName, input }))),
    { type: "finish", finishReason: finishReason(step), usage }
  ]
  return { stream: ReadableStream.from(parts) }
}

export const scripted = (steps: ReadonlyArray<Step>): MockLanguageModelV4 =>
  new MockLanguageModelV4({ doGenerate: steps.map(generated), doStream: steps.map(streamed) })

/** What the model was told about each call of its last step: the results in the last tool message of a request. */
export const toldLast = (model: MockLanguageModelV4) => {
  const request = [...model.doGenerateCalls, ...model.doStreamCalls].at(-1)
  const last = request?.prompt.findLast(({ role }) => role === "tool")
  return last?.role === "tool"
    ? last.content.flatMap((part) => part.type === "tool-result" ? [{ id: part.toolCallId, ...part.output }] : [])
    : []
}
