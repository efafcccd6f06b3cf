/** A chat whose one tool asks, as its server would while the call runs. */
import type { Asker, Elicitation, SamplingRequest } from "@boocode/mcp-registry"
import { type RunOptions, ToolResult } from "@boocode/toolkit"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type { QuestionsOptions } from "../../src/asking/Questions.ts"
import type { OpenQuestion } from "../../src/model/Question.ts"
import type { ChatStore } from "../../src/store/ChatStore.ts"
import { message, settle, start, until } from "./Chatting.ts"
import { calls, finish, model, says, tool } from "./Scripted.ts"

const BY = { server: "a", isTrusted: false }

export const FORM: Elicitation = {
  ...BY,
  kind: "form",
  message: "Who are\u200B you?",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      size: { type: "string", enum: ["s", "m"], default: "m" }
    },
    required: ["name"]
  }
}

export const VISIT: Elicitation = { ...BY, kind: "url", message: "Sign in", url: "https://example.com/sign?x=1" }

export const WORDS: SamplingRequest = {
  ...BY,
  messages: [{ role: "user", content: { type: "text", text: "Say\u200B a number" } }],
  systemPrompt: "Be short",
  maxTokens: 9000,
  temperature: 0.5,
  stopSequences: [],
  modelPreferences: {}
}

/** What a server does in a call; its words are the call's result. */
export type Ask = (asker: Asker, args: unknown) => Effect.Effect<string>

export const elicits = (request: Elicitation): Ask => (asker) => Effect.map(asker.elicit(request), JSON.stringify)

export const samples = (request: SamplingRequest = WORDS): Ask => (asker) =>
  Effect.match(asker.sample(request), { onFailure: ({ message }) => `no: ${message}`, onSuccess: JSON.stringify })

interface Setup {
  readonly ask: Ask
  readonly options?: Partial<QuestionsOptions>
  readonly store?: ChatStore["Service"]
  readonly model?: LanguageModel.LanguageModel
  /** What the model answers besides calling the tool first. */
  readonly answers?: Parameters<typeof model>[0]
  readonly file?: string
  readonly chat?: string
}

/** A program with such a chat, whose first turn runs; `chat` goes on with one of an earlier program. */
export const asking = Effect.fnUntraced(function*({ answers, ask, chat, file, model: given, options, store }: Setup) {
  const script = yield* model(answers ?? [[calls("c", "a_ask"), finish("tool-calls")], [...says("done"), finish()]])
  const run = (args: unknown, { asker }: RunOptions = {}) =>
    asker === undefined ? Effect.die("no asker") : Effect.map(ask(asker, args), (text) => ToolResult.success(text))
  const program = yield* start({
    models: { m: given ?? script.model },
    environment: "m",
    titles: "message",
    builtIn: [tool("a_ask", run)],
    questions: { sampling: "ask", model: null, ...options },
    ...store === undefined ? {} : { store },
    world: file === undefined ? {} : { file }
  })
  const { chats, questions } = program
  const id = chat ?? (yield* chats.create({ agent: null, model: null })).id
  const { turn } = yield* chats.send(id, message("go"))
  yield* settle
  return {
    ...program,
    id,
    asked: script.asked,
    /** The questions that wait. */
    open: Effect.andThen(settle, questions.open),
    /** Answers the one question that waits. */
    reply: (reply: Parameters<typeof questions.reply>[1]) =>
      Effect.flatMap(Effect.andThen(settle, questions.open), (all) => questions.reply(one(all).id, reply)),
    parts: until(chats, id, turn),
    ended: Effect.map(until(chats, id, turn), (parts) => parts.filter((part) => part.turn === turn))
  }
})

const one = (all: ReadonlyArray<OpenQuestion>): OpenQuestion => {
  const [first, second] = all
  if (first === undefined || second !== undefined) throw new Error(`${all.length} questions wait`)
  return first
}
