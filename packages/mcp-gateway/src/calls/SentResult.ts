/** The result of a tool as a client is sent it: well-formed, and with the same in both of its forms. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import type { CallResult } from "@boocode/mcp-registry"
import type * as Schema from "effect/Schema"

/** A result on the wire. */
export interface SentResult {
  readonly content: ReadonlyArray<Schema.JsonObject>
  readonly structuredContent?: Schema.Json
  readonly _meta?: Schema.JsonObject
  readonly isError: boolean
}

/** A result of one text. */
export const text = (words: string, isError = false): SentResult => ({
  content: [{ type: "text", text: words }],
  isError
})

/**
 * The content has all that the structured content has, for clients that show nothing else. A client that shows structured
 * content alone is sent the content alone, so that it misses nothing.
 */
export const make = (answer: CallResult, shows: "both" | "structured"): SentResult => {
  const { meta } = answer
  return meta === undefined ? shown(answer, shows) : { ...shown(answer, shows), _meta: meta }
}

const shown = ({ content, isError, structuredContent }: CallResult, shows: "both" | "structured"): SentResult => {
  const blocks = content.map(blockOf)
  if (structuredContent === null) return { content: blocks, isError }
  const isTold = blocks.some(({ text }) => typeof text === "string" && says(text, structuredContent))
  const whole = isTold ? blocks : [...blocks, { type: "text", text: JSON.stringify(structuredContent) }]
  const isAlone = blocks.length === 0 || (isTold && blocks.length === 1)
  return shows === "structured" && !isAlone
    ? { content: whole, isError }
    : { content: whole, structuredContent, isError }
}

const says = (text: string, value: Schema.Json): boolean => {
  const short = text.trim()
  if (!/^[[{"\dtfn-]/.test(short)) return false
  const said = JsonRpc.decode(short)
  return said !== undefined && canonical(said) === canonical(value)
}

/** The text of a value, equal for equal values, whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, part: unknown) =>
      JsonRpc.isObject(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => one < other ? -1 : 1))
        : part
  )

/** A block that the protocol does not know would cost the client the whole result, so it is sent as text. */
const blockOf = (block: Schema.JsonObject): Schema.JsonObject =>
  isKnown(block) ? block : { type: "text", text: JSON.stringify(block) }

const isKnown = ({ data, mimeType, name, resource, text, type, uri }: Schema.JsonObject): boolean => {
  switch (type) {
    case "text":
      return typeof text === "string"
    case "image":
    case "audio":
      return typeof data === "string" && typeof mimeType === "string" && isBase64(data)
    case "resource":
      return JsonRpc.isObject(resource) && typeof resource["uri"] === "string" &&
        (typeof resource["text"] === "string" || (typeof resource["blob"] === "string" && isBase64(resource["blob"])))
    case "resource_link":
      return typeof uri === "string" && typeof name === "string"
    default:
      return false
  }
}

const isBase64 = (data: string): boolean => data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
