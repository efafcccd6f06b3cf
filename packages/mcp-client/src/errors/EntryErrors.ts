/** The failures of an entry of a configuration, or of its approval, before anything runs. */
import * as CleanText from "../base/CleanText.ts"
import { reason } from "./Reason.ts"

/** The entry cannot be used as it is written. */
export class InvalidEntry extends reason<{
  readonly detail: string
  readonly try: string
}>()("InvalidEntry", {
  message: ({ detail }) => detail,
  hint: (fields) => fields.try
}) {}

/** A variable of the entry is not set. */
export class VariableUnset extends reason<{
  readonly detail: string
  readonly try: string
}>()("VariableUnset", {
  message: ({ detail }) => detail,
  hint: (fields) => fields.try
}) {}

/** The entry is personal, and the person has not given a value that it uses. */
export class TokenNeeded extends reason<{
  readonly server: string
  readonly name: string
}>()("TokenNeeded", {
  message: ({ name }) => `it needs your token ${name}`,
  hint: ({ name, server }) =>
    `give it on the page, at ${
      CleanText.visibleWord(server)
    } or under Your account, or with boocode mcp secret set ${name}`
}) {}

/** The entry is personal, and as many people's servers run as it allows. */
export class TooManyInstances extends reason<{ readonly most: number }>()("TooManyInstances", {
  message: ({ most }) => `${most} people use this server now, and no more may at once`,
  hint: () =>
    "try again in a while: a server that nobody calls ends by itself; \"maxInstances\" of the entry lets in more"
}) {}

/** The command is nowhere on the searched path. */
export class CommandNotFound extends reason<{
  readonly command: string
  /** For a command that is a path from the entry's folder, that folder alone. */
  readonly searched: ReadonlyArray<string>
}>()("CommandNotFound", {
  message: ({ command, searched }) => {
    const where = isPath(command)
      ? ["there is no such file", ...searched].join(" in ")
      : `searched ${searched.join(":") || "nothing, PATH is empty"}`
    return `command not found: ${command} (${where})`
  },
  hint: ({ command }) => {
    if (/\s/.test(command)) return `"command" is the program alone; what follows it belongs into "args"`
    if (isPath(command)) return `check the path, or install what belongs there`
    const maker = MAKERS[command]
    return maker === undefined
      ? `install ${command}, or write its full path as "command"`
      : `${command} comes with ${maker}: install that, or write the full path of ${command} as "command"`
  }
}) {}

const isPath = (command: string): boolean => /[/\\]/.test(command)

/** The products that bring the commands of most entries. */
const MAKERS: Readonly<Record<string, string>> = {
  bunx: "Bun",
  docker: "Docker",
  node: "Node.js",
  npm: "Node.js",
  npx: "Node.js",
  uv: "uv (docs.astral.sh/uv)",
  uvx: "uv (docs.astral.sh/uv)"
}

/** The entry comes from a project file and nobody approved it. */
export class NotApproved extends reason<{
  readonly server: string
  readonly file: string
}>()("NotApproved", {
  message: ({ file }) => `${file} is a project file, and its servers do not start until somebody approved them`,
  hint: ({ server }) =>
    `read the entry; to let it start, boocode mcp approve ${CleanText.visibleWord(server)}, or approve it on the page`
}) {}

/** A person said that the server is not to start. */
export class Rejected extends reason<{ readonly server: string }>()("Rejected", {
  message: () => "it was rejected, so it does not start",
  hint: ({ server }) => `boocode mcp revoke ${CleanText.visibleWord(server)} forgets that`
}) {}

/** A decision could not be kept, so it does not count. */
export class DecisionNotKept extends reason<{ readonly detail: string }>()("DecisionNotKept", {
  message: ({ detail }) => `nothing was decided: ${detail}`,
  hint: "check that the folder for state may be written, or approve it for this run only"
}) {}

/** The entry changed after a person looked at it. */
export class EntryChanged extends reason<{ readonly file: string }>()("EntryChanged", {
  message: ({ file }) => `${file} or the tools changed since you looked at them, so nothing was decided`,
  hint: "look at it again, then decide"
}) {}

/** A decision on an entry that needs none. */
export class ApprovalNotNeeded extends reason<{ readonly file: string }>()("ApprovalNotNeeded", {
  message: ({ file }) => `${file} is no project file, so its servers need no approval`,
  hint: "to keep the server from starting, disable it or remove its entry"
}) {}

/** The tool is not the one that was approved. */
export class ToolsChanged extends reason<{
  readonly server: string
  readonly tool: string
  readonly detail: string
}>()("ToolsChanged", {
  message: ({ detail, tool }) => `${tool} is blocked: ${detail}`,
  hint: ({ server }) =>
    `look at what changed; to accept it, boocode mcp approve ${
      CleanText.visibleWord(server)
    }, or approve it on the page`
}) {}
