/** `chat`: one message, or a conversation. Ctrl-C stops the turn; the next one leaves. */
import { Agents, Chats, CommandMode, type Part } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { partLines, resultTitle } from "./ChatLines.ts"
import { connected, settled } from "./Connected.ts"
import * as Explained from "./Explained.ts"
import { Ended, failed, Usage } from "./Failure.ts"
import { Interrupts } from "./Interrupts.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"

export interface ChatRequest {
  readonly agent: string | null
  readonly model: string | null
  readonly interactive: boolean
  /** The message, `-` for standard input, null for none. */
  readonly message: string | null
}

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

export const chat = Effect.fnUntraced(function*(options: Options, request: ChatRequest) {
  const message = yield* messageOf(request)
  const talk = conversation(options, request, message).pipe(
    Effect.catchTags({
      UnknownAgent: Explained.unknownAgent,
      UnknownChat: (error) => Effect.fail(failed(error)),
      QueueFull: (error) => Effect.fail(failed(error)),
      ModelUnavailable: (error) => Effect.fail(failed(error))
    })
  )
  const reason = yield* connected(options, (backend, where) => backend.chats(where, options.serverLog), talk)
  if (reason === "error") return yield* new Ended({ code: 1 })
  if (reason === "stopped" && !request.interactive) return yield* new Ended({ code: 130 })
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

const conversation = Effect.fnUntraced(function*(options: Options, request: ChatRequest, message: string | null) {
  const chats = yield* Chats
  const output = yield* Output
  // Started at once, so that servers connect while a person types the first message.
  const servers = yield* Effect.forkChild(settled)
  const { id } = yield* chats.create({ agent: request.agent, model: request.model })
  const isCommandMode = yield* isWithoutModel(request)
  if (isCommandMode) yield* output.notes(NO_MODEL)
  const show = yield* shower(options, isCommandMode)
  const last = yield* Ref.make<Finish>("stop")
  const say = Effect.fnUntraced(function*(text: string) {
    yield* Fiber.join(servers)
    const { isCallFailed, reason } = yield* Effect.scoped(turn(id, text, show))
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

/** Whether nobody names a model: neither flag nor agent nor the environment (DESIGN 3.4). */
const isWithoutModel = Effect.fnUntraced(function*(request: ChatRequest) {
  const { variables } = yield* Environment
  const agent = yield* (yield* Agents).agent(request.agent)
  return [request.model, agent.model, variables["BOOCODE_MODEL"]].every((id) =>
    (id ?? "").trim() === "" || id === CommandMode.ID
  )
})

const NO_MODEL = [
  "no model is configured, so the command mode answers: / lists tools, /NAME {json} calls one. For a model set " +
  "OPENAI_API_KEY (or ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL) and give --model PROVIDER/ID"
]

/** One turn, shown as it happens. */
const turn = Effect.fnUntraced(function*(id: string, text: string, show: (part: Part) => Effect.Effect<void>) {
  const chats = yield* Chats
  const interrupts = yield* Interrupts
  const { turn } = yield* chats.send(id, { text, agent: null, model: null })
  // A chat that is gone has nothing left to stop.
  yield* interrupts.first(Effect.ignore(chats.stop(id)))
  let shown = 0
  let isCallFailed = false
  const note = (part: Part) =>
    Effect.sync(() => {
      shown = part.seq
      if (part.type === "tool-result") isCallFailed = part.isError
    })
  const rest = Stream.unwrap(Effect.sync(() => chats.events(id, shown))).pipe(
    Stream.filter((part) => part.turn === turn),
    Stream.takeUntil((part) => part.type === "finish"),
    Stream.tap((part) => Effect.uninterruptible(Effect.andThen(show(part), note(part))))
  )
  const end = yield* Stream.runLast(rest).pipe(
    // Whoever ends the command is told how the turn ended.
    Effect.onInterrupt(() => Effect.ignore(Effect.andThen(chats.stop(id), Stream.runDrain(rest))))
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
