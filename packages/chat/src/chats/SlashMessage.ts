/**
 * Messages that begin with a slash, on the page, in the terminal and over HTTP: prompts of servers, and calls of tools.
 * The one place that decides what they are.
 */
import { Nearest } from "@boocode/mcp-config"
import { McpError, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { ToolArguments } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Agents } from "../agents/Agents.ts"
import * as Mention from "../agents/Mention.ts"
import { ToolApprovals } from "../asking/ToolApprovals.ts"
import type { Message } from "../model/Chat.ts"
import { BlankPrompt, type UnknownChat, UnknownCommand } from "../model/ChatError.ts"
import * as CommandMode from "../model/CommandMode.ts"
import * as Commands from "../model/Commands.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import * as PromptText from "../model/PromptText.ts"
import * as CallRules from "../permissions/CallRules.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import { Chats } from "./Chats.ts"

type Given = Pick<Message, "agent" | "model" | "prompt" | "replaces" | "text">

/** The parts of a message that the slash decides: its text, the messages of a prompt, and who answers. */
export type Resolved = Pick<Message, "agent" | "model" | "prompt" | "text">

/**
 * A message as it is to be sent to this chat.
 *
 * `/SERVER:PROMPT {json}` becomes the messages that the server makes of its prompt. `/TOOL {json}` and `/` go to the
 * command mode in every chat: the tool runs as the agent may use it, and no model is asked. Any other word after a slash
 * fails with `UnknownCommand`, and so does a tool that the agent may not use. All of that holds after a mention, too. Text
 * that begins with a path, or with a slash and no word, is a message like every other, and so is the text of a `prompt`.
 *
 * A message that replaces a turn and says the same stays what that turn was: its text may be a server's.
 *
 * **Details**
 *
 * A tool whose server still connects is waited for, 3 s at most. Fails with the reason when a tool or a prompt cannot be
 * had, and when a server fills in its prompt with blank text.
 */
export const resolve = Effect.fn("SlashMessage.resolve")(function*(
  chat: string,
  { agent, model, prompt = null, replaces = null, text }: Given
): Effect.fn.Return<
  Resolved,
  McpError | BlankPrompt | UnknownCommand | UnknownChat | ChatStoreFailed,
  Agents | Chats | CurrentUser | McpRegistry | WorkspaceTools
> {
  const given: Resolved = { agent, model, prompt, text }
  const mention = Mention.isPossible(text) ? Mention.of(text, (yield* (yield* Agents).list).agents) : null
  const words = (mention?.text ?? text).trim()
  if (prompt !== null || !words.startsWith("/")) return given
  if (replaces !== null) {
    const before = (yield* (yield* Chats).get(chat)).turns.find(({ turn }) => turn === replaces)
    if (before?.text === text) return before.model === CommandMode.ID ? { ...given, model: CommandMode.ID } : given
  }
  const asked = Commands.parse(words, "page")
  switch (asked?._tag) {
    case undefined:
      return given
    case "Command":
      return yield* new UnknownCommand({ word: asked.command.name, nearest: [], isCommand: true, agent: null })
    case "Tool":
      if (asked.name !== "") {
        if (!(yield* isWriter(asked.name, chat))) yield* known(asked.name)
        const named = mention?.agent ?? ModelChoice.given(agent) ?? (yield* (yield* Chats).summary(chat)).agent
        yield* allowed(asked.name, named)
      }
      return { ...given, model: CommandMode.ID }
    case "Prompt": {
      const servers = yield* McpRegistry.use((registry) => registry.servers)
      if (servers.some(({ name }) => name === asked.server)) {
        return { ...given, agent: mention?.agent ?? agent, ...yield* filled(asked) }
      }
      return Commands.isWord(asked.server) && !/^\/[^\s]*\//.test(words)
        ? yield* unknown(`${asked.server}:${asked.prompt}`)
        : given
    }
  }
})

const filled = Effect.fnUntraced(function*({ args, prompt, server }: Extract<Commands.Asked, { _tag: "Prompt" }>) {
  const registry = yield* McpRegistry
  const values = yield* Effect.mapError(
    Effect.fromResult(ToolArguments.parse(prompt, args)),
    (reason) => new McpError({ server, reason })
  )
  const { said, text } = PromptText.filled(yield* registry.prompt(server, prompt, values))
  return text.trim() === "" ? yield* new BlankPrompt({ server, prompt }) : { text, prompt: said }
})

/** Whether it is a tool that writes. Fails where the chat may not call it now. */
const isWriter = Effect.fnUntraced(function*(name: string, chat: string) {
  const { writers } = yield* McpRegistry
  const all = [...(yield* WorkspaceTools).writers, ...(yield* writers).map(CallRules.ofServer)]
  const tool = all.find((writer) => writer.name === name)
  if (tool === undefined) return false
  const { write } = yield* (yield* Chats).summary(chat)
  const denied = yield* (yield* ToolApprovals).denied({
    chat,
    owner: (yield* CurrentUser).id,
    agent: {},
    emit: () => Effect.void,
    earlier: [],
    write: () => write
  })
  const why = denied(tool)
  if (why === null) return true
  const reason = new McpErrors.RejectedByPolicy({ tool: name, why, advice: ADVICE })
  return yield* new McpError({ server: tool.server, reason })
})

const ADVICE =
  "let this chat write in its head, or with /write ask in a terminal; boocode permissions explain says which rule decides"

const PATIENCE = "3 seconds"

/** Fails for a tool that nobody has, or that cannot be called now. */
const known = Effect.fnUntraced(function*(name: string) {
  const registry = yield* McpRegistry
  if ((yield* builtIn).includes(name)) return
  yield* registry.tool(name).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotReady" && reason.state === "connecting",
      ({ server }) =>
        Effect.flatMap(
          Effect.timeoutOption(Effect.ignore(registry.settledServer(server ?? "")), PATIENCE),
          () => registry.tool(name)
        )
    ),
    Effect.catchIf(({ reason }) => reason._tag === "UnknownTool", () => unknown(name))
  )
})

/** Fails when the agent that answers may not use a tool. Whether there is such an agent is for the sending to say. */
const allowed = Effect.fnUntraced(function*(name: string, named: string | null) {
  const agent = yield* Effect.option((yield* Agents).agent(named))
  if (Option.isNone(agent) || ToolGlob.compile(agent.value.tools ?? ["*"]).allows(name)) return
  return yield* new UnknownCommand({ word: name, nearest: [], isCommand: false, agent: agent.value.name })
})

const builtIn = Effect.map(WorkspaceTools, ({ tools }) => [...tools.map(({ name }) => name), ...ResourceTools.NAMES])

/** A list of prompts that takes longer is done without. */
const PROMPTS = "1 second"

const unknown = Effect.fnUntraced(function*(word: string) {
  const registry = yield* McpRegistry
  const listed = yield* Effect.timeoutOption(Effect.option(registry.prompts()), PROMPTS)
  const prompts = Option.match(Option.flatten(listed), { onNone: () => [], onSome: ({ prompts }) => prompts })
  const candidates = [
    ...Commands.COMMANDS.map(({ name }) => name),
    ...(yield* builtIn),
    ...(yield* registry.tools).map(({ name }) => name),
    ...prompts.map(({ name, server }) => `${server}:${name}`)
  ]
  return yield* new UnknownCommand({ word, nearest: Nearest.nearest(word, candidates), isCommand: false, agent: null })
})
