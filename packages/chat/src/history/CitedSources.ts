/** The pages that a provider says an answer is from, as parts of the chat. */
import { CleanText } from "@boocode/mcp-registry"
import type * as Response from "effect/ai/Response"
import * as Predicate from "effect/Predicate"
import type { TurnPart } from "../model/Part.ts"

type SourcePart = Extract<TurnPart, { readonly type: "source" }>

/** More of one answer are left out. */
const MOST = 200
const LONGEST_ADDRESS = 2000
const LONGEST_TITLE = 200

export interface CitedSources {
  /** Takes a part of the answer; gives the source that it names, unless it was named for this place before. */
  readonly take: (part: Response.AnyPart) => SourcePart | null
}

/** The sources of one answer, whose parts are taken in order. */
export const make = (): CitedSources => {
  const lengths = new Map<string, number>()
  const named = new Set<string>()
  let said = ""
  let encoded: Uint8Array | null = null
  const bytes = () => encoded ??= new TextEncoder().encode(said)
  const sourceOf = (part: Response.UrlSourcePart): SourcePart | null => {
    const address = addressOf(part.url)
    if (address === null || named.size === MOST) return null
    const back = backOf(part.metadata["citation"], lengths, bytes)
    const place = `${back === null ? null : said.length - back} ${address}`
    if (named.has(place)) return null
    named.add(place)
    return { type: "source", address, title: titleOf(part.title) ?? address, back }
  }
  return {
    take: (part) => {
      if (part.type === "text-delta") {
        lengths.set(part.id, (lengths.get(part.id) ?? 0) + part.delta.length)
        said += part.delta
        encoded = null
      }
      return part.type === "source" && part.sourceType === "url" ? sourceOf(part) : null
    }
  }
}

/** A password before a host makes another host of it for the eye. */
const addressOf = ({ href, password, protocol, username }: URL): string | null =>
  /^https?:$/.test(protocol) && username === "" && password === "" && href.length <= LONGEST_ADDRESS ? href : null

const titleOf = (title: string): string | null => {
  const words = CleanText.clean(title).replaceAll(/\s+/g, " ").trim()
  return words === "" ? null : words.slice(0, LONGEST_TITLE).toWellFormed()
}

/** A citation without a place within its text is about the whole of it, which ends here. */
const backOf = (citation: unknown, lengths: ReadonlyMap<string, number>, bytes: () => Uint8Array): number | null => {
  if (!Predicate.isObject(citation)) return null
  if (typeof citation["bytes"] === "number") return backOfBytes(citation["bytes"], bytes())
  if (typeof citation["text"] !== "string") return null
  const length = lengths.get(citation["text"]) ?? 0
  const end = typeof citation["end"] === "number" ? citation["end"] : length
  return Number.isSafeInteger(end) && end >= 0 && end <= length ? length - end : null
}

const backOfBytes = (end: number, bytes: Uint8Array): number | null =>
  end > 0 && end <= bytes.length ? new TextDecoder().decode(bytes.subarray(end)).length : null
