/**
 * What is asked of a server or tool that is not there, or not in the state for it.
 */
import * as Data from "effect/Data"
import { type Details, nearestHint } from "./Words.ts"

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
