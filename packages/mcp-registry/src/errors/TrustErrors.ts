/**
 * What nobody approved, and decisions that do not count.
 */
import * as Data from "effect/Data"
import * as Visible from "../trust/Visible.ts"
import type { Details } from "./Words.ts"

/** The entry comes from a project file and nobody approved it. @category reasons */
export class NotApproved extends Data.TaggedError("NotApproved")<{
  readonly server: string
  readonly file: string
}> implements Details {
  override get message() {
    return `${this.file} is a project file, and its servers do not start until somebody approved them`
  }
  get hint() {
    return `read the entry; to let it start, boocode mcp approve ${
      Visible.word(this.server)
    }, or approve it on the page`
  }
}

/** A person said that the server is not to start. @category reasons */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly server: string
}> implements Details {
  override get message() {
    return "it was rejected, so it does not start"
  }
  get hint() {
    return `boocode mcp revoke ${Visible.word(this.server)} forgets that`
  }
}

/** A decision could not be kept, so it does not count. @category reasons */
export class DecisionNotKept extends Data.TaggedError("DecisionNotKept")<{
  readonly detail: string
}> implements Details {
  override get message() {
    return `nothing was decided: ${this.detail}`
  }
  get hint() {
    return "check that the folder for state may be written, or approve it for this run only"
  }
}

/** What a person looked at is not what is there any more. @category reasons */
export class EntryChanged extends Data.TaggedError("EntryChanged")<{
  readonly file: string
}> implements Details {
  override get message() {
    return `${this.file} or the tools changed since you looked at them, so nothing was decided`
  }
  get hint() {
    return "look at it again, then decide"
  }
}

/** A decision on an entry that needs none. @category reasons */
export class ApprovalNotNeeded extends Data.TaggedError("ApprovalNotNeeded")<{
  readonly file: string
}> implements Details {
  override get message() {
    return `${this.file} is no project file, so its servers need no approval`
  }
  get hint() {
    return "to keep the server from starting, disable it or remove its entry"
  }
}

/** The tool is not the one that was approved. @category reasons */
export class ToolsChanged extends Data.TaggedError("ToolsChanged")<{
  readonly server: string
  readonly tool: string
  readonly detail: string
}> implements Details {
  override get message() {
    return `${this.tool} is blocked: ${this.detail}`
  }
  get hint() {
    return `look at what changed; to accept it, boocode mcp approve ${
      Visible.word(this.server)
    }, or approve it on the page`
  }
}
