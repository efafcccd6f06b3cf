/** A file that a tool gave, as its result in a chat names it: nobody gets the file of another chat by its handle. */
import type { Chat } from "@boocode/chat"
import { JsonRpc } from "@boocode/mcp-client/Text"
import type * as Schema from "effect/Schema"

export interface KeptFile {
  readonly mimeType: string
  readonly name: string
}

/** Null where the call gave no such file. */
export const of = ({ turns }: Pick<Chat, "turns">, call: string, file: string): KeptFile | null => {
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type !== "tool-result" || part.id !== call) continue
      for (const block of part.content) {
        const resource = JsonRpc.isObject(block["resource"]) ? block["resource"] : {}
        const found = keptIn(block["data"], file) ?? keptIn(resource["blob"], file)
        if (found !== null) return { mimeType: found, name: nameOf(resource["uri"], found) }
      }
    }
  }
  return null
}

/** The type of kept data, where it is this file. */
const keptIn = (data: Schema.Json | undefined, file: string): string | null => {
  if (!JsonRpc.isObject(data) || data["file"] !== file) return null
  const type = data["mimeType"]
  return typeof type === "string" ? type.toLowerCase().split(";")[0]?.trim() ?? "" : ""
}

/** A resource has the last step of its address. */
const nameOf = (uri: Schema.Json | undefined, mimeType: string): string => {
  const last = typeof uri === "string" ? uri.split(/[?#]/)[0]?.split("/").findLast((step) => step !== "") : undefined
  return last ?? `result.${/^[a-z]+\/(?:x-)?([a-z0-9]{2,8})/.exec(mimeType)?.[1] ?? "bin"}`
}
