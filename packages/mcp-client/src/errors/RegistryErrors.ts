/**
 * What is asked of a server or tool that is not there, or not in the state for it.
 */
import * as Data from "effect/Data"
import * as CleanText from "../base/CleanText.ts"
import { type Details, nearestHint } from "./ErrorWords.ts"

/** `start` of a server that runs. @category reasons */
export class AlreadyRunning extends Data.TaggedError("AlreadyRunning")<{
  readonly state: string
}> implements Details {
  override get message() {
    return `the server is already running (${this.state})`
  }
  get hint() {
    return "use restart to start it anew"
  }
}

/** `stop` of a server that does not run. @category reasons */
export class NotRunning extends Data.TaggedError("NotRunning")<{
  readonly state: string
}> implements Details {
  override get message() {
    return `the server is not running (${this.state})`
  }
  get hint() {
    return "start it first: boocode mcp start, or the page"
  }
}

/** No server of that name is configured. @category reasons */
export class UnknownServer extends Data.TaggedError("UnknownServer")<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
}> implements Details {
  override get message() {
    return `no server is called ${this.name}`
  }
  get hint() {
    return nearestHint(this.nearest, "mcp list shows which servers there are")
  }
}

/** No tool of that name is known. @category reasons */
export class UnknownTool extends Data.TaggedError("UnknownTool")<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
  /** What keeps whole configuration files from being used. Default: nothing. */
  readonly files?: ReadonlyArray<string> | undefined
}> implements Details {
  override get message() {
    return `no tool is called ${this.name}`
  }
  get hint() {
    const hint = nearestHint(this.nearest, "list the tools to see which there are")
    return [...this.files ?? [], hint].join("; ")
  }
}

/** The server has no prompt of that name. @category reasons */
export class UnknownPrompt extends Data.TaggedError("UnknownPrompt")<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
}> implements Details {
  override get message() {
    return `it has no prompt called ${this.name}`
  }
  get hint() {
    return nearestHint(this.nearest, "mcp prompts shows which prompts there are")
  }
}

/** The server has no resource of that URI. @category reasons */
export class UnknownResource extends Data.TaggedError("UnknownResource")<{
  readonly uri: string
  readonly nearest: ReadonlyArray<string>
  /** The words of the server, where it was asked. */
  readonly detail?: string
}> implements Details {
  override get message() {
    return `it has no resource ${this.uri}${this.detail === undefined ? "" : `: ${this.detail}`}`
  }
  get hint() {
    return nearestHint(this.nearest, "mcp resources shows which resources there are")
  }
}

/** The server does not offer what was asked of it, and was not asked where it says so itself. @category reasons */
export class NotOffered extends Data.TaggedError("NotOffered")<{
  /** What a person would call it. */
  readonly what: string
}> implements Details {
  override get message() {
    return `the server does not offer ${this.what}`
  }
  get hint() {
    return "mcp list --json shows what the server says that it can do, under capabilities"
  }
}

/** The tool was left out at discovery, so it is not called either. @category reasons */
export class RejectedByPolicy extends Data.TaggedError("RejectedByPolicy")<{
  readonly tool: string
  readonly why: string
}> implements Details {
  override get message() {
    return `${this.tool} was rejected: ${this.why}`
  }
  get hint() {
    return "mcp list shows which tools were rejected, and why"
  }
}

/** The server of the tool is not ready. @category reasons */
export class NotReady extends Data.TaggedError("NotReady")<{
  readonly state: string
  readonly why: string | null
}> implements Details {
  override get message() {
    return `the server is ${this.state}${this.why === null ? "" : `: ${this.why}`}`
  }
  get hint() {
    if (this.state === "needs-approval") return "approve the server first: boocode mcp approve, or the page"
    return this.state === "connecting" ? "try again in a moment" : "start it: boocode mcp start or restart, or the page"
  }
}

// What is wrong with an entry before anything runs.

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

// What nobody approved, and decisions that do not count.

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
      CleanText.visibleWord(this.server)
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
    return `boocode mcp revoke ${CleanText.visibleWord(this.server)} forgets that`
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
      CleanText.visibleWord(this.server)
    }, or approve it on the page`
  }
}
