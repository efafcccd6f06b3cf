/** A server's state in words and colours, and what can be done in it. Pure. */
import type { ServerStatus } from "../api/Types.ts"
import { duration, short } from "../messages/Numbers.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import type { Applied } from "../state/Live.ts"
import type { Verb } from "./ServersClient.ts"

interface Shown {
  readonly words: string
  readonly tone: "good" | "bad" | "warn" | "busy" | "none"
}

const TONES = {
  ready: "good",
  connecting: "busy",
  failed: "bad",
  "needs-auth": "warn",
  "needs-approval": "warn",
  disabled: "none",
  stopped: "none"
} as const

export const shown = ({ error, idle, state }: Pick<ServerStatus, "error" | "idle" | "state">): Shown => ({
  words: error?._tag === "TokenNeeded"
    ? words.needsToken
    : state === "ready" && idle
    ? words.states.idle
    : words.states[state],
  tone: TONES[state]
})

/** Whether a file of this name is one that a project may bring. A person's own `~/.mcprc` is called the same. */
export const mayBeOfProject = ({ source }: Pick<ServerStatus, "source">): boolean =>
  /(^|[/\\])\.(mcp\.json|mcprc)$/.test(source)

export interface Verbs {
  /** The one thing to do next; null where nothing waits for it. */
  readonly main: Verb | null
  readonly more: ReadonlyArray<Verb>
}

export const verbs = (status: Pick<ServerStatus, "source" | "state">): Verbs => {
  // To turn on and off writes the file of the entry, and a project's file belongs to others too.
  const isOwn = !mayBeOfProject(status)
  const off: ReadonlyArray<Verb> = isOwn ? ["disable"] : []
  switch (status.state) {
    // One that needs approval does not start however often it is asked to.
    case "needs-approval":
      return { main: null, more: [] }
    case "ready":
      return { main: null, more: ["restart", "refresh", "stop", ...off] }
    case "connecting":
      return { main: null, more: ["restart", "stop", ...off] }
    case "needs-auth":
      return { main: null, more: ["start", ...off] }
    case "disabled":
      return isOwn ? { main: "enable", more: ["start"] } : { main: "start", more: [] }
    case "failed":
    case "stopped":
      return { main: "start", more: off }
  }
}

export const facts = (status: ServerStatus): ReadonlyArray<string> => {
  const { connectMillis, for: audience, idle, instances = 0, restarts, sharing, state, tokens, tools, transport } =
    status
  return [
    ...(state === "ready"
      ? [words.facts.tools(tools), words.facts.tokens(short(tokens))]
      : [transport === null ? words.unknownTransport : words.transports[transport]]),
    ...(state === "ready" && connectMillis !== null && !idle ? [words.facts.up(duration(connectMillis))] : []),
    ...(restarts > 0 ? [words.facts.restarts(restarts)] : []),
    ...(sharing === "personal" ? [words.facts.personal(instances)] : []),
    ...(audience === undefined ? [] : [words.facts.for(audience.join(", "))])
  ]
}

/** The offerings it declares, in words; nothing while they are not known. */
export const offered = ({ capabilities }: Pick<ServerStatus, "capabilities">): ReadonlyArray<string> =>
  capabilities === null ? [] : OFFERS.filter(([key]) => capabilities[key]).map(([, words]) => words)

const OFFERS = [
  ["tools", texts.tools],
  ["prompts", texts.prompts],
  ["resources", texts.resources],
  ["subscribe", texts.updatesOfResources],
  ["completions", "completions"],
  ["logging", texts.logMessages]
] as const

export const TRANSPORTS: Readonly<Record<string, string>> = {
  stdio: texts.commandStdio,
  streamableHttp: texts.streamableHttp,
  sse: texts.httpWithSse
}

const NAMED = 3

const someOf = (names: ReadonlyArray<string>): string =>
  names.length <= NAMED
    ? names.join(", ")
    : `${names.slice(0, NAMED).join(", ")} ${words.andMore(names.length - NAMED)}`

/** The outcome of a change of the configuration, with at most three names for each verb. */
export const appliedWords = (applied: Applied): string => {
  const parts = (["added", "changed", "removed"] as const)
    .filter((verb) => applied[verb].length > 0)
    .map((verb) => `${words.configVerbs[verb]} ${someOf(applied[verb])}`)
  return parts.length === 0 ? words.unchanged : words.configChanged(parts.join("; "))
}
