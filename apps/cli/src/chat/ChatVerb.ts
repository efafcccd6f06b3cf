/** `chat`: one message, or a conversation. Ctrl-C stops the turn; the next one leaves. */
import * as ByteSize from "effect/ByteSize"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { Backend } from "../backend/Backend.ts"
import type { AttachedFile } from "../backend/ChatBackend.ts"
import * as ChatConversation from "../backend/ChatConversation.ts"
import type { Which } from "../backend/ChatConversation.ts"
import { place, talking } from "../backend/VerbContext.ts"
import { agent, model, optional, switchFlag, targetFlags, textFlag, verb } from "../options/Options.ts"
import { Ended, Failed, Usage } from "../terminal/Failure.ts"
import * as Keyboard from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import { talk } from "./Talk.ts"

export const chat = Command.make(
  "chat",
  {
    agent: agent("The agent of AGENTS.md to talk to; by default the first one"),
    model,
    interactive: switchFlag(
      "interactive",
      "Have a conversation: each line of standard input is a message; /help shows the commands",
      "i"
    ),
    isContinued: switchFlag("continue", "Go on with the chat that was used last"),
    chat: optional(textFlag("chat", "ID", "Go on with this chat; boocode chats list shows them")),
    files: Flag.atLeast(
      textFlag("file", "FILE", "Attach a text, CSV, code, PDF or image to the message; can be repeated"),
      0
    ),
    images: Flag.atLeast(
      textFlag("image", "FILE", "Attach an image to the message: PNG, JPEG, GIF or WebP; can be repeated"),
      0
    ),
    allow: Flag.atLeast(
      textFlag(
        "allow",
        "PATTERN",
        "Call tools that need approval without asking, where the patterns allow it: * is any run of characters, " +
          "! denies, the last match decides"
      ),
      0
    ),
    waits: switchFlag("wait", "Without a terminal, wait until somebody answers at the page; else the answer is no"),
    words: Argument.String("MESSAGE").pipe(
      Argument.withDescription("The message; - adds standard input after the words"),
      Argument.variadic()
    ),
    ...targetFlags
  },
  ({ agent, allow, chat, interactive, isContinued, isLocal, model, url, waits, ...given }) =>
    verb(Effect.fnUntraced(function*(options) {
      const which = yield* whichOf(chat, isContinued)
      const text = yield* textOf({ ...given, interactive })
      const attachments = [
        ...yield* Effect.forEach(given.files, (file) => fileOf("file", file)),
        ...yield* Effect.forEach(given.images, (file) => fileOf("image", file))
      ]
      const first = text === null ? null : { text, attachments }
      const backend = yield* Backend
      const history = backend.history(yield* place(options))
      const { inputIsTerminal } = yield* Output
      const reason = yield* talking(options, { url, isLocal }, (isRemote) => {
        const conversation = talk(options, {
          ...{ first, interactive, history },
          answering: { allow, waits },
          withoutModel: isRemote ? NO_MODEL_THERE : NO_MODEL,
          hasQueue: isRemote,
          isContinued: which._tag !== "New"
        })
        return waits && !isRemote && !inputIsTerminal
          ? NOBODY_THERE
          : Effect.provide(conversation, ChatConversation.layer({ agent, model }, which))
      })
      if (reason === "error") return yield* new Ended({ code: 1 })
      if (reason === "stopped" && !interactive) return yield* new Ended({ code: 130 })
    }))
).pipe(Command.withDescription("Send a message and show the answer as it comes"))

const whichOf = Effect.fnUntraced(function*(chat: string | null, isContinued: boolean): Effect.fn.Return<Which, Usage> {
  if (chat === null) return isContinued ? { _tag: "Last" } : { _tag: "New" }
  if (!isContinued) return { _tag: "Id", id: chat }
  return yield* new Usage({ message: "--chat and --continue name two chats", hint: "give one of them" })
})

/** The message; null for a conversation that begins with the first typed line. */
const textOf = Effect.fnUntraced(function*(
  { files, images, interactive, words }: {
    readonly files: ReadonlyArray<string>
    readonly images: ReadonlyArray<string>
    readonly interactive: boolean
    readonly words: ReadonlyArray<string>
  }
) {
  const given = words.filter((word) => word !== "-").join(" ").trim()
  const readsInput = words.includes("-")
  if (interactive) {
    if (readsInput) return yield* BOTH
    if (given !== "") return given
    return files.length + images.length === 0 ? null : yield* NOTHING_TO_SAY
  }
  const input = readsInput ? yield* Output.use((output) => output.input) : yield* Keyboard.readPipedInput
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

const NOBODY_THERE = new Failed({
  tag: "NoServer",
  message: "--wait is for an answer at the page, and no server runs on this data folder",
  hint: "start one with boocode serve, or name the tools that may be called with --allow"
})

const fileOf = Effect.fnUntraced(function*(kind: AttachedFile["kind"], file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const what = kind === "image" ? "a PNG, JPEG, GIF or WebP" : "a text, a PDF or an image"
  const unusable = (why: string) =>
    new Usage({ message: `${file} cannot be attached: ${why}`, hint: `give the path of ${what}` })
  const failed = ({ message }: PlatformError) => unusable(message)
  const { size, type } = yield* Effect.mapError(fs.stat(file), failed)
  if (type === "Directory") return yield* unusable("it is a folder")
  if (ByteSize.isGreaterThan(size, MOST)) return yield* unusable(`it has ${size} bytes, more than ${MOST}`)
  return { kind, name: path.basename(file), data: yield* Effect.mapError(fs.readFile(file), failed) }
})

/** The limit of `Attachments`, which this does not load: most verbs need none of it. */
const MOST = ByteSize.bytes(50_000_000)

const COMMAND_MODE = "so the command mode answers: / lists tools, /NAME {json} calls one"
const NO_MODEL = `no model is configured, ${COMMAND_MODE}. For a model set OPENAI_API_KEY (or ANTHROPIC_API_KEY, ` +
  "GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL) or run boocode setup, and give --model PROVIDER/ID or run boocode models use"
const NO_MODEL_THERE = `the server has no model configured, ${COMMAND_MODE}`
