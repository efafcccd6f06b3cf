/** The body of `POST /v1/chat/completions`: which agent is asked what. */
import type { NewAttachment, SaidMessage } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type CompletionError, invalid } from "./CompletionError.ts"

export interface CompletionRequest {
  /** The name of the agent. */
  readonly model: string
  /** The messages before the one that is to be answered. */
  readonly said: ReadonlyArray<SaidMessage>
  /** That message, which is the user's. */
  readonly question: SaidMessage
  /** The system messages; null without one. */
  readonly instructions: string | null
  readonly isStreamed: boolean
  /** Whether the stream ends with what was used. */
  readonly tellsUsage: boolean
  /** Whether the chat stays when it has been answered. */
  readonly isKept: boolean
}

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const ContentPart = Schema.Struct({
  type: Schema.String,
  text: maybe(Schema.String),
  refusal: maybe(Schema.String),
  image_url: maybe(Schema.Union([Schema.String, Schema.Struct({ url: Schema.String })])),
  file: maybe(Schema.Struct({ file_data: maybe(Schema.String), filename: maybe(Schema.String) }))
})

const Message = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant", "tool", "function"]),
  content: maybe(Schema.Union([Schema.String, Schema.Array(ContentPart)])),
  name: maybe(Schema.String),
  tool_calls: maybe(Schema.Array(Schema.Struct({
    function: maybe(Schema.Struct({ name: Schema.String, arguments: maybe(Schema.String) }))
  })))
})
type Message = typeof Message.Type

const Some = maybe(Schema.Unknown)

const Body = Schema.Struct({
  model: Schema.String,
  messages: Schema.NonEmptyArray(Message),
  stream: maybe(Schema.Boolean),
  stream_options: maybe(Schema.Struct({ include_usage: maybe(Schema.Boolean) })),
  store: maybe(Schema.Boolean),
  n: maybe(Schema.Int),
  tools: maybe(Schema.Array(Schema.Unknown)),
  functions: maybe(Schema.Array(Schema.Unknown)),
  tool_choice: Some,
  response_format: maybe(Schema.Struct({ type: Schema.String })),
  stop: Some,
  logprobs: maybe(Schema.Boolean),
  modalities: maybe(Schema.Array(Schema.String)),
  audio: Some,
  web_search_options: Some
})

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const decodeBody = Schema.decodeUnknownEffect(Body)
const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A chat of so many is kept in a second; more would keep everybody else waiting. */
const MOST_MESSAGES = 10_000

/** How many messages and parts of messages a body has, whatever else is wrong with it. */
const sizeOf = (json: unknown): number =>
  listIn(json, "messages").reduce((sum: number, message) => sum + Math.max(1, listIn(message, "content").length), 0)

const listIn = (value: unknown, key: string): ReadonlyArray<unknown> =>
  Predicate.hasProperty(value, key) && Array.isArray(value[key]) ? value[key] : []

type Refused<A> = Effect.Effect<A, CompletionError>

/**
 * Reads a body. Keys that an agent decides itself, such as `temperature`, are passed over; keys that would change the
 * form of the answer are refused.
 */
export const read = Effect.fnUntraced(function*(text: string): Effect.fn.Return<CompletionRequest, CompletionError> {
  const json = yield* Effect.mapError(decodeJson(text), () => invalid(null, "the body is not JSON", "invalid_json"))
  if (sizeOf(json) > MOST_MESSAGES) {
    return yield* Effect.fail(
      invalid("messages", `a request has at most ${MOST_MESSAGES} messages and parts of messages`)
    )
  }
  const body = yield* Effect.mapError(decodeBody(json), ({ issue }) => {
    const [first] = formatIssues(issue).issues
    const path = (first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    const param = path.length === 0 ? null : path.join(".")
    return invalid(param, `${param ?? "the body"}: ${first?.message ?? "it cannot be used"}`)
  })
  yield* supported(body)
  const { messages } = body
  const last = messages.at(-1)
  if (last?.role !== "user") {
    return yield* Effect.fail(
      invalid("messages", "the last message has to be the user's: it is the one that is answered")
    )
  }
  const question = yield* spoken(last, messages.length - 1)
  const said = yield* Effect.forEach(messages.slice(0, -1), spoken)
  const isInstruction = ({ role }: Message) => role === "system" || role === "developer"
  const instructions = said.filter((_, at) => isInstruction(messages[at] ?? last)).map((one) => one.text)
  const words = instructions.filter((one) => one.trim() !== "").join("\n\n")
  if (question.text.trim() === "" && question.attachments.length === 0) {
    return yield* Effect.fail(invalid("messages", "the last message is blank: say something in it"))
  }
  return {
    model: body.model,
    question: { ...question, text: question.text.trim() === "" ? "(see what is attached)" : question.text },
    said: said.filter((one, at) => !isInstruction(messages[at] ?? last) && isSaid(one)),
    instructions: words === "" ? null : words,
    isStreamed: body.stream === true,
    tellsUsage: body.stream_options?.include_usage === true,
    isKept: body.store === true
  }
})

const isSaid = ({ attachments, text }: SaidMessage): boolean => text.trim() !== "" || attachments.length > 0

const hasSome = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const supported = (body: typeof Body.Type): Refused<void> => {
  const { audio, functions, logprobs, modalities, n, response_format, stop, tool_choice, tools, web_search_options } =
    body
  const refuse = (param: string, why: string) => Effect.fail(invalid(param, why, "unsupported_parameter"))
  if (tool_choice !== "none" && hasSome(tools)) return refuse("tools", OWN_TOOLS)
  if (hasSome(functions)) return refuse("functions", OWN_TOOLS)
  if (hasSome(web_search_options)) return refuse("web_search_options", OWN_TOOLS)
  if (typeof n === "number" && n !== 1) return refuse("n", "an agent gives one answer: leave n out")
  if (response_format?.type !== undefined && response_format?.type !== "text") {
    return refuse("response_format", "an agent answers with text: say in a message how it should look")
  }
  if (hasSome(stop)) return refuse("stop", "an agent ends its answer itself: leave stop out")
  if (logprobs === true) return refuse("logprobs", "an agent gives no probabilities: leave logprobs out")
  if (hasSome(audio) || modalities?.some((one) => one !== "text") === true) {
    return refuse("modalities", "an agent answers with text only")
  }
  return Effect.void
}

const OWN_TOOLS = "this model is an agent, whose own tools run on its server: leave the tools of the client out, " +
  "or send \"tool_choice\": \"none\""

/** A message as a chat has it. Calls and results of tools of other models are told in words. */
const spoken = Effect.fnUntraced(
  function*(message: Message, at: number): Effect.fn.Return<SaidMessage, CompletionError> {
    const { content, role, tool_calls } = message
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content ?? []
    const texts: Array<string> = []
    const attachments: Array<NewAttachment> = []
    for (const [index, part] of parts.entries()) {
      const where = `messages.${at}.content.${index}`
      if (part.type === "text" || part.type === "refusal") texts.push(part.text ?? part.refusal ?? "")
      else if (role === "user") attachments.push(yield* attached(part, where))
      else return yield* Effect.fail(invalid(where, `a message of the role ${role} has text only, not ${part.type}`))
    }
    const calls = (tool_calls ?? []).map((call) =>
      `(called ${call.function?.name ?? "a tool"}: ${call.function?.arguments ?? ""})`
    )
    const text = [...texts, ...calls].join("\n\n")
    if (role === "tool" || role === "function") {
      return { role: "assistant", text: `(result of a tool: ${text})`, attachments }
    }
    return { role: role === "assistant" ? "assistant" : "user", text, attachments }
  }
)

const attached = (part: typeof ContentPart.Type, where: string): Refused<NewAttachment> => {
  const { file, image_url, type } = part
  if (type === "image_url") {
    const url = typeof image_url === "string" ? image_url : image_url?.url ?? ""
    return Effect.map(bytesOf(url, where), (found) => attachment("image", "image", found))
  }
  if (type === "file" && typeof file?.file_data === "string") {
    return Effect.map(bytesOf(file.file_data, where), (found) => attachment("file", file.filename ?? "file", found))
  }
  return Effect.fail(invalid(where, `an agent takes text, image_url and file with file_data, not ${type}`))
}

interface Found {
  readonly mediaType: string
  readonly data: Uint8Array
}

const attachment = (kind: "image" | "file", name: string, found: Found): NewAttachment => ({
  kind,
  name,
  ...found,
  server: null,
  uri: null
})

/** Nothing is fetched: an address that a client names could lead anywhere in the server's network. */
const bytesOf = (url: string, where: string): Refused<Found> => {
  const comma = url.indexOf(",")
  const head = /^data:([^;,]*)((?:;[^;,]*)*)$/i.exec(url.slice(0, Math.max(0, comma)))
  if (head === null || !/;base64$/i.test(head[2] ?? "")) {
    return Effect.fail(invalid(where, "files come as data: URLs in base64; this server fetches no address"))
  }
  return Result.match(Encoding.decode(url.slice(comma + 1)), {
    onFailure: () => Effect.fail(invalid(where, "this data: URL is not base64")),
    onSuccess: (data) => Effect.succeed({ mediaType: head[1] ?? "", data })
  })
}
