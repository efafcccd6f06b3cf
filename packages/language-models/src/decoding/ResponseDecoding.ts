/** The AI SDK content that streamed and whole responses share, as encoded `effect/ai` response parts. */
import type {
  LanguageModelV4Citation,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4Source,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import type * as Response from "effect/ai/Response"
import * as DateTime from "effect/DateTime"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as ProviderMetadata from "../encoding/ProviderMetadata.ts"
import * as ToolParams from "../encoding/ToolParams.ts"

/** The parts of a whole response, in order, the finish last. */
export const decode = (result: LanguageModelV4GenerateResult): Array<Response.PartEncoded> => [
  ...(result.response === undefined ? [] : [responseMetadata(result.response)]),
  ...result.content.flatMap((part): Array<Response.PartEncoded> => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return [{ type: part.type, text: part.text, ...ProviderMetadata.decode(part.providerMetadata) }]
      case "tool-call":
        return [toolCall(part)]
      case "file":
        return file(part)
      case "source":
        return source(part)
      default:
        // Results and approvals of tools that the provider runs, and its own kinds of block: none is ever asked for.
        return []
    }
  }),
  finish(result)
]

export const toolCall = (part: LanguageModelV4ToolCall): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: part.toolCallId,
  name: part.toolName,
  params: ToolParams.decode(part.input),
  providerExecuted: part.providerExecuted ?? false,
  ...ProviderMetadata.decode(part.providerMetadata)
})

export const file = (part: LanguageModelV4File): Array<Response.FilePartEncoded | Response.UrlSourcePartEncoded> => {
  const metadata = ProviderMetadata.decode(part.providerMetadata)
  if (part.data.type === "url") {
    const url = part.data.url.href
    return [{ type: "source", sourceType: "url", id: url, url, title: part.mediaType, ...metadata }]
  }
  const data = typeof part.data.data === "string" ? part.data.data : Base64.encode(part.data.data)
  return [{ type: "file", mediaType: part.mediaType, data, ...metadata }]
}

export const source = (
  part: LanguageModelV4Source
): Array<Response.UrlSourcePartEncoded | Response.DocumentSourcePartEncoded> => {
  const metadata = ProviderMetadata.decode(part.providerMetadata)
  const { id } = part
  if (part.sourceType === "url") {
    // A source is an extra: one with an address nobody can open must not fail the answer.
    if (!URL.canParse(part.url)) return []
    return [{ type: "source", sourceType: "url", id, url: part.url, title: part.title ?? part.url, ...metadata }]
  }
  const { mediaType, title } = part
  const fileName = part.filename === undefined ? {} : { fileName: part.filename }
  return [{ type: "source", sourceType: "document", id, mediaType, title, ...fileName, ...metadata }]
}

/** A source that stands at a place of a text: `citation` of its metadata has the id of the text and the end of the place. */
export const citation = (
  text: string,
  { endIndex, source: cited }: LanguageModelV4Citation
): ReturnType<typeof source> =>
  source(cited).map((part) => ({ ...part, metadata: { citation: { text, end: endIndex ?? null } } }))

export const responseMetadata = (part: LanguageModelV4ResponseMetadata): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  ...(part.id === undefined ? {} : { id: part.id }),
  ...(part.modelId === undefined ? {} : { modelId: part.modelId }),
  ...Option.match(Option.flatMap(Option.fromNullishOr(part.timestamp), DateTime.make), {
    onNone: () => ({}),
    onSome: (timestamp) => ({ timestamp: DateTime.formatIso(timestamp) })
  })
})

/** The end of a response. `interrupted` is for the caller to report: it means that the end is missing. */
export const finish = (part: {
  readonly finishReason: LanguageModelV4FinishReason
  readonly usage: LanguageModelV4Usage
  readonly providerMetadata?: SharedV4ProviderMetadata
}): Response.FinishPartEncoded => ({
  type: "finish",
  reason: part.finishReason.unified === "interrupted" ? "unknown" : part.finishReason.unified,
  usage: usage(part.usage),
  ...ProviderMetadata.decode({
    ...part.providerMetadata,
    // Says more than `error` and `other` do, for instance MALFORMED_FUNCTION_CALL.
    ...(part.finishReason.raw === undefined ? {} : { finish: { rawReason: part.finishReason.raw } })
  })
})

const usage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Response.FinishPartEncoded["usage"] => ({
  inputTokens: {
    total: tokens(inputTokens.total),
    uncached: tokens(inputTokens.noCache),
    cacheRead: tokens(inputTokens.cacheRead),
    cacheWrite: tokens(inputTokens.cacheWrite)
  },
  outputTokens: {
    total: tokens(outputTokens.total),
    text: tokens(outputTokens.text),
    reasoning: tokens(outputTokens.reasoning)
  }
})

// Servers that only resemble OpenAI's count in odd ways; a count must not fail the answer.
const tokens = (count: number | null | undefined): number | undefined =>
  Number.isSafeInteger(count) ? count ?? undefined : undefined
