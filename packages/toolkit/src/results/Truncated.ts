/** Says that a result was cut. */
import * as Schema from "effect/Schema"

const KeptText = Schema.Struct({ bytes: Schema.Finite, file: Schema.NullOr(Schema.String) })

/**
 * Says that a result was cut, and where the whole of it is: its text or, when the text is whole, the blocks or the
 * structured content that were left out.
 */
export const Truncated = Schema.Struct({
  bytes: Schema.Finite,
  shownBytes: Schema.Finite,
  /** The handle that `view_file` reads; null when it could not be kept. */
  file: Schema.NullOr(Schema.String),
  /** The whole text, when it was cut or a model reads only a part of it; else null. */
  text: Schema.NullOr(KeptText)
})
