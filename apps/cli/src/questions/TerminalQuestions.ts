/** Questions of servers at the terminal: elicitation (forms and addresses), and sampling. */
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
import { atMost, indented, oneLine, Output, type Paint } from "../terminal/Output.ts"

/** A question of a server, as the terminal shows it. */
export interface Asked
  extends Pick<Question, "server" | "isTrusted" | "kind" | "message" | "schema" | "url" | "sampling" | "wanted">
{
  /** Null for a question outside of chats; left out for one of the chat that is led. */
  readonly chat?: string | null
}

/** Asks the person at the terminal. Without a terminal, and at the end of the input, the answer is no. */
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
      case "call":
        return yield* choice("[y]es, [n]o", { yes: ONCE }, notePaint)
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

/** The question as the server put it, without what a terminal would obey. */
const questionLines = (question: Asked, paint: Paint): ReadonlyArray<string> => {
  const from = `${oneLine(question.server)}${question.isTrusted ? "" : paint.dim(" (not trusted)")}`
  return [
    `${paint.careful("?")} ${paint.bold(from)} ${WANTS[question.kind]}`,
    ...atMost(indented(question.message, "  "), LINES, paint),
    ...(question.url === null
      ? []
      : [`  ${paint.bold(oneLine(question.url, URL_CHARACTERS))}`, domainLine(question.url)]),
    ...samplingLines(question, paint),
    ...callLines(question, paint)
  ].filter((line) => line.trim() !== "")
}

const WANTS = {
  form: "asks for this:",
  url: "asks you to visit an address:",
  sampling: "wants the chat's model to answer this:",
  call: "may be called by another program:"
}

const URL_CHARACTERS = 8000

/** The host decides where an address leads. */
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
  return [...atMost([...system, ...said], LINES, paint), paint.dim(terms)]
}

const callLines = ({ wanted }: Asked, paint: Paint): ReadonlyArray<string> =>
  wanted === undefined ? [] : [
    `  ${oneLine(wanted.program)} wants to call ${paint.bold(oneLine(wanted.name))}, which ${wanted.class}`,
    ...atMost(indented(JSON.stringify(wanted.args, null, 2), "  "), LINES, paint),
    paint.dim(`  it asks because ${oneLine(wanted.why, 400)}`)
  ]

const LINES = 40

/** Takes the words of `replies` or their first letters. Nothing else counts: "cancel" is not "chat". */
const choice = (
  words: string,
  replies: Readonly<Record<string, QuestionReply>>,
  paint: Paint
): Effect.Effect<QuestionReply, never, Keyboard> =>
  Effect.gen(function*() {
    const said = yield* Keyboard.use((keyboard) => keyboard.line(`  ${paint.bold(words)}: `))
    // The end of the input and an empty line are no.
    const word = said?.trim().toLowerCase() ?? ""
    if (["", "n", "no"].includes(word)) return NO
    const meant = Object.entries(replies).find(([name]) => word === name || word === name.slice(0, 1))
    return meant === undefined ? yield* choice(words, replies, paint) : meant[1]
  })

/** Asks for each field until it fits, then whether to send the form. */
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

type Field = ElicitationForm.Field

/** The value by the name of the field, or nothing for a field that is left out. Null at the end of the input. */
const ask = (
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

/** Lets the servers of this command elicit, at a terminal only: without one they learn that nobody can be asked. */
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
