/** The slash commands of a conversation, such as `/tools`. */
import * as Commands from "@boocode/chat/Commands"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Message } from "../backend/ChatBackend.ts"
import { ChatConversation } from "../backend/ChatConversation.ts"
import * as SpentTokens from "../lines/SpentTokens.ts"
import { toolLines } from "../lines/ToolLines.ts"
import * as WriteMode from "../permissions/WriteMode.ts"
import { Failed } from "../terminal/Failure.ts"
import { beside, type Row } from "../terminal/Layout.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

/**
 * The outcome of a line: a message is sent, the command has done all there was to do, a new chat has begun, or the
 * person leaves.
 */
export type Outcome =
  | { readonly _tag: "Say"; readonly message: Message }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Begun" }
  | { readonly _tag: "Leave" }

const DONE: Outcome = { _tag: "Done" }

export const isPrompt = ({ text }: Message): boolean => Commands.parse(text, "terminal")?._tag === "Prompt"

/** Runs a line that is a command. */
export const resolve = Effect.fnUntraced(function*(message: Message) {
  const asked = Commands.parse(message.text, "terminal")
  if (asked?._tag !== "Command") return { _tag: "Say", message } satisfies Outcome
  const { notes, notesAreTerminal } = yield* Output
  const outcome = yield* run(asked.command.name, asked.argument)
  if (notesAreTerminal && (outcome._tag === "Done" || outcome._tag === "Begun")) yield* notes([""])
  return outcome
})

const run = Effect.fnUntraced(function*(
  name: string,
  argument: string | null
): Effect.fn.Return<Outcome, Failed, ChatConversation | Output> {
  const { columns, notePaint, notes, prompt, text } = yield* Output
  const conversation = yield* ChatConversation
  switch (name) {
    case "new":
      yield* conversation.begin
      yield* notes(["a new chat begins"])
      return { _tag: "Begun" }
    case "clear":
      yield* conversation.begin
      yield* prompt(CLEAR)
      yield* notes(["a new chat begins"])
      return { _tag: "Begun" }
    case "exit":
      return { _tag: "Leave" }
    case "cost":
      yield* notes([SpentTokens.line((yield* conversation.chat).usage) ?? SpentTokens.NOTHING])
      return DONE
    case "retry":
      return { _tag: "Say", message: yield* again(yield* conversation.chat) }
    case "tools":
      yield* notes(toolLines(yield* conversation.tools, notePaint, yield* columns))
      return DONE
    case "write":
      yield* notes([yield* writeMode(argument)])
      return DONE
    case "export":
      yield* text(yield* conversation.exported(argument === "json" ? "json" : "markdown"))
      return DONE
    case "agent":
    case "model":
      if (argument === null) yield* notes(yield* choices(name))
      else {
        yield* conversation.address({ [name]: argument })
        yield* notes([`the next messages are for ${name} ${plain(argument)}`])
      }
      return DONE
    default:
      yield* notes(beside(help, yield* columns))
      return DONE
  }
})

/** Clears the screen and what was scrolled out of it. */
const CLEAR = "\u001B[2J\u001B[3J\u001B[H"

/** The agent or model that answers now, and the others that could. */
const choices = Effect.fnUntraced(function*(kind: "agent" | "model") {
  const { backend, who } = yield* ChatConversation
  const now = (yield* who)[kind] ?? "none: the command mode answers"
  const others = kind === "agent" ? (yield* backend.agents).map(({ name }) => name) : yield* backend.models
  return [
    `${kind} ${oneLine(now)}`,
    ...others.filter((name) => name !== now).map((name) => `  /${kind} ${oneLine(name)}`),
    ...(others.length === 0 ? [`  /${kind} ${kind === "agent" ? "NAME" : "PROVIDER/ID"} chooses another`] : [])
  ]
})

/** Gives the chat a write mode where one is typed, and says which it has. */
const writeMode = Effect.fnUntraced(function*(argument: string | null) {
  const { setWrite, write } = yield* ChatConversation
  const now = yield* Effect.map(DateTime.now, DateTime.setZone(DateTime.zoneMakeLocal()))
  if (argument !== null) yield* setWrite(yield* Effect.fromResult(WriteMode.read(argument, now)))
  const mode = yield* write
  const end = argument === null ? "; /write off, ask or rules changes it for this chat" : ""
  return `write mode ${mode === null ? "as permissions.jsonc says" : WriteMode.words(mode)}${end}`
})

/** The last message once more, in the place of the turn that answered it. */
const again = Effect.fnUntraced(function*({ turns }: Effect.Success<ChatConversation["Service"]["chat"]>) {
  const last = turns.findLast(({ replacedBy, state }) => replacedBy === null && state === "ended")
  if (last !== undefined) return { text: last.text, replaces: last.turn }
  return yield* new Failed({
    tag: "UnknownTurn",
    message: "there is no message to answer again",
    hint: "say something first"
  })
})

const help: ReadonlyArray<Row> = [
  ...Commands.COMMANDS.filter(({ places }) => places.includes("terminal")).map(({ argument, description, name }) => ({
    name: `/${name}${argument === null ? "" : ` ${argument.name}`}`,
    about: description
  })),
  { name: "/SERVER:PROMPT {json}", about: "Say what a server makes of a prompt; boocode mcp prompts lists them" },
  { name: "/TOOL {json}", about: "Call a tool yourself; / lists the tools" },
  { name: "@AGENT words", about: "Have this agent answer one message" },
  { name: "Tab", about: "Complete commands, tools, agents and models; the arrow keys bring back earlier messages" },
  { name: "\\ at the end of a line", about: "Go on with the message in another line" },
  { name: "Ctrl-C", about: "Stop the answer that is being written; once more to leave. Ctrl-D leaves, too" }
]

/** Whether a message is a call of a tool, so that its result is the whole answer. */
export const isCall = ({ text }: Message): boolean => Commands.parse(text, "terminal")?._tag === "Tool"

/** Whether a conversation goes on after this failure: only the line was wrong. */
export const isRecoverable = ({ tag }: Failed): boolean => RECOVERABLE.has(tag)

const RECOVERABLE: ReadonlySet<string> = new Set([
  "AttachmentRefused",
  "BlankPrompt",
  "CallTimeout",
  "InvalidArguments",
  "ModelUnavailable",
  "NotReady",
  "RejectedByPolicy",
  "RequestFailed",
  "TurnRunning",
  "QueueFull",
  "UnknownAgent",
  "UnknownCommand",
  "UnknownPrompt",
  "UnknownTool",
  "UnknownTurn",
  "WrongWriteMode"
])
