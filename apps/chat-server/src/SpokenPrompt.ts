/**
 * A message that is a prompt of a server, as people type it on the page and in the terminal.
 */
import { Commands, PromptText } from "@boocode/chat"
import type { PromptMessage } from "@boocode/chat/Chat"
import { McpError, McpRegistry } from "@boocode/mcp-registry"
import { ToolArguments } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as ApiErrors from "./ApiErrors.ts"

/** What is sent. */
interface Words {
  readonly text: string
  readonly prompt: ReadonlyArray<PromptMessage> | null
}

/**
 * What the server makes of `/server:prompt {json}`; every other text as it is. A message that replaces a turn may have the
 * words of a server, and these call nothing. Fails with the problem of a prompt that is not there or cannot be filled in.
 */
export const filled = Effect.fnUntraced(function*(words: Words, isReplacing: boolean) {
  const asked = words.prompt === null && !isReplacing ? Commands.parse(words.text, "page") : null
  if (asked?._tag !== "Prompt") return words
  const args = yield* Effect.mapError(
    Effect.fromResult(ToolArguments.parse(asked.prompt, asked.args)),
    (reason) => ApiErrors.fromMcp(new McpError({ server: asked.server, reason }))
  )
  const result = yield* Effect.mapError(
    McpRegistry.use((registry) => registry.prompt(asked.server, asked.prompt, args)),
    ApiErrors.fromMcp
  )
  const { said, text } = PromptText.filled(result)
  if (text.trim() === "") return yield* Effect.fail(blank(asked.server, asked.prompt))
  const spoken: Words = { text, prompt: said }
  return spoken
})

const blank = (server: string, prompt: string) =>
  ApiErrors.badRequest({
    _tag: "BlankMessage",
    message: `${server} makes nothing of its prompt ${prompt}: there is no word in what it filled in`,
    hint: "give other arguments"
  })
