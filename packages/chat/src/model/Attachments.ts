/** Which attachments a message may have, and what the chat keeps of them. */
import { ImageHeader } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Attachment, NewAttachment } from "./Chat.ts"
import { AttachmentRefused } from "./ChatError.ts"

/** The limit on the attachments of one message. */
export const MOST = 8

/** The limit on the bytes of one attachment. */
export const MOST_BYTES = 5_000_000

/** An attachment beside its bytes. */
export interface AttachedFile {
  readonly attachment: Attachment
  readonly data: Uint8Array
}

/**
 * Names what goes with the message of a turn. Fails when there is too much of it, or when the bytes of an image are not
 * those of a PNG, JPEG, GIF or WebP. An image's type is what its bytes say.
 */
export const named = Effect.fnUntraced(function*(
  turn: number,
  given: ReadonlyArray<NewAttachment>
): Effect.fn.Return<ReadonlyArray<AttachedFile>, AttachmentRefused> {
  const over = given[MOST]
  if (over !== undefined) {
    return yield* new AttachmentRefused({
      name: over.name,
      reason: "count",
      detail: `a message takes at most ${MOST} attachments`
    })
  }
  return yield* Effect.forEach(given, ({ data, ...rest }, at) =>
    Effect.map(typeOf({ data, ...rest }), (mediaType) => ({
      attachment: { ...rest, id: `${turn}-${at + 1}`, mediaType, bytes: data.length },
      data
    })))
})

const typeOf = Effect.fnUntraced(function*({ data, kind, mediaType, name }: NewAttachment) {
  if (data.length > MOST_BYTES) {
    return yield* new AttachmentRefused({
      name,
      reason: "size",
      detail: `it has ${data.length} bytes, more than ${MOST_BYTES}`
    })
  }
  if (kind === "resource") return mediaType
  const picture = ImageHeader.read(data)
  if (Result.isSuccess(picture)) return picture.success.mediaType
  return yield* new AttachmentRefused({ name, reason: "type", detail: picture.failure })
})
