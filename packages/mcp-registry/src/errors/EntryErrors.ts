/**
 * What is wrong with an entry before anything runs.
 */
import * as Data from "effect/Data"
import type { Details } from "./Words.ts"

/** The entry cannot be used as it is written. @category reasons */
export class InvalidEntry extends Data.TaggedError("InvalidEntry")<{
  readonly detail: string
  readonly try: string
}> implements Details {
  override get message() {
    return this.detail
  }
  get hint() {
    return this.try
  }
}

/** A variable of the entry is not set. @category reasons */
export class VariableUnset extends Data.TaggedError("VariableUnset")<{
  readonly detail: string
  readonly try: string
}> implements Details {
  override get message() {
    return this.detail
  }
  get hint() {
    return this.try
  }
}

/** The command is nowhere on the searched path. @category reasons */
export class CommandNotFound extends Data.TaggedError("CommandNotFound")<{
  readonly command: string
  /** For a command that is a path from the entry's folder, that folder alone. */
  readonly searched: ReadonlyArray<string>
}> implements Details {
  override get message() {
    const where = this.isPath
      ? ["there is no such file", ...this.searched].join(" in ")
      : `searched ${this.searched.join(":") || "nothing, PATH is empty"}`
    return `command not found: ${this.command} (${where})`
  }
  get hint() {
    if (/\s/.test(this.command)) return `"command" is the program alone; what follows it belongs into "args"`
    if (this.isPath) return `check the path, or install what belongs there`
    const maker = MAKERS[this.command]
    return maker === undefined
      ? `install ${this.command}, or write its full path as "command"`
      : `${this.command} comes with ${maker}: install that, or write the full path of ${this.command} as "command"`
  }
  private get isPath() {
    return /[/\\]/.test(this.command)
  }
}

/** What the commands that most entries name come with. */
const MAKERS: Readonly<Record<string, string>> = {
  bunx: "Bun",
  docker: "Docker",
  node: "Node.js",
  npm: "Node.js",
  npx: "Node.js",
  uv: "uv (docs.astral.sh/uv)",
  uvx: "uv (docs.astral.sh/uv)"
}
