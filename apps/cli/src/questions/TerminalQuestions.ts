/** Answering what servers ask while their calls run, in the terminal: forms, addresses, and words of the model. */
import type { Question, QuestionReply } from "@boocode/chat"
import {
  type Asker,
  type Elicitation,
  type ElicitationAnswer,
  ElicitationForm,
  nobody,
  ServerRequests
} from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { Keyboard } from "../terminal/Keyboard.ts"
import { indented, oneLine, Output, type Paint } from "../terminal/Output.ts"

/** What of a question is shown. */
export interface Asked
  extends Pick<Question, "server" | "isTrusted" | "kind" | "message" | "schema" | "url" | "sampling">
{
  /** Null where it belongs to no chat; left out, to the one that is led. */
  readonly chat?: string | null
}

/** Asks the person at the terminal. Without one the answer is no, with a line that says so; so it is at the end of the input. */
export const answer = Effect.fnUntraced(
  function*(question: Asked): Effect.fn.Return<QuestionReply, never, Keyboard | Output> {
    const { inputIsTerminal, notePaint, notes } = yield* Output
    yield* notes(questionLines(question, notePaint))
    if (!inputIsTerminal) {
      yield* notes([notePaint.dim("  there is no terminal to answer in, so the answer is no")])
      return NO
    }
    switch (question.kind) {
      case "form":
        return yield* form(question.schema ?? {}, notePaint)
      case "url":
        return yield* choice("[y]es, I open it myself; [n]o", { yes: { action: "accept" } }, notePaint)
      case "sampling":
        return yield* question.chat === null
          ? choice("[y]es, [n]o", { yes: ONCE }, notePaint)
          : choice("[y]es once, for this [c]hat, [n]o", {
            yes: ONCE,
            once: ONCE,
            chat: { action: "accept", scope: "chat" }
          }, notePaint)
    }
  }
)

const NO: QuestionReply = { action: "decline" }
const ONCE: QuestionReply = { action: "accept", scope: "once" }

/** The question as it was put. Its words come from a server, so nothing of them is obeyed. */
export const questionLines = (question: Asked, paint: Paint): ReadonlyArray<string> => {
  const from = `${oneLine(question.server)}${question.isTrusted ? "" : paint.dim(" (not trusted)")}`
  return [
    `${paint.careful("?")} ${paint.bold(from)} ${WANTS[question.kind]}`,
    ...cut(indented(question.message, "  "), paint),
    ...(question.url === null
      ? []
      : [`  ${paint.bold(oneLine(question.url, URL_CHARACTERS))}`, domainLine(question.url)]),
    ...samplingLines(question, paint)
  ].filter((line) => line.trim() !== "")
}

const WANTS = {
  form: "asks for this:",
  url: "asks you to visit an address:",
  sampling: "wants the chat's model to answer this:"
}

const URL_CHARACTERS = 8000

/** The part of an address that decides where it leads. */
const domainLine = (url: string): string => {
  const { host = "" } = URL.parse(url) ?? {}
  return host === "" ? "" : `  on ${oneLine(host)}`
}

const samplingLines = ({ sampling }: Asked, paint: Paint): ReadonlyArray<string> => {
  if (sampling === null) return []
  const said = sampling.messages.flatMap(({ media, role, text }) => [
    ...indented(`${role}: ${text}`, "  "),
    ...media.map(({ bytes, mediaType }) => `  ${role}: ${oneLine(mediaType)}, ${bytes} bytes`)
  ])
  const system = sampling.systemPrompt === null ? [] : indented(`system: ${sampling.systemPrompt}`, "  ")
  const terms = `  ${oneLine(sampling.model)}, at most ${sampling.maxTokens} tokens; the answer goes to the server`
  return [...cut([...system, ...said], paint), paint.dim(terms)]
}

const LINES = 40

const cut = (lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  lines.length <= LINES ? lines : [...lines.slice(0, LINES), paint.dim(`  … ${lines.length - LINES} more lines`)]

/** `replies` by whole words; their first letters will do, and nothing else does: "cancel" is no yes for the chat. */
const choice = (
  words: string,
  replies: Readonly<Record<string, QuestionReply>>,
  paint: Paint
): Effect.Effect<QuestionReply, never, Keyboard> =>
  Effect.gen(function*() {
    const said = yield* Keyboard.use((keyboard) => keyboard.line(`  ${paint.bold(words)}: `))
    // The end of the input is no yes, and neither is nothing.
    const word = said?.trim().toLowerCase() ?? ""
    if (["", "n", "no"].includes(word)) return NO
    const meant = Object.entries(replies).find(([name]) => word === name || word === name.slice(0, 1))
    return meant === undefined ? yield* choice(words, replies, paint) : meant[1]
  })

/** Field by field, each until it fits; then it is sent or not. */
const form = Effect.fnUntraced(function*(
  schema: Schema.JsonObject,
  paint: Paint
): Effect.fn.Return<QuestionReply, never, Keyboard | Output> {
  const { notes } = yield* Output
  const fields = ElicitationForm.fields(schema)
  if (Result.isFailure(fields)) {
    yield* notes([paint.bad(`  the form cannot be shown: ${fields.failure}`)])
    return NO
  }
  yield* notes([paint.dim("  Enter takes what stands in brackets or leaves a field out; Ctrl-D says no")])
  let content: Schema.JsonObject = {}
  for (const field of fields.success) {
    const value = yield* ask(field, paint)
    if (value === null) return NO
    content = { ...content, ...value }
  }
  const checked = ElicitationForm.validate(schema, content)
  if (Result.isSuccess(checked)) return yield* sent(checked.success, paint)
  yield* notes(
    checked.failure.map(({ field, message }) => `  ${paint.bad("✗")} ${oneLine(field)}: ${oneLine(message)}`)
  )
  return NO
})

const sent = (content: Schema.JsonObject, paint: Paint) =>
  Effect.gen(function*() {
    yield* Output.use(({ notes }) => notes(indented(JSON.stringify(content, null, 2), "  ")))
    return yield* choice("send this? [y]es, [n]o", { yes: { action: "accept", content } }, paint)
  })

// One field of a form, asked for on one line.

type Field = ElicitationForm.Field

/** The field under its name, nothing for one that is left out; null at the end of the input. */
export const ask = (
  field: Field,
  paint: Paint
): Effect.Effect<Schema.JsonObject | null, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const { notes } = yield* Output
    yield* notes([
      ...(field.description === null ? [] : indented(field.description, "  ").map((line) => paint.dim(line))),
      ...field.options.map(({ title, value }, at) =>
        `  ${paint.dim(`${at + 1}.`)} ${oneLine(title)}${title === value ? "" : paint.dim(` (${oneLine(value)})`)}`
      )
    ])
    const said = yield* Keyboard.use((keyboard) => keyboard.line(`  ${paint.bold(promptOf(field))}: `))
    if (said === null) return null
    const value = ElicitationForm.read(field, said)
    if (Result.isSuccess(value)) return value.success === null ? {} : { [field.name]: value.success }
    yield* notes([`  ${paint.bad("✗")} ${oneLine(value.failure)}`])
    return yield* ask(field, paint)
  })

const promptOf = ({ default: usual, format, isRequired, title, type }: Field): string => {
  const kind = type === "boolean" ? "y/n" : type === "choices" ? "numbers with commas" : format ?? null
  const words = [kind, isRequired ? null : "optional"].filter((word) => word !== null).join(", ")
  const given = usual === null ? "" : ` [${oneLine(usualText(usual))}]`
  return `${oneLine(title)}${words === "" ? "" : ` (${words})`}${given}`
}

const usualText = (usual: Schema.Json): string => {
  if (typeof usual === "string") return usual
  return Array.isArray(usual) ? usual.map(usualText).join(", ") : JSON.stringify(usual)
}

// Who answers what servers ask of a command that makes one call: the person at its terminal, and nobody where there is none.

/** Without a terminal servers are not told that anybody could be asked. */
export const requestsLayer: Layer.Layer<never, never, Keyboard | Output> = Layer.unwrap(
  Effect.map(Output, ({ inputIsTerminal }) => inputIsTerminal ? terminal : Layer.empty)
)

const LIMIT = "5 minutes"

const terminal = Layer.effect(
  ServerRequests,
  Effect.gen(function*() {
    const context = yield* Effect.context<Keyboard | Output>()
    // One question at a time.
    const asking = Semaphore.makeUnsafe(1)
    const elicit: Asker["elicit"] = (request) =>
      asking.withPermit(Effect.map(answer(asked(request)), toAnswer)).pipe(
        Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.succeed({ action: "cancel" } as const) }),
        Effect.provideContext(context)
      )
    return { ...yield* ServerRequests, elicitation: ["form", "url"], asker: { ...nobody, elicit } }
  })
)

const asked = (request: Elicitation): Asked => {
  const { isTrusted, kind, message, server } = request
  const question = { server, isTrusted, kind, message, schema: null, url: null, sampling: null }
  return request.kind === "form" ? { ...question, schema: request.schema } : { ...question, url: request.url }
}

const toAnswer = ({ action, content }: Effect.Success<ReturnType<typeof answer>>): ElicitationAnswer =>
  action === "accept" ? { action, content: content ?? null } : { action }
