/** The errors of a configuration. Each message names the place, each hint says what to change. */
import * as Data from "effect/Data"
import { personalName, WORKSPACE } from "../text/Template.ts"

/** A whole file that cannot be used: it is not JSON, or its top level is not what its shape asks for. */
export class InvalidFile extends Data.TaggedError("InvalidFile")<{
  readonly file: string
  /** 1-based; null when the file could not be read at all. */
  readonly line: number | null
  readonly column: number | null
  readonly detail: string
  readonly cause?: unknown
}> {
  /** Names the place and the trouble. */
  override get message(): string {
    const place = this.line === null ? "" : `:${this.line}:${this.column ?? 1}`
    return `${this.file}${place}: ${this.detail}`
  }
  /** Says what to try. */
  get hint(): string {
    return this.line === null ? "name an ordinary file that exists and may be read" : "correct the file at that place"
  }
}

/** One entry that cannot be used. It disables itself alone. */
export class InvalidEntry extends Data.TaggedError("InvalidEntry")<{
  readonly server: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** The path of the key, for instance `mcpServers.files.timeout`. */
  readonly key: string
  readonly detail: string
  readonly hint: string
}> {
  /** Names the file, the place, the key and the trouble. */
  override get message(): string {
    return `${this.file}:${this.line}:${this.column}: ${this.key}: ${this.detail}`
  }
}

/** A variable without a default that is not set. It fails the server that needs it, by name. */
export class VariableUnset extends Data.TaggedError("VariableUnset")<{
  readonly server: string
  readonly file: string
  readonly line: number
  readonly column: number
  readonly key: string
  readonly variable: string
}> {
  /** The name that a person knows it by; null for a variable that is the same for all. */
  get own(): string | null {
    return personalName(this.variable)
  }
  /** Names the variable and the key that needs it. */
  override get message(): string {
    const place = `${this.file}:${this.line}:${this.column}: ${this.key}`
    return this.own === null
      ? `${place} needs the variable ${this.variable}, which is not set`
      : `${place} takes ${this.own} from each person, and you have given none`
  }
  /** Says what to try. */
  get hint(): string {
    if (this.variable === WORKSPACE) {
      return "where there are people, the log says why theirs cannot be used; else write the path itself"
    }
    if (this.own !== null) return `boocode mcp secret set ${this.own}, or give it on the page`
    return `set ${this.variable} in the environment or in .env beside the file, or write \${${this.variable}:-default}`
  }
}
