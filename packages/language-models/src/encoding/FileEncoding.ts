/** Files of a prompt as AI SDK files. */
import type { SharedV4FileData } from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"

/** The bytes or address of a file. Text is base64, a `data:` URL, or an http address. */
export const encode = (
  part: Pick<Prompt.FilePart, "data" | "mediaType" | "fileName">
): { readonly data: SharedV4FileData; readonly mediaType: string; readonly filename?: string } => ({
  data: fileData(part.data),
  mediaType: part.mediaType,
  ...(part.fileName === undefined ? {} : { filename: part.fileName })
})

const fileData = (data: Prompt.FilePart["data"]): SharedV4FileData => {
  if (data instanceof URL) return data.protocol === "data:" ? fileData(data.href) : { type: "url", url: data }
  if (typeof data !== "string") return { type: "data", data }
  const inline = /^data:[^,]*;base64,/i.exec(data)
  if (inline !== null) return { type: "data", data: data.slice(inline[0].length) }
  return /^https?:\/\//i.test(data) && URL.canParse(data)
    ? { type: "url", url: new URL(data) }
    : { type: "data", data }
}
