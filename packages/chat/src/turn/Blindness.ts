/**
 * Messages for a model that sees no images.
 */
import * as Prompt from "effect/ai/Prompt"

/**
 * The messages with a line in place of each image.
 *
 * @category transforming
 */
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

/**
 * Whether there is an image in the messages.
 *
 * @category predicates
 */
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
