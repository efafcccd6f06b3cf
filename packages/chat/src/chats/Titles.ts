/** Titles of chats: the beginning of the first message, then a better name that the model gives. */
import type { ModelFacts } from "@boocode/language-models"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { NO_USAGE } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import type { SpentBy } from "../spending/Spending.ts"

/** The title of a chat without a message. */
export const NONE = "New chat"

const CHARACTERS = 60
/** The end of a title that is a part of a message. */
const MORE = " …"
const PERSON_CHARACTERS = 200
/** The model gets so much of the message, and of the answer. */
const SHOWN_CHARACTERS = 2000
const MODEL_GETS = "15 seconds"

/** The beginning of a message, on one line of at most 60 characters; it ends behind a word where one ends in its second half. */
export const ofMessage = (text: string): string => {
  const line = oneLine(text, CHARACTERS + 1)
  if ([...line].length <= CHARACTERS) return line || NONE
  const beginning = oneLine(line, CHARACTERS - MORE.length)
  const end = beginning.lastIndexOf(" ")
  return `${end < beginning.length / 2 ? beginning : beginning.slice(0, end)}${MORE}`
}

/** A person's own title, on one line; empty when there is nothing in it. */
export const ofPerson = (title: string): string => oneLine(title, PERSON_CHARACTERS)

export interface FirstTurn {
  readonly model: LanguageModel.LanguageModel
  readonly prices: ModelFacts.Prices | null
  readonly text: string
  readonly answer: string
  readonly by: SpentBy
}

export interface Suggested {
  /** Null when the model gave none. */
  readonly title: string | null
  readonly usage: Usage.Usage
}

/** Asks the model for a title within 15 s. Never fails: a chat has a title already. */
export const suggested = ({ answer, model, prices, text }: FirstTurn): Effect.Effect<Suggested> =>
  model.streamText({ prompt: request(text, answer) }).pipe(
    Stream.runFold(() => ({ said: "", usage: NO_USAGE }), (heard, part) => {
      if (part.type === "text-delta") return { ...heard, said: heard.said + part.delta }
      return part.type === "finish" ? { ...heard, usage: Usage.ofResponse(part.usage, prices) } : heard
    }),
    Effect.map(({ said, usage }) => ({ title: clean(said), usage })),
    Effect.timeout(MODEL_GETS),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logDebug(`no title: ${wordsOf(cause)}`), { title: null, usage: NO_USAGE })
    ),
    Effect.withSpan("Titles.suggested")
  )

const wordsOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return AiError.isAiError(error) ? error.reason._tag : Cause.pretty(cause).split("\n")[0] ?? ""
}

const INSTRUCTION = "You name conversations. Answer with a title for the conversation below and nothing else: " +
  "at most six words, in its language, without quotes and without a full stop."

const request = (text: string, answer: string): Prompt.Prompt =>
  Prompt.fromMessages([
    Prompt.systemMessage({ content: INSTRUCTION }),
    Prompt.userMessage({
      content: [Prompt.textPart({
        text: `Message:\n${text.slice(0, SHOWN_CHARACTERS)}\n\nAnswer:\n${answer.slice(0, SHOWN_CHARACTERS)}`
      })]
    })
  ])

/** Some models think aloud, quote or mark up what they were asked for. */
const clean = (said: string): string | null => {
  const line = said.replaceAll(/<think>[^]*?<\/think>/g, "").split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? ""
  const bare = line.replace(/^[\s#*"'“”„«»`]*(?:title:\s*)?["'“”„«»`]*/i, "").replace(/["'“”„«»`*.\s]+$/, "")
  return oneLine(bare) || null
}

const oneLine = (text: string, characters = CHARACTERS): string =>
  [...text.replaceAll(/\s+/g, " ").trim()].slice(0, characters).join("").trim()
