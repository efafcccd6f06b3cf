/** When a server that is gone is tried again: docs/decisions.md#decision-7-restart. */
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"

/** A server that ran this long begins again with a clean record. */
export const HEALTHY_AFTER = Duration.minutes(1)

/** After so many failures in a row the pace is the slow one, for ever. */
export const FAST_ATTEMPTS = 5

const FIRST_DELAY_MILLIS = 500
const SLOW_DELAY_MILLIS = 60_000

const PERMANENT: ReadonlySet<McpErrorReason["_tag"]> = new Set<McpErrorReason["_tag"]>([
  "InvalidEntry",
  "VariableUnset",
  "TokenNeeded",
  "CommandNotFound",
  "NotApproved",
  "Rejected",
  "AuthRequired",
  "AuthRejected",
  "AuthorizationFailed",
  "ProtocolMismatch"
])

/** Whether trying again cannot help until a person changed something. */
export const isPermanent = (reason: McpErrorReason): boolean =>
  PERMANENT.has(reason._tag) && !(reason._tag === "AuthorizationFailed" && reason.isTransient === true)

/**
 * How long to wait before the next attempt: doubling from half a second, a minute after five failures in a row. `random`
 * in [0, 1) spreads it by a quarter to both sides, so that servers that died together do not return together.
 */
export const delay = (failures: number, random: number): Duration.Duration => {
  const base = failures > FAST_ATTEMPTS ? SLOW_DELAY_MILLIS : FIRST_DELAY_MILLIS * 2 ** Math.max(0, failures - 1)
  return Duration.millis(Math.round(base * (0.75 + random / 2)))
}

/**
 * Whether there is a next attempt. `restart` is about a process that was ready and died: one that never was ready is tried
 * until it is, and a new connection to an HTTP server restarts nothing.
 */
export const isTriedAgain = (
  config: ServerConfig,
  reason: McpErrorReason,
  { isWoken, wasEverReady }: { readonly isWoken: boolean; readonly wasEverReady: boolean }
): boolean =>
  !isPermanent(reason) &&
  (isWoken || !wasEverReady || isRemote(config) || config.restart === "on-failure" || isMoved(reason))

/** Whether nothing of the server broke: it goes on elsewhere. */
export const isMoved = (reason: McpErrorReason): boolean => reason._tag === "ConnectionLost" && reason.isMoved === true

/** Whether there is no process to restart. */
export const isRemote = ({ transport }: ServerConfig): boolean => transport._tag !== "stdio"
