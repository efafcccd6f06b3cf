/** The servers as `mcp list` shows them to people. */
import type { ServerState, ServerStatus } from "@boocode/mcp-registry"
import { counted, indented, oneLine, pad, type Paint } from "../terminal/Output.ts"

/** One line a server, and below it its error, its rejected tools and its warnings. */
export const serverLines = (servers: ReadonlyArray<ServerStatus>, paint: Paint): ReadonlyArray<string> => {
  if (servers.length === 0) return ["no servers are configured"]
  const name = widest(servers.map((server) => oneLine(server.name)))
  const state = widest(servers.map(stateWord))
  const facts = widest(servers.map(factsOf))
  return servers.flatMap((server) => [
    [
      paint.bold(pad(oneLine(server.name), name)),
      stateColour(server.state, paint)(pad(stateWord(server), state)),
      pad(factsOf(server), facts),
      paint.dim(oneLine(server.source))
    ].join("  ").trimEnd(),
    ...details(server, paint)
  ])
}

/** Whether a person rejected it. */
export const isRejected = ({ error, state }: ServerStatus): boolean =>
  state === "needs-approval" && error?._tag === "Rejected"

const stateWord = (server: ServerStatus): string => isRejected(server) ? "rejected" : server.state

const widest = (texts: ReadonlyArray<string>): number => Math.max(...texts.map((text) => [...text].length))

const factsOf = (server: ServerStatus): string => {
  if (server.state !== "ready") return ""
  const millis = server.connectMillis === null ? "" : `  ${Math.round(server.connectMillis)} ms`
  const asks = server.asks === 0 ? "" : `, ${server.asks} ask${server.asks === 1 ? "s" : ""} first`
  const tools = `${counted(server.tools, "tool")}${asks}, ${server.tokens} tokens`
  const signedIn = server.auth?.signedIn === true ? "  signed in" : ""
  return `${tools}${server.idle ? "  idle" : millis}${signedIn}`
}

const details = (server: ServerStatus, paint: Paint): ReadonlyArray<string> => [
  ...(server.error === null ? [] : errorLines(server.error, paint)),
  ...rejectedLines(server).map((line) => `  ${paint.dim(line)}`),
  ...server.warnings.map((warning) => `  ${paint.careful("warning")} ${oneLine(warning, 400)}`)
]

/** One line a reason: a server's writing tools are usually rejected for the same reason. */
const rejectedLines = ({ rejected, rejectedMore }: ServerStatus): ReadonlyArray<string> => {
  const byReason = Map.groupBy(rejected, (one) => one.reason)
  const named = [...byReason].map(([reason, some]) =>
    `rejected ${listed(some.map((one) => oneLine(one.tool)))}: ${oneLine(reason)}`
  )
  return rejectedMore === 0 ? named : [...named, `rejected ${rejectedMore} more`]
}

const NAMES = 10

const listed = (names: ReadonlyArray<string>): string =>
  names.length <= NAMES ? names.join(", ") : `${names.slice(0, NAMES).join(", ")} and ${names.length - NAMES} more`

const errorLines = (error: NonNullable<ServerStatus["error"]>, paint: Paint): ReadonlyArray<string> => [
  `  ${paint.bad(oneLine(error.message, 400))}`,
  `  ${oneLine(error.hint, 400)}`,
  ...(error.stderr === null ? [] : lastLines(error.stderr).map((line) => paint.dim(line)))
]

const STDERR_LINES = 10

const lastLines = (stderr: string): ReadonlyArray<string> => indented(stderr, "    | ").slice(-STDERR_LINES)

const stateColour = (state: ServerState, paint: Paint): (text: string) => string => {
  if (state === "ready") return paint.good
  if (state === "failed" || state === "needs-auth") return paint.bad
  return state === "needs-approval" ? paint.careful : paint.dim
}

/** One line about each enabled server whose tools are missing. */
export const missingLines = (servers: ReadonlyArray<ServerStatus>, paint: Paint): ReadonlyArray<string> =>
  servers
    .filter((server) => server.state !== "ready" && server.state !== "disabled" && !isRejected(server))
    .map((server) => {
      const why = server.error === null ? "" : `: ${oneLine(server.error.message, 300)}`
      return `${paint.careful("warning")}  ${oneLine(server.name)} is ${server.state}${why}`
    })
