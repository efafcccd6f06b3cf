/** A problem of a file that a person writes, such as permissions.jsonc or gateway.jsonc, and its place. */
import * as Data from "effect/Data"

/** One thing that cannot be understood or does not count. Places start at 1; null when the file could not be read at all. */
export class FileProblem extends Data.TaggedError("FileProblem")<{
  /** The file as a person would name it. */
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  /** The path of the key, for instance `rules[2].where.path`; null for the file as a whole. */
  readonly key: string | null
  readonly detail: string
  /** The change that mends it. */
  readonly hint: string
}> {
  /** Names the place, the key and the trouble. */
  override get message(): string {
    const place = this.line === null ? "" : `:${this.line}:${this.column ?? 1}`
    return `${this.file}${place}: ${this.key === null ? "" : `${this.key}: `}${this.detail}`
  }
}
