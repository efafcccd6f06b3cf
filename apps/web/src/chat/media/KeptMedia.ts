/** The files in a result that the server keeps: blocks of sound, and resources in bytes. Pure. */
import type { Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"

export interface KeptMedia {
  readonly handle: string
  readonly type: string
  readonly bytes: number
  readonly name: string | null
}

const nameIn = (uri: Json | undefined): string | null =>
  typeof uri === "string" ? uri.split(/[?#]/)[0]?.split("/").findLast((step) => step !== "") ?? null : null

const kept = (data: Json | undefined, name: string | null): ReadonlyArray<KeptMedia> => {
  if (data === undefined || !isObject(data)) return []
  const { bytes, file, mimeType } = data
  return typeof file !== "string"
    ? []
    : [{
      handle: file,
      type: typeof mimeType === "string" ? mimeType.toLowerCase() : "",
      bytes: typeof bytes === "number" ? bytes : 0,
      name
    }]
}

export const mediaIn = (content: ReadonlyArray<JsonObject>): ReadonlyArray<KeptMedia> =>
  content.flatMap(({ data, resource, type }) => {
    if (type === "audio") return kept(data, null)
    return type === "resource" && resource !== undefined && isObject(resource)
      ? kept(resource["blob"], nameIn(resource["uri"]))
      : []
  })
