/** A server's state in words and colours, and what can be done in it. Pure. */
import type { ServerState, ServerStatus } from "../api/Types.ts"
import type { Tone } from "../ui/Badge.tsx"
import { count, duration, short } from "../ui/Numbers.ts"
import type { Verb } from "./ServersClient.ts"

interface Shown {
  readonly words: string
  readonly tone: Tone | "busy" | "none"
}

const STATES: Readonly<Record<ServerState, Shown>> = {
  ready: { words: "ready", tone: "good" },
  connecting: { words: "connecting", tone: "busy" },
  failed: { words: "failed", tone: "bad" },
  "needs-auth": { words: "needs login", tone: "bad" },
  "needs-approval": { words: "needs approval", tone: "warn" },
  disabled: { words: "disabled", tone: "none" },
  stopped: { words: "stopped", tone: "none" }
}

export const shown = ({ idle, state }: Pick<ServerStatus, "idle" | "state">): Shown =>
  state === "ready" && idle ? { words: "idle", tone: "good" } : STATES[state]

/** Whether a file of this name is one that a project may bring. A person's own `~/.mcprc` is called the same. */
export const mayBeOfProject = ({ source }: Pick<ServerStatus, "source">): boolean =>
  /(^|[/\\])\.(mcp\.json|mcprc)$/.test(source)

/** What can be done with a server now, the most wanted first. */
export const verbs = (status: Pick<ServerStatus, "source" | "state">): ReadonlyArray<Verb> => {
  const { state } = status
  // One that needs approval does not start however often it is asked to.
  if (state === "needs-approval") return []
  const now: ReadonlyArray<Verb> = state === "ready"
    ? ["restart", "stop", "refresh"]
    : state === "connecting"
    ? ["restart", "stop"]
    : ["start"]
  // These two write the file of the entry, and a project's file belongs to others too.
  return mayBeOfProject(status) ? now : [...now, state === "disabled" ? "enable" : "disable"]
}

/** The few facts beside a server's name. */
export const facts = (status: ServerStatus): ReadonlyArray<string> => {
  const { connectMillis, idle, restarts, state, tokens, tools, transport } = status
  return [
    TRANSPORTS[transport ?? ""] ?? "unknown transport",
    ...(state === "ready" ? [count(tools, "tool"), `${short(tokens)} tokens`] : []),
    ...(state === "ready" && connectMillis !== null && !idle ? [`up in ${duration(connectMillis)}`] : []),
    ...(idle ? ["starts when it is called"] : []),
    ...(state === "disabled" ? [`not enabled in ${status.source}`] : []),
    ...(restarts > 0 ? [count(restarts, "restart")] : [])
  ]
}

/** What it says that it offers, in words; nothing while that is not known. */
export const offered = ({ capabilities }: Pick<ServerStatus, "capabilities">): ReadonlyArray<string> =>
  capabilities === null ? [] : OFFERS.filter(([key]) => capabilities[key]).map(([, words]) => words)

const OFFERS = [
  ["tools", "tools"],
  ["prompts", "prompts"],
  ["resources", "resources"],
  ["subscribe", "updates of resources"],
  ["completions", "completions"],
  ["logging", "log messages"]
] as const

export const TRANSPORTS: Readonly<Record<string, string>> = {
  stdio: "command (stdio)",
  streamableHttp: "Streamable HTTP",
  sse: "HTTP with SSE"
}
