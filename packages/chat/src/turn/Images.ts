/** Messages for a model that sees no images. */
import * as Prompt from "effect/ai/Prompt"
import type { TurnPart } from "../model/Part.ts"

/** The messages with a line in place of each image. */
export const withoutImages = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  messages.map((message) => {
    if (message.role === "user") {
      const content = message.content.map((part) => part.type === "file" && isImage(part) ? note(part) : part)
      return Prompt.userMessage({ ...message, content })
    }
    if (message.role !== "tool") return message
    const content = message.content.map((part) => part.type === "tool-result" ? resultWithout(part) : part)
    return Prompt.toolMessage({ ...message, content })
  })

/** Whether there is an image in the messages. */
export const hasImages = (messages: ReadonlyArray<Prompt.Message>): boolean =>
  messages.some((message) =>
    (message.role === "user" && message.content.some((part) => part.type === "file" && isImage(part))) ||
    (message.role === "tool" &&
      message.content.some((part) =>
        part.type === "tool-result" && (part.modelOutput ?? []).some((item) => item.type === "file" && isImage(item))
      ))
  )

const resultWithout = (part: Prompt.ToolResultPart): Prompt.ToolResultPart =>
  part.modelOutput === undefined ? part : Prompt.toolResultPart({
    ...part,
    modelOutput: part.modelOutput.map((item) => item.type === "file" && isImage(item) ? note(item) : item)
  })

const isImage = ({ mediaType }: Prompt.FilePart): boolean => /^image\//i.test(mediaType)

const note = ({ fileName, mediaType }: Prompt.FilePart): Prompt.TextPart =>
  Prompt.textPart({ text: `[${fileName ?? "an image"} (${mediaType}) was left out: this model sees no images]` })

/**
 * The messages with the newest images of tool results alone; a line stands in place of each older one. Up to 6 images
 * stay as they are; then the oldest 4 go at once, and again 4 whenever there are 7: providers that keep the beginning
 * of a request in a cache find it unchanged most of the time.
 */
export const keepRecent = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  let left = tooMany(countImages(messages))
  if (left === 0) return messages
  return messages.map((message) => {
    if (message.role !== "tool" || left === 0) return message
    const content = message.content.map((part) => {
      const images = imagesOf(part)
      const gone = images.slice(0, left)
      left -= gone.length
      return part.type === "tool-result" && gone.length > 0 ? without(part, gone) : part
    })
    return Prompt.toolMessage({ content, options: message.options })
  })
}

const MOST = 6
const AT_ONCE = 4

const tooMany = (count: number): number => Math.ceil(Math.max(0, count - MOST) / AT_ONCE) * AT_ONCE

const countImages = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages.reduce(
    (sum, message) =>
      message.role === "tool" ? message.content.reduce((count, part) => count + imagesOf(part).length, sum) : sum,
    0
  )

const imagesOf = (part: Prompt.ToolMessagePart): ReadonlyArray<Prompt.FilePart> =>
  part.type === "tool-result"
    ? (part.modelOutput ?? []).filter((item) => item.type === "file").filter(({ mediaType }) => IMAGE.test(mediaType))
    : []

const IMAGE = /^image\//i
const NOTE = "[an image was here; it is left out now that newer ones have come]"

const without = (part: Prompt.ToolResultPart, gone: ReadonlyArray<Prompt.FilePart>): Prompt.ToolResultPart => {
  const output = part.modelOutput ?? []
  const notes = gone.map(() => Prompt.textPart({ text: NOTE }))
  const rest = output.filter((item) => item.type !== "file" || !gone.includes(item))
  const files = rest.filter((item) => item.type === "file")
  return Prompt.toolResultPart({
    ...part,
    modelOutput: [...rest.filter((item) => item.type !== "file"), ...notes, ...files]
  })
}

/** The handles in parts, by the ids of the calls. */
export const fromParts = (parts: ReadonlyArray<TurnPart>): Map<string, string> => {
  const handles = new Map<string, string>()
  for (const part of parts) readHandles(handles, part)
  return handles
}

/** Adds the handle in a part, where there is one. */
export const readHandles = (handles: Map<string, string>, part: TurnPart): void => {
  if (part.type !== "tool-result") return
  const file = part.truncated?.text?.file ?? part.truncated?.file ?? null
  if (file !== null) handles.set(part.id, file)
}
