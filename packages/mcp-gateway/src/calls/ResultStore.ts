/** Results that were too large for one client, whole, until it ends or newer ones need the room. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { Utf8 } from "@boocode/toolkit"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Schema from "effect/Schema"
import * as SentResult from "./SentResult.ts"

export interface ResultStore {
  /** The result within so many bytes; what is cut is kept. `hasOutput` says that the client expects structured content of this tool. */
  readonly limited: (result: SentResult.SentResult, maxBytes: number, hasOutput: boolean) => SentResult.SentResult
  /** The contents of the resource of this URI; null where there is none. */
  readonly contents: (uri: string) => ReadonlyArray<Schema.JsonObject> | null
  /** Its text from this character on, as much as has room in so many bytes; null where there is none. */
  readonly part: (id: string, offset: number, maxBytes: number) => Part | null
}

export interface Part {
  readonly text: string
  /** Where the next part begins; null at the end. */
  readonly next: number | null
  readonly length: number
}

/** The URI of a kept result without its id, which cannot be guessed. */
export const URI = "boocode://result/"
/** The tool that reads a kept result in parts. */
export const READ = "read_result"

const MOST_RESULTS = 20
const MOST_CHARACTERS = 32 * 1024 * 1024

/** Keeps nothing yet. */
export const make = (): ResultStore => {
  const kept = new Map<string, { readonly blocks: SentResult.SentResult["content"]; readonly text: string }>()
  let characters = 0

  const forget = (id: string) => {
    characters -= kept.get(id)?.text.length ?? 0
    kept.delete(id)
  }
  const keep = (blocks: SentResult.SentResult["content"], id: string, text: string) => {
    kept.set(id, { blocks, text })
    characters += text.length
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_RESULTS && characters <= MOST_CHARACTERS) return
      if (oldest !== id) forget(oldest)
    }
  }
  return {
    limited: (result, maxBytes, hasOutput) => {
      const bytes = Utf8.byteLength(JSON.stringify(result))
      if (bytes <= maxBytes) return result
      const id = SecureRandom.uuidV4Unsafe()
      const text = textOf(result.content, id)
      keep(result.content, id, text)
      const shown = Utf8.prefix(text, Math.max(0, maxBytes - ROOM_FOR_NOTE))
      const words =
        `[cut: these are the first ${shown.length} of ${text.length} characters. ${READ} with {"id":"${id}",` +
        `"offset":${shown.length}} gives the next ones. The whole is the resource ${URI}${id}]`
      // A client that expects structured content would refuse a good result without it.
      return SentResult.text(`${shown}\n\n${words}`, result.isError || hasOutput)
    },
    contents: (uri) => {
      if (!uri.startsWith(URI)) return null
      const found = kept.get(uri.slice(URI.length))
      return found === undefined ? null : found.blocks.map((block, index) => contentOf(block, `${uri}/${index}`))
    },
    part: (id, offset, maxBytes) => {
      const found = kept.get(id)
      if (found === undefined) return null
      const text = Utf8.prefix(found.text.slice(offset, offset + maxBytes), maxBytes)
      const end = offset + text.length
      return { text, next: end < found.text.length && text !== "" ? end : null, length: found.text.length }
    }
  }
}

const ROOM_FOR_NOTE = 400

const textOf = (blocks: SentResult.SentResult["content"], id: string): string =>
  blocks.map((block, index) => {
    if (block["type"] === "text" && typeof block["text"] === "string") return block["text"]
    const { data, mimeType, type } = block
    const size = typeof data === "string" ? `, ${data.length} characters of base64` : ""
    return `[${typeof mimeType === "string" ? mimeType : JSON.stringify(type)}${size}: content ${index} of ${URI}${id}]`
  }).join("\n")

const contentOf = (block: Schema.JsonObject, uri: string): Schema.JsonObject => {
  const { data, mimeType, resource, text, type } = block
  if (type === "text" && typeof text === "string") return { uri, mimeType: "text/plain", text }
  if (typeof data === "string") return { uri, ...(typeof mimeType === "string" ? { mimeType } : {}), blob: data }
  if (type === "resource" && JsonRpc.isObject(resource)) return resource
  return { uri, mimeType: "application/json", text: JSON.stringify(block) }
}
