/** Reading JSON that nobody has checked yet. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json => isObject(value) ? value : {}

export const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

export const objects = (value: unknown): ReadonlyArray<Json> => list(value).map(object)

export const text = (value: unknown): string => typeof value === "string" ? value : ""

/** The text of content that is a string or a list of blocks with `text`. */
export const contentText = (content: unknown): string =>
  typeof content === "string" ? content : objects(content).map((block) => text(block["text"])).join("")
