/** `chat`: one message, or a conversation. Ctrl-C stops the turn; the next one leaves. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { Backend } from "./Backend.ts"
import { partLines, resultTitle } from "./ChatLines.ts"
import { connected } from "./Connected.ts"
import { Conversation, type Partner } from "./Conversation.ts"
import { Ended, type Failed, Usage } from "./Failure.ts"
import { Interrupts } from "./Interrupts.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import type { Target } from "./Target.ts"

export interface ChatRequest {
  readonly agent: string | null
  readonly model: string | null
  readonly interactive: boolean
  /** The message, `-` for standard input, null for none. */
  readonly message: string | null
}

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

export const chat = Effect.fnUntraced(function*(options: Options, target: Target, request: ChatRequest) {
  const message = yield* messageOf(request)
  const talk = conversation(options, request, message, target.url === null ? NO_MODEL : NO_MODEL_THERE)
  const partner = { agent: request.agent, model: request.model }
  const reason = target.url === null
    ? yield* local(options, partner, talk)
    : yield* remote(target.url, partner, talk)
  if (reason === "error") return yield* new Ended({ code: 1 })
  if (reason === "stopped" && !request.interactive) return yield* new Ended({ code: 130 })
})

const local = Effect.fnUntraced(function*<A, E, R>(
  options: Options,
  partner: Partner,
  talk: Effect.Effect<A, E, R>
) {
  const { layer } = yield* Effect.promise(() => import("./LocalConversation.ts"))
  const here = Effect.provide(talk, layer(partner))
  return yield* connected(options, (backend, where) => backend.chats(where, options.serverLog), here)
})

const remote = Effect.fnUntraced(function*<A, E, R>(url: string, partner: Partner, talk: Effect.Effect<A, E, R>) {
  const backend = yield* Backend
  const { layer } = yield* Effect.promise(() => import("./RemoteConversation.ts"))
  return yield* Effect.provide(talk, Layer.provide(layer(partner), backend.remote(url)))
})

const messageOf = Effect.fnUntraced(function*(request: ChatRequest) {
  if (request.message === null && request.interactive) return null
  if (request.message === "-" && request.interactive) {
    return yield* new Usage({
      message: "standard input cannot be both the message and the conversation",
      hint: "give - or -i, not both"
    })
  }
  const text = request.message === "-" ? yield* Output.use((output) => output.input) : request.message ?? ""
  if (text.trim() !== "") return text
  return yield* new Usage({
    message: "there is no message",
    hint: "give it in quotes, or - to read standard input, or -i for a conversation"
  })
})

const conversation = Effect.fnUntraced(function*(
  options: Options,
  request: ChatRequest,
  message: string | null,
  withoutModel: string
) {
  const { isCommandMode, settled } = yield* Conversation
  const output = yield* Output
  // Started at once, so that servers connect while a person types the first message.
  const servers = yield* Effect.forkChild(settled)
  if (isCommandMode) yield* output.notes([withoutModel])
  const show = yield* shower(options, isCommandMode)
  const shown = yield* Ref.make(0)
  const last = yield* Ref.make<Finish>("stop")
  const say = Effect.fnUntraced(function*(text: string) {
    yield* Fiber.join(servers)
    const { isCallFailed, reason } = yield* Effect.scoped(turn(text, shown, show))
    // In the command mode the call is all there is, so its failure is the turn's.
    yield* Ref.set(last, isCommandMode && isCallFailed && reason === "stop" ? "error" : reason)
  })
  if (message !== null) yield* say(message)
  if (!request.interactive) return yield* Ref.get(last)
  const ask = output.inputIsTerminal ? output.prompt(output.notePaint.bold("> ")) : Effect.void
  yield* ask
  yield* output.inputLines.pipe(
    Stream.runForEach((line) => Effect.andThen(line.trim() === "" ? Effect.void : say(line), ask))
  )
  return yield* Ref.get(last)
})

const COMMAND_MODE = "so the command mode answers: / lists tools, /NAME {json} calls one"
const NO_MODEL = `no model is configured, ${COMMAND_MODE}. For a model set OPENAI_API_KEY (or ANTHROPIC_API_KEY, ` +
  "GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL) and give --model PROVIDER/ID"
const NO_MODEL_THERE = `the server has no model configured, ${COMMAND_MODE}`

/** One turn, shown as it happens. `shown` is the last part of the chat that was. */
const turn = Effect.fnUntraced(function*(
  text: string,
  shown: Ref.Ref<number>,
  show: (part: Part) => Effect.Effect<void>
) {
  const { say, stop } = yield* Conversation
  const interrupts = yield* Interrupts
  const { after, parts } = yield* say(text)
  yield* interrupts.first(stop)
  let isCallFailed = false
  const note = (part: Part) => {
    if (part.type === "tool-result") isCallFailed = part.isError
    return Ref.set(shown, part.seq)
  }
  const showAll = (some: Stream.Stream<Part, Failed>) =>
    Stream.tap(some, (part) => Effect.uninterruptible(Effect.andThen(show(part), note(part))))
  const rest = Stream.unwrap(Effect.map(Ref.get(shown), after))
  const end = yield* Stream.runLast(showAll(parts)).pipe(
    // Whoever ends the command is told how the turn ended.
    Effect.onInterrupt(() => Effect.ignore(Effect.andThen(stop, Stream.runDrain(showAll(rest)))))
  )
  const reason: Finish = Option.isSome(end) && end.value.type === "finish" ? end.value.reason : "error"
  return { reason, isCallFailed }
})

/** Shows parts, minding where the cursor stands and which call a result belongs to. */
const shower = Effect.fnUntraced(function*(options: Options, isCommandMode: boolean) {
  const output = yield* Output
  if (options.json) return (part: Part) => output.documentLine(part)
  const names = new Map<string, string>()
  let isLineOpen = false
  const closeLine = Effect.suspend(() => {
    const wasOpen = isLineOpen
    isLineOpen = false
    return wasOpen ? output.text("\n") : Effect.void
  })
  return (part: Part) => {
    if (part.type === "tool-call") names.set(part.id, part.name)
    if (part.type === "text-delta") {
      isLineOpen = part.text === "" ? isLineOpen : !part.text.endsWith("\n")
      return output.text(part.text)
    }
    if (part.type === "tool-result" && isCommandMode) {
      // Nobody will speak about this result: it is the answer.
      const title = resultTitle(part, names.get(part.id) ?? part.id, output.notePaint)
      return Effect.andThen(output.notes([title]), output.text(part.text.endsWith("\n") ? part.text : `${part.text}\n`))
    }
    const lines = partLines(part, (id) => names.get(id) ?? id, output.notePaint)
    const isBreak = lines.length > 0 || part.type === "finish"
    return Effect.andThen(isBreak ? closeLine : Effect.void, output.notes(lines))
  }
})
