/** `chat`: one message, or a conversation. Ctrl-C stops the turn; the next one leaves. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { Backend } from "../backend/Backend.ts"
import type { Image, Partner, Which } from "../backend/ChatConversation.ts"
import { connected } from "../backend/Connected.ts"
import type { Options, Target } from "../options/Options.ts"
import { Ended, Usage } from "../terminal/Failure.ts"
import * as Keyboard from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import { talk } from "./Talk.ts"

export interface ChatRequest extends Partner {
  readonly interactive: boolean
  /** What was given, in order; `-` stands for standard input. */
  readonly words: ReadonlyArray<string>
  /** Which chat to go on with; null for a new one. */
  readonly chat: string | null
  /** Goes on with the chat that was used last. */
  readonly isContinued: boolean
  /** Files to attach to the message. */
  readonly images: ReadonlyArray<string>
  /** Tools that are called without a question. */
  readonly allow: ReadonlyArray<string>
}

export const chat = Effect.fnUntraced(function*(options: Options, target: Target, request: ChatRequest) {
  const which = yield* whichOf(request)
  const text = yield* textOf(request)
  const images = yield* Effect.forEach(request.images, imageOf)
  const first = text === null ? null : { text, images }
  const { allow, interactive } = request
  const withoutModel = target.url === null ? NO_MODEL : NO_MODEL_THERE
  const talking = talk(options, { first, interactive, allow, withoutModel })
  const reason = target.url === null
    ? yield* local(options, request, which, talking)
    : yield* remote(target.url, request, which, talking)
  if (reason === "error") return yield* new Ended({ code: 1 })
  if (reason === "stopped" && !interactive) return yield* new Ended({ code: 130 })
})

const local = Effect.fnUntraced(function*<A, E, R>(
  options: Options,
  { agent, model }: Partner,
  which: Which,
  talking: Effect.Effect<A, E, R>
) {
  const { layer } = yield* Effect.promise(() => import("../backend/LocalConversation.ts"))
  const here = Effect.provide(talking, layer({ agent, model }, which))
  return yield* connected(options, (backend, where) => backend.chats(where, options.serverLog), here)
})

const remote = Effect.fnUntraced(function*<A, E, R>(
  url: string,
  { agent, model }: Partner,
  which: Which,
  talking: Effect.Effect<A, E, R>
) {
  const backend = yield* Backend
  const { layer } = yield* Effect.promise(() => import("../backend/RemoteConversation.ts"))
  return yield* Effect.provide(talking, Layer.provide(layer({ agent, model }, which), backend.remote(url)))
})

const whichOf = Effect.fnUntraced(function*({ chat, isContinued }: ChatRequest): Effect.fn.Return<Which, Usage> {
  if (chat === null) return isContinued ? { _tag: "Last" } : { _tag: "New" }
  if (!isContinued) return { _tag: "Id", id: chat }
  return yield* new Usage({ message: "--chat and --continue name two chats", hint: "give one of them" })
})

/** The message; null for a conversation that begins with what is typed. */
const textOf = Effect.fnUntraced(function*({ images, interactive, words }: ChatRequest) {
  const given = words.filter((word) => word !== "-").join(" ").trim()
  const isAwaited = words.includes("-")
  if (interactive) {
    if (isAwaited) return yield* BOTH
    if (given !== "") return given
    return images.length === 0 ? null : yield* NOTHING_TO_SAY
  }
  const input = isAwaited ? yield* Output.use((output) => output.input) : yield* Keyboard.readPipedInput
  const text = [given, input].filter((one) => one.trim() !== "").join("\n\n")
  return text === "" ? yield* NOTHING_TO_SAY : text
})

const BOTH = new Usage({
  message: "standard input cannot be both the message and the conversation",
  hint: "give - or -i, not both"
})

const NOTHING_TO_SAY = new Usage({
  message: "there is no message",
  hint: "give it in quotes, or - to read standard input, or -i for a conversation"
})

const imageOf = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const data = yield* Effect.mapError(
    fs.readFile(file),
    ({ message }) =>
      new Usage({
        message: `${file} cannot be attached: ${message}`,
        hint: "give the path of a PNG, JPEG, GIF or WebP"
      })
  )
  return { name: path.basename(file), data } satisfies Image
})

const COMMAND_MODE = "so the command mode answers: / lists tools, /NAME {json} calls one"
const NO_MODEL = `no model is configured, ${COMMAND_MODE}. For a model set OPENAI_API_KEY (or ANTHROPIC_API_KEY, ` +
  "GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL) and give --model PROVIDER/ID"
const NO_MODEL_THERE = `the server has no model configured, ${COMMAND_MODE}`
