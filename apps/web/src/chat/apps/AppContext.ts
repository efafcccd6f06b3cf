/** The context that an app gives the model: a file of the draft, which the person sees and can take out. */
import { app as words } from "../../messages/chat/AppMessages.ts"
import { attach, detach, draftOf } from "../composer/Draft.ts"

type Members = Readonly<Record<string, unknown>>

/** The files by the apps that gave them. */
const given = new Map<string, number>()

/** The text of blocks of content; other blocks say nothing here. */
export const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.flatMap((block) =>
      Object(block).type === "text" && typeof Object(block).text === "string" ? [String(Object(block).text)] : []
    ).join("\n")
    : ""

/** Takes the place of what this app gave before. Without anything it takes it back. */
export const update = (chat: string, key: string, server: string, { content, structuredContent }: Members) => {
  const draft = draftOf(chat)
  const before = given.get(key)
  if (before !== undefined) detach(draft, before)
  given.delete(key)
  const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent, null, 2)]
  const text = [textOf(content), ...structured].filter((part) => part !== "").join("\n\n")
  if (text === "") return
  const name = words.context(server)
  const bytes = new TextEncoder().encode(text)
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  attach(draft, {
    name,
    about: words.contextAbout,
    bytes: bytes.length,
    preview: null,
    attachment: { kind: "file", name, mediaType: null, data }
  })
  const added = draft.files.value.at(-1)
  if (added !== undefined) given.set(key, added.key)
}
