/** A resource of a server, as it goes with a message. */
import { type McpError, McpRegistry, type ResourceContent } from "@boocode/mcp-registry"
import { ModelText, type ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { NewAttachment } from "../model/Chat.ts"
import * as ResourceAccess from "../tools/ResourceAccess.ts"

/**
 * Reads a resource now: one attachment for all of its text, and one for each image. The text is marked as written by a
 * server (R101), and cut as a result is: a model reads the rest with `view_file`. Fails as `McpRegistry.readResource`
 * does.
 */
export const readAttachment = Effect.fn("ResourceAttachment.read")(function*(
  server: string,
  uri: string
): Effect.fn.Return<ReadonlyArray<NewAttachment>, McpError, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const contents = (yield* registry.readResource(server, uri)).map((content) => ({
    content,
    image: ResourceAccess.pictureOf(content)
  }))
  const isTrusted = (yield* registry.servers).some(({ isTrusted, name }) => name === server && isTrusted)
  const origin = { server, tool: `resource ${uri}`, isTrusted }
  const words = contents.filter(({ image }) => image === null).map(({ content }) =>
    wordsOf(content, contents.length > 1)
  )
  const images = contents.flatMap(({ content, image }): ReadonlyArray<NewAttachment> =>
    image === null
      ? []
      : [{ kind: "image", name: nameOf(content.uri), mediaType: image.mediaType, data: image.bytes, server, uri }]
  )
  if (words.length === 0 && images.length > 0) return images
  const text = yield* ModelText.fromResult({ text: words.join("\n\n") || "[it is empty]", truncated: null, origin })
  const document = { kind: "resource" as const, name: nameOf(uri), mediaType: "text/plain", server, uri }
  return [{ ...document, data: new TextEncoder().encode(text) }, ...images]
})

const wordsOf = (content: ResourceContent, isOneOfMany: boolean): string => {
  const lead = isOneOfMany ? `${content.uri}:\n` : ""
  const cut = content.truncated ? `\n${ResourceAccess.CUT}` : ""
  const text = ResourceAccess.textOf(content)
  if (text !== null) return `${lead}${text}${cut}`
  const kind = content.mimeType ?? "binary data"
  return `${lead}[${kind}, which is no text and no image that can be shown]${cut}`
}

const nameOf = (uri: string): string => uri.split(/[/?#]+/).findLast((part) => part !== "") ?? uri
