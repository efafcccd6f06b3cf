/** Why a write is not undone. */
import * as Schema from "effect/Schema"

/** Nothing is kept of the write. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {
  id: Schema.String,
  /** Why nothing is kept. */
  why: Schema.String
}) {
  override get message(): string {
    return `${this.id} cannot be undone: ${this.why}`
  }
  get hint(): string {
    return "what writes replaced is kept for 30 days, the newest 100 MB of it"
  }
}

/** The write was undone before. */
export class AlreadyUndone extends Schema.TaggedError<AlreadyUndone>()("AlreadyUndone", {
  id: Schema.String,
  /** When, in ISO 8601. */
  at: Schema.String
}) {
  override get message(): string {
    return `this was undone already, at ${this.at}`
  }
  get hint(): string {
    return "there is nothing left to do"
  }
}

/** Something else changed what the write left, and undoing it would take that back, too. */
export class ChangedSince extends Schema.TaggedError<ChangedSince>()("ChangedSince", {
  /** The path, as the write named it. */
  name: Schema.String,
  /** The content that stands in place of the one that the write left. */
  found: Schema.String
}) {
  override get message(): string {
    return `this was not undone: ${this.name} ${this.found}`
  }
  get hint(): string {
    return "undo the later changes first, the newest before the others"
  }
}

/** The disk or the server did not do what undoing takes. */
export class UndoFailed extends Schema.TaggedError<UndoFailed>()("UndoFailed", { why: Schema.String }) {
  override get message(): string {
    return `this was not undone: ${this.why}`
  }
  get hint(): string {
    return "what was there before is still kept; mend the cause and try again"
  }
}

export type UndoError = NothingToUndo | AlreadyUndone | ChangedSince | UndoFailed
