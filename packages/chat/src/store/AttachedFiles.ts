/** The files of a chat as turns read them. */
import { PdfReader } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { FileOf } from "../history/UserMessage.ts"
import * as Attachments from "../model/Attachments.ts"
import type { ChatStore } from "./ChatStore.ts"

/**
 * The bytes of attachments, and the text of a PDF under `Attachments.textIdOf`; null when they are not there, which
 * models are told. A PDF of which only the bytes came into the chat is read now, and its text is kept.
 */
export const of = (store: ChatStore["Service"], chat: string): FileOf => {
  const readText = Effect.fnUntraced(function*(id: string) {
    const data = yield* store.file(chat, id)
    if (data === null) return null
    const text = new TextEncoder().encode(Attachments.pdfText(yield* (yield* PdfReader).read(data)))
    yield* store.putFile(chat, Attachments.textIdOf(id), text)
    return text
  })
  return (file) =>
    Effect.gen(function*() {
      const pdf = Attachments.pdfIdOf(file)
      return (yield* store.file(chat, file)) ?? (pdf === null ? null : yield* readText(pdf))
    }).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`a file of the chat ${chat} cannot be read: ${error.message}`), null)
      )
    )
}
