/** A server, tool, prompt or resource that is not there, or not in the state for what is asked of it. */
import { nearestHint } from "./ErrorWords.ts"
import { reason } from "./Reason.ts"

/** `start` of a server that runs. */
export class AlreadyRunning extends reason<{ readonly state: string }>()("AlreadyRunning", {
  message: ({ state }) => `the server is already running (${state})`,
  hint: "use restart to start it anew"
}) {}

/** `stop` of a server that does not run. */
export class NotRunning extends reason<{ readonly state: string }>()("NotRunning", {
  message: ({ state }) => `the server is not running (${state})`,
  hint: "start it first: boocode mcp start, or the page"
}) {}

/** No server of that name is configured. */
export class UnknownServer extends reason<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
}>()("UnknownServer", {
  message: ({ name }) => `no server is called ${name}`,
  hint: ({ nearest }) => nearestHint(nearest, "boocode mcp list shows which servers there are")
}) {}

/** No tool of that name is known. */
export class UnknownTool extends reason<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
  /** Why whole configuration files are not used. Default: nothing. */
  readonly files?: ReadonlyArray<string> | undefined
}>()("UnknownTool", {
  message: ({ name }) => `no tool is called ${name}`,
  hint: ({ files = [], nearest }) =>
    [...files, nearestHint(nearest, "boocode mcp tools shows which there are")].join("; ")
}) {}

/** The server has no prompt of that name. */
export class UnknownPrompt extends reason<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
}>()("UnknownPrompt", {
  message: ({ name }) => `it has no prompt called ${name}`,
  hint: ({ nearest }) => nearestHint(nearest, "boocode mcp prompts shows which prompts there are")
}) {}

/** The server has no resource of that URI. */
export class UnknownResource extends reason<{
  readonly uri: string
  readonly nearest: ReadonlyArray<string>
  /** The server's words, where it was asked. */
  readonly detail?: string
}>()("UnknownResource", {
  message: ({ detail, uri }) => `it has no resource ${uri}${detail === undefined ? "" : `: ${detail}`}`,
  hint: ({ nearest }) => nearestHint(nearest, "boocode mcp resources shows which resources there are")
}) {}

/** The server does not declare what was asked of it, so it was not asked. */
export class NotOffered extends reason<{
  /** The thing in words, for instance `prompts`. */
  readonly what: string
}>()("NotOffered", {
  message: ({ what }) => `the server does not offer ${what}`,
  hint: "boocode mcp list --json shows what the server says that it can do, under capabilities"
}) {}

/** The tool was left out at discovery, so it is not called either. */
export class RejectedByPolicy extends reason<{
  readonly tool: string
  readonly why: string
  /** Advice for a person. Default: look at the list. */
  readonly advice?: string | null | undefined
}>()("RejectedByPolicy", {
  message: ({ tool, why }) => `${tool} was rejected: ${why}`,
  hint: ({ advice }) => advice ?? "boocode mcp list shows which tools were rejected, and why"
}) {}

/** The server of the tool is not ready. */
export class NotReady extends reason<{
  readonly state: string
  readonly why: string | null
}>()("NotReady", {
  message: ({ state, why }) => `the server is ${state}${why === null ? "" : `: ${why}`}`,
  hint: ({ state }) => {
    if (state === "needs-approval") return "approve the server first: boocode mcp approve, or the page"
    return state === "connecting" ? "try again in a moment" : "start it: boocode mcp start or restart, or the page"
  }
}) {}
