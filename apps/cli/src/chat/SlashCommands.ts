/** The slash commands of a conversation, such as `/tools`. */
import * as Commands from "@boocode/chat/Commands"
import * as Effect from "effect/Effect"
import type { Message } from "../backend/ChatBackend.ts"
import { ChatConversation } from "../backend/ChatConversation.ts"
import { toolLines } from "../lines/ToolLines.ts"
import { Failed } from "../terminal/Failure.ts"
import { Output, plain } from "../terminal/Output.ts"

/** Runs a line that is a command. Gives the message to send; null when there is none. */
export const resolve = Effect.fnUntraced(function*(message: Message) {
  const asked = Commands.parse(message.text, "terminal")
  return asked?._tag === "Command" ? yield* run(asked.command.name, asked.argument) : message
})

const run = Effect.fnUntraced(function*(name: string, argument: string | null) {
  const { notePaint, notes, text } = yield* Output
  const conversation = yield* ChatConversation
  switch (name) {
    case "new":
      yield* conversation.begin
      yield* notes(["a new chat begins"])
      return null
    case "retry":
      return yield* again(yield* conversation.chat)
    case "tools":
      yield* notes(toolLines(yield* conversation.tools, notePaint))
      return null
    case "export":
      yield* text(yield* conversation.exported(argument === "json" ? "json" : "markdown"))
      return null
    case "agent":
    case "model":
      if (argument === null) yield* notes([`/${name} needs a name after it`])
      else {
        yield* conversation.address({ [name]: argument })
        yield* notes([`the next messages are for ${name} ${plain(argument)}`])
      }
      return null
    default:
      yield* notes(help)
      return null
  }
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

const help = [
  ...Commands.COMMANDS.filter(({ places }) => places.includes("terminal")).map(({ argument, description, name }) =>
    `  ${`/${name}${argument === null ? "" : ` ${argument.name}`}`.padEnd(24)}${description}`
  ),
  "  /SERVER:PROMPT {json}   Say what a server makes of a prompt; boocode mcp prompts lists them",
  "  /TOOL {json}            Call a tool yourself; / lists the tools",
  "  @AGENT words            Have this agent answer one message",
  "  Ctrl-C                  Stop the answer that is being written; once more to leave. Ctrl-D leaves, too"
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
  "UnknownAgent",
  "UnknownCommand",
  "UnknownPrompt",
  "UnknownTurn"
])
