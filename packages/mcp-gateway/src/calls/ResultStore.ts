/** Results that were too large for a client, whole, until it ends or newer ones need the room: its own, or those of others. */
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
  /** Gives the room back: the client has ended. */
  readonly clear: () => void
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
/** The limit for all clients of a gateway together. */
const MOST_OF_ALL = 128 * 1024 * 1024

interface Kept {
  readonly blocks: SentResult.SentResult["content"]
  readonly text: string
  readonly forget: () => void
}

/** The room that the results of all clients share. */
export class ResultRoom {
  private readonly kept = new Set<Kept>()
  private characters = 0
  private readonly most: number

  constructor(most: number = MOST_OF_ALL) {
    this.most = most
  }
  /** The oldest of any client go where there is no room. */
  add(result: Kept): void {
    this.kept.add(result)
    this.characters += result.text.length
    for (const oldest of this.kept) {
      if (this.characters <= this.most) return
      if (oldest !== result) oldest.forget()
    }
  }
  delete(result: Kept): void {
    if (this.kept.delete(result)) this.characters -= result.text.length
  }
}

/** Keeps nothing yet. */
export const make = (room: ResultRoom): ResultStore => {
  const kept = new Map<string, Kept>()
  let characters = 0

  const keep = (blocks: SentResult.SentResult["content"], id: string, text: string) => {
    const forget = () => {
      if (!kept.delete(id)) return
      characters -= text.length
      room.delete(result)
    }
    const result = { blocks, text, forget }
    kept.set(id, result)
    characters += text.length
    room.add(result)
    for (const oldest of kept.values()) {
      if (kept.size <= MOST_RESULTS && characters <= MOST_CHARACTERS) return
      if (oldest !== result) oldest.forget()
    }
  }
  return {
    clear: () => {
      for (const { forget } of kept.values()) forget()
    },
    limited: (result, maxBytes, hasOutput) => {
      if (isSmall(result, maxBytes) || Utf8.byteLength(JSON.stringify(result)) <= maxBytes) return result
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

/** Whether it fits however its texts are written: a character takes 6 bytes at most. False for one that has to be measured. */
const isSmall = ({ _meta, content, structuredContent }: SentResult.SentResult, maxBytes: number): boolean => {
  if (_meta !== undefined || structuredContent !== undefined) return false
  let most = ROOM_FOR_FRAME
  for (const block of content) {
    for (const key in block) {
      const value = block[key]
      if (typeof value !== "string") return false
      most += ROOM_FOR_FRAME + 6 * (key.length + value.length)
    }
  }
  return most <= maxBytes
}

/** More than braces, commas and the names of a result take, or those of a text. */
const ROOM_FOR_FRAME = 50

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
