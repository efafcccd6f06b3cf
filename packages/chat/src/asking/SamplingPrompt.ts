/** A sampling request of a server: as a prompt, and as a person is shown it. Both say the same. */
import { CleanText, SamplingRefused, type SamplingRequest } from "@boocode/mcp-registry"
import * as Prompt from "effect/ai/Prompt"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SamplingShown } from "../model/Question.ts"

/** The model was not asked, for this reason. The server may ask again. */
export const refused = (message: string) => new SamplingRefused({ message, isRejected: false })

export interface SamplingPrompt {
  readonly shown: SamplingShown
  readonly prompt: Prompt.Prompt
}

/** The limit on the tokens of an answer, also for a server that wants more. */
const MOST_TOKENS = 4096
/** The limit on the text of a request, and on that of an answer. */
export const MOST_CHARACTERS = 100_000
const MOST_BYTES = 5_000_000
/** The limit on messages, and on the blocks of one. */
const MOST_MESSAGES = 200
/** The limit on stop sequences. Providers have different ones. */
const MOST_STOPS = { count: 16, characters: 200 }

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Media = Schema.Struct({
  type: Schema.Literals(["image", "audio"]),
  data: Schema.String,
  mimeType: Schema.String
})
const Block = Schema.Union([Text, Media])
const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.Union([Block, Schema.Array(Block)])
})
const decode = Schema.decodeUnknownResult(Schema.Array(Message))

interface File {
  readonly mediaType: string
  readonly data: Uint8Array
}

interface Read {
  readonly role: "user" | "assistant"
  readonly text: string
  readonly files: ReadonlyArray<File>
}

/**
 * The request for the model of this id. Fails with what cannot be sent: calls of tools, media of the assistant or that
 * is neither image nor audio, base64 that is none, empty messages, more than 200 of them, 100,000 characters or
 * 5,000,000 bytes of media, more than 16 stop sequences.
 */
export const promptOf = (request: SamplingRequest, model: string): Result.Result<SamplingPrompt, SamplingRefused> => {
  const decoded = decode(request.messages)
  if (Result.isFailure(decoded) || decoded.success.length === 0) {
    return refuse(
      "its messages are not what a model can be asked here: text, images and audio of user and assistant"
    )
  }
  if (decoded.success.length > MOST_MESSAGES) {
    return refuse(`it has ${decoded.success.length} messages, more than ${MOST_MESSAGES}`)
  }
  const stopSequences = request.stopSequences.filter((stop) => stop !== "")
  if (stopSequences.length > MOST_STOPS.count || stopSequences.some(({ length }) => length > MOST_STOPS.characters)) {
    return refuse(
      `it has more than ${MOST_STOPS.count} stop sequences of at most ${MOST_STOPS.characters} characters`
    )
  }
  const read = Result.all(decoded.success.map(readMessage))
  if (Result.isFailure(read)) return refuse(read.failure)
  const systemPrompt = request.systemPrompt === null ? null : CleanText.clean(request.systemPrompt)
  const tooMuch = excess(read.success, systemPrompt)
  if (tooMuch !== null) return refuse(tooMuch)
  const system = systemPrompt === null || systemPrompt === "" ? [] : [Prompt.systemMessage({ content: systemPrompt })]
  return Result.succeed({
    prompt: Prompt.fromMessages([...system, ...read.success.map(toMessage)]),
    shown: {
      model,
      messages: read.success.map(({ files, role, text }) => ({ role, text, media: files.map(shownFile) })),
      systemPrompt,
      maxTokens: Math.max(1, Math.min(MOST_TOKENS, Math.trunc(request.maxTokens))),
      temperature: request.temperature,
      stopSequences
    }
  })
}

const refuse = (message: string) => Result.fail(refused(message))

const readMessage = ({ content, role }: typeof Message.Type): Result.Result<Read, string> => {
  const blocks = "type" in content ? [content] : content
  if (blocks.length > MOST_MESSAGES) return Result.fail(`a message in it has more than ${MOST_MESSAGES} blocks`)
  const files = Result.all(blocks.flatMap((block) => block.type === "text" ? [] : [readFile(block)]))
  if (Result.isFailure(files)) return Result.fail(files.failure)
  if (role === "assistant" && files.success.length > 0) return Result.fail("a message of the assistant has media in it")
  const text = blocks.flatMap((block) => block.type === "text" ? [CleanText.clean(block.text)] : []).join("\n\n")
  if (text.trim() === "" && files.success.length === 0) return Result.fail("a message in it is empty")
  return Result.succeed({ role, text, files: files.success })
}

const readFile = ({ data, mimeType, type }: typeof Media.Type): Result.Result<File, string> => {
  if (data.length > MOST_BYTES * 2) return Result.fail(`it has more than ${MOST_BYTES} bytes of media`)
  const bytes = Base64.decode(data)
  if (Result.isFailure(bytes)) return Result.fail(`an ${type} in it is no base64`)
  return MEDIA[type].test(mimeType)
    ? Result.succeed({ mediaType: mimeType, data: bytes.success })
    : Result.fail(`an ${type} in it says that it is something else`)
}

const MEDIA = { image: /^image\/[\w.+-]{1,80}$/, audio: /^audio\/[\w.+-]{1,80}$/ }

const excess = (messages: ReadonlyArray<Read>, systemPrompt: string | null): string | null => {
  const characters = messages.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0)
  const bytes = messages.flatMap(({ files }) => files).reduce((sum, { data }) => sum + data.length, 0)
  if (characters > MOST_CHARACTERS) return `it has ${characters} characters, more than ${MOST_CHARACTERS}`
  return bytes > MOST_BYTES ? `it has ${bytes} bytes of media, more than ${MOST_BYTES}` : null
}

const toMessage = ({ files, role, text }: Read): Prompt.Message => {
  const words = Prompt.textPart({ text })
  if (role === "assistant") return Prompt.assistantMessage({ content: [words] })
  const media = files.map(({ data, mediaType }) => Prompt.filePart({ mediaType, data: Base64.encode(data) }))
  return Prompt.userMessage({ content: text === "" && media.length > 0 ? media : [...media, words] })
}

const shownFile = ({ data, mediaType }: File) => ({ mediaType, bytes: data.length })
