/**
 * What reading a resource brought, as what it is: text, a picture, or other data. Pure.
 */
import { CleanText, type ResourceContent } from "@boocode/mcp-registry"
import { ImageHeader } from "@boocode/toolkit"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** The picture that binary data is; null for anything else. @category decoding */
export const pictureOf = ({ blob }: ResourceContent): ImageHeader.Picture | null =>
  blob === null
    ? null
    : Result.getOrNull(Result.flatMap(Result.mapError(Base64.decode(blob), () => ""), ImageHeader.read))

/** The text; also of binary data whose type says that it is text, as some servers give it. @category decoding */
export const textOf = ({ blob, mimeType, text }: ResourceContent): string | null => {
  if (text !== null) return text
  if (blob === null || !/^text\/|json|xml|yaml/i.test(mimeType ?? "")) return null
  const decoded = Result.flatMap(
    Result.mapError(Base64.decode(blob), () => null),
    (bytes) => Result.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: () => null })
  )
  return Result.match(decoded, { onFailure: () => null, onSuccess: CleanText.clean })
}

/** Says that the registry left out what its server's entry does not allow. @category constants */
export const CUT = "[cut: it is larger than maxResultBytes of its server's entry]"

/**
 * The contents as blocks of a tool's result, so that they are shown, cut and kept as those are. Of several each text is led
 * by its URI.
 *
 * @category encoding
 */
export const toBlocks = (contents: ReadonlyArray<ResourceContent>): ReadonlyArray<Schema.JsonObject> =>
  contents.length === 0
    ? [{ type: "text", text: "(the resource is empty)" }]
    : contents.flatMap((content) => blocksOf(content, contents.length > 1))

const blocksOf = (content: ResourceContent, isOneOfMany: boolean): ReadonlyArray<Schema.JsonObject> => {
  const { blob, mimeType, truncated, uri } = content
  const lead = isOneOfMany ? `${uri}:\n` : ""
  const text = textOf(content)
  if (text !== null) {
    return [{ type: "text", text: `${lead}${text === "" ? "(empty)" : text}${truncated ? `\n${CUT}` : ""}` }]
  }
  if (blob === null) return [{ type: "text", text: `${lead}[${mimeType ?? "binary data"}]\n${CUT}` }]
  const picture = pictureOf(content)
  const data = picture !== null
    ? { type: "image", data: blob, mimeType: picture.mediaType }
    : { type: "resource", resource: { uri, mimeType, blob } }
  return isOneOfMany && picture !== null ? [{ type: "text", text: lead.trimEnd() }, data] : [data]
}
