/** The servers as `mcp list` shows them to people. */
import type { ServerState, ServerStatus } from "@boocode/mcp-registry"
import type { PermissionRule } from "@boocode/toolkit"
import { cut, padded, widest, wrapped } from "../terminal/Layout.ts"
import { counted, indented, oneLine, type Paint } from "../terminal/Output.ts"

/**
 * A row for each server, and where there is more to tell, rows below it; then how many are in which state, and the write
 * mode.
 */
export const listLines = (
  { servers, write }: { readonly servers: ReadonlyArray<ServerStatus>; readonly write: WriteMode },
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  if (servers.length === 0) return ["no servers are configured"]
  const failed = servers.some(({ state }) => state === "failed")
  return [
    ...serverLines(servers, paint, columns, write),
    "",
    `  ${summary(servers)}.${failed ? paint.dim(paint.typed("  Details: boocode mcp doctor NAME")) : ""}`,
    ...wrapped(MODES[write], columns, "  "),
    ...(write === "off" && servers.some(({ isTrusted, offer }) => isTrusted && offer !== null)
      ? [paint.dim(paint.typed(OFFER))]
      : [])
  ]
}

type WriteMode = PermissionRule.WriteMode

const MODES: Readonly<Record<WriteMode, string>> = {
  off: "Write mode off: tools that write are not called.",
  ask: "Write mode ask: each call of a tool that writes asks you first, unless a rule is about it.",
  rules: "Write mode rules: tools that write are called where a rule allows it."
}

const OFFER = "  Offer tools that write, each call with your yes: boocode mcp writes NAME ask"

export const serverLines = (
  servers: ReadonlyArray<ServerStatus>,
  paint: Paint,
  columns: number,
  write: WriteMode = "off"
): ReadonlyArray<string> => {
  const most = Number.isFinite(columns) ? 24 : Infinity
  const name = Math.min(most, widest(servers.map((server) => oneLine(server.name))))
  const state = widest(servers.map(stateWord))
  const places = new Set(servers.map(({ source }) => source)).size
  const hasPersonal = servers.some(({ sharing }) => sharing === "personal")
  return servers.flatMap((server) => {
    const lead = " ".repeat(2 + name + 2 + state + 2)
    const told = details(server, { hasPersonal, hasPlaces: places > 1, write }, paint).flatMap((text) =>
      wrapped(text, columns, lead)
    )
    const shown = stateColour(server.state, paint)(padded(stateWord(server), told.length === 0 ? 0 : state))
    const head = `  ${paint.bold(padded(cut(server.name, name), name))}  ${shown}  `
    const [first = "", ...rest] = told
    return [`${head}${first.slice(lead.length)}`.trimEnd(), ...rest]
  })
}

export const isRejected = ({ error, state }: ServerStatus): boolean =>
  state === "needs-approval" && error?._tag === "Rejected"

const WORDS: Readonly<Record<ServerState, string>> = {
  connecting: "starting",
  disabled: "off",
  failed: "failed",
  "needs-approval": "approve",
  "needs-auth": "log in",
  ready: "ready",
  stopped: "stopped"
}

const stateWord = (server: ServerStatus): string =>
  isRejected(server) ? "rejected" : server.error?._tag === "TokenNeeded" ? "your token" : WORDS[server.state]

const summary = (servers: ReadonlyArray<ServerStatus>): string => {
  const counts = Map.groupBy(servers, (server) => isRejected(server) ? "rejected" : server.state)
  const words = { ...WORDS, "needs-auth": "to log in", "needs-approval": "to approve", rejected: "rejected" }
  return Object.entries(words).toSorted(([one], [other]) => order(one) - order(other)).flatMap(([state, word]) => {
    const number = [...counts].find(([key]) => key === state)?.[1].length ?? 0
    return number === 0 ? [] : [`${number} ${word}`]
  }).join(", ")
}

const ORDER = ["ready", "connecting", "needs-auth", "needs-approval", "failed", "stopped", "rejected", "disabled"]

const order = (state: string): number => ORDER.indexOf(state)

interface Shown {
  /** Whether it is worth a word that all people share the others. */
  readonly hasPersonal: boolean
  readonly hasPlaces: boolean
  readonly write: WriteMode
}

const details = (
  server: ServerStatus,
  { hasPersonal, hasPlaces, write }: Shown,
  paint: Paint
): ReadonlyArray<string> => {
  const source = [
    ...hasPersonal ? [sharingWords(server)] : [],
    ...server.for === undefined ? [] : [`for ${oneLine(server.for.join(", ")) || "nobody"}`],
    ...hasPlaces ? [oneLine(server.source)] : []
  ]
  const facts = [...factsOf(server, write), ...source]
  return [
    ...(server.state === "ready" ? [paint.dim(facts.join("  "))] : []),
    ...(server.error === null ? [] : errorLines(server.error, paint)),
    ...server.warnings.map((warning) => `${paint.careful("warning")} ${oneLine(warning, 400)}`),
    ...(server.state === "ready" ? [] : source.map(paint.dim))
  ]
}

const sharingWords = ({ instances = 0, sharing }: ServerStatus): string =>
  sharing === "personal" ? `personal, ${instances} running` : sharing

const factsOf = (server: ServerStatus, write: WriteMode): ReadonlyArray<string> => {
  const { classes: { destroys, undeclared, writes } } = server
  const writers = writes + destroys
  const isOffered = server.writes === "ask"
  const others = server.rejected.length + server.rejectedMore - (isOffered ? 0 : writers)
  const asks = server.asks - (isOffered ? writers : 0)
  const mode = server.writes === "off" ? "off" : isOffered ? "ask" : write
  return [
    counted(server.tools, "tool"),
    `${thousands(server.tokens)} tokens`,
    ...(undeclared === 0 ? [] : [`${undeclared} undeclared`]),
    ...(asks === 0 ? [] : [`${asks} ask${asks === 1 ? "s" : ""} first`]),
    ...(writers === 0 ? [] : [writerWords(writers, destroys, mode)]),
    ...(others === 0 ? [] : [`${others} left out`]),
    ...(server.idle ? ["idle"] : []),
    ...(server.auth?.signedIn === true ? ["signed in"] : [])
  ]
}

const writerWords = (writers: number, destroys: number, mode: WriteMode): string => {
  const destroying = destroys === 0 ? "" : `, ${destroys} destroy${destroys === 1 ? "s" : ""}`
  const isOne = writers === 1
  const what = {
    ask: isOne ? "asks first" : "ask first",
    rules: isOne ? "needs a rule" : "need a rule",
    off: isOne ? "is off" : "are off"
  }[mode]
  return `${writers} that ${isOne ? "writes" : "write"} ${what}${destroying}`
}

const thousands = (number: number): string => number < 1000 ? `${number}` : `${(number / 1000).toFixed(1)}k`

/** The lines of standard error are shown unless the message has them already. */
const errorLines = (error: NonNullable<ServerStatus["error"]>, paint: Paint): ReadonlyArray<string> => {
  const message = reasonOf(error.message, 400)
  const last = error.stderr === null ? [] : indented(error.stderr, "| ").slice(-STDERR_LINES)
  const isTold = last.every((line) => message.includes(oneLine(line.slice(2), 400)))
  return [
    message,
    paint.dim(oneLine(error.hint, 400)),
    ...(isTold ? [] : last.map((line) => paint.dim(cut(line, 200))))
  ]
}

const STDERR_LINES = 5

/** Why something failed, without the folders in which a command was looked for. */
const reasonOf = (message: string, limit: number): string => oneLine(message.replace(/ \(searched [^)]*\)/, ""), limit)

const stateColour = (state: ServerState, paint: Paint): (text: string) => string => {
  if (state === "ready") return paint.good
  if (state === "failed") return paint.bad
  return state === "needs-approval" || state === "needs-auth" ? paint.careful : paint.dim
}

export const missingLines = (servers: ReadonlyArray<ServerStatus>, paint: Paint): ReadonlyArray<string> =>
  servers
    .filter((server) => server.state !== "ready" && server.state !== "disabled" && !isRejected(server))
    .map((server) => {
      const why = server.error === null ? "" : `: ${reasonOf(server.error.message, 300)}`
      return `${paint.careful("warning")}  ${oneLine(server.name)} is ${server.state}${why}`
    })
