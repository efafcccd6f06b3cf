/** The documents that answer `POST /v1/chat/completions`: a whole completion, or its chunks. Pure. */
import type { Part } from "@boocode/chat"
import * as Stream from "effect/Stream"
import * as CompletionError from "./CompletionError.ts"
import * as CompletionProgress from "./CompletionProgress.ts"

/** The keys that every document of an answer has. */
export interface CompletionHead {
  readonly id: string
  /** In seconds since 1970. */
  readonly created: number
  /** The agent. */
  readonly model: string
}

/** The end of a stream, which is no document. */
const DONE = "[DONE]"

const usageOf = ({ usage }: CompletionProgress.CompletionEnd) => {
  const [input, output] = [usage.inputTokens ?? 0, usage.outputTokens ?? 0]
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 }
  }
}

/** The whole answer of a turn that has ended. */
export const completion = (
  head: CompletionHead,
  { content, end, reasoning }: CompletionProgress.CompletionProgress
) => ({
  ...head,
  object: "chat.completion",
  choices: [{
    index: 0,
    message: {
      role: "assistant",
      content,
      refusal: null,
      ...reasoning === "" ? {} : { reasoning_content: reasoning }
    },
    logprobs: null,
    finish_reason: end?.reason ?? "stop"
  }],
  ...end === null ? {} : { usage: usageOf(end) }
})

/** The chunks of an answer as its parts come. An error is the last document before the end. */
export const chunks = <E, R>(
  head: CompletionHead,
  parts: Stream.Stream<Part, E, R>,
  tellsUsage: boolean
): Stream.Stream<object | typeof DONE, E, R> => {
  const base = { ...head, object: "chat.completion.chunk" }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...tellsUsage ? { usage: null } : {}
  })
  const last = ({ end, failure }: CompletionProgress.CompletionProgress): ReadonlyArray<object | typeof DONE> => {
    if (end === null) return [CompletionError.document(failure ?? CompletionError.REMOVED), DONE]
    const usage = tellsUsage ? [{ ...base, choices: [], usage: usageOf(end) }] : []
    return [chunk({}, end.reason), ...usage, DONE]
  }
  const said = Stream.mapAccum(parts, () => CompletionProgress.NOTHING, (progress, part): readonly [
    CompletionProgress.CompletionProgress,
    ReadonlyArray<object | typeof DONE>
  ] => {
    const [now, deltas] = CompletionProgress.next(progress, part)
    return [now, deltas.map((delta) => chunk(delta))]
  }, { onHalt: last })
  return Stream.concat(Stream.make(chunk({ role: "assistant", content: "" })), said)
}
