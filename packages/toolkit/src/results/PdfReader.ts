/** How the text of PDFs is read. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The text of a PDF. */
export interface PdfText {
  readonly pages: number
  /** The text of each page, from the first; a page of pictures alone has none. Fewer than `pages` where a limit ended it. */
  readonly texts: ReadonlyArray<string>
}

/** A PDF that cannot be read. */
export class PdfUnreadable extends Schema.TaggedError<PdfUnreadable>()("PdfUnreadable", {
  /** Ends a sentence about the file. */
  detail: Schema.String,
  /** The next thing to try. */
  hint: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Reads the text of PDFs. Without a layer nothing can. */
export const PdfReader = Context.Reference<{
  /**
   * The text of a PDF. A hostile one must not hold up the caller: time, memory and pages are limited by the layer. Fails
   * when nothing of it can be read: it is damaged, has a password, or goes past a limit before its first page.
   */
  readonly read: (bytes: Uint8Array) => Effect.Effect<PdfText, PdfUnreadable>
}>("toolkit/PdfReader", {
  defaultValue: () => ({
    read: () =>
      Effect.fail(
        new PdfUnreadable({
          detail: "nothing here reads the text of a PDF",
          hint: "save it as text, and attach that"
        })
      )
  })
})
