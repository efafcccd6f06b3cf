/** Messages of the form `/server:prompt {json}`, on the page, in the terminal and over HTTP. */
import { McpError, McpRegistry } from "@boocode/mcp-registry"
import { ToolArguments } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { Message, PromptMessage } from "../model/Chat.ts"
import { BlankPrompt } from "../model/ChatError.ts"
import * as Commands from "../model/Commands.ts"
import * as PromptText from "../model/PromptText.ts"

type Words = Pick<Message, "prompt" | "replaces" | "text">

interface Spoken {
  readonly text: string
  readonly prompt: ReadonlyArray<PromptMessage> | null
}

/**
 * The prompt as its server fills it in. Every other text is sent as it is, also one that names no server. A message
 * that replaces a turn may hold the text of a server, and calls nothing. Fails when the server has no such prompt,
 * cannot fill it in, or fills it in with blank text.
 */
export const spoken = Effect.fn("SpokenPrompt.spoken")(function*(
  { prompt = null, replaces = null, text }: Words
): Effect.fn.Return<Spoken, McpError | BlankPrompt, McpRegistry> {
  const asked = prompt === null && replaces === null ? Commands.parse(text, "page") : null
  if (asked?._tag !== "Prompt") return { text, prompt }
  const registry = yield* McpRegistry
  if ((yield* registry.servers).every(({ name }) => name !== asked.server)) return { text, prompt }
  const args = yield* Effect.mapError(
    Effect.fromResult(ToolArguments.parse(asked.prompt, asked.args)),
    (reason) => new McpError({ server: asked.server, reason })
  )
  const filled = PromptText.filled(yield* registry.prompt(asked.server, asked.prompt, args))
  if (filled.text.trim() === "") return yield* new BlankPrompt({ server: asked.server, prompt: asked.prompt })
  return { text: filled.text, prompt: filled.said }
})
