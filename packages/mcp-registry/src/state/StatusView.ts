/** How the state of a server is told to others. */
import { toStatusError } from "@boocode/mcp-client/McpError"
import { CleanText, ErrorWords } from "@boocode/mcp-client/Text"
import type { ConfiguredServer } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Result from "effect/Result"
import * as EntryTrust from "../model/EntryTrust.ts"
import type { RejectedTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import type { Discovered } from "../tools/Discovery.ts"
import * as ToolDifference from "../trust/ToolDifference.ts"
import * as ServerState from "./ServerState.ts"

/** The status that others see. Holds no secret. */
export const toStatus = (state: ServerState.ServerState): ServerStatus => {
  const { discovered, entry } = state
  const connection = ServerState.connectionOf(state)
  const reason = ServerState.reasonOf(state)
  const config = Result.getOrNull(entry.config)
  return {
    name: entry.name,
    transport: entry.transport,
    state: ServerState.stateOf(state),
    source: entry.source,
    sharing: entry.personal === undefined ? "shared" : "personal",
    ...(entry.personal === undefined ? {} : { secrets: entry.personal.names }),
    ...(entry.audience === undefined ? {} : { for: entry.audience }),
    isTrusted: EntryTrust.isBelieved(entry),
    tools: discovered.tools.length,
    undeclared: discovered.undeclared,
    asks: discovered.asks,
    asksResources: config !== null && config.ask.length > 0 && ToolGlob.compile(config.ask).allows("resources"),
    writes: config?.writes ?? null,
    classes: discovered.classes,
    tokens: discovered.tokens,
    toolsChanged: toolsChanged(discovered),
    rejected: discovered.rejected.slice(0, MOST_REJECTED).map(leftOut),
    rejectedMore: Math.max(0, discovered.rejected.length - MOST_REJECTED),
    offer: discovered.rejected.find(({ isWriter }) => isWriter)?.hint ?? null,
    warnings: [
      ...entry.warnings,
      ...withoutEffect(entry),
      ...discovered.remarks,
      ...state.diagnostics,
      ...discovered.pins.warnings,
      ...silence(state),
      ...connection?.diagnostics() ?? []
    ],
    protocolVersion: connection?.protocolVersion ?? null,
    serverInfo: connection?.serverInfo ?? null,
    instructions: config?.instructions === true ? state.instructions : null,
    capabilities: state.capabilities,
    logLevel: state.logLevel,
    auth: state.auth,
    pid: connection?.pid ?? null,
    idle: ServerState.isIdle(state),
    connectMillis: state.connectMillis,
    steps: state.steps,
    restarts: state.restarts,
    ...(state.downloadMillis === null ? {} : { downloadMillis: state.downloadMillis }),
    error: reason === null ? null : toStatusError(reason)
  }
}

/** A server may list thousands, and chooses how long their names are. */
const MOST_REJECTED = 100
const MOST_CHARACTERS = 200

const leftOut = ({ class: toolClass, isOpenWorld, isWriter, reason, tool }: RejectedTool) => ({
  tool: ErrorWords.capped(CleanText.clean(tool), MOST_CHARACTERS),
  reason: ErrorWords.capped(reason, MOST_CHARACTERS),
  class: toolClass,
  openWorld: isOpenWorld,
  writer: isWriter
})

const toolsChanged = ({ listed, pins: { accept, difference } }: Discovered): number =>
  difference === null ? accept === null ? 0 : listed.length : ToolDifference.count(difference)

/** A server that missed one ping may be gone; its state changes when it misses the next one, too. */
const silence = ({ phase }: ServerState.ServerState): ReadonlyArray<string> =>
  phase._tag === "Ready" && phase.missedPings > 0
    ? ["it did not answer the last ping; if it misses the next one too, the connection is given up"]
    : []

const withoutEffect = (entry: ConfiguredServer): ReadonlyArray<string> =>
  Result.isFailure(entry.config) || entry.config.success.retry === "never" || EntryTrust.isBelieved(entry)
    ? []
    : [`"retry" has no effect in a project file: nothing is sent twice because its tools say that it does no harm`]
