/** The files that an app wants to save: those that it gives whole. Pure. */

export interface AppFile {
  readonly name: string
  readonly content: { readonly text: string } | { readonly base64: string }
  /** About how large it is. */
  readonly bytes: number
}

const MOST = 10
const MOST_BYTES = 20_000_000
const MOST_CHARACTERS = 100

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The last part of its address, as a name that is one on every system. */
const nameOf = (uri: string): string => {
  const last = decoded(uri.split(/[?#]/)[0]?.split("/").at(-1) ?? "")
  return last.replaceAll(/[\p{C}\\/:*?"<>|%]+/gu, " ").replace(/^[.\s]+/, "").trim().slice(0, MOST_CHARACTERS) || "file"
}

const fileOf = (content: unknown): AppFile | null => {
  const resource = member(content, "resource")
  const [uri, text, blob] = ["uri", "text", "blob"].map((key) => member(resource, key))
  if (member(content, "type") !== "resource" || typeof uri !== "string") return null
  const name = nameOf(uri)
  if (typeof text === "string") return { name, content: { text }, bytes: text.length }
  return typeof blob === "string" ? { name, content: { base64: blob }, bytes: Math.round(blob.length * 0.75) } : null
}

/** Null where something in it is no file that is given whole, or they are too many or too large. */
export const filesOf = (contents: unknown): ReadonlyArray<AppFile> | null => {
  if (!Array.isArray(contents) || contents.length === 0 || contents.length > MOST) return null
  const files = contents.flatMap((content) => fileOf(content) ?? [])
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return files.length < contents.length || bytes > MOST_BYTES ? null : files
}
