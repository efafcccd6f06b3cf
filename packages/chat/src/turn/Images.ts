/** The images in the messages of a request: which ones a model sees. */
import * as Prompt from "effect/ai/Prompt"

/** The messages with a line in place of each image, for a model that sees none. */
export const withoutImages = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  messages.map((message) => {
    if (message.role === "user") {
      return Prompt.userMessage({
        ...message,
        content: message.content.map((part) => isImage(part) ? unseen(part) : part)
      })
    }
    return message.role === "tool"
      ? Prompt.toolMessage({ ...message, content: message.content.map(resultWithout) })
      : message
  })

export const hasImages = (messages: ReadonlyArray<Prompt.Message>): boolean =>
  messages.some((message) =>
    message.role === "user"
      ? message.content.some(isImage)
      : message.role === "tool" && message.content.some((part) => imagesOf(part).length > 0)
  )

const MOST = 6
const AT_ONCE = 4

/**
 * The messages with the newest images of tool results alone; a line stands in place of each older one. Up to 6 images
 * stay as they are; then the oldest 4 go at once, and again 4 whenever there are 7: providers that keep the beginning
 * of a request in a cache find it unchanged most of the time.
 */
export const keepRecent = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  const images = messages.flatMap((message) => message.role === "tool" ? message.content.flatMap(imagesOf) : [])
  const gone = new Set<unknown>(images.slice(0, Math.ceil(Math.max(0, images.length - MOST) / AT_ONCE) * AT_ONCE))
  if (gone.size === 0) return messages
  return messages.map((message) =>
    message.role === "tool"
      ? Prompt.toolMessage({ content: message.content.map((part) => without(part, gone)), options: message.options })
      : message
  )
}

/** A line for each image that goes, behind the other text and before the images that stay. */
const without = (part: Prompt.ToolMessagePart, gone: ReadonlySet<unknown>): Prompt.ToolMessagePart => {
  if (part.type !== "tool-result" || !imagesOf(part).some((image) => gone.has(image))) return part
  const output = (part.modelOutput ?? []).map((item) => gone.has(item) ? Prompt.textPart({ text: NOTE }) : item)
  return Prompt.toolResultPart({
    ...part,
    modelOutput: [...output.filter(({ type }) => type !== "file"), ...output.filter(({ type }) => type === "file")]
  })
}

const NOTE = "[an image was here; it is left out now that newer ones have come]"

const resultWithout = (part: Prompt.ToolMessagePart): Prompt.ToolMessagePart =>
  part.type !== "tool-result" || part.modelOutput === undefined ? part : Prompt.toolResultPart({
    ...part,
    modelOutput: part.modelOutput.map((item) => isImage(item) ? unseen(item) : item)
  })

const imagesOf = (part: Prompt.ToolMessagePart): ReadonlyArray<Prompt.FilePart> =>
  part.type === "tool-result" ? (part.modelOutput ?? []).filter(isImage) : []

const isImage = (part: Prompt.TextPart | Prompt.FilePart): part is Prompt.FilePart =>
  part.type === "file" && /^image\//i.test(part.mediaType)

const unseen = ({ fileName, mediaType }: Prompt.FilePart): Prompt.TextPart =>
  Prompt.textPart({ text: `[${fileName ?? "an image"} (${mediaType}) was left out: this model sees no images]` })
